/*
 * The power of a comparison of one to nine treatments with a control, for any test with an estimate
 * per arm: two-sided, one-sided, non-inferiority and equivalence; arms of any sizes; clusters;
 * none, Bonferroni's, Holm's or Dunnett's correction. Numbers only.
 */
#ifndef ASSAY_EXPERIMENTS_PLANNING_PLAN_POWER_H
#define ASSAY_EXPERIMENTS_PLANNING_PLAN_POWER_H

#include "base/optional.h"
#include "stats/arms/many_to_one.h"

enum { PLAN_ARMS_MAX = 1 + MANY_TO_ONE_MAX };

enum plan_metric {
    PLAN_BINARY,
    PLAN_CONTINUOUS,
    PLAN_RANKS,
    PLAN_RATIO,
    PLAN_COUNT,
    PLAN_METRIC__MAX
};

enum plan_alternative {
    PLAN_TWO_SIDED,
    PLAN_ONE_SIDED,
    PLAN_NON_INFERIORITY,
    PLAN_EQUIVALENCE,
    PLAN_ALTERNATIVE__MAX
};

enum plan_correction { PLAN_NONE, PLAN_BONFERRONI, PLAN_HOLM, PLAN_DUNNETT, PLAN_CORRECTION__MAX };

/* What the power is of: a given treatment is found, at least one is, or all are. All treatments
 * have the effect; for `each` under Holm the others have none, which is the least it can be. */
enum plan_target { PLAN_EACH, PLAN_ANY, PLAN_ALL, PLAN_TARGET__MAX };

/* Users come in clusters of this average size; icc 0 and size 1 are independent users. */
struct plan_clusters {
    bool given;
    double size, size_cv, icc;
};

struct plan_design {
    enum plan_metric metric;
    enum plan_alternative alternative;
    enum plan_correction correction;
    enum plan_target target;
    double baseline;  /* rate, mean, ratio, or events per user */
    double deviation; /* per user; of a ratio, of numerator - R denominator over the mean
                         denominator */
    double margin;    /* absolute, positive */
    bool decrease;    /* a fall of the metric is better */
    double alpha;     /* of all comparisons together; per side for one-sided alternatives */
    size_t arms;      /* control included */
    double share[PLAN_ARMS_MAX]; /* of all users; they sum to 1 */
    struct plan_clusters clusters;
    bool large; /* take the degrees of freedom as infinite */
};

/* How many times the variance is that of independent users (Eldridge, Ashby and Kerry 2006). */
double plan_design_effect(const struct plan_clusters *clusters);

/* Users per arm of a total, rounded up; whole clusters where there are any. */
void plan_users(const struct plan_design *design, double total, double *users);

struct plan_power {
    double power;
    double standard_error; /* of a simulated power, 0 where a formula gives it */
    double critical;       /* of the t or z statistic of the first comparison */
    double df;             /* infinite = normal */
};

/* Power for arms of these users when the treatments differ from control by `effect` (absolute,
 * signed). Continuous metrics have the exact noncentral t of a pooled variance, ranks the same with
 * 3/pi of the users, clusters a t on their number; others are normal, rates with the pooled
 * variance under no effect (for Dunnett, non-inferiority and equivalence the arms' own). All
 * treatments under Holm are simulated. NaN when the effect leads out of the range of rates. */
struct plan_power plan_power(const struct plan_design *design, const double *users, double effect);

/* The share of `runs` simulated data sets in which the target is reached, each analysed by the test
 * itself: rates and means from draws of their users' sums. Independent of the formulas above. */
struct plan_power plan_simulate(const struct plan_design *design, const double *users,
                                double effect, uint64_t seed, int64_t runs);

#endif
