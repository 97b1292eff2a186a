/* Tells the trace of a question of each call of a model (base/cause.h). */
#ifndef ASSAY_SUPPORT_MODELS_MODEL_SPAN_H
#define ASSAY_SUPPORT_MODELS_MODEL_SPAN_H

#include "llm/llm.h"
#include "support/models/models.h"

/* `usage` is what the call is booked with, NULL = with nothing; `failure` NULL = it was answered.
 */
void model_span_tell(const struct llm_answer *answer, const struct registry_target *target,
                     const struct model_usage *usage, const char *failure);

#endif
