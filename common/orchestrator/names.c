/* Names, in the order of their enums. */
#include "orchestrator/names.h"

#include <stddef.h>
#include <string.h>

const char *const run_status_names[RUN_STATUS__MAX + 1] = {"accepted", "succeeded", "failed",
                                                           "cancelled", NULL};
const char *const execution_mode_names[EXECUTION_MODE__MAX + 1] = {"dry_run", "api", "browser",
                                                                   "mixed", NULL};
const char *const failure_code_names[FAILURE_CODE__MAX + 1] = {
    "auth_failed",  "model_mismatch", "provider_unavailable", "timeout",
    "rate_limited", "storage_failed", "unknown_error",        NULL};
const char *const adapter_hint_names[ADAPTER_HINT__MAX + 1] = {"auto", "browser", "api", NULL};
const char *const merge_strategy_names[MERGE_STRATEGY__MAX + 1] = {"first_success", "concat", NULL};
const char *const execution_profile_names[EXECUTION_PROFILE__MAX + 1] = {"dry-run", "api-only",
                                                                         "hybrid", NULL};
const char *const task_type_names[TASK_TYPE__MAX + 1] = {
    "coding", "math", "analysis", "research", "creative", "general", NULL};
const char *const complexity_level_names[COMPLEXITY_LEVEL__MAX + 1] = {"simple", "moderate",
                                                                       "complex", NULL};
const char *const reliability_level_names[RELIABILITY_LEVEL__MAX + 1] = {"quick", "standard",
                                                                         "high", "maximum", NULL};
const char *const execution_pattern_names[EXECUTION_PATTERN__MAX + 1] = {
    "sonar", "single", "dual", "five_models", "five_models_compare", "consensus", "maximum", NULL};
const char *const event_type_names[EVENT_TYPE__MAX + 1] = {
    "task.accepted",  "task.completed", "task.failed", "task.cancelled",
    "step.completed", "step.failed",    NULL};
const char *const backend_names[BACKEND__MAX + 1] = {"browser", "api", NULL};

int name_find(const char *const *names, const char *word)
{
    for (int i = 0; word && names[i]; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
}

int status_find(const char *word)
{
    return word && strcmp(word, "completed") == 0 ? RUN_SUCCEEDED
                                                  : name_find(run_status_names, word);
}

int execution_mode_find(const char *word)
{
    return word && strcmp(word, "dry-run") == 0 ? MODE_DRY_RUN
                                                : name_find(execution_mode_names, word);
}

const char *failure_name(int code)
{
    return code == FAILURE_NONE ? NULL : failure_code_names[code];
}
