/* The dialect of /v1/chat/completions: completions and their chunks. */
#include "orchestrator-streams/chat_completions.h"

#include "orchestrator-streams/completion.h"
#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/exchange.h"
#include "orchestrator/front_error.h"

#include <string.h>

/* What of a stream has been sent. */
struct chat_state {
    const struct completion_body *body;
    const char *id;
    bool begun[LLM_CHOICES_MAX];
    size_t tools_begun[LLM_CHOICES_MAX];
};

static void accepted(struct exchange_call *exchange)
{
    struct chat_state *state = exchange->state;

    state->id = arena_print(exchange->request->arena, "chatcmpl-%s", exchange->run->task_id);
}

static struct chunk chunk_of(const struct exchange_call *exchange)
{
    const struct chat_state *state = exchange->state;

    return (struct chunk){.id = state->id,
                          .object = "chat.completion.chunk",
                          .created = exchange->created,
                          .model = exchange->call->model};
}

/* A chunk with one choice. The first of a choice names the role. */
static bool send_choice(struct exchange_call *exchange, size_t position, struct delta_row delta,
                        const char *finish, const json_t *logprobs)
{
    struct chat_state *state = exchange->state;
    struct chunk_choice choice = {.index = (int64_t)position,
                                  .delta = &delta,
                                  .finish_reason = finish,
                                  .logprobs = (json_t *)logprobs};
    struct chunk chunk = chunk_of(exchange);

    if (!state->begun[position])
        delta.role = "assistant";
    state->begun[position] = true;
    chunk.choices = (struct object_list){1, &choice};
    return event_writer_send(&exchange->events, NULL, &chunk_schema, &chunk);
}

/* Id and name come with the first piece of a call only: clients append what comes. */
static bool send_tool_call(struct exchange_call *exchange, const struct llm_delta *piece,
                           const char *text)
{
    struct chat_state *state = exchange->state;
    bool is_new = piece->tool_index >= state->tools_begun[piece->choice];
    const struct function_row function = {.name = is_new ? piece->tool_name : NULL,
                                          .arguments = text};
    const struct tool_row row = {
        .index = (int64_t)piece->tool_index,
        .id = is_new ? exchange_tool_id(exchange, piece->choice, piece->tool_index, piece->tool_id)
                     : NULL,
        .type = is_new ? "function" : NULL,
        .function = &function};
    struct delta_row delta = {0};

    if (is_new)
        state->tools_begun[piece->choice] = piece->tool_index + 1;
    delta.tool_calls = (struct object_list){1, (void *)&row};
    return send_choice(exchange, piece->choice, delta, NULL, NULL);
}

static bool send_delta(struct exchange_call *exchange, const struct llm_delta *piece)
{
    const char *text = event_writer_piece(&exchange->events, piece->text, piece->length);
    struct thought_row thought = {.type = "thinking", .thinking = "", .signature = text};
    struct delta_row delta = {0};

    switch (piece->kind) {
    case LLM_DELTA_TOOL_CALL:
        return send_tool_call(exchange, piece, text);
    case LLM_DELTA_THOUGHT:
        delta.reasoning_content = text;
        break;
    case LLM_DELTA_REFUSAL:
        delta.refusal = text;
        break;
    case LLM_DELTA_SEALED:
        thought = (struct thought_row){.type = "redacted_thinking", .data = text};
        delta.thinking_blocks = (struct object_list){1, &thought};
        break;
    case LLM_DELTA_SIGNATURE:
        delta.thinking_blocks = (struct object_list){1, &thought};
        break;
    default:
        delta.content = text;
    }
    return send_choice(exchange, piece->choice, delta, NULL, piece->logprobs);
}

/* A chunk without a choice, which clients skip unless they read `orch`. */
static void spliced(struct exchange_call *exchange, const struct model *from,
                    const struct model *next, const char *code)
{
    const struct splice_row splice = {
        .event = "splice", .from_model_id = from->id, .model_id = next->id, .code = code};
    struct chunk chunk = chunk_of(exchange);

    chunk.orch = SHAPED(splice_schema, &splice);
    event_writer_send(&exchange->events, NULL, &splice_chunk_schema, &chunk);
}

/* NULL when a provider sent no figures, or their sum overflows. */
static const struct usage_row *usage_of(struct arena *arena, const struct final_answer *final)
{
    struct usage_row *row = ARENA_NEW(arena, struct usage_row);
    struct prompt_details *prompt = ARENA_NEW(arena, struct prompt_details);
    struct completion_details *completion = ARENA_NEW(arena, struct completion_details);
    struct exchange_usage usage;

    if (!exchange_usage(final, &usage))
        return NULL;
    prompt->cached_tokens = usage.cached;
    prompt->cache_write_tokens = usage.cache_write;
    completion->reasoning_tokens = usage.reasoning;
    *row = (struct usage_row){.prompt_tokens = usage.input,
                              .completion_tokens = usage.output,
                              .total_tokens = usage.total};
    if (prompt->cached_tokens.given || prompt->cache_write_tokens.given)
        row->prompt_tokens_details = prompt;
    if (completion->reasoning_tokens.given)
        row->completion_tokens_details = completion;
    return row;
}

static const struct orch_row *orch_of(struct arena *arena, const struct final_answer *final)
{
    struct orch_row *orch = ARENA_NEW(arena, struct orch_row);

    *orch = (struct orch_row){.task_id = final->run->task_id,
                              .model_id = final->model_id,
                              .splices = final->splices,
                              .accounting =
                                  accounting_of(final->run, final->result, final->result ? 1 : 0),
                              .models_used = final->models_used};
    return orch;
}

/* The finish reasons, the usage for clients that request it, and the end marker. */
static void end(struct exchange_call *exchange, const struct final_answer *final)
{
    const struct chat_state *state = exchange->state;
    const json_t *include_usage = json_object_get(state->body->stream_options, "include_usage");
    struct chunk chunk = chunk_of(exchange);

    for (size_t i = 0; i < final->choice_count; i++) {
        if (!state->begun[i])
            send_choice(exchange, i, (struct delta_row){.content = ""}, NULL, NULL);
        send_choice(exchange, i, (struct delta_row){0}, final->choices[i].finish, NULL);
    }
    if (json_is_true(include_usage)) {
        chunk.usage = usage_of(exchange->request->arena, final);
        chunk.orch = SHAPED(orch_schema, orch_of(exchange->request->arena, final));
        event_writer_send(&exchange->events, NULL, &usage_chunk_schema, &chunk);
    }
    event_writer_send_text(&exchange->events, "[DONE]");
}

/* No end marker, so that no client takes the text before it for a complete answer. */
static void fail(struct exchange_call *exchange, const struct final_answer *final)
{
    struct front_error error = {.message = exchange_failure(final),
                                .type = "upstream_error",
                                .code = failure_name(final->failure_code)};

    event_writer_send(&exchange->events, NULL, &front_error_schema,
                      &(struct front_error_answer){&error});
}

static struct object_list tool_rows(const struct exchange_call *exchange, size_t position,
                                    const struct llm_choice *choice)
{
    struct arena *arena = exchange->request->arena;
    size_t count = choice->tool_call_count;
    struct tool_row *rows = ARENA_ARRAY(arena, struct tool_row, count);
    struct function_row *functions = ARENA_ARRAY(arena, struct function_row, count);

    for (size_t i = 0; i < count; i++) {
        functions[i] = (struct function_row){.name = choice->tool_calls[i].name,
                                             .arguments = choice->tool_calls[i].arguments};
        rows[i] = (struct tool_row){
            .index = (int64_t)i,
            .id = exchange_tool_id(exchange, position, i, choice->tool_calls[i].id),
            .type = "function",
            .function = &functions[i]};
    }
    return (struct object_list){count, rows};
}

/* Thoughts as one text, and those with a signature as the blocks that the model needs back. */
static void set_thoughts(struct arena *arena, const struct llm_choice *choice,
                         struct message_row *message)
{
    struct thought_row *rows = ARENA_ARRAY(arena, struct thought_row, choice->thought_count);
    size_t count = 0;
    const char *all = NULL;

    for (size_t i = 0; i < choice->thought_count; i++) {
        const struct llm_thought *thought = &choice->thoughts[i];

        if (thought->text)
            all = all ? arena_print(arena, "%s\n%s", all, thought->text) : thought->text;
        if (thought->sealed)
            rows[count++] =
                (struct thought_row){.type = "redacted_thinking", .data = thought->sealed};
        else if (thought->signature)
            rows[count++] = (struct thought_row){
                .type = "thinking", .thinking = thought->text, .signature = thought->signature};
    }
    message->reasoning_content = all;
    message->thinking_blocks = (struct object_list){count, rows};
}

static const struct message_row *message_of(const struct exchange_call *exchange, size_t position,
                                            const struct llm_choice *choice)
{
    struct arena *arena = exchange->request->arena;
    struct message_row *message = ARENA_NEW(arena, struct message_row);

    message->role = "assistant";
    message->tool_calls = tool_rows(exchange, position, choice);
    message->refusal = choice->refusal;
    message->content =
        *choice->text || (!message->tool_calls.count && !message->refusal) ? choice->text : NULL;
    set_thoughts(arena, choice, message);
    return message;
}

static void answer(struct exchange_call *exchange, const struct final_answer *final)
{
    struct arena *arena = exchange->request->arena;
    const struct chat_state *state = exchange->state;
    struct completion *completion = ARENA_NEW(arena, struct completion);
    struct choice_row *rows = ARENA_ARRAY(arena, struct choice_row, final->choice_count);

    for (size_t i = 0; i < final->choice_count; i++)
        rows[i] = (struct choice_row){.index = (int64_t)i,
                                      .message = message_of(exchange, i, &final->choices[i]),
                                      .logprobs = final->choices[i].logprobs,
                                      .finish_reason = final->choices[i].finish};
    *completion =
        (struct completion){.id = state->id,
                            .object = "chat.completion",
                            .created = exchange->created,
                            .model = exchange->call->model,
                            .choices = {final->choice_count, rows},
                            .usage = usage_of(arena, final),
                            .service_tier = final->result ? final->result->service_tier : NULL,
                            .orch = orch_of(arena, final)};
    exchange->reply->object = completion;
}

static const struct dialect dialect = {.route = "chat/completions",
                                       .accepted = accepted,
                                       .send = send_delta,
                                       .spliced = spliced,
                                       .end = end,
                                       .fail = fail,
                                       .answer = answer};

enum error chat_completions_handle(struct request *request, struct reply *reply)
{
    struct gateway_call *call = ARENA_NEW(request->arena, struct gateway_call);
    struct chat_state *state = ARENA_NEW(request->arena, struct chat_state);
    struct exchange_call exchange = {
        .request = request, .reply = reply, .dialect = &dialect, .call = call, .state = state};
    enum error error = conversation_read(request, call);

    state->body = request->body;
    return error ? error : exchange_run(&exchange);
}
