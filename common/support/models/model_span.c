/* Calls of models as the conventions of OpenTelemetry for generative AI name them. */
#include "support/models/model_span.h"

#include <math.h>

static const double nano_per_dollar = 1e9;

void model_span_tell(const struct llm_answer *answer, const struct registry_target *target,
                     const struct model_usage *usage, const char *failure)
{
    const struct cause_model model = {.trace = answer->trace,
                                      .operation = "chat",
                                      .provider = target->provider->id,
                                      .asked_model = target->model->name,
                                      .answering_model = answer->model,
                                      .started_at = answer->started_at,
                                      .ended_at = answer->ended_at,
                                      .input_tokens = usage ? usage->input_tokens : -1,
                                      .output_tokens = usage ? usage->output_tokens : -1,
                                      .cost_nano_dollars =
                                          usage ? llround(usage->cost * nano_per_dollar) : -1,
                                      .failure = failure};

    cause_model_asked(&model);
}
