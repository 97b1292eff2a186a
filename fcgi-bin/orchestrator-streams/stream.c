/* One model, word by word. */
#include "orchestrator-streams/stream.h"

#include "orchestrator-streams/event_writer.h"
#include "orchestrator/bodies.h"
#include "orchestrator/runs/chat.h"
#include "orchestrator/service.h"

#include <string.h>

static void send_accepted(const struct chat *chat, void *context)
{
    struct event_writer *events = context;
    struct json_writer *writer;

    if (chat->task_run.run.trace_id)
        reply_add_header(events->reply, "x-trace-id", chat->task_run.run.trace_id);
    if (!event_writer_open(events))
        return;
    writer = event_writer_begin(events, true);
    writer_key_string(writer, "model_id", chat->model->id);
    writer_key_string(writer, "task_id", chat->task_run.run.task_id);
    event_writer_send(events, "accepted");
}

static bool send_text(const struct chat *chat, const char *text, size_t length, void *context)
{
    struct event_writer *events = context;
    struct json_writer *writer = event_writer_begin(events, true);

    writer_key(writer, "text");
    writer_bytes(writer, text, length);
    writer_key_string(writer, "model_id", chat->model->id);
    return event_writer_send(events, "delta");
}

static void send_splice(const struct chat *chat, const struct result *broken,
                        const struct model *next, void *context)
{
    struct event_writer *events = context;
    struct json_writer *writer = event_writer_begin(events, true);

    writer_key_string(writer, "from_model_id", chat->model->id);
    writer_key_string(writer, "model_id", next->id);
    writer_key_string(writer, "code", failure_name(broken->failure_code));
    writer_key_integer(writer, "characters", (int64_t)utf8_count(chat->so_far.bytes));
    event_writer_send(events, "splice");
}

static void optional(struct json_writer *writer, const char *key, struct optional_integer value)
{
    if (value.given)
        writer_key_integer(writer, key, value.value);
    else
        writer_key_null(writer, key);
}

static void send_complete(struct event_writer *events, const struct chat *chat)
{
    struct json_writer *writer = event_writer_begin(events, true);
    const struct result *result = &chat->result;

    writer_key_string(writer, "text", result->text ? result->text : "");
    writer_key_string(writer, "model_id", chat->model->id);
    writer_key_integer(writer, "duration_ms", chat->task_run.task.duration_ms.value);
    writer_key_string(writer, "task_id", chat->task_run.run.task_id);
    optional(writer, "input_tokens", result->input_tokens);
    optional(writer, "output_tokens", result->output_tokens);
    if (result->cost.given)
        writer_key_number(writer, "cost_usd", (double)result->cost.value / NANO_PER_DOLLAR);
    if (!chat->task_run.run.dry_run && chat->model->backend == BACKEND_API)
        writer_key_string(writer, "provider", chat->model->provider);
    if (chat->splices)
        writer_key_integer(writer, "splices", chat->splices);
    event_writer_send(events, "complete");
}

static void send_failure(struct event_writer *events, const struct chat *chat)
{
    struct json_writer *writer = event_writer_begin(events, true);
    const char *message = chat->outcome.failure_message;

    writer_key_string(writer, "text", message ? message : "The stream was cancelled.");
    writer_key_string(writer, "model_id", chat->model->id);
    writer_key_string(writer, "code", failure_name(chat->outcome.failure_code));
    writer_key_string(writer, "task_id", chat->task_run.run.task_id);
    writer_key_string(writer, "trace_id", chat->task_run.run.trace_id);
    event_writer_send(events, "error");
}

/* What the planner refuses is told as an event, since the answer is a stream in any case. */
static enum error send_rejection(struct event_writer *events)
{
    const char *text = events->request->problem.text;
    const char *unknown = "Unsupported model: ";
    struct json_writer *writer;

    if (!event_writer_open(events))
        return ERROR_NONE;
    if (strncmp(text, unknown, strlen(unknown)) == 0)
        text = arena_print(events->request->arena, "Unknown model: %s", text + strlen(unknown));
    writer = event_writer_begin(events, true);
    writer_key_string(writer, "text", text);
    event_writer_send(events, "error");
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
                                        .on_text = send_text,
                                        .on_splice = send_splice,
                                        .context = events};
    struct db *db;
    enum error error = orchestrate_body_check(request);

    if (error)
        return error;
    event_writer_start(events, request, reply);
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
