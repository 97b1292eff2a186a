/* The dialect of /v1/messages: messages of content blocks, and their stream of events. */
#include "orchestrator-streams/messages.h"

#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/messages_body.h"
#include "orchestrator/front_error.h"

#include <string.h>

/* Members of all kinds of blocks and of their pieces; those that are NULL are omitted. */
struct block_row {
    const char *type, *text, *thinking, *signature, *data, *id, *name, *partial_json;
    const char *input; /* JSON */
};

#define OWNER struct block_row
static const struct field block_fields[] = {
    STRING(OWNER, type),
    STRING(OWNER, text, .omit_if_null = true),
    STRING(OWNER, thinking, .omit_if_null = true),
    STRING(OWNER, signature, .omit_if_null = true),
    STRING(OWNER, data, .omit_if_null = true),
    STRING(OWNER, id, .omit_if_null = true),
    STRING(OWNER, name, .omit_if_null = true),
    STRING(OWNER, partial_json, .omit_if_null = true),
    WRITTEN_JSON(OWNER, input, .nullable = true, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(block_schema, struct block_row, "MessageBlock", block_fields);

struct message_usage {
    int64_t input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens;
};

#define OWNER struct message_usage
static const struct field usage_fields[] = {
    INTEGER(OWNER, input_tokens, .help = "Without those of the cache."),
    INTEGER(OWNER, output_tokens),
    INTEGER(OWNER, cache_creation_input_tokens),
    INTEGER(OWNER, cache_read_input_tokens),
};
#undef OWNER
static SCHEMA(message_usage_schema, struct message_usage, "MessageUsage", usage_fields);

struct message_answer {
    const char *id, *type, *role, *model;
    OBJECT_LIST(struct block_row, content);
    const char *stop_reason, *stop_sequence;
    const struct message_usage *usage;
};

#define OWNER struct message_answer
static const struct field message_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, type),
    STRING(OWNER, role),
    STRING(OWNER, model),
    OBJECTS(OWNER, content, block_schema),
    STRING(OWNER, stop_reason, .nullable = true),
    STRING(OWNER, stop_sequence, .nullable = true),
    OBJECT(OWNER, usage, message_usage_schema),
};
#undef OWNER
SCHEMA(message_answer_schema, struct message_answer, "MessageAnswer", message_fields);

/* How a message ends. */
struct message_end {
    const char *stop_reason, *stop_sequence;
};

#define OWNER struct message_end
static const struct field end_fields[] = {STRING(OWNER, stop_reason, .nullable = true),
                                          STRING(OWNER, stop_sequence, .nullable = true)};
#undef OWNER
static SCHEMA(message_end_schema, struct message_end, "MessageEnd", end_fields);

/* The events of a stream, each with its own members of one struct. */
struct message_event {
    const char *type;
    int64_t index;
    const struct message_answer *message;
    const struct block_row *content_block, *delta;
    const struct message_end *end;
    const struct message_usage *usage;
};

#define OWNER struct message_event
static const struct field start_event_fields[] = {STRING(OWNER, type),
                                                  OBJECT(OWNER, message, message_answer_schema)};
static SCHEMA(start_event_schema, struct message_event, "MessageStart", start_event_fields);
static const struct field block_start_fields[] = {STRING(OWNER, type), INTEGER(OWNER, index),
                                                  OBJECT(OWNER, content_block, block_schema)};
static SCHEMA(block_start_schema, struct message_event, "MessageBlockStart", block_start_fields);
static const struct field block_delta_fields[] = {STRING(OWNER, type), INTEGER(OWNER, index),
                                                  OBJECT(OWNER, delta, block_schema)};
static SCHEMA(block_delta_schema, struct message_event, "MessageBlockDelta", block_delta_fields);
static const struct field block_stop_fields[] = {STRING(OWNER, type), INTEGER(OWNER, index)};
static SCHEMA(block_stop_schema, struct message_event, "MessageBlockStop", block_stop_fields);
static const struct field delta_event_fields[] = {STRING(OWNER, type),
                                                  {.name = "delta",
                                                   .type = FIELD_OBJECT,
                                                   .offset = offsetof(struct message_event, end),
                                                   .schema = &message_end_schema},
                                                  OBJECT(OWNER, usage, message_usage_schema)};
static SCHEMA(delta_event_schema, struct message_event, "MessageDelta", delta_event_fields);
static const struct field stop_event_fields[] = {STRING(OWNER, type)};
static SCHEMA(stop_event_schema, struct message_event, "MessageStop", stop_event_fields);
#undef OWNER

/* What of a stream has been sent. Blocks follow each other, one is open at a time. */
struct message_state {
    const char *id;
    bool begun;
    const char *open; /* type of the open block; NULL = none */
    int64_t index;    /* of the open block, or of the next */
    size_t tool;      /* of the open block of a call */
    size_t tools_begun;
};

static void accepted(struct exchange_call *exchange)
{
    struct message_state *state = exchange->state;

    state->id = arena_print(exchange->request->arena, "msg_%s", exchange->run->task_id);
}

static bool send_event(struct exchange_call *exchange, const struct schema *schema,
                       const struct message_event *event)
{
    return event_writer_send(&exchange->events, event->type, schema, event);
}

static bool begin(struct exchange_call *exchange)
{
    struct message_state *state = exchange->state;
    const struct message_usage usage = {0};
    const struct message_answer message = {.id = state->id,
                                           .type = "message",
                                           .role = "assistant",
                                           .model = exchange->call->model,
                                           .usage = &usage};

    if (state->begun)
        return true;
    state->begun = true;
    return send_event(exchange, &start_event_schema,
                      &(struct message_event){.type = "message_start", .message = &message});
}

static void close_block(struct exchange_call *exchange)
{
    struct message_state *state = exchange->state;

    if (!state->open)
        return;
    send_event(exchange, &block_stop_schema,
               &(struct message_event){.type = "content_block_stop", .index = state->index});
    state->open = NULL;
    state->index++;
}

static bool open_block(struct exchange_call *exchange, const struct block_row *block)
{
    struct message_state *state = exchange->state;

    close_block(exchange);
    state->open = block->type;
    return send_event(exchange, &block_start_schema,
                      &(struct message_event){.type = "content_block_start",
                                              .index = state->index,
                                              .content_block = block});
}

static bool send_piece(struct exchange_call *exchange, const struct block_row *piece)
{
    const struct message_state *state = exchange->state;

    return send_event(exchange, &block_delta_schema,
                      &(struct message_event){
                          .type = "content_block_delta", .index = state->index, .delta = piece});
}

static bool is_open(const struct exchange_call *exchange, const char *type)
{
    const struct message_state *state = exchange->state;

    return state->open && strcmp(state->open, type) == 0;
}

/* A call that is not open any more cannot get further arguments: that ends the stream. */
static bool send_call(struct exchange_call *exchange, const struct llm_delta *delta,
                      const char *text)
{
    struct message_state *state = exchange->state;
    bool goes_on = is_open(exchange, "tool_use") && state->tool == delta->tool_index;

    if (!goes_on && delta->tool_index < state->tools_begun)
        return !delta->length;
    if (!goes_on && !open_block(exchange, &(struct block_row){
                                              .type = "tool_use",
                                              .id = exchange_tool_id(exchange, 0, delta->tool_index,
                                                                     delta->tool_id),
                                              .name = delta->tool_name,
                                              .input = "{}"}))
        return false;
    state->tool = delta->tool_index;
    state->tools_begun = delta->tool_index + 1;
    return !delta->length || send_piece(exchange, &(struct block_row){.type = "input_json_delta",
                                                                      .partial_json = text});
}

static bool send_thought(struct exchange_call *exchange, const struct block_row *piece)
{
    return (is_open(exchange, "thinking") ||
            open_block(exchange,
                       &(struct block_row){.type = "thinking", .thinking = "", .signature = ""})) &&
           send_piece(exchange, piece);
}

static bool send_delta(struct exchange_call *exchange, const struct llm_delta *delta)
{
    const char *text = event_writer_piece(&exchange->events, delta->text, delta->length);

    if (!begin(exchange))
        return false;
    switch (delta->kind) {
    case LLM_DELTA_TOOL_CALL:
        return send_call(exchange, delta, text);
    case LLM_DELTA_THOUGHT:
        return send_thought(exchange,
                            &(struct block_row){.type = "thinking_delta", .thinking = text});
    case LLM_DELTA_SIGNATURE:
        if (!send_thought(exchange,
                          &(struct block_row){.type = "signature_delta", .signature = text}))
            return false;
        close_block(exchange);
        return true;
    case LLM_DELTA_SEALED:
        if (!open_block(exchange, &(struct block_row){.type = "redacted_thinking", .data = text}))
            return false;
        close_block(exchange);
        return true;
    default:
        return (is_open(exchange, "text") ||
                open_block(exchange, &(struct block_row){.type = "text", .text = ""})) &&
               send_piece(exchange, &(struct block_row){.type = "text_delta", .text = text});
    }
}

static const char *stop_reason_of(const struct llm_choice *choice)
{
    static const char *const names[][2] = {{"stop", "end_turn"},
                                           {"length", "max_tokens"},
                                           {"tool_calls", "tool_use"},
                                           {"content_filter", "refusal"}};

    if (choice->stopped_by)
        return "stop_sequence";
    if (choice->refusal)
        return "refusal";
    if (choice->tool_call_count && strcmp(choice->finish, "stop") == 0)
        return "tool_use"; /* as OpenAI's models end a call that had to be made */
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(choice->finish, names[i][0]) == 0)
            return names[i][1];
    return choice->finish;
}

static const struct message_usage *usage_of(struct arena *arena, const struct final_answer *final)
{
    struct message_usage *row = ARENA_NEW(arena, struct message_usage);
    struct exchange_usage usage;

    (void)exchange_usage(final, &usage);
    *row = (struct message_usage){.input_tokens =
                                      usage.input - usage.cached.value - usage.cache_write.value,
                                  .output_tokens = usage.output,
                                  .cache_creation_input_tokens = usage.cache_write.value,
                                  .cache_read_input_tokens = usage.cached.value};
    return row;
}

static void end(struct exchange_call *exchange, const struct final_answer *final)
{
    const struct llm_choice *choice = &final->choices[0];
    const struct message_end how = {.stop_reason = stop_reason_of(choice),
                                    .stop_sequence = choice->stopped_by};

    begin(exchange);
    close_block(exchange);
    send_event(exchange, &delta_event_schema,
               &(struct message_event){.type = "message_delta",
                                       .end = &how,
                                       .usage = usage_of(exchange->request->arena, final)});
    send_event(exchange, &stop_event_schema, &(struct message_event){.type = "message_stop"});
}

static void fail(struct exchange_call *exchange, const struct final_answer *final)
{
    struct front_error error = {.status = front_status_of(final->failure_code),
                                .message = exchange_failure(final)};

    event_writer_send(&exchange->events, "error", &message_error_schema,
                      front_message_error(exchange->request, &error));
}

/* Arguments as the model wrote them, an empty object where they are no JSON object. */
static const char *input_of(struct arena *arena, const char *arguments)
{
    struct json_fault fault;
    json_t *value;

    return json_read(arena, arguments, strlen(arguments), JSON_DEPTH_LIMIT / 2, &value, &fault) ||
                   !json_is_object(value)
               ? "{}"
               : conversation_json(arena, value);
}

static struct object_list blocks_of(const struct exchange_call *exchange,
                                    const struct llm_choice *choice)
{
    struct arena *arena = exchange->request->arena;
    struct block_row *rows =
        ARENA_ARRAY(arena, struct block_row, choice->thought_count + choice->tool_call_count + 2);
    size_t count = 0;

    for (size_t i = 0; i < choice->thought_count; i++) {
        const struct llm_thought *thought = &choice->thoughts[i];

        rows[count++] =
            thought->sealed
                ? (struct block_row){.type = "redacted_thinking", .data = thought->sealed}
                : (struct block_row){.type = "thinking",
                                     .thinking = thought->text,
                                     .signature = thought->signature ? thought->signature : ""};
    }
    if (*choice->text || (!choice->tool_call_count && !choice->refusal && !count))
        rows[count++] = (struct block_row){.type = "text", .text = choice->text};
    if (choice->refusal)
        rows[count++] = (struct block_row){.type = "text", .text = choice->refusal};
    for (size_t i = 0; i < choice->tool_call_count; i++)
        rows[count++] =
            (struct block_row){.type = "tool_use",
                               .id = exchange_tool_id(exchange, 0, i, choice->tool_calls[i].id),
                               .name = choice->tool_calls[i].name,
                               .input = input_of(arena, choice->tool_calls[i].arguments)};
    return (struct object_list){count, rows};
}

static void answer(struct exchange_call *exchange, const struct final_answer *final)
{
    struct arena *arena = exchange->request->arena;
    const struct message_state *state = exchange->state;
    const struct llm_choice *choice = &final->choices[0];
    struct message_answer *message = ARENA_NEW(arena, struct message_answer);

    *message = (struct message_answer){.id = state->id,
                                       .type = "message",
                                       .role = "assistant",
                                       .model = exchange->call->model,
                                       .stop_reason = stop_reason_of(choice),
                                       .stop_sequence = choice->stopped_by,
                                       .usage = usage_of(arena, final)};
    message->content = blocks_of(exchange, choice);
    exchange->reply->object = message;
}

static const struct parameter_name names[] = {
    {"stop", "stop_sequences"},
    {"user", "metadata.user_id"},
    {"response_format", "output_format"},
    {"reasoning_effort", "output_config.effort"},
    {"parallel_tool_calls", "tool_choice.disable_parallel_tool_use"},
    {NULL, NULL}};

static const struct dialect dialect = {.route = "messages",
                                       .names = names,
                                       .accepted = accepted,
                                       .send = send_delta,
                                       .end = end,
                                       .fail = fail,
                                       .answer = answer};

enum error messages_handle(struct request *request, struct reply *reply)
{
    struct gateway_call *call = ARENA_NEW(request->arena, struct gateway_call);
    struct exchange_call exchange = {.request = request,
                                     .reply = reply,
                                     .dialect = &dialect,
                                     .call = call,
                                     .state = ARENA_NEW(request->arena, struct message_state)};
    enum error error = messages_read(request, call);

    reply_add_header(reply, "request-id", request->id); /* where Anthropic's clients look for it */
    return error ? error : exchange_run(&exchange);
}
