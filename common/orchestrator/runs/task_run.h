/*
 * The life cycle of a task: stored before the first call, ended once, with its events. Routes
 * differ only in the calls in between.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_TASK_RUN_H
#define ASSAY_ORCHESTRATOR_RUNS_TASK_RUN_H

#include "base/clock.h"
#include "base/json.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/runs/aggregate.h"
#include "orchestrator/storage/times.h"

/* The members of a request to store. */
struct task_request {
    const char *prompt;
    const char *session_id;       /* NULL = none */
    const char *retry_of_task_id; /* NULL = none */
    const json_t *metadata;       /* NULL = {} */
    const char *route;            /* route other than orchestrate, stored in the metadata; NULL */
    bool dry_run;
    bool decompose;
    const struct plan *plan;
};

struct task_run {
    struct run run;
    struct task_record task;
    struct event_record accepted;
    const struct plan *plan;
    int64_t started; /* monotonic microseconds */
};

/* Begins a run and stores its task; a dry run is stored completely at its end. With `late` the
 * run's first call stores it (run_store()). `trace_id` is the caller's or NULL; live tasks get a
 * new one. */
MUST_CHECK enum error task_run_begin(struct task_run *task_run, const struct worker_context *worker,
                                     struct arena *arena, struct db *db,
                                     const struct task_request *wanted, bool late,
                                     struct problem *problem);

/* Ends a run: stores the task with all steps and the events of `outcome`, and books the cost of its
 * calls (spend_book()). Also for a failed `outcome`. */
MUST_CHECK enum error task_run_end(struct task_run *task_run, const struct outcome *outcome);

/* Composes a task of the past with its steps and events, without storing it: for demonstrations.
 * Memory from `arena`. */
struct past_task {
    int64_t accepted_at, completed_at;
    struct step_list steps;
    struct outcome outcome;
};
void task_run_compose(struct arena *arena, const struct task_request *wanted,
                      const struct past_task *past, struct task_bundle *bundle);

/* The trace id in a metadata object, trimmed; NULL when it is missing or blank. */
const char *trace_id_of(struct arena *arena, const json_t *metadata);

#endif
