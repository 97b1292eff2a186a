/*
 * The users of an experiment with their values, as they count, whatever arm they were in: what
 * reassignment.h divides anew. A sample of them where there are more than asked for. In memory.
 */
#ifndef ASSAY_EXPERIMENTS_ERROR_RATES_PAST_USERS_H
#define ASSAY_EXPERIMENTS_ERROR_RATES_PAST_USERS_H

#include "experiments/live/view.h"

/* A value of a metric of the design, of a user who has counted events of it. */
struct past_value {
    uint32_t user;   /* its place */
    uint32_t metric; /* position in the metrics of the view */
    double value;    /* infinite when it is too large for sums */
};

/*
 * Users have places 0, 1, ... in ascending order of their keys. The key of a user is the finalizer
 * of SplitMix64 (Steele, Lea and Flood 2014) of live_hash() of the user id, and the sample are the
 * users with the smallest keys: it does not depend on how the experiment is stored, nor on when
 * users came.
 */
struct past_users {
    struct arena *arena;
    const struct live_view *view;
    int64_t most; /* users of the sample */
    size_t count;
    uint64_t *keys; /* by place */
    size_t value_count;
    struct past_value *values; /* by metric, then by user */
};

/* A live_view_reader whose context is a struct past_users with arena, view and most: reads the
 * users in the snapshot of the view. */
MUST_CHECK enum error past_users_read(const struct live_call *call,
                                      const struct live_experiment *experiment, void *context);

/* The key of a user id. */
uint64_t past_user_key(const char *user_id);

/* Whether the arms have more users. */
bool past_users_are_sample(const struct past_users *users);

#endif
