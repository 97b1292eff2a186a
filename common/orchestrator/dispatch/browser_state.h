/* The circuit breaker of the browser, shared by all workers of this host. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_BROWSER_STATE_H
#define ASSAY_ORCHESTRATOR_DISPATCH_BROWSER_STATE_H

#include "base/schema.h"
#include "orchestrator/dispatch/run.h"
#include "shm/breaker.h"

/* Name of the adapter, and its index among the breakers. */
extern const char browser_adapter_name[];

/* "disabled", "closed", "open", "half-open", "unknown"; NULL at the end. */
extern const char *const browser_breaker_names[];

struct breaker_rule browser_breaker_rule(const struct orchestrator_settings *settings);

/* The name of the breaker's state, and its counters: zeros when it is disabled. */
const char *browser_breaker_read(const struct worker_context *worker,
                                 struct breaker_figures *figures);

/* The breaker as shown in answers and in the details of calls. */
struct breaker_shape {
    const char *adapter_status; /* of readiness alone; NULL elsewhere */
    bool enabled;
    const char *state;
    int64_t failure_threshold;
    double cooldown_seconds;
    struct string_list counted_failure_codes;
    int64_t consecutive_failures;
    struct optional_integer opened_at, reopen_at;
    int64_t open_count, fail_fast_rejections;
    const char *last_failure_code, *last_failure_message;
    struct optional_integer last_failure_at;
};
SCHEMA_OF(breaker_shape_schema, struct breaker_shape);

/* Its texts come from the arena. */
struct breaker_shape *browser_breaker_shape(struct arena *arena,
                                            const struct worker_context *worker);

/* Number of prompts submitted by a task and, in the last hour, by all tasks; both 0 when neither is
 * limited. */
struct browser_usage {
    int64_t task_submits, hourly_submits;
};
SCHEMA_OF(browser_usage_schema, struct browser_usage);

/* Counts one more submit of the run and returns NULL, or returns the limit that refuses it:
 * "per_task", "per_hour". NULL also without a limit. *usage holds the counts before. */
const char *browser_budget_take(struct run *run, struct browser_usage *usage);

/* The task has ended: deletes its count. Does nothing without one. */
void browser_budget_end(struct run *run);

/* The task whose submits a semaphore of this name counts (shm/semaphore.h); NULL for semaphores of
 * models. */
const char *browser_budget_task(const char *slot_name);

/* Submits of all tasks in the last hour; 0 when neither is limited. */
int64_t browser_budget_hour(const struct worker_context *worker);

#endif
