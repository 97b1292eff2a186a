/* Stored tasks for display: shared by lists and details. */
#ifndef ASSAY_ORCHESTRATOR_TASK_VIEW_H
#define ASSAY_ORCHESTRATOR_TASK_VIEW_H

#include "orchestrator/storage/task_store.h"
#include "orchestrator/task_answer.h"

/* Data of the first and the last event of a task. */
struct task_summary {
    struct object_list requested_models; /* struct model_name */
    struct optional_integer winning_step;
    const char *winning_model_id;
    json_t *cancelled_steps; /* NULL = the event has none */
    const char *cancel_reason;
    json_t *details;
};

/* Reads the events of one task (the accepted and the terminal one; skips others). */
void task_summary_read(struct arena *arena, const struct event_record *events, size_t count,
                       const struct step_record *steps, size_t step_count,
                       struct task_summary *summary);

/* The adapter of a stored task: `unknown` while it runs. */
const char *task_adapter(struct arena *arena, const struct task_record *task,
                         const struct step_record *steps, size_t count);

/* The winning model, NULL for none. */
const struct model_name *task_winner(struct arena *arena, const struct task_record *task,
                                     const struct task_summary *summary,
                                     const struct step_record *steps, size_t count);

#endif
