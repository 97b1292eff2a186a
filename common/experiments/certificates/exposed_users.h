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

/* A digest that is stored, and what it holds for: so many exposures, and so many times that some
 * were taken out. */
struct kept_users {
    int64_t taken;
    bool fits; /* the digest is that of the exposures of now */
    struct exposed_users users;
};

/* Looks for the stored digest of an experiment that has `exposures` now, in the caller's
 * transaction; computes the digest when it does not fit. */
MUST_CHECK enum error exposed_users_find(const struct live_call *call,
                                         const struct live_experiment *experiment,
                                         int64_t exposures, struct kept_users *kept);

/* Stores what was computed. */
MUST_CHECK enum error exposed_users_keep(const struct live_call *call, const char *id,
                                         const struct kept_users *kept);

/* The experiments that somebody has decided about and whose digest is not stored, at most `most`
 * whose ids come after `after`. */
MUST_CHECK enum error exposed_users_missing(const struct live_call *call, const char *after,
                                            int most, struct live_names *experiments);

#endif
