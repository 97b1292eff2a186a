/*
 * An answer of a model that is given again to the same request: as a text for the store, and back
 * as the result of a call that was not made. It costs nothing; what it would have used is counted
 * as saved.
 */
#ifndef ASSAY_ORCHESTRATOR_RUNS_KEPT_ANSWER_H
#define ASSAY_ORCHESTRATOR_RUNS_KEPT_ANSWER_H

#include "orchestrator/dispatch/run.h"

struct kept_answer {
    struct result result;
    int64_t nano_usd; /* what it did cost */
};

/* The text of a successful result with these choices. */
const char *kept_answer_write(struct arena *arena, const struct result *result,
                              const struct llm_choice *choices, size_t count);

/* False when the text is none of these. */
bool kept_answer_read(struct arena *arena, const char *text, const struct model *model,
                      struct kept_answer *answer);

/* Makes the answer a step of a run, and books what it saves. */
void kept_answer_use(struct run *run, const struct kept_answer *answer);

#endif
