/*
 * What a call goes to, and what replaces a failed one. A model may have several deployments (other
 * addresses and keys): those of the highest priority are chosen by their weights, or the one with
 * the fewest calls of this host in flight; one that was
 * refused for its rate or that failed is left alone for a while, and a call that fails without an
 * answer goes to the next deployment. When none is left, the model's fallback follows.
 */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_REPLACEMENT_H
#define ASSAY_ORCHESTRATOR_DISPATCH_REPLACEMENT_H

#include "orchestrator/dispatch/run.h"
#include "shm/semaphore.h"

/* The deployments that a call has been to. Zeroed at first. */
struct placement {
    uint64_t tried; /* a bit for each */
    size_t current;
    struct semaphore_ticket in_flight; /* counts the call at its place, where that matters */
};

/* The model as the chosen deployment has it; the model itself if it has no deployments. */
const struct model *deployment_choose(struct run *run, const struct model *model,
                                      struct placement *placement);

/* The call at the chosen place has ended. Harmless when none was chosen. */
void deployment_leave(const struct run *run, struct placement *placement);

/* Whether a semaphore of this name counts calls at a place, and not those of a model. */
bool deployment_counts(const char *slot_name);

/* Whether a failed call goes to another deployment of the model, which deployment_choose() chooses
 * then. Leaves the one that failed alone for a while. */
bool deployment_is_left(struct run *run, const struct model *model, const struct result *result,
                        const struct placement *placement);

/* The fallback model, for failures that another model may avoid. NULL = none. */
const struct model *find_fallback(const struct run *run, const struct call_request *wanted,
                                  const struct model *model, const struct result *result);

#endif
