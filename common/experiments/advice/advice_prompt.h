/* The prompts for advice: the instruction, the design as JSON, and the schema of the answer. Always
 * in English. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ADVICE_PROMPT_H
#define ASSAY_EXPERIMENTS_ADVICE_ADVICE_PROMPT_H

#include "base/json.h"
#include "experiments/design/calculation.h"
#include "experiments/payloads/payload.h"

/* Review a design. `context` is an object whose members are the parts of it; members that are null
 * are left out at every level. From the arena, as the others. */
const char *advice_prompt(struct arena *arena, const json_t *context);

/* Propose `count` hypotheses. */
const char *hypotheses_prompt(struct arena *arena, const json_t *context, int64_t count);

/* A sized design as such an object, as JSON text. */
const char *advice_context(struct arena *arena, const struct experiment_payload *payload,
                           const struct calculation *calculation);

#endif
