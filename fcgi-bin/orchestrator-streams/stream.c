/* One model, its text as it comes. */
#include "orchestrator-streams/stream.h"

#include "orchestrator-streams/event_writer.h"
#include "orchestrator/bodies.h"
#include "orchestrator/runs/chat.h"
#include "orchestrator/service.h"

#include <string.h>

/* All events; each schema names the members of one. */
struct stream_event_data {
    const char *model_id, *task_id, *trace_id;
    const char *text, *from_model_id, *code;
    int64_t characters;
    int64_t duration_ms;
    struct optional_integer input_tokens, output_tokens;
    struct optional_number cost_usd;
    const char *provider;
    struct optional_integer splices;
};

#define OWNER struct stream_event_data
static const struct field accepted_fields[] = {STRING(OWNER, model_id), STRING(OWNER, task_id)};
static SCHEMA(accepted_schema, struct stream_event_data, "StreamAccepted", accepted_fields);

static const struct field delta_fields[] = {STRING(OWNER, text), STRING(OWNER, model_id)};
static SCHEMA(delta_schema, struct stream_event_data, "StreamDelta", delta_fields);

static const struct field splice_fields[] = {
    STRING(OWNER, from_model_id),
    STRING(OWNER, model_id),
    STRING(OWNER, code, .nullable = true),
    INTEGER(OWNER, characters),
};
static SCHEMA(splice_schema, struct stream_event_data, "StreamSplice", splice_fields);

static const struct field complete_fields[] = {
    STRING(OWNER, text),
    STRING(OWNER, model_id),
    INTEGER(OWNER, duration_ms),
    STRING(OWNER, task_id),
    NULLABLE_INTEGER(OWNER, input_tokens),
    NULLABLE_INTEGER(OWNER, output_tokens),
    NULLABLE_NUMBER(OWNER, cost_usd, .omit_if_null = true),
    STRING(OWNER, provider, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, splices, .omit_if_null = true),
};
static SCHEMA(complete_schema, struct stream_event_data, "StreamComplete", complete_fields);

static const struct field error_fields[] = {
    STRING(OWNER, text),
    STRING(OWNER, model_id),
    STRING(OWNER, code, .nullable = true),
    STRING(OWNER, task_id),
    STRING(OWNER, trace_id, .nullable = true),
};
static SCHEMA(error_schema, struct stream_event_data, "StreamError", error_fields);

static const struct field rejection_fields[] = {STRING(OWNER, text)};
#undef OWNER
static SCHEMA(rejection_schema, struct stream_event_data, "StreamRejection", rejection_fields);

static void send_accepted(const struct chat *chat, void *context)
{
    struct event_writer *events = context;

    if (chat->task_run.run.trace_id)
        reply_add_header(events->reply, "x-trace-id", chat->task_run.run.trace_id);
    if (event_writer_open(events))
        event_writer_send(events, "accepted", &accepted_schema,
                          &(struct stream_event_data){.model_id = chat->model->id,
                                                      .task_id = chat->task_run.run.task_id});
}

/* Thoughts are not part of the answer. */
static bool send_text(const struct chat *chat, const struct llm_delta *delta, void *context)
{
    struct event_writer *events = context;

    return delta->kind != LLM_DELTA_TEXT ||
           event_writer_send(events, "delta", &delta_schema,
                             &(struct stream_event_data){
                                 .text = event_writer_piece(events, delta->text, delta->length),
                                 .model_id = chat->model->id});
}

static void send_splice(const struct chat *chat, const struct result *broken,
                        const struct model *next, void *context)
{
    event_writer_send(
        context, "splice", &splice_schema,
        &(struct stream_event_data){.from_model_id = chat->model->id,
                                    .model_id = next->id,
                                    .code = failure_name(broken->failure_code),
                                    .characters = (int64_t)utf8_count(chat->so_far.bytes)});
}

static void send_complete(struct event_writer *events, const struct chat *chat)
{
    const struct result *result = &chat->result;
    bool is_api = !chat->task_run.run.dry_run && chat->model->backend == BACKEND_API;

    event_writer_send(
        events, "complete", &complete_schema,
        &(struct stream_event_data){
            .text = result->text ? result->text : "",
            .model_id = chat->model->id,
            .duration_ms = chat->task_run.task.duration_ms.value,
            .task_id = chat->task_run.run.task_id,
            .input_tokens = result->input_tokens,
            .output_tokens = result->output_tokens,
            .cost_usd = {result->cost.given, (double)result->cost.value / NANO_PER_DOLLAR},
            .provider = is_api ? chat->model->provider : NULL,
            .splices = {chat->splices != 0, chat->splices}});
}

static void send_failure(struct event_writer *events, const struct chat *chat)
{
    const char *message = chat->outcome.failure_message;

    event_writer_send(
        events, "error", &error_schema,
        &(struct stream_event_data){.text = message ? message : "The stream was cancelled.",
                                    .model_id = chat->model->id,
                                    .code = failure_name(chat->outcome.failure_code),
                                    .task_id = chat->task_run.run.task_id,
                                    .trace_id = chat->task_run.run.trace_id});
}

/* A plan that is refused is an event, because the answer is a stream in any case. */
static enum error send_rejection(struct event_writer *events)
{
    const char *text = events->request->problem.text;
    const char *unknown = "Unsupported model: ";

    if (!event_writer_open(events))
        return ERROR_NONE;
    if (strncmp(text, unknown, strlen(unknown)) == 0)
        text = arena_print(events->request->arena, "Unknown model: %s", text + strlen(unknown));
    event_writer_send(events, "error", &rejection_schema,
                      &(struct stream_event_data){.text = text});
    return ERROR_NONE;
}

enum error orchestrate_stream_handle(struct request *request, struct reply *reply)
{
    const struct orchestration_request wanted = orchestration_request_of(request->body);
    struct event_writer *events = ARENA_NEW(request->arena, struct event_writer);
    struct chat *chat = ARENA_NEW(request->arena, struct chat);
    struct chat_request chat_request = {.prompt = wanted.prompt,
                                        .plan = wanted.plan,
                                        .metadata = wanted.metadata,
                                        .session_id = wanted.session_id,
                                        .dry_run =
                                            is_dry_run(service_worker(request), wanted.dry_run),
                                        .on_accepted = send_accepted,
                                        .on_delta = send_text,
                                        .on_splice = send_splice,
                                        .context = events};
    struct db *db;
    enum error error = orchestrate_body_check(request);

    if (error)
        return error;
    event_writer_start(events, request, reply, true);
    chat_request.watch = &events->watch;
    chat_request.plan.quorum = 1;
    chat_request.plan.merge_strategy = MERGE_FIRST_SUCCESS;
    error = service_database(request, &db);
    if (!error)
        error = chat_run(chat, service_worker(request), request->arena, db, &chat_request,
                         &request->problem);
    if (error == ERROR_INVALID)
        return send_rejection(events);
    if (error)
        return service_storage_error(request, error, "replace_task_snapshot");
    if (chat->outcome.status == RUN_SUCCEEDED)
        send_complete(events, chat);
    else
        send_failure(events, chat);
    return ERROR_NONE;
}
