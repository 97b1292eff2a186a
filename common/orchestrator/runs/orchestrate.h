/* Orchestrates one prompt over several models into one answer: plans, calls, merges and stores. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_ORCHESTRATE_H
#define ASSAY_ORCHESTRATOR_RUNS_ORCHESTRATE_H

#include "orchestrator/runs/task_run.h"

struct orchestration_request {
    const char *prompt;
    struct plan_request plan;
    const json_t *metadata; /* NULL = {} */
    bool dry_run;           /* as requested; the profile may also require it */
    bool decompose;
    const char *session_id;
    const char *retry_of_task_id;
    struct attachments attachments;
};

/* The result. */
struct orchestration {
    struct task_run task_run;
    struct plan plan;
    struct result *results; /* in plan order */
    size_t count;
    struct outcome outcome;
};

/* Plans and runs a task. Returns `plan_rejected` before anything is stored, or errors of the store.
 * A failed task is not an error. */
MUST_CHECK enum error orchestrate(const struct worker_context *worker, struct arena *arena,
                                  struct db *db, const struct orchestration_request *request,
                                  struct orchestration *orchestration, struct problem *problem);

/* The request of a stored task, for a retry; ERROR_INVALID (`plan_rejected`) when none of its
 * models exists any more. */
MUST_CHECK enum error orchestration_rebuild(struct arena *arena, struct db *db,
                                            const struct task_record *task,
                                            struct orchestration_request *request,
                                            struct problem *problem);

/* Whether calls of models are disabled. */
bool is_dry_run(const struct worker_context *worker, bool asked);

/* The prompt after the turns of its session; unchanged when there are none or they cannot be
 * read. */
const char *session_prompt(const struct worker_context *worker, struct arena *arena, struct db *db,
                           const char *session_id, const char *prompt);

#endif
