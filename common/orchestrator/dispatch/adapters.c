/* What adapters share, and the simulator. */
#include "orchestrator/dispatch/adapters.h"

#include "base/clock.h"
#include "orchestrator/plan/prompts.h"

#include <string.h>

enum { DETAILS_MAX = 1 << 20, ECHO_CHARACTERS = 100 };

const char *adapter_name_of(struct arena *arena, const struct model *model)
{
    return arena_print(arena, "%s.%s", backend_names[model->backend], model->provider);
}

double run_seconds_left(const struct run *run)
{
    int64_t left = run->deadline - clock_monotonic_microseconds();

    return left > 0 ? (double)left / 1e6 : 0;
}

void details_open(struct run *run, struct details *details)
{
    text_start(&details->text, run->arena, DETAILS_MAX);
    writer_start(&details->writer, &details->text);
    writer_open_object(&details->writer);
}

const char *details_close(struct details *details)
{
    writer_close_object(&details->writer);
    return details->text.bytes;
}

const char *details_join(struct arena *arena, const char *json, const char *more)
{
    size_t length = strlen(json);

    if (length <= 2)
        return more;
    if (strlen(more) <= 2)
        return json;
    return arena_print(arena, "%.*s,%s", (int)length - 1, json, more + 1);
}

void result_fail(struct run *run, struct result *result, int failure_code, const char *message)
{
    struct details details;

    result->status = RUN_FAILED;
    result->failure_code = failure_code;
    result->failure_message = message;
    if (result->details)
        return;
    details_open(run, &details);
    writer_key_string(&details.writer, "provider", result->executed->provider);
    result->details = details_close(&details);
}

void dry_run_answer(struct run *run, const struct call_request *requests, size_t count,
                    size_t which, struct result *result)
{
    const struct call_request *wanted = &requests[which];
    struct details details;

    details_open(run, &details);
    writer_key_boolean(&details.writer, "simulated", true);
    writer_key(&details.writer, "requested_models");
    writer_open_array(&details.writer);
    for (size_t i = 0; i < count; i++)
        writer_string(&details.writer, requests[i].model->display_name);
    writer_close_array(&details.writer);
    writer_key_string(&details.writer, "active_model", wanted->model->display_name);
    writer_key_boolean(&details.writer, "reasoning", wanted->reasoning);
    writer_key_integer(&details.writer, "attachment_count", (int64_t)wanted->attachments.count);
    writer_key(&details.writer, "attachment_names");
    writer_open_array(&details.writer);
    for (size_t i = 0; i < wanted->attachments.count; i++)
        writer_string(&details.writer, wanted->attachments.names[i]);
    writer_close_array(&details.writer);
    result->adapter_name = "dry_run";
    result->status = RUN_SUCCEEDED;
    result->text = arena_print(run->arena, "[dry-run] Simulated response for: %s",
                               text_beginning(run->arena, wanted->prompt, ECHO_CHARACTERS));
    result->duration_ms = GIVEN_INTEGER(0);
    result->details = details_close(&details);
}
