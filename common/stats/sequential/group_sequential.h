/*
 * Group sequential tests by spending functions, at looks of any information fractions: boundaries,
 * power, and inference at a look that respects the looks before it.
 *
 * At the fraction t of the planned information the score B(t) = Z sqrt(t) is a Brownian motion with
 * a drift: the effect divided by its standard error at full information. Sources: Lan and DeMets
 * 1983 (spending); Jennison and Turnbull 2000, chapters 7 to 9 and 19 (futility, repeated
 * intervals, inference after stopping); Pampallona, Tsiatis and Kim 2001 (spending beta).
 */
#ifndef ASSAY_STATS_SEQUENTIAL_GROUP_SEQUENTIAL_H
#define ASSAY_STATS_SEQUENTIAL_GROUP_SEQUENTIAL_H

#include "base/arena.h"
#include "stats/sequential/alpha_spending.h"

#include <stdbool.h>

/* Looks closer together than this share of the planned information are not told apart: 0.0001, less
 * the rounding of the fractions. */
#define GROUP_SEQUENTIAL_STEP_MIN 0.9999999e-4
enum { GROUP_SEQUENTIAL_LOOKS_MAX = 200 };

enum futility { FUTILITY_NONE, FUTILITY_BINDING, FUTILITY_NON_BINDING, FUTILITY__MAX };
extern const char *const futility_names[FUTILITY__MAX];

struct group_sequential_plan {
    int sides;    /* 1: for a positive effect; 2 */
    double alpha; /* over all looks and sides: 1e-10 to 0.5 */
    double power; /* counts rejections for the positive effect; above alpha / sides */
    struct spending alpha_spending;
    int futility; /* enum futility; with two sides FUTILITY_NONE */
    struct spending beta_spending;
};

/* The boundaries of one look, as z. */
struct group_sequential_bounds {
    double fraction;
    double upper;                   /* INFINITY: this look has no alpha to spend */
    double lower;                   /* two sides: -upper; one side: of futility, -INFINITY = none */
    double alpha_spent, beta_spent; /* up to this look; of both sides */
};

struct group_sequential_looks {
    int count;
    struct group_sequential_bounds at[GROUP_SEQUENTIAL_LOOKS_MAX];
};

/* The drift that the plan needs for its power when it is looked at as listed: fractions ascending
 * by at least the least step, the last one 1. NaN when there is none. Scratch from the arena. */
double group_sequential_drift(const struct group_sequential_plan *plan, const double *fractions,
                              int count, struct arena *arena);

/* The drift that a single look needs. */
double group_sequential_fixed_drift(const struct group_sequential_plan *plan);

/* The boundaries of the looks, each from those before it. `drift` is used for spending beta. At
 * fractions of 1 and more, and at the last look when `is_final`, all that is left is spent;
 * fractions above 1 are allowed there. False when no boundary spends what it should. */
bool group_sequential_solve(const struct group_sequential_plan *plan, const double *fractions,
                            int count, bool is_final, double drift, struct arena *arena,
                            struct group_sequential_looks *looks);

/* The probabilities of stopping at each look beyond either boundary, where none stopped before. */
struct group_sequential_stops {
    double above[GROUP_SEQUENTIAL_LOOKS_MAX];
    double below[GROUP_SEQUENTIAL_LOOKS_MAX];
};
void group_sequential_stops(const struct group_sequential_looks *looks, double drift,
                            struct arena *arena, struct group_sequential_stops *stops);

/* Inference after stopping at the last of the looks with `z`, by the stagewise ordering: larger is
 * what stopped above earlier, or later with a larger z. Non-binding futility is ignored. */
struct group_sequential_estimate {
    double p_value; /* one-sided: of the positive effect; two-sided: twice the smaller one */
    double lower, median, upper; /* drifts: the ends of the interval of level 1 - alpha (one-sided
                                    plans: 1 - 2 alpha), and the median-unbiased estimate */
};
void group_sequential_estimate(const struct group_sequential_plan *plan,
                               const struct group_sequential_looks *looks, double z,
                               struct arena *arena, struct group_sequential_estimate *estimate);

/* The smallest alpha at which the last of the looks rejects with `z`; 1 when none does, never below
 * 1e-10. Boundaries of binding futility stay as they are. */
double group_sequential_repeated_p(const struct group_sequential_plan *plan,
                                   const struct group_sequential_looks *looks, bool is_final,
                                   double z, struct arena *arena);

/* The probability of rejecting for the positive effect (`below`: for the negative one) at one of
 * the looks from `next` on, given z at the one before it: for a drift, or averaged over what is
 * known of the drift then (a normal posterior with a flat prior). Only binding futility stops. */
double group_sequential_conditional_power(const struct group_sequential_plan *plan,
                                          const struct group_sequential_looks *looks, int next,
                                          double z, double drift, bool below, struct arena *arena);
double group_sequential_predictive_power(const struct group_sequential_plan *plan,
                                         const struct group_sequential_looks *looks, int next,
                                         double z, bool below, struct arena *arena);

#endif
