/*
 * A digest of who was exposed to what, from the exposures as sent: the same for the same users and
 * arms whatever the order in which they came, and however the experiment is stored.
 */
#ifndef ASSAY_EXPERIMENTS_CERTIFICATES_EXPOSED_USERS_H
#define ASSAY_EXPERIMENTS_CERTIFICATES_EXPOSED_USERS_H

#include "crypto/digest.h"
#include "experiments/live/rollup_store.h"

struct exposed_users {
    int64_t count;
    char sha256[DIGEST_SHA256_TEXT];
};

/* Reads every exposure, in the caller's transaction; memory does not grow with their number. */
MUST_CHECK enum error exposed_users_read(const struct live_call *call,
                                         const struct live_experiment *experiment,
                                         struct exposed_users *users);

#endif
