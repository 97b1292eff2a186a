/*
 * What a call goes to, and what replaces a failed one. A model may have several deployments (other
 * addresses and keys): those of the highest priority are chosen by their weights, one that was
 * refused for its rate or that failed is left alone for a while, and a call that fails without an
 * answer goes to the next deployment. When none is left, the model's fallback follows.
 */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_REPLACEMENT_H
#define ASSAY_ORCHESTRATOR_DISPATCH_REPLACEMENT_H

#include "orchestrator/dispatch/run.h"

/* The deployments that a call has been to. Zeroed at first. */
struct placement {
    uint64_t tried; /* a bit for each */
    size_t current;
};

/* The model as the chosen deployment has it; the model itself if it has no deployments. */
const struct model *deployment_choose(struct run *run, const struct model *model,
                                      struct placement *placement);

/* Whether a failed call goes to another deployment of the model, which deployment_choose() chooses
 * then. Leaves the one that failed alone for a while. */
bool deployment_is_left(struct run *run, const struct model *model, const struct result *result,
                        const struct placement *placement);

/* The fallback model, for failures that another model may avoid. NULL = none. */
const struct model *find_fallback(const struct run *run, const struct call_request *wanted,
                                  const struct model *model, const struct result *result);

#endif
