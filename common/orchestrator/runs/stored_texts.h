/* What of a task may be written: nothing of its texts where the caller's key says so; placeholders
 * instead of personal data where the run has a redaction. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_STORED_TEXTS_H
#define ASSAY_ORCHESTRATOR_RUNS_STORED_TEXTS_H

#include "orchestrator/runs/aggregate.h"

/* Changes a record that is about to be written. */
void stored_texts_of_task(const struct run *run, struct task_record *task);

struct step_list stored_texts_of_steps(const struct run *run);

void stored_texts_of_outcome(const struct run *run, struct outcome *outcome);

#endif
