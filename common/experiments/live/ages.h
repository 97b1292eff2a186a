/*
 * What users do by days since their own exposure: day 0 is the 24 hours after it. Sums per arm,
 * with the products of days of the same user, so that effects of several days can be tested
 * together. Must not know how users are read.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_AGES_H
#define ASSAY_EXPERIMENTS_LIVE_AGES_H

#include "base/arena.h"
#include "base/list.h"
#include "experiments/live/records.h"
#include "math/sum.h"

enum { LIVE_AGES_MAX = 14 }; /* days */

/* As stored: of the users of an arm whose day `second` is over, the sum of their values on day
 * `first` (at most `second`), and of the products of both. */
struct live_age {
    int64_t arm;
    int64_t first, second;
    int64_t people;
    int64_t huge; /* values beyond LIVE_VALUE_MAX, which the sums omit */
    double value_sum, products;
};

struct live_age_cell {
    int64_t people, huge;
    struct sum value, products;
};
struct live_ages {
    int64_t until;                                               /* the newest moment of the data */
    size_t count;                                                /* of days; 0 = none are kept */
    struct live_age_cell (*cells)[LIVE_AGES_MAX][LIVE_AGES_MAX]; /* by arm */
};

/* Days of 24 hours in the window of a metric, LIVE_AGES_MAX at most. */
size_t live_ages_in_window(int64_t window);

/* Zeroed, in the arena. */
void live_ages_start(struct live_ages *ages, int64_t until, size_t count, struct arena *arena);

/* The day of an event; an event before the exposure is of day 0. Beyond the days: -1. */
int live_age_of(const struct live_ages *ages, int64_t at, int64_t exposed_at);

/* Adds a user with a value for each day. Days that are not over do not count. */
void live_ages_add(struct live_ages *ages, int64_t arm, int64_t exposed_at,
                   const double values[LIVE_AGES_MAX]);

/* The cells that have users: struct live_age. */
struct object_list live_ages_rows(const struct live_ages *ages, struct arena *arena);

#endif
