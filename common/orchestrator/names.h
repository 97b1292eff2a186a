/* The enums of the orchestrator and their names in answers, in the store and in snapshots. NULL
 * ends each list of names, as required by schemas and settings. */
#ifndef ASSAY_ORCHESTRATOR_NAMES_H
#define ASSAY_ORCHESTRATOR_NAMES_H

#include <stdbool.h>

enum run_status { RUN_ACCEPTED, RUN_SUCCEEDED, RUN_FAILED, RUN_CANCELLED, RUN_STATUS__MAX };
enum execution_mode { MODE_DRY_RUN, MODE_API, MODE_BROWSER, MODE_MIXED, EXECUTION_MODE__MAX };
enum failure_code {
    FAILURE_NONE = -1,
    FAILURE_AUTH,
    FAILURE_MODEL_MISMATCH,
    FAILURE_PROVIDER_UNAVAILABLE,
    FAILURE_TIMEOUT,
    FAILURE_RATE_LIMITED,
    FAILURE_STORAGE,
    FAILURE_UNKNOWN,
    FAILURE_CODE__MAX
};
enum adapter_hint { HINT_AUTO, HINT_BROWSER, HINT_API, ADAPTER_HINT__MAX };
enum merge_strategy { MERGE_FIRST_SUCCESS, MERGE_CONCAT, MERGE_STRATEGY__MAX };
enum execution_profile {
    PROFILE_DRY_RUN,
    PROFILE_API_ONLY,
    PROFILE_HYBRID,
    EXECUTION_PROFILE__MAX
};
enum task_type {
    TASK_CODING,
    TASK_MATH,
    TASK_ANALYSIS,
    TASK_RESEARCH,
    TASK_CREATIVE,
    TASK_GENERAL,
    TASK_TYPE__MAX
};
enum complexity_level { LEVEL_SIMPLE, LEVEL_MODERATE, LEVEL_COMPLEX, COMPLEXITY_LEVEL__MAX };
enum reliability_level {
    RELIABILITY_QUICK,
    RELIABILITY_STANDARD,
    RELIABILITY_HIGH,
    RELIABILITY_MAXIMUM,
    RELIABILITY_LEVEL__MAX
};
enum execution_pattern {
    PATTERN_SONAR,
    PATTERN_SINGLE,
    PATTERN_DUAL,
    PATTERN_FIVE_MODELS,
    PATTERN_FIVE_MODELS_COMPARE,
    PATTERN_CONSENSUS,
    PATTERN_MAXIMUM,
    EXECUTION_PATTERN__MAX
};
enum event_type {
    EVENT_TASK_ACCEPTED,
    EVENT_TASK_COMPLETED,
    EVENT_TASK_FAILED,
    EVENT_TASK_CANCELLED,
    EVENT_STEP_COMPLETED,
    EVENT_STEP_FAILED,
    EVENT_TYPE__MAX
};
enum backend { BACKEND_BROWSER, BACKEND_API, BACKEND__MAX };

extern const char *const run_status_names[RUN_STATUS__MAX + 1];
extern const char *const execution_mode_names[EXECUTION_MODE__MAX + 1];
extern const char *const failure_code_names[FAILURE_CODE__MAX + 1];
extern const char *const adapter_hint_names[ADAPTER_HINT__MAX + 1];
extern const char *const merge_strategy_names[MERGE_STRATEGY__MAX + 1];
extern const char *const execution_profile_names[EXECUTION_PROFILE__MAX + 1];
extern const char *const task_type_names[TASK_TYPE__MAX + 1];
extern const char *const complexity_level_names[COMPLEXITY_LEVEL__MAX + 1];
extern const char *const reliability_level_names[RELIABILITY_LEVEL__MAX + 1];
extern const char *const execution_pattern_names[EXECUTION_PATTERN__MAX + 1];
extern const char *const event_type_names[EVENT_TYPE__MAX + 1];
extern const char *const backend_names[BACKEND__MAX + 1];

/* The index of a name in a list, -1 when it is not in the list. */
int name_find(const char *const *names, const char *word);

/* The same, with the names that earlier versions wrote: `completed` for succeeded, `dry-run` for
 * dry_run. Only for filters and imports; answers never contain them. */
int status_find(const char *word);
int execution_mode_find(const char *word);

/* The name of a failure, NULL for none. */
const char *failure_name(int code);

#endif
