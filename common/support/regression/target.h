/* Private to common/support/regression: the targets of a run, and how they answer. */
#ifndef ASSAY_SUPPORT_REGRESSION_TARGET_H
#define ASSAY_SUPPORT_REGRESSION_TARGET_H

#include "support/regression/run.h"

struct target {
    const char *name;
    bool is_provider; /* a model or a profile of the registry, not a setup of our own */
    bool simulated;
    bool asks;         /* models at all: their registry can be read */
    bool needs_models; /* what was to be a model's answer and is not counts as infrastructure */
    struct registry_profile profile; /* that is asked; of the registry, kept for the whole run */
    struct overlay overlay;
    /* For a simulation. */
    const char *provider_id, *trace;
    const struct registry_model *model;
};

/* What a name stands for: `current`, a model or a profile of the registry, or else an experiment.
 * ERROR_NOT_FOUND experiment_not_found, ERROR_FORBIDDEN paid_apis. */
MUST_CHECK enum error target_resolve(const struct regression_tools *tools,
                                     const struct regression_plan *plan, const char *name,
                                     struct target *target);

/* ERROR_BUSY as of models_check_day(). What a provider cannot be reached for is infrastructure. */
MUST_CHECK enum error target_answer(const struct regression_tools *tools,
                                    const struct target *target, const struct curated_case *item,
                                    struct execution *execution);

#endif
