/* One prompt, several models, one answer: planned, called, merged and stored. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_ORCHESTRATE_H
#define ASSAY_ORCHESTRATOR_RUNS_ORCHESTRATE_H

#include "orchestrator/runs/task_run.h"

struct orchestration_request {
    const char *prompt;
    struct plan_request plan;
    const json_t *metadata; /* NULL = {} */
    bool dry_run;           /* requested; the profile may require it as well */
    bool decompose;
    const char *session_id;
    const char *retry_of_task_id;
    struct attachments attachments;
};

/* How it went. */
struct orchestration {
    struct task_run task_run;
    struct plan plan;
    struct result *results; /* in the order of the plan */
    size_t count;
    struct outcome outcome;
};

/* Makes the plan and runs it to its end. `plan_rejected` before anything is stored; other errors
 * are the store's. A task that failed is no error. */
MUST_CHECK enum error orchestrate(const struct worker_context *worker, struct arena *arena,
                                  struct db *db, const struct orchestration_request *request,
                                  struct orchestration *orchestration, struct problem *problem);

/* The request that a task was made of, for trying it again; ERROR_INVALID (`plan_rejected`) when
 * it names no model any more. */
MUST_CHECK enum error orchestration_rebuild(struct arena *arena, struct db *db,
                                            const struct task_record *task,
                                            struct orchestration_request *request,
                                            struct problem *problem);

/* Whether no model may be called. */
bool is_dry_run(const struct worker_context *worker, bool asked);

/* The prompt behind the turns of its session; as it is when there are none or they cannot be read.
 */
const char *session_prompt(const struct worker_context *worker, struct arena *arena, struct db *db,
                           const char *session_id, const char *prompt);

#endif
