/* Private to common/support/regression: the targets of a run, and how they answer questions. */
#ifndef ASSAY_SUPPORT_REGRESSION_TARGET_H
#define ASSAY_SUPPORT_REGRESSION_TARGET_H

#include "support/regression/run.h"

struct target {
    const char *name;
    bool is_provider; /* a model or a profile of the registry, not an experiment */
    bool simulated;
    bool asks;                       /* models are available: their registry is valid */
    bool needs_models;               /* a missing model answer counts as an infrastructure error */
    struct registry_profile profile; /* profile to call; of the registry, kept for the whole run */
    struct overlay overlay;
    /* For simulations. */
    const char *provider_id, *trace;
    const struct registry_model *model;
};

/* Resolves a name: `current`, a model or a profile of the registry, or else an experiment.
 * ERROR_NOT_FOUND experiment_not_found, ERROR_FORBIDDEN paid_apis. */
MUST_CHECK enum error target_resolve(const struct regression_tools *tools,
                                     const struct regression_plan *plan, const char *name,
                                     struct target *target);

/* ERROR_BUSY as of models_check_day(). An unreachable provider is an infrastructure error. */
MUST_CHECK enum error target_answer(const struct regression_tools *tools,
                                    const struct target *target, const struct curated_case *item,
                                    struct execution *execution);

#endif
