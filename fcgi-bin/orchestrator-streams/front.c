/* Completions of conversations, in OpenAI's form. */
#include "orchestrator-streams/front.h"

#include "base/clock.h"
#include "orchestrator-streams/completion.h"
#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/event_writer.h"
#include "orchestrator-streams/parameters.h"
#include "orchestrator/dispatch/embeddings.h"
#include "orchestrator/front_error.h"
#include "orchestrator/front_names.h"
#include "orchestrator/runs/chat.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/runs/smart.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

#include <string.h>

/* For embeddings, and for word counts where there are none. */
static const double similarity_threshold = 0.85, word_similarity_threshold = 0.6;
static const double consensus_target = 0.85;

enum { CONSENSUS_ROUNDS = 2, CONSENSUS_VARIATIONS = 3 };

/* A completion on its way to the client. */
struct chat_exchange {
    struct request *request;
    struct reply *reply;
    struct event_writer events;
    const struct completion_body *body;
    const char *id;
    int64_t created;
    bool begun;
};

/* The final answer of a model or of a pattern. */
struct final_answer {
    const struct run *run;
    const char *model_id;
    int status, failure_code;
    const char *failure_message, *text;
    const struct result *result; /* with tool calls and figures; NULL */
    int splices;
    struct string_list models_used; /* of a pattern that calls several */
};

static void begin_exchange(struct chat_exchange *exchange, const struct run *run)
{
    exchange->id = arena_print(exchange->request->arena, "chatcmpl-%s", run->task_id);
    exchange->created = clock_unix_seconds();
    if (run->trace_id)
        reply_add_header(exchange->reply, "x-trace-id", run->trace_id);
}

static struct chunk chunk_of(const struct chat_exchange *exchange)
{
    return (struct chunk){.id = exchange->id,
                          .object = "chat.completion.chunk",
                          .created = exchange->created,
                          .model = exchange->body->model};
}

/* A chunk with one choice. The first of a stream names the role. */
static bool send_choice(struct chat_exchange *exchange, struct delta_row delta, const char *finish)
{
    struct chunk_choice choice = {.delta = &delta, .finish_reason = finish};
    struct chunk chunk = chunk_of(exchange);

    if (!exchange->begun)
        delta.role = "assistant";
    exchange->begun = true;
    chunk.choices = (struct object_list){1, &choice};
    return event_writer_send(&exchange->events, NULL, &chunk_schema, &chunk);
}

static struct object_list tool_rows(struct arena *arena, const struct result *result)
{
    size_t count = result ? result->tool_call_count : 0;
    struct tool_row *rows = ARENA_ARRAY(arena, struct tool_row, count);
    struct function_row *functions = ARENA_ARRAY(arena, struct function_row, count);

    for (size_t i = 0; i < count; i++) {
        functions[i] = (struct function_row){.name = result->tool_calls[i].name,
                                             .arguments = result->tool_calls[i].arguments};
        rows[i] = (struct tool_row){.index = (int64_t)i,
                                    .id = result->tool_calls[i].id,
                                    .type = "function",
                                    .function = &functions[i]};
    }
    return (struct object_list){count, rows};
}

static void send_tool_calls(struct chat_exchange *exchange, const struct result *result)
{
    struct delta_row delta = {0};

    delta.tool_calls = tool_rows(exchange->request->arena, result);
    if (delta.tool_calls.count)
        send_choice(exchange, delta, NULL);
}

static void send_refusal(struct chat_exchange *exchange, const struct result *result)
{
    if (result && result->refusal)
        send_choice(exchange, (struct delta_row){.refusal = result->refusal}, NULL);
}

/* NULL when a provider sent no figures, or their sum overflows. */
static struct usage_row *usage_of(struct arena *arena, const struct accounting_answer *accounting)
{
    struct usage_row *usage = ARENA_NEW(arena, struct usage_row);
    struct prompt_details *prompt = ARENA_NEW(arena, struct prompt_details);
    struct completion_details *completion = ARENA_NEW(arena, struct completion_details);
    int64_t total;

    if (!accounting->input_tokens.given || !accounting->output_tokens.given ||
        __builtin_add_overflow(accounting->input_tokens.value, accounting->output_tokens.value,
                               &total))
        return NULL;
    prompt->cached_tokens = accounting->cached_input_tokens;
    prompt->cache_write_tokens = accounting->cache_write_tokens;
    completion->reasoning_tokens = accounting->reasoning_tokens;
    *usage = (struct usage_row){.prompt_tokens = accounting->input_tokens.value,
                                .completion_tokens = accounting->output_tokens.value,
                                .total_tokens = total};
    if (prompt->cached_tokens.given || prompt->cache_write_tokens.given)
        usage->prompt_tokens_details = prompt;
    if (completion->reasoning_tokens.given)
        usage->completion_tokens_details = completion;
    return usage;
}

static const struct orch_row *orch_of(struct request *request, const struct final_answer *final)
{
    struct orch_row *orch = ARENA_NEW(request->arena, struct orch_row);

    *orch = (struct orch_row){.task_id = final->run->task_id,
                              .model_id = final->model_id,
                              .splices = final->splices,
                              .accounting =
                                  accounting_of(final->run, final->result, final->result ? 1 : 0),
                              .models_used = final->models_used};
    return orch;
}

static const char *finish_of(const struct final_answer *final)
{
    return final->result && final->result->finish ? final->result->finish : "stop";
}

static void send_failure(struct chat_exchange *exchange, const struct final_answer *final)
{
    struct front_error error = {.message =
                                    final->failure_message ? final->failure_message : "Cancelled.",
                                .type = "upstream_error",
                                .code = failure_name(final->failure_code)};

    event_writer_send(&exchange->events, NULL, &front_error_schema,
                      &(struct front_error_answer){&error});
}

/* The end of a stream: the finish reason, the usage for clients that request it, and the end
 * marker. A failure sends no marker, so that no client takes the text before it for a complete
 * answer. */
static void end_stream(struct chat_exchange *exchange, const struct final_answer *final)
{
    const json_t *include_usage = json_object_get(exchange->body->stream_options, "include_usage");
    const struct orch_row *orch = orch_of(exchange->request, final);
    struct chunk chunk = chunk_of(exchange);

    if (final->status != RUN_SUCCEEDED) {
        send_failure(exchange, final);
        return;
    }
    send_tool_calls(exchange, final->result);
    send_refusal(exchange, final->result);
    send_choice(exchange, (struct delta_row){0}, finish_of(final));
    if (json_is_true(include_usage)) {
        chunk.usage = usage_of(exchange->request->arena, orch->accounting);
        chunk.orch = SHAPED(orch_schema, orch);
        event_writer_send(&exchange->events, NULL, &usage_chunk_schema, &chunk);
    }
    event_writer_send_text(&exchange->events, "[DONE]");
}

static enum error refuse(struct request *request, struct reply *reply,
                         const struct final_answer *final)
{
    static const struct {
        int code;
        const char *reason;
    } rows[] = {{FAILURE_RATE_LIMITED, "upstream_rate_limited"},
                {FAILURE_TIMEOUT, "upstream_timeout"},
                {FAILURE_UNKNOWN, "upstream_failed"}};
    const struct provider_refusal *refusal = &final->run->refusal;
    const char *reason = "upstream_unavailable";

    if (final->run->key_refusal.message)
        return key_refuse(request, reply, &final->run->key_refusal);
    if (front_pass_on(request, reply, refusal))
        return ERROR_NONE;
    if (refusal->status == 401 || refusal->status == 403)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "provider_auth_failed",
                           "The provider refused the key of this service.");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].code == final->failure_code)
            reason = rows[i].reason;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, reason, "%s",
                       final->failure_message ? final->failure_message : "The call was cancelled.");
}

static enum error answer(struct chat_exchange *exchange, const struct final_answer *final)
{
    struct arena *arena = exchange->request->arena;
    struct completion *completion = ARENA_NEW(arena, struct completion);
    struct choice_row *choice = ARENA_NEW(arena, struct choice_row);
    struct message_row *message = ARENA_NEW(arena, struct message_row);
    const struct orch_row *orch = orch_of(exchange->request, final);

    if (exchange->events.open) {
        end_stream(exchange, final);
        return ERROR_NONE;
    }
    if (final->status != RUN_SUCCEEDED)
        return refuse(exchange->request, exchange->reply, final);
    if (exchange->body->stream.value) { /* of an answer that came as a whole */
        if (!event_writer_open(&exchange->events))
            return ERROR_NONE;
        send_choice(exchange, (struct delta_row){.content = final->text}, NULL);
        end_stream(exchange, final);
        return ERROR_NONE;
    }
    message->role = "assistant";
    message->tool_calls = tool_rows(arena, final->result);
    message->refusal = final->result ? final->result->refusal : NULL;
    message->content =
        *final->text || (!message->tool_calls.count && !message->refusal) ? final->text : NULL;
    choice->message = message;
    choice->finish_reason = finish_of(final);
    *completion = (struct completion){.id = exchange->id,
                                      .object = "chat.completion",
                                      .created = exchange->created,
                                      .model = exchange->body->model,
                                      .choices = {1, choice},
                                      .usage = usage_of(arena, orch->accounting),
                                      .orch = orch};
    exchange->reply->object = completion;
    return ERROR_NONE;
}

static void send_accepted(const struct chat *chat, void *context)
{
    begin_exchange(context, &chat->task_run.run);
}

/* The head goes out with the first text, so that a call that fails before has a status. */
static bool send_text(const struct chat *chat, const char *text, size_t length, void *context)
{
    struct chat_exchange *exchange = context;

    (void)chat;
    return event_writer_open(&exchange->events) &&
           send_choice(
               exchange,
               (struct delta_row){.content = event_writer_piece(&exchange->events, text, length)},
               NULL);
}

/* A chunk without a choice, which clients skip unless they read `orch`. */
static void send_splice(const struct chat *chat, const struct result *broken,
                        const struct model *next, void *context)
{
    struct chat_exchange *exchange = context;
    const struct splice_row splice = {.event = "splice",
                                      .from_model_id = chat->model->id,
                                      .model_id = next->id,
                                      .code = failure_name(broken->failure_code)};
    struct chunk chunk = chunk_of(exchange);

    chunk.orch = SHAPED(splice_schema, &splice);
    if (exchange->events.open)
        event_writer_send(&exchange->events, NULL, &splice_chunk_schema, &chunk);
}

static enum error ask_model(struct chat_exchange *exchange, struct db *db,
                            const struct llm_request *conversation, const char *prompt,
                            struct final_answer *final)
{
    struct request *request = exchange->request;
    const struct worker_context *worker = service_worker(request);
    struct chat *chat = ARENA_NEW(request->arena, struct chat);
    struct chat_request *wanted = ARENA_NEW(request->arena, struct chat_request);
    const struct model *model =
        catalog_resolve(request->arena, worker->catalog, exchange->body->model);
    enum error error = ERROR_NONE;

    if (model && !is_dry_run(worker, false))
        error = parameters_check(request, model_protocol(model), conversation);
    if (error)
        return error;
    *wanted = (struct chat_request){.route = "chat/completions",
                                    .prompt = prompt,
                                    .request = conversation,
                                    .plan = {.model = exchange->body->model, .quorum = 1},
                                    .metadata = exchange->body->metadata,
                                    .dry_run = is_dry_run(worker, false),
                                    .on_accepted = send_accepted,
                                    .on_text = exchange->body->stream.value ? send_text : NULL,
                                    .on_splice = send_splice,
                                    .watch = &exchange->events.watch,
                                    .context = exchange};
    error = chat_run(chat, worker, request->arena, db, wanted, &request->problem);
    *final = (struct final_answer){.run = &chat->task_run.run,
                                   .model_id = chat->model ? chat->model->id : NULL,
                                   .status = chat->outcome.status,
                                   .failure_code = chat->outcome.failure_code,
                                   .failure_message = chat->outcome.failure_message,
                                   .text = chat->result.text ? chat->result.text : "",
                                   .result = &chat->result,
                                   .splices = chat->splices};
    return error;
}

static void final_of_pattern(struct chat_exchange *exchange, const struct pattern_run *run,
                             struct string_list models_used, struct final_answer *final)
{
    const struct model *winner = run->outcome.winner;

    begin_exchange(exchange, &run->task_run.run);
    *final =
        (struct final_answer){.run = &run->task_run.run,
                              .model_id = winner ? winner->id : run->model->id,
                              .models_used = models_used,
                              .status = run->outcome.status,
                              .failure_code = run->outcome.failure_code,
                              .failure_message = run->outcome.failure_message,
                              .text = run->outcome.output_text ? run->outcome.output_text : ""};
}

/* The user's last message, which determines language and complexity. */
static const char *question_of(const struct llm_request *conversation)
{
    for (size_t i = conversation->message_count; i-- > 0;)
        if (strcmp(conversation->messages[i].role, "user") == 0 &&
            conversation->messages[i].content)
            return conversation->messages[i].content;
    return NULL;
}

static enum error ask_smart(struct chat_exchange *exchange, struct db *db,
                            const struct llm_request *conversation, const char *prompt,
                            struct final_answer *final)
{
    struct request *request = exchange->request;
    const struct smart_request wanted = {.prompt = prompt,
                                         .watch = &exchange->events.watch,
                                         .conversation = conversation,
                                         .question = question_of(conversation)};
    struct smart *smart = ARENA_NEW(request->arena, struct smart);
    enum error error =
        smart_run(smart, service_worker(request), request->arena, db, &wanted, &request->problem);

    if (!error)
        final_of_pattern(exchange, &smart->run, smart->models_used, final);
    return error;
}

static enum error ask_consensus(struct chat_exchange *exchange, struct db *db,
                                const struct llm_request *conversation, const char *prompt,
                                struct final_answer *final)
{
    struct request *request = exchange->request;
    const struct worker_context *worker = service_worker(request);
    const struct consensus_options rounds = {
        .similarity_threshold =
            embeddings_are_configured(worker) ? similarity_threshold : word_similarity_threshold,
        .target = consensus_target,
        .max_rounds = CONSENSUS_ROUNDS,
        .per_round = CONSENSUS_VARIATIONS,
        .use_confidence = true};
    const struct pattern_request frame = {.route = "consensus",
                                          .prompt = prompt,
                                          .dry_run = is_dry_run(worker, false),
                                          .watch = &exchange->events.watch,
                                          .conversation = conversation,
                                          .question = question_of(conversation)};
    struct pattern_run *run = ARENA_NEW(request->arena, struct pattern_run);
    struct consensus consensus = {0};
    enum error error;

    error = pattern_begin(run, worker, request->arena, db, &frame, &request->problem);
    if (!error)
        error = consensus_v1(run, prompt, &rounds, &consensus);
    if (!error)
        error = pattern_end_text(run, consensus.best, &consensus.failure);
    if (!error)
        final_of_pattern(exchange, run, consensus.models_used, final);
    return error;
}

/* A way of asking takes the prompt alone. */
static enum error check_pattern_request(struct request *request, const struct completion_body *body,
                                        const struct llm_request *conversation)
{
    if (body->metadata && json_object_size(body->metadata))
        return request_fault(request, "body", "metadata", "value_error",
                             "this cannot be passed on to the model");
    return parameters_check(request, LLM_PROTOCOL__MAX, conversation);
}

static bool is_pattern(const char *model)
{
    return strcmp(model, FRONT_SMART) == 0 || strcmp(model, FRONT_CONSENSUS) == 0;
}

enum error completions_handle(struct request *request, struct reply *reply)
{
    struct chat_exchange *exchange = ARENA_NEW(request->arena, struct chat_exchange);
    struct llm_request *conversation = ARENA_NEW(request->arena, struct llm_request);
    const char *prompt = NULL;
    struct final_answer final;
    struct db *db;
    enum error error = conversation_read(request, conversation, &prompt);

    exchange->request = request;
    exchange->reply = reply;
    exchange->body = request->body;
    if (!error && is_pattern(exchange->body->model))
        error = check_pattern_request(request, exchange->body, conversation);
    if (error)
        return error;
    event_writer_start(&exchange->events, request, reply, false);
    error = service_database(request, &db);
    if (error)
        return error;
    if (strcmp(exchange->body->model, FRONT_SMART) == 0)
        error = ask_smart(exchange, db, conversation, prompt, &final);
    else if (strcmp(exchange->body->model, FRONT_CONSENSUS) == 0)
        error = ask_consensus(exchange, db, conversation, prompt, &final);
    else
        error = ask_model(exchange, db, conversation, prompt, &final);
    if (error == ERROR_INVALID)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "model_not_found",
                           "The model '%s' does not exist.", exchange->body->model);
    return error ? service_storage_error(request, error, "replace_task_snapshot")
                 : answer(exchange, &final);
}
