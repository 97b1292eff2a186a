/* Models of the web provider's menu. The scripted driver answers by itself; without a driver every
 * call fails in words that say so. */
#include "orchestrator/dispatch/adapters.h"

#include "base/clock.h"

#include <string.h>

static void scripted_answer(struct run *run, const struct order *order, const struct model *model,
                            struct result *result)
{
    const struct orchestrator_settings *settings = run->house->settings;
    const char *label =
        settings->scripted_model_label ? settings->scripted_model_label : model->provider_model_id;
    struct details details;

    if (!settings->scripted_logged_in) {
        result_fail(run, result, FAILURE_AUTH, "Scripted browser session is logged out.");
        return;
    }
    if (strcmp(label, model->provider_model_id) != 0 &&
        !catalog_equivalent(run->arena, run->house->catalog, label, model->provider_model_id)) {
        details_open(run, &details);
        writer_key_string(&details.writer, "provider", model->provider);
        writer_key_string(&details.writer, "requested_label", model->provider_model_id);
        writer_key_string(&details.writer, "actual_label", label);
        result->details = details_close(&details);
        result_fail(run, result, FAILURE_MODEL_MISMATCH,
                    arena_print(run->arena, "Requested browser model '%s' but UI shows '%s'.",
                                model->provider_model_id, label));
        return;
    }
    details_open(run, &details);
    writer_key_string(&details.writer, "provider", model->provider);
    writer_key_string(&details.writer, "requested_model_label", model->provider_model_id);
    writer_key_string(&details.writer, "actual_model_label", label);
    writer_key_boolean(&details.writer, "thinking_enabled", order->reasoning);
    writer_key_boolean(&details.writer, "model_selection_verified", true);
    writer_key_string(&details.writer, "driver", "scripted");
    result->details = details_close(&details);
    result->status = RUN_SUCCEEDED;
    result->text = settings->scripted_output;
}

void browser_answer(struct run *run, const struct order *order, const struct model *model,
                    struct result *result)
{
    const struct orchestrator_settings *settings = run->house->settings;

    if (settings->profile != PROFILE_HYBRID)
        result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                    "The browser is not used under this execution profile.");
    else if (!settings->browser_enabled)
        result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                    "Browser adapter is not connected yet.");
    else if (!settings->browser_profile_dir)
        result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                    "Browser session is not configured yet.");
    else if (settings->browser_driver == BROWSER_SCRIPTED)
        scripted_answer(run, order, model, result);
    else
        result_fail(run, result, FAILURE_PROVIDER_UNAVAILABLE,
                    "Browser automation driver is not configured.");
}
