/*
 * The users of an experiment by the arms that they have in other experiments: how many there are,
 * with the sums of the primary metric of the first one. In memory. Users are the same when their
 * ids are, or the ids that either experiment links to them.
 */
#ifndef ASSAY_EXPERIMENTS_INTERACTIONS_SHARED_USERS_H
#define ASSAY_EXPERIMENTS_INTERACTIONS_SHARED_USERS_H

#include "experiments/live/view.h"

/* The users with one arm of either experiment. `value` is the primary metric per user as it counts,
 * or the numerator of a ratio; `other` is its denominator. */
struct shared_cell {
    int64_t users;
    int64_t converted; /* with counted events of the metric */
    int64_t huge;      /* with a value beyond LIVE_VALUE_MAX, which the sums omit */
    struct sum value, value_squares, other, other_squares, products;
};

/* Another experiment. */
struct shared_other {
    const struct live_view *view;
    int64_t users;                                          /* of the sample that it has, too */
    struct shared_cell cells[LIVE_ARMS_MAX][LIVE_ARMS_MAX]; /* by arm of the first, then of this */
};

struct shared_users {
    const struct live_view *view;
    int64_t most; /* users of the sample: those with the smallest past_user_key() */
    int64_t users;
    bool is_sample;
    size_t other_count;
    struct shared_other *others;
};

/* Goes over the users in one snapshot and fills in the cells. The views were loaded before. */
MUST_CHECK enum error shared_users_read(const struct live_call *call, struct shared_users *shared);

/* The users of all arms. */
int64_t shared_users_people(const struct live_view *view);

#endif
