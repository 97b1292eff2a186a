/* The breaker of the browser, as all workers of this host see it. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_BROWSER_STATE_H
#define ASSAY_ORCHESTRATOR_DISPATCH_BROWSER_STATE_H

#include "base/json.h"
#include "orchestrator/dispatch/run.h"
#include "shm/breaker.h"

/* What the adapter is called, and its cell among the breakers. */
extern const char browser_adapter_name[];

/* "disabled", "closed", "open", "half-open", "unknown"; NULL at the end. */
extern const char *const browser_breaker_names[];

struct breaker_rule browser_breaker_rule(const struct orchestrator_settings *settings);

/* Its state's word, and its figures: zeros where it is disabled. */
const char *browser_breaker_read(const struct worker_context *worker,
                                 struct breaker_figures *figures);

/* Members of an open object: enabled, state, and all figures. */
void browser_breaker_write(const struct worker_context *worker, struct json_writer *writer);

/* Prompts submitted by a task and, in the last hour, by all; both 0 where neither is limited. */
struct browser_usage {
    int64_t task, hour;
};

/* Counts one more submit of the run, or says which limit refuses it: "per_task", "per_hour". NULL =
 * it was counted, or need not be. *usage is what was there before. */
const char *browser_budget_take(struct run *run, struct browser_usage *usage);

/* The task of this worker has ended: its submits count for it no longer. Harmless without any. */
void browser_budget_end(struct shm_region *region);

/* The task whose submits a slot of this name counts (shm/slots.h); NULL for those of models. */
const char *browser_budget_task(const char *slot_name);

/* Submits of all tasks in the last hour; 0 where neither is limited. */
int64_t browser_budget_hour(const struct worker_context *worker);

#endif
