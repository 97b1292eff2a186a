/*
 * The life cycle of a task: stored before the first call, ended once, with the events of what
 * happened. Routes differ only in what they do in between.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_TASK_RUN_H
#define ASSAY_ORCHESTRATOR_RUNS_TASK_RUN_H

#include "base/clock.h"
#include "base/json.h"
#include "orchestrator/plan/plan.h"
#include "orchestrator/runs/aggregate.h"
#include "orchestrator/storage/times.h"

/* What is to be stored of a request. */
struct task_request {
    const char *prompt;
    const char *session_id;       /* NULL = none */
    const char *retry_of_task_id; /* NULL = none */
    const json_t *metadata;       /* NULL = {} */
    const char *route;            /* of what is no plain orchestration: goes into metadata; NULL */
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
    char deadline_at[CLOCK_TEXT_MAX];
};

/* Begins: fills in the run and stores the task, unless it is dry: then all of it is stored at its
 * end. `late` leaves storing to the run's first call (run_store()). `trace_id` is the caller's or
 * NULL; live tasks get one. */
MUST_CHECK enum error task_run_begin(struct task_run *task_run, const struct worker_context *worker,
                                     struct arena *arena, struct db *db,
                                     const struct task_request *wanted, bool late,
                                     struct problem *problem);

/* Ends: stores the task with all steps of the run and the events that `outcome` makes, and books
 * what its calls cost (spend_settle()). Also when `outcome` says that it failed. */
MUST_CHECK enum error task_run_end(struct task_run *task_run, const struct outcome *outcome);

/* The trace id in a metadata object: a text that is not blank, trimmed; NULL. */
const char *trace_id_of(struct arena *arena, const json_t *metadata);

#endif
