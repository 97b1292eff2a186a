/* A question split into others, each answered, and one answer made of all. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_DECOMPOSE_H
#define ASSAY_ORCHESTRATOR_RUNS_DECOMPOSE_H

#include "orchestrator/dispatch/run.h"

struct decomposition {
    struct result result; /* the answer, or the first call that failed */
    bool was_decomposed;  /* into more than one */
    struct string_list subtasks;
};

/* A simple prompt is asked as it is; otherwise the model is asked to split it, then each part, then
 * for the whole. The first failure ends it. `question` is the bare prompt, `prompt` the same with
 * whatever goes before it. */
MUST_CHECK enum error decompose(struct run *run, const struct model *model, bool reasoning,
                                const char *question, const char *prompt,
                                struct decomposition *decomposition);

/* The steps of the run become one that stands for all: its tokens, cost and time are their sums. */
void decompose_join_steps(struct run *run, const struct decomposition *decomposition);

/* `"decomposition":{...}` as an object. */
const char *decompose_details(struct run *run, const struct decomposition *decomposition);

#endif
