/* The prompts for advice: the instruction, the design as JSON, and the schema of the answer. Always
 * in English. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ADVICE_PROMPT_H
#define ASSAY_EXPERIMENTS_ADVICE_ADVICE_PROMPT_H

#include "base/json.h"
#include "experiments/design/calculation.h"
#include "experiments/payloads/payload.h"

/* Prompt for the review of a design. `context` is an object with the parts of the design; null
 * members are omitted at every level. From the arena, like the results below. */
const char *advice_prompt(struct arena *arena, const json_t *context);

/* Prompt for `count` hypotheses. */
const char *hypotheses_prompt(struct arena *arena, const json_t *context, int64_t count);

/* The context object of a sized design, as JSON text. */
const char *advice_context(struct arena *arena, const struct experiment_payload *payload,
                           const struct calculation *calculation);

#endif
