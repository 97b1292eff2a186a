/*
 * Hybrid designs: until its planned end a test may be read at any time, by a confidence sequence
 * of a share of alpha; at the end comes one test of fixed strength that spends all that is left.
 * Two-sided.
 *
 * At the fraction t of the planned information the score B(t) = Z sqrt(t) is a Brownian motion with
 * a drift: the effect divided by its standard error at full information. The boundary before the
 * end is that of a normal mixture (Robbins 1970), concave in t. The probability of crossing it is
 * that of crossing its chords by Brownian bridges (Wang and Poetzelberger 1997), which lie inside:
 * the error is never above alpha. A drift only tilts the density of the walks at the end.
 */
#ifndef ASSAY_STATS_SEQUENTIAL_HYBRID_H
#define ASSAY_STATS_SEQUENTIAL_HYBRID_H

#include "base/arena.h"

#include <stdbool.h>

/* Reports never go below this alpha. */
#define HYBRID_ALPHA_MIN 1e-10
enum { HYBRID_STEPS_MAX = 256 };

struct hybrid_plan {
    double alpha;       /* of all readings together, both sides: HYBRID_ALPHA_MIN to 0.5 */
    double early_share; /* of alpha, for readings before the end: above 0, below 1 */
    double mixture;     /* variance of the drifts that the sequence is tuned for */
    double end;         /* information at the end over the planned one; 1 as planned */
};

/* The mixture that makes readings narrow at this fraction of the planned information. */
double hybrid_mixture(double fraction, double alpha, double early_share);

/* The walks that never crossed, at one time: their positive half, the other one is its mirror. */
struct hybrid_walk {
    double time;
    int nodes;
    const double *node, *mass;
};

struct hybrid_design {
    struct hybrid_plan plan;
    double early_error; /* without an effect, of crossing before the end: below the share of it */
    double end_z;       /* rejects at the end from this |z| on */
    int steps;          /* even */
    struct hybrid_walk at[HYBRID_STEPS_MAX + 1]; /* equal steps of ln(1 + mixture t), from 0 on */
    struct hybrid_walk accepted;                 /* at the end, below end_z */
};

/* False when the plan has no solution: its members are out of range. The design lives in the
 * arena. */
bool hybrid_solve(const struct hybrid_plan *plan, struct arena *arena,
                  struct hybrid_design *design);

/* The |z| from which a reading at the fraction t rejects before the end. */
double hybrid_early_z(const struct hybrid_plan *plan, double t);

/* Probabilities for a drift: of crossing before the end, and of rejecting at all. Without a drift
 * the second one is alpha. Both count both directions. */
double hybrid_early_probability(const struct hybrid_design *design, double drift);
double hybrid_power(const struct hybrid_design *design, double drift);

/* The drift with that power, which is above alpha and below 1; NaN when there is none. */
double hybrid_drift(const struct hybrid_design *design, double power);

/* The same for one test at the end, of the same alpha. */
double hybrid_fixed_drift(double alpha, double power);

/* Mean information at the stop, in planned information: at the first crossing, or at the end. */
double hybrid_expected_information(const struct hybrid_design *design, double drift);

/* The smallest alpha at which a test that never crossed rejects with `z` at its end, with the
 * share and the mixture of the plan; 1 when none does, never below HYBRID_ALPHA_MIN. */
double hybrid_end_p(const struct hybrid_plan *plan, double z, struct arena *arena);

#endif
