/* Splits a question into sub-questions, answers each, and merges the answers. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_DECOMPOSE_H
#define ASSAY_ORCHESTRATOR_RUNS_DECOMPOSE_H

#include "orchestrator/dispatch/run.h"

struct decomposition {
    struct result result; /* the answer, or the first failed call */
    bool was_decomposed;  /* split into more than one */
    struct string_list subtasks;
};

/* Sends a simple prompt unchanged. Otherwise the model splits it, answers each part and merges the
 * answers. The first failure ends it. `question` is the bare prompt, `prompt` the same with its
 * context. */
MUST_CHECK enum error decompose(struct run *run, const struct model *model, bool reasoning,
                                const char *question, const char *prompt,
                                struct decomposition *decomposition);

/* Replaces the steps of the run by a single step with the sums of their tokens, cost and time. */
void decompose_join_steps(struct run *run, const struct decomposition *decomposition);

/* `"decomposition":{...}` as an object. */
const char *decompose_details(struct run *run, const struct decomposition *decomposition);

#endif
