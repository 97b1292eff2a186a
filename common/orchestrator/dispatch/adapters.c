/* Common parts of the adapters, and the simulator. */
#include "orchestrator/dispatch/adapters.h"

#include "base/clock.h"
#include "orchestrator/plan/prompts.h"

enum { ECHO_CHARACTERS = 100 };

const char *adapter_name_of(struct arena *arena, const struct model *model)
{
    return arena_print(arena, "%s.%s", backend_names[model->backend], model->provider);
}

bool worker_redacts(const struct worker_context *worker)
{
    return worker->key ? worker->key->redacts_prompts : worker->settings->redact_prompts;
}

double run_seconds_left(const struct run *run)
{
    int64_t left = run->deadline - clock_monotonic_microseconds();

    return left > 0 ? (double)left / 1e6 : 0;
}

void result_fail(struct run *run, struct result *result, int failure_code, const char *message)
{
    result->status = RUN_FAILED;
    result->failure_code = failure_code;
    result->failure_message = message;
    if (!result->details)
        result->details = call_details_print(
            run->arena, &(struct call_details){.provider = result->executed->provider});
}

void dry_run_answer(struct run *run, const struct call_request *requests, size_t count,
                    size_t which, struct result *result)
{
    const struct call_request *wanted = &requests[which];
    struct call_details details = {
        .simulated = GIVEN_BOOLEAN(true),
        .requested_models.items = ARENA_ARRAY(run->arena, const char *, count),
        .active_model = wanted->model->display_name,
        .reasoning = GIVEN_BOOLEAN(wanted->reasoning),
        .attachment_count = GIVEN_INTEGER((int64_t)wanted->attachments.count),
        .attachment_names.items =
            ARENA_ARRAY(run->arena, const char *, wanted->attachments.count + 1)};

    for (size_t i = 0; i < count; i++)
        details.requested_models.items[details.requested_models.count++] =
            requests[i].model->display_name;
    for (size_t i = 0; i < wanted->attachments.count; i++)
        details.attachment_names.items[details.attachment_names.count++] =
            wanted->attachments.names[i];
    result->adapter_name = "dry_run";
    result->status = RUN_SUCCEEDED;
    result->text = arena_print(run->arena, "[dry-run] Simulated response for: %s",
                               text_beginning(run->arena, wanted->prompt, ECHO_CHARACTERS));
    result->duration_ms = GIVEN_INTEGER(0);
    result->details = call_details_print(run->arena, &details);
}
