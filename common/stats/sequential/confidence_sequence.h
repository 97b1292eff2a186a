/*
 * Confidence sequences: intervals and p-values that hold at all looks together, however often and
 * whenever one looks.
 *
 * Differences of means, rates and ratios, adjusted or not: the asymptotic confidence sequence of
 * Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2021), a normal mixture over the effects with
 * the estimated variance. It holds from a least number of users on. Differences of quantiles: a
 * beta-binomial mixture over the ranks (Howard and Ramdas 2022), which holds for any distribution
 * at any number.
 *
 * What a sequence is tuned for decides how wide it is, never whether it holds; it is fixed before
 * the data.
 */
#ifndef ASSAY_STATS_SEQUENTIAL_CONFIDENCE_SEQUENCE_H
#define ASSAY_STATS_SEQUENTIAL_CONFIDENCE_SEQUENCE_H

#include "base/arena.h"
#include "stats/always_valid.h"

#include <stddef.h>
#include <stdint.h>

/* Users of the smaller arm from which on the asymptotic sequences keep alpha in the simulations of
 * docs/use/error-rates.md, with heavy tails and arms of 1 : 4. Rates need fewer, but some users of
 * either kind in each arm. */
enum { SEQUENCE_USERS_MIN = 500, SEQUENCE_RATE_USERS_MIN = 100, SEQUENCE_EVENTS_MIN = 5 };

/* One of both. */
struct sequence_tuning {
    double effect; /* the difference to be found, in its unit; 0 = not given */
    double users;  /* of both arms together: where the sequence is to be narrow */
};

/* The mixture variance, in variances of one user, that makes a sequence narrow at so many users
 * (Waudby-Smith et al. 2021, appendix B.2). */
double confidence_sequence_mixture(double users, double alpha);

/* A difference with the unpooled variance of its estimate, from `users` of both arms. Two-sided. */
void confidence_sequence_difference(double difference, double variance, double users,
                                    const struct sequence_tuning *tuning, double alpha,
                                    struct always_valid *result);

/* Values in cells, ascending; the cells of one arm need not be those of another. A cell of one
 * value has equal ends. */
struct quantile_cell {
    double lower, upper;
    int64_t through; /* values in this cell and those before it */
};
struct quantile_cells {
    size_t count;
    const struct quantile_cell *at;
};

/* The cells of values, one for each that differs; sorts them. */
struct quantile_cells quantile_cells_of(double *values, size_t count, struct arena *arena);

struct quantile_sequence {
    double control, treatment; /* the sample quantiles, in the middle of their cells */
    double difference;
    double p_value;
    double lower, upper; /* infinite while the ranks do not bound the quantile */
    bool is_significant;
};

/* The p-value of no difference of the quantiles `share`, 0 to 1, of two arms with values. `users`
 * is what it is tuned for, per arm. */
double quantile_sequence_p(const struct quantile_cells *control,
                           const struct quantile_cells *treatment, double share, double users,
                           double alpha);

/* That, and the difference with its interval. Wider cells make it wider. */
void quantile_sequence_difference(const struct quantile_cells *control,
                                  const struct quantile_cells *treatment, double share,
                                  double users, double alpha, struct quantile_sequence *result);

#endif
