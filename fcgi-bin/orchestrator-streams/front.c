/* Completions of conversations, in OpenAI's form. */
#include "orchestrator-streams/front.h"

#include "base/clock.h"
#include "orchestrator-streams/completion.h"
#include "orchestrator-streams/conversation.h"
#include "orchestrator-streams/parameters.h"
#include "orchestrator-streams/teller.h"
#include "orchestrator/dispatch/embeddings.h"
#include "orchestrator/front_error.h"
#include "orchestrator/front_names.h"
#include "orchestrator/runs/chat.h"
#include "orchestrator/runs/orchestrate.h"
#include "orchestrator/runs/smart.h"
#include "orchestrator/service.h"
#include "orchestrator/task_answer.h"

#include <string.h>

/* Of embeddings, and of words where there are none. */
static const double similarity_threshold = 0.85, word_similarity_threshold = 0.6;
static const double consensus_target = 0.85;

enum { CONSENSUS_ROUNDS = 2, CONSENSUS_VARIATIONS = 3 };

/* A completion on its way to the client. */
struct speech {
    struct request *request;
    struct reply *reply;
    struct teller teller;
    const struct completion_body *body;
    const char *id;
    int64_t created;
    bool begun;
};

/* What has been said in the end, whichever way it was asked for. */
struct said {
    const struct run *run;
    const char *model_id;
    int status, failure_code;
    const char *failure_message, *text;
    const struct result *result; /* with tool calls and figures; NULL */
    int splices;
    struct string_list models_used; /* of a way of asking that asks several */
};

static void begin_speech(struct speech *speech, const struct run *run)
{
    speech->id = arena_print(speech->request->arena, "chatcmpl-%s", run->task_id);
    speech->created = clock_unix_seconds();
    if (run->trace_id)
        reply_add_header(speech->reply, "x-trace-id", run->trace_id);
}

static struct json_writer *begin_chunk(struct speech *speech)
{
    struct json_writer *writer = teller_begin(&speech->teller, false);

    writer_key_string(writer, "id", speech->id);
    writer_key_string(writer, "object", "chat.completion.chunk");
    writer_key_integer(writer, "created", speech->created);
    writer_key_string(writer, "model", speech->body->model);
    return writer;
}

/* A chunk with one choice: its delta is open. */
static struct json_writer *begin_choice(struct speech *speech)
{
    struct json_writer *writer = begin_chunk(speech);

    writer_key(writer, "choices");
    writer_open_array(writer);
    writer_open_object(writer);
    writer_key_integer(writer, "index", 0);
    writer_key(writer, "delta");
    writer_open_object(writer);
    if (!speech->begun)
        writer_key_string(writer, "role", "assistant");
    speech->begun = true;
    return writer;
}

static bool end_choice(struct speech *speech, struct json_writer *writer, const char *finish)
{
    writer_close_object(writer);
    writer_key_string(writer, "finish_reason", finish);
    writer_close_object(writer);
    writer_close_array(writer);
    return teller_send(&speech->teller, NULL);
}

/* A chunk with text; `bytes` NULL = none. */
static bool send_delta(struct speech *speech, const char *bytes, size_t length, const char *finish)
{
    struct json_writer *writer = begin_choice(speech);

    if (bytes) {
        writer_key(writer, "content");
        writer_bytes(writer, bytes, length);
    }
    return end_choice(speech, writer, finish);
}

static void send_tool_calls(struct speech *speech, const struct result *result)
{
    struct json_writer *writer;

    if (!result || !result->tool_call_count)
        return;
    writer = begin_choice(speech);
    writer_key(writer, "tool_calls");
    writer_open_array(writer);
    for (size_t i = 0; i < result->tool_call_count; i++) {
        writer_open_object(writer);
        writer_key_integer(writer, "index", (int64_t)i);
        writer_key_string(writer, "id", result->tool_calls[i].id);
        writer_key_string(writer, "type", "function");
        writer_key(writer, "function");
        writer_open_object(writer);
        writer_key_string(writer, "name", result->tool_calls[i].name);
        writer_key_string(writer, "arguments", result->tool_calls[i].arguments);
        writer_close_object(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
    end_choice(speech, writer, NULL);
}

static void send_refusal(struct speech *speech, const struct result *result)
{
    struct json_writer *writer;

    if (!result || !result->refusal)
        return;
    writer = begin_choice(speech);
    writer_key_string(writer, "refusal", result->refusal);
    end_choice(speech, writer, NULL);
}

/* NULL when a provider did not tell, or told more than can be added. */
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
    *prompt =
        (struct prompt_details){accounting->cached_input_tokens, accounting->cache_write_tokens};
    *completion = (struct completion_details){accounting->reasoning_tokens};
    *usage = (struct usage_row){
        accounting->input_tokens.value, accounting->output_tokens.value, total,
        prompt->cached_tokens.given || prompt->cache_write_tokens.given ? prompt : NULL,
        completion->reasoning_tokens.given ? completion : NULL};
    return usage;
}

static const struct orch_row *orch_of(struct request *request, const struct said *said)
{
    struct orch_row *orch = ARENA_NEW(request->arena, struct orch_row);

    *orch = (struct orch_row){said->run->task_id, said->model_id, said->splices,
                              accounting_of(said->run, said->result, said->result ? 1 : 0),
                              said->models_used};
    return orch;
}

static const char *finish_of(const struct said *said)
{
    return said->result && said->result->finish ? said->result->finish : "stop";
}

/* The end of a stream: the reason, the figures for those who asked, and the mark. A failure has no
 * mark: nobody shall take the text before it for an answer. */
static void end_stream(struct speech *speech, const struct said *said)
{
    const json_t *wants = json_object_get(speech->body->stream_options, "include_usage");
    const struct orch_row *orch = orch_of(speech->request, said);
    const struct usage_row *usage = usage_of(speech->request->arena, orch->accounting);
    struct json_writer *writer;

    if (said->status != RUN_SUCCEEDED) {
        writer = teller_begin(&speech->teller, false);
        writer_key(writer, "error");
        writer_open_object(writer);
        writer_key_string(writer, "message",
                          said->failure_message ? said->failure_message : "Cancelled.");
        writer_key_string(writer, "type", "upstream_error");
        writer_key_null(writer, "param");
        writer_key_string(writer, "code", failure_name(said->failure_code));
        writer_close_object(writer);
        teller_send(&speech->teller, NULL);
        return;
    }
    send_tool_calls(speech, said->result);
    send_refusal(speech, said->result);
    send_delta(speech, NULL, 0, finish_of(said));
    if (json_is_true(wants)) {
        writer = begin_chunk(speech);
        writer_key(writer, "choices");
        writer_open_array(writer);
        writer_close_array(writer);
        writer_key(writer, "usage");
        if (usage)
            schema_write(writer, &usage_schema, usage);
        else
            writer_null(writer);
        writer_key(writer, "orch");
        schema_write(writer, &orch_schema, orch);
        teller_send(&speech->teller, NULL);
    }
    teller_send_text(&speech->teller, "[DONE]");
}

static enum error refuse(struct request *request, struct reply *reply, const struct said *said)
{
    static const struct {
        int code;
        const char *reason;
    } rows[] = {{FAILURE_RATE_LIMITED, "upstream_rate_limited"},
                {FAILURE_TIMEOUT, "upstream_timeout"},
                {FAILURE_UNKNOWN, "upstream_failed"}};
    const struct provider_refusal *refusal = &said->run->refusal;
    const char *reason = "upstream_unavailable";

    if (front_pass_on(request, reply, refusal))
        return ERROR_NONE;
    if (refusal->status == 401 || refusal->status == 403)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "provider_auth_failed",
                           "The provider refused the key of this service.");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].code == said->failure_code)
            reason = rows[i].reason;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, reason, "%s",
                       said->failure_message ? said->failure_message : "The call was cancelled.");
}

static struct object_list tool_rows(struct arena *arena, const struct result *result)
{
    size_t count = result ? result->tool_call_count : 0;
    struct tool_row *rows = ARENA_ARRAY(arena, struct tool_row, count);
    struct function_row *functions = ARENA_ARRAY(arena, struct function_row, count);

    for (size_t i = 0; i < count; i++) {
        functions[i] =
            (struct function_row){result->tool_calls[i].name, result->tool_calls[i].arguments};
        rows[i] = (struct tool_row){result->tool_calls[i].id, "function", &functions[i]};
    }
    return (struct object_list){count, rows};
}

static enum error answer(struct speech *speech, const struct said *said)
{
    struct arena *arena = speech->request->arena;
    struct completion *completion = ARENA_NEW(arena, struct completion);
    struct choice_row *choice = ARENA_NEW(arena, struct choice_row);
    struct message_row *message = ARENA_NEW(arena, struct message_row);
    const struct orch_row *orch = orch_of(speech->request, said);

    if (speech->teller.open) {
        end_stream(speech, said);
        return ERROR_NONE;
    }
    if (said->status != RUN_SUCCEEDED)
        return refuse(speech->request, speech->reply, said);
    if (speech->body->stream.value) { /* of what was not said word by word */
        if (!teller_open(&speech->teller))
            return ERROR_NONE;
        send_delta(speech, said->text, strlen(said->text), NULL);
        end_stream(speech, said);
        return ERROR_NONE;
    }
    message->role = "assistant";
    message->tool_calls = tool_rows(arena, said->result);
    message->refusal = said->result ? said->result->refusal : NULL;
    message->content =
        *said->text || (!message->tool_calls.count && !message->refusal) ? said->text : NULL;
    *choice = (struct choice_row){0, message, finish_of(said)};
    *completion = (struct completion){speech->id,
                                      "chat.completion",
                                      speech->created,
                                      speech->body->model,
                                      {{1, choice}},
                                      usage_of(arena, orch->accounting),
                                      orch};
    speech->reply->object = completion;
    return ERROR_NONE;
}

static void tell_accepted(const struct chat *chat, void *context)
{
    begin_speech(context, &chat->task_run.run);
}

/* The head goes out with the first word, so that a call that fails before it has a status. */
static bool tell_text(const struct chat *chat, const char *text, size_t length, void *context)
{
    struct speech *speech = context;

    (void)chat;
    return teller_open(&speech->teller) && send_delta(speech, text, length, NULL);
}

/* A chunk without words, which clients pass over; those who know read `orch`. */
static void tell_splice(const struct chat *chat, const struct result *broken,
                        const struct model *next, void *context)
{
    struct speech *speech = context;
    struct json_writer *writer;

    if (!speech->teller.open)
        return;
    writer = begin_chunk(speech);
    writer_key(writer, "choices");
    writer_open_array(writer);
    writer_close_array(writer);
    writer_key(writer, "orch");
    writer_open_object(writer);
    writer_key_string(writer, "event", "splice");
    writer_key_string(writer, "from_model_id", chat->model->id);
    writer_key_string(writer, "model_id", next->id);
    writer_key_string(writer, "code", failure_name(broken->failure_code));
    writer_close_object(writer);
    teller_send(&speech->teller, NULL);
}

static enum error speak(struct speech *speech, struct db *db,
                        const struct llm_request *conversation, const char *prompt,
                        struct said *said)
{
    struct request *request = speech->request;
    const struct house *house = service_house(request);
    struct chat *chat = ARENA_NEW(request->arena, struct chat);
    struct chat_order *order = ARENA_NEW(request->arena, struct chat_order);
    const struct model *model =
        catalog_resolve(request->arena, house->catalog, speech->body->model);
    enum error error = ERROR_NONE;

    if (model && !house_is_dry(house, false))
        error = parameters_check(request, model_protocol(model), conversation);
    if (error)
        return error;
    *order = (struct chat_order){.route = "chat/completions",
                                 .prompt = prompt,
                                 .request = conversation,
                                 .plan = {.model = speech->body->model, .quorum = 1},
                                 .metadata = speech->body->metadata,
                                 .dry_run = house_is_dry(house, false),
                                 .on_accepted = tell_accepted,
                                 .on_text = speech->body->stream.value ? tell_text : NULL,
                                 .on_splice = tell_splice,
                                 .watch = &speech->teller.watch,
                                 .context = speech};
    error = chat_run(chat, house, request->arena, db, order, &request->problem);
    *said = (struct said){.run = &chat->task_run.run,
                          .model_id = chat->model ? chat->model->id : NULL,
                          .status = chat->outcome.status,
                          .failure_code = chat->outcome.failure_code,
                          .failure_message = chat->outcome.failure_message,
                          .text = chat->result.text ? chat->result.text : "",
                          .result = &chat->result,
                          .splices = chat->splices};
    return error;
}

static void pattern_said(struct speech *speech, const struct pattern_run *run,
                         struct string_list models_used, struct said *said)
{
    const struct model *winner = run->outcome.winner;

    begin_speech(speech, &run->task_run.run);
    *said = (struct said){.run = &run->task_run.run,
                          .model_id = winner ? winner->id : run->model->id,
                          .models_used = models_used,
                          .status = run->outcome.status,
                          .failure_code = run->outcome.failure_code,
                          .failure_message = run->outcome.failure_message,
                          .text = run->outcome.output_text ? run->outcome.output_text : ""};
}

/* What the user said last, which tells the language and how complex it is. */
static const char *question_of(const struct llm_request *conversation)
{
    for (size_t i = conversation->message_count; i-- > 0;)
        if (strcmp(conversation->messages[i].role, "user") == 0 &&
            conversation->messages[i].content)
            return conversation->messages[i].content;
    return NULL;
}

static enum error think(struct speech *speech, struct db *db,
                        const struct llm_request *conversation, const char *prompt,
                        struct said *said)
{
    struct request *request = speech->request;
    const struct smart_order order = {.prompt = prompt,
                                      .watch = &speech->teller.watch,
                                      .conversation = conversation,
                                      .question = question_of(conversation)};
    struct smart *smart = ARENA_NEW(request->arena, struct smart);
    enum error error =
        smart_run(smart, service_house(request), request->arena, db, &order, &request->problem);

    if (!error)
        pattern_said(speech, &smart->run, smart->models_used, said);
    return error;
}

static enum error agree(struct speech *speech, struct db *db,
                        const struct llm_request *conversation, const char *prompt,
                        struct said *said)
{
    struct request *request = speech->request;
    const struct house *house = service_house(request);
    const struct consensus_order rounds = {
        embeddings_are_configured(house) ? similarity_threshold : word_similarity_threshold,
        consensus_target, CONSENSUS_ROUNDS, CONSENSUS_VARIATIONS, true};
    const struct pattern_order frame = {.route = "consensus",
                                        .prompt = prompt,
                                        .dry_run = house_is_dry(house, false),
                                        .watch = &speech->teller.watch,
                                        .conversation = conversation,
                                        .question = question_of(conversation)};
    struct pattern_run *run = ARENA_NEW(request->arena, struct pattern_run);
    struct consensus consensus = {0};
    enum error error;

    error = pattern_begin(run, house, request->arena, db, &frame, &request->problem);
    if (!error)
        error = consensus_v1(run, prompt, &rounds, &consensus);
    if (!error)
        error = pattern_end_text(run, consensus.best, &consensus.failure);
    if (!error)
        pattern_said(speech, run, consensus.models_used, said);
    return error;
}

/* A way of asking takes the prompt alone. */
static enum error check_way(struct request *request, const struct completion_body *body,
                            const struct llm_request *conversation)
{
    if (body->metadata && json_object_size(body->metadata))
        return request_fault(request, "body", "metadata", "value_error",
                             "this cannot be passed on to the model");
    return parameters_check(request, LLM_PROTOCOL__MAX, conversation);
}

static bool is_way(const char *model)
{
    return strcmp(model, FRONT_SMART) == 0 || strcmp(model, FRONT_CONSENSUS) == 0;
}

enum error completions_handle(struct request *request, struct reply *reply)
{
    struct speech *speech = ARENA_NEW(request->arena, struct speech);
    struct llm_request *conversation = ARENA_NEW(request->arena, struct llm_request);
    const char *prompt = NULL;
    struct said said;
    struct db *db;
    enum error error = conversation_read(request, conversation, &prompt);

    speech->request = request;
    speech->reply = reply;
    speech->body = request->body;
    if (!error && is_way(speech->body->model))
        error = check_way(request, speech->body, conversation);
    if (error)
        return error;
    teller_start(&speech->teller, request, reply);
    error = service_database(request, &db);
    if (error)
        return error;
    if (strcmp(speech->body->model, FRONT_SMART) == 0)
        error = think(speech, db, conversation, prompt, &said);
    else if (strcmp(speech->body->model, FRONT_CONSENSUS) == 0)
        error = agree(speech, db, conversation, prompt, &said);
    else
        error = speak(speech, db, conversation, prompt, &said);
    if (error == ERROR_INVALID)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "model_not_found",
                           "The model '%s' does not exist.", speech->body->model);
    return error ? service_storage_error(request, error, "replace_task_snapshot")
                 : answer(speech, &said);
}
