/* One model, word by word. */
#include "orchestrator-streams/stream.h"

#include "orchestrator-streams/teller.h"
#include "orchestrator/bodies.h"
#include "orchestrator/runs/chat.h"
#include "orchestrator/service.h"

#include <string.h>

static void tell_accepted(const struct chat *chat, void *context)
{
    struct teller *teller = context;
    struct json_writer *writer;

    if (chat->task_run.run.trace_id)
        reply_add_header(teller->reply, "x-trace-id", chat->task_run.run.trace_id);
    if (!teller_open(teller))
        return;
    writer = teller_begin(teller, true);
    writer_key_string(writer, "model_id", chat->model->id);
    writer_key_string(writer, "task_id", chat->task_run.run.task_id);
    teller_send(teller, "accepted");
}

static bool tell_text(const struct chat *chat, const char *text, size_t length, void *context)
{
    struct teller *teller = context;
    struct json_writer *writer = teller_begin(teller, true);

    writer_key(writer, "text");
    writer_bytes(writer, text, length);
    writer_key_string(writer, "model_id", chat->model->id);
    return teller_send(teller, "delta");
}

static void tell_splice(const struct chat *chat, const struct result *broken,
                        const struct model *next, void *context)
{
    struct teller *teller = context;
    struct json_writer *writer = teller_begin(teller, true);

    writer_key_string(writer, "from_model_id", chat->model->id);
    writer_key_string(writer, "model_id", next->id);
    writer_key_string(writer, "code", failure_name(broken->failure_code));
    writer_key_integer(writer, "characters", (int64_t)utf8_count(chat->said.bytes));
    teller_send(teller, "splice");
}

static void optional(struct json_writer *writer, const char *key, struct optional_integer value)
{
    if (value.given)
        writer_key_integer(writer, key, value.value);
    else
        writer_key_null(writer, key);
}

static void tell_complete(struct teller *teller, const struct chat *chat)
{
    struct json_writer *writer = teller_begin(teller, true);
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
    teller_send(teller, "complete");
}

static void tell_failure(struct teller *teller, const struct chat *chat)
{
    struct json_writer *writer = teller_begin(teller, true);
    const char *message = chat->outcome.failure_message;

    writer_key_string(writer, "text", message ? message : "The stream was cancelled.");
    writer_key_string(writer, "model_id", chat->model->id);
    writer_key_string(writer, "code", failure_name(chat->outcome.failure_code));
    writer_key_string(writer, "task_id", chat->task_run.run.task_id);
    writer_key_string(writer, "trace_id", chat->task_run.run.trace_id);
    teller_send(teller, "error");
}

/* What the planner refuses is told as an event, since the answer is a stream in any case. */
static enum error tell_rejection(struct teller *teller)
{
    const char *text = teller->request->problem.text;
    const char *unknown = "Unsupported model: ";
    struct json_writer *writer;

    if (!teller_open(teller))
        return ERROR_NONE;
    if (strncmp(text, unknown, strlen(unknown)) == 0)
        text = arena_print(teller->request->arena, "Unknown model: %s", text + strlen(unknown));
    writer = teller_begin(teller, true);
    writer_key_string(writer, "text", text);
    teller_send(teller, "error");
    return ERROR_NONE;
}

enum error orchestrate_stream_handle(struct request *request, struct reply *reply)
{
    const struct orchestration_request wanted = orchestration_request_of(request->body);
    struct teller *teller = ARENA_NEW(request->arena, struct teller);
    struct chat *chat = ARENA_NEW(request->arena, struct chat);
    struct chat_order order = {.prompt = wanted.prompt,
                               .plan = wanted.plan,
                               .metadata = wanted.metadata,
                               .session_id = wanted.session_id,
                               .dry_run = house_is_dry(service_house(request), wanted.dry_run),
                               .on_accepted = tell_accepted,
                               .on_text = tell_text,
                               .on_splice = tell_splice,
                               .context = teller};
    struct db *db;
    enum error error = orchestrate_body_check(request);

    if (error)
        return error;
    teller_start(teller, request, reply);
    order.watch = &teller->watch;
    order.plan.quorum = 1;
    order.plan.merge_strategy = MERGE_FIRST_SUCCESS;
    error = service_database(request, &db);
    if (!error)
        error =
            chat_run(chat, service_house(request), request->arena, db, &order, &request->problem);
    if (error == ERROR_INVALID)
        return tell_rejection(teller);
    if (error)
        return service_storage_error(request, error, "replace_task_snapshot");
    if (chat->outcome.status == RUN_SUCCEEDED)
        tell_complete(teller, chat);
    else
        tell_failure(teller, chat);
    return ERROR_NONE;
}
