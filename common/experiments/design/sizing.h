/*
 * Sample size planning for A/B tests: size per variant, total and duration of a design, with the
 * companions of a plan (CUPED, Bayesian precision, group sequential, clusters). Numbers only: no
 * text, no HTTP. Formulas and symbols are in docs/use/statistics.md.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_SIZING_H
#define ASSAY_EXPERIMENTS_DESIGN_SIZING_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

/* Minimum users per arm that the analyses accept. */
enum { SIZING_USERS_MIN = 2 };

enum metric_type { METRIC_BINARY, METRIC_CONTINUOUS, METRIC_RATIO, METRIC_COUNT, METRIC__MAX };

enum planned_test {
    PLAN_Z_TEST,
    PLAN_FISHER_EXACT,
    PLAN_MANN_WHITNEY,
    PLAN_TOST,
    PLAN_POISSON_RATE, /* the test of count metrics; cannot be requested */
    PLAN__MAX
};

enum analysis_mode { ANALYSIS_FREQUENTIST, ANALYSIS_BAYESIAN, ANALYSIS__MAX };

/* Desired direction of the metric. */
enum goal_direction { GOAL_INCREASE, GOAL_DECREASE, GOAL__MAX };

extern const char *const goal_direction_names[GOAL__MAX];
extern const char *const metric_type_names[METRIC__MAX];
extern const char *const planned_test_names[PLAN__MAX];
extern const char *const analysis_mode_names[ANALYSIS__MAX];

/* A design as requested. Ranges are those of the request schema, which has checked the fields and
 * their combinations before. Rates are fractions; percentages are named so. */
struct sizing_request {
    enum metric_type metric_type;
    double baseline_value; /* rate, mean, ratio or events per unit of exposure */
    struct optional_number std_dev;
    struct optional_number exposure_per_user; /* absent = 1 */
    struct optional_number cuped_pre_experiment_std;
    struct optional_number cuped_correlation;
    double mde_pct;   /* relative minimum detectable effect, percent of the baseline; its sign is
                         ignored, and is negative only for a decrease */
    int direction;    /* enum goal_direction */
    int planned_test; /* enum planned_test, -1 = the metric's own */
    struct optional_number equivalence_margin_pct;
    double alpha; /* two-sided */
    double power;
    int64_t expected_daily_traffic;
    double audience_share_in_test;
    struct number_list traffic_split;
    int64_t variants_count;
    struct optional_number avg_cluster_size;
    struct optional_number icc;
    int64_t n_looks;
    enum analysis_mode analysis_mode;
    struct optional_number desired_precision; /* percentage points for binary, units otherwise */
    double credibility;
    struct optional_number holdout_fraction;
    struct optional_integer mutually_exclusive_experiments;
    const char *randomization_unit;    /* NULL or text; only "cluster" has an effect */
    struct integer_list actual_counts; /* count 0 = not given */
    struct optional_boolean seasonality_present;
    struct optional_boolean active_campaigns_present;
    struct optional_boolean long_test_possible;
};

/* Values that explain the plan of a metric; fields of other plans are 0. */
struct sizing_plan {
    enum planned_test planned_test; /* resolved */
    int64_t comparisons;            /* max(1, variants - 1) */
    double adjusted_alpha;          /* alpha / comparisons (Bonferroni) */
    double mde_absolute;            /* effect of the formula: upwards where possible */
    double alternative;             /* effect in its direction; used for the verified power */
    int64_t individual_sample_size; /* per variant, before the design effect */
    int64_t sample_size_per_variant;
    int64_t total_sample_size;
    double effective_daily_traffic;
    double allocated_daily_traffic; /* after holdout and exclusion */
    bool allocation_given;          /* holdout or exclusion was requested */
    int64_t estimated_duration_days;

    int64_t normal_sample_size; /* fisher, mann_whitney: n of the z plan */
    bool exact_scan;            /* fisher: found by exact power rather than Casagrande-Pike-Smith */
    int64_t worst_case_sample_size;     /* mann_whitney: efficiency 0.864 */
    double equivalence_margin_absolute; /* tost */
    int64_t total_events;               /* count: E */
    double treatment_share;             /* count: pi1 = RR / (1 + RR) */
    double exposure_per_arm;            /* count: X */

    bool clustered;
    double design_effect; /* 1 when not clustered */
    int64_t clusters_per_variant;
};

/* Sizes the design. ERROR_INVALID with reason variant_rate_out_of_range, std_dev_not_positive,
 * sample_size_not_finite, duration_not_finite, exact_power_not_reached when the numbers have no
 * plan, and power_not_above_alpha for a target that needs no test. Sizes are at least the minimum
 * of the analysis (2 users, 1 for counts), durations at least 1 day, both at most 2^53. */
MUST_CHECK enum error sizing_plan_design(const struct sizing_request *request,
                                         struct sizing_plan *plan, struct problem *problem);

/* Power of the request's resolved plan at `n` users per variant (without the design effect), in [0,
 * 1]. Sizing inverts this function, so it counts only rejections towards the assumed change. `plan`
 * comes from sizing_plan_design on the same request. */
double sizing_power(const struct sizing_request *request, const struct sizing_plan *plan, double n);

/* Cost units of the plan for admission control: 1, or max(2, ceil(n_z^2 / 25000)) for an exact
 * Fisher scan. Cheap: does not run the scan. */
int64_t sizing_cost(const struct sizing_request *request);

struct power_point {
    int64_t sample_size_per_variant;
    double power;          /* by the plan's formula */
    double verified_power; /* power of the test itself; not set by sizing_power_curve() */
};

/* The plan's power curve: at most `capacity` points (25 are enough; 9 for an exact Fisher scan).
 * Sample sizes rise from about a fifth of the plan to twice the plan and include the planned size.
 * Returns the count. */
size_t sizing_power_curve(const struct sizing_request *request, const struct sizing_plan *plan,
                          struct power_point *points, size_t capacity);

/* CUPED companion (Deng, Xu, Kohavi, Walker 2013): continuous metric under the z plan with both
 * pre-period inputs. `given` false when it does not apply. */
struct cuped_plan {
    bool given;
    double std_dev; /* sigma * sqrt(1 - rho^2) */
    int64_t sample_size_per_variant;
    double variance_reduction_pct;
    double duration_days;
    double theta;
};

MUST_CHECK enum error sizing_plan_cuped(const struct sizing_request *request,
                                        const struct sizing_plan *plan, struct cuped_plan *cuped,
                                        struct problem *problem);

/* Bayesian precision companion: n per variant for a credible interval of the requested
 * half-width. */
struct precision_plan {
    bool given;
    int64_t sample_size_per_variant;
};

MUST_CHECK enum error sizing_plan_precision(const struct sizing_request *request,
                                            const struct sizing_plan *plan,
                                            struct precision_plan *precision,
                                            struct problem *problem);

/* Guardrails: the smallest change that `n` users per arm detect in a two-sided z-test with the
 * given alpha and power. For a rate (fraction) upwards or downwards, absent when no change inside
 * (0, 1) is large enough; for a mean in its own units. */
struct optional_number sizing_detectable_rate_change(double rate, bool downward, double alpha,
                                                     double power, double n);
double sizing_detectable_mean_change(double std_dev, double alpha, double power, double n);

/* Size and duration of the design with several interim looks: the fixed plan (after the
 * design effect) times `inflation_factor`, see sequential.h. */
struct sequential_size {
    int64_t sample_size_per_variant;
    int64_t duration_days; /* to the last look */
};

MUST_CHECK enum error sizing_plan_sequential(const struct sizing_request *request,
                                             const struct sizing_plan *plan,
                                             double inflation_factor, struct sequential_size *size,
                                             struct problem *problem);

/* Exact power of the two-sided Fisher test at n users per arm (sum over all outcomes); strict p <
 * alpha rejects. Public for tests and reference implementations; takes on the order of n
 * operations. */
double fisher_exact_power(double control_rate, double treatment_rate, int64_t n, double alpha);

#endif
