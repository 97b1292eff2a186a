/* Private to common/experiments/live_results: declarations shared by the blocks. */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_LIVE_RESULTS_INTERNAL_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_LIVE_RESULTS_INTERNAL_H

#include "experiments/design/sizing.h"
#include "experiments/live_results/live_results.h"
#include "experiments/sequential/hybrid_design.h"
#include "experiments/sequential/planned_looks_block.h"
#include "stats/ratio_metric.h"

enum { CONTROL_ARM = 0, SUBJECTS_MIN = 2 };

/* The plan of the design, as in /calculate. */
struct live_results_plan {
    bool known;
    int64_t sample_size;     /* per variant, with a single look */
    bool sequential_known;   /* with several looks */
    int64_t sequential_size; /* per variant */
    double final_boundary;   /* z at the last look */
    double drift;            /* with planned looks: of the effect at the last one */
};

/* A trial change of the data: see decision_flip.h. */
struct live_results_change {
    double people; /* factor of all subject counts; 0 = no change at all */
    double error;  /* factor of the standard deviations */
    double effect; /* added to the treatments' values per subject */
};

struct cluster_result;

struct live_results {
    const struct live_results_call *call;
    const struct live_view *view;
    const struct payload_metrics *design;
    size_t arms;
    double alpha;   /* of one comparison */
    double mixture; /* variance of the effects that always-valid inference is tuned for; 0 = none */
    struct live_results_plan plan;
    bool clustered;                     /* users were assigned by clusters: see clusters.h */
    struct cluster_result **goal_tests; /* by treatment, once it is tested; with clusters only */
    bool rough;                         /* no texts; probabilities by the normal approximation */
    struct live_results_change change;
};

void live_results_start(struct live_results *results, const struct live_results_call *call,
                        const struct live_view *view);

/* Sizes the design; the last few designs are cached, because an exact size can take long to
 * find. */
void live_results_make_plan(const struct live_view *view, struct arena *arena,
                            struct live_results_plan *plan);

/* The looks that decide; NULL = none, also with goals, adaptive shares or clusters. */
const struct payload_looks *live_results_looks(const struct live_view *view);

/* The planned looks of one comparison at `alpha` as a group sequential plan. */
void live_results_plan_looks(const struct payload_metrics *design,
                             const struct payload_looks *looks, double alpha,
                             struct sequential_plan *plan);

/* The same of hybrid readings. */
const struct payload_hybrid *live_results_hybrid(const struct live_view *view);

void live_results_plan_hybrid(const struct payload_metrics *design,
                              const struct payload_hybrid *hybrid, double alpha,
                              struct hybrid_request *request);

/* What the decisive metric counts of a user, for the names of plans. */
const char *live_results_describe_goal(const struct payload_metrics *metrics, struct arena *arena);

/* Units of the analysis per natural unit: percentage points of proportions. */
double live_results_unit(const struct payload_metrics *design);

/* +1 where the goal is to increase, -1 where it is to decrease. */
double goal_sign(const struct payload_metrics *design);

/* The probability that the treatment is better, in the direction of the goal. */
double live_results_better(const struct live_results *results, double probability_larger);

/* A text of the catalogs. */
const char *live_results_text(const struct live_results *results, const char *key);

double live_results_share(const struct live_results *results, size_t arm);

/* Subjects of all arms of the design. */
int64_t live_results_subjects(const struct live_results *results);

/* The decisive metric: the primary one, or the numerator of a ratio. */
const char *live_results_timed_metric(const struct live_results *results);

/* The blocks, each in a file of its name. */
void live_results_comparisons(const struct live_results *results, struct live_stats *stats);
void live_results_sequential(const struct live_results *results, struct live_stats *stats);
void live_results_planned_looks(const struct live_results *results, struct live_stats *stats,
                                struct live_sequential *sequential);
void live_results_hybrid_looks(const struct live_results *results, struct live_stats *stats,
                               struct live_sequential *sequential);
void live_results_srm(const struct live_results *results, struct live_stats *stats);
void live_results_cuped(const struct live_results *results, struct live_stats *stats);
void live_results_adjusted(const struct live_results *results, struct live_stats *stats);
void live_results_stratified(const struct live_results *results, struct live_stats *stats);
void live_results_guardrail(const struct live_results *results, struct live_stats *stats);
void live_results_holdout(const struct live_results *results, struct live_stats *stats);
void live_results_population(const struct live_results *results, struct live_stats *stats);

void live_results_drill_down(const struct live_results *results, struct live_stats *stats);
void live_results_forecast(const struct live_results *results, struct live_stats *stats);
void live_results_anomalies(const struct live_results *results, struct live_stats *stats);
void live_results_metrics(const struct live_results *results, struct live_stats *stats);

/* After the others: replaces the figures that do not hold for an adaptive experiment. */
void live_results_adaptive(const struct live_results *results, struct live_stats *stats);

/* A robust metric of the design, for the list of metrics. */
void live_results_robust(const struct live_results *results, const struct robust_metric *asked,
                         struct live_metric *shown);

/* Sets for each effect whether it has the metric's desired direction (enum goal_direction). */
void live_results_mark_improvements(const struct object_list *comparisons, int direction);

/* Compares a metric as a rate or as a mean per user, of a slice or of all. False where an arm has
 * too few users, or values without a variance or too large. */
bool live_results_test_metric(const struct live_results *results, const char *name, int64_t slice,
                              bool rate, int arm, struct test_result *test);

/* Converts a test into a comparison of that list; rates become fractions. */
void live_results_fill_metric(const struct test_result *test, bool rate,
                              struct live_metric_comparison *result);

/* Data of one arm for the primary metric. */
struct live_results_arm {
    int64_t index;
    int64_t n;
    int64_t converted;
    double mean, deviation; /* of the value per subject */
    bool defined;           /* all values could be squared and added */
    struct ratio_moments ratio;
};
struct live_results_arm live_results_arm(const struct live_results *results, int arm);

/* The analysis of one arm against another. Fills in everything except the index, the arms and
 * sequential_significant. */
void live_results_compare(const struct live_results *results,
                          const struct live_results_arm *control,
                          const struct live_results_arm *treatment,
                          struct live_comparison *comparison);

/* The always-valid block of a difference; a variance of 0 has none. */
const struct live_always_valid *live_results_always_valid(const struct live_results *results,
                                                          double difference, double variance);

/* The sentence about several comparisons; NULL for one comparison. */
const char *live_results_bonferroni(const struct live_results *results);

/* The test as a document. */
const struct results_reply *live_results_analysis(const struct live_results *results,
                                                  const struct test_result *test,
                                                  const char *interpretation);

/* For sentences: the letter of an arm (A is the control), and an effect with its unit, with the
 * decimals of print_difference(). */
const char *live_results_arm_letter(struct arena *arena, int64_t arm);
const char *live_results_effect_text(const struct live_results_call *call,
                                     const struct payload_metrics *design, double size,
                                     double effect);

struct optional_number live_results_number(bool given, double value);
struct optional_integer live_results_integer(bool given, int64_t value);

#endif
