/*
 * Private to common/experiments/readout: what the blocks share.
 */
#ifndef ASSAY_EXPERIMENTS_READOUT_READOUT_INTERNAL_H
#define ASSAY_EXPERIMENTS_READOUT_READOUT_INTERNAL_H

#include "experiments/design/sizing.h"
#include "experiments/readout/readout.h"
#include "stats/ratio_metric.h"

enum { CONTROL_ARM = 0, PEOPLE_LEAST = 2 };

/* The plan of the design, as /calculate has it. */
struct readout_plan {
    bool known;
    int64_t sample_size;     /* per variant, of a single look */
    bool sequential_known;   /* with several looks */
    int64_t sequential_size; /* per variant */
    double final_boundary;   /* z at the last look */
};

/* A change of the data to be tried out: see what_if.h. */
struct readout_change {
    double people; /* factor of everybody; 0 = no change at all */
    double error;  /* factor of the standard deviations */
    double effect; /* added to the treatments' values per person */
};

struct readout {
    const struct readout_call *call;
    const struct live_view *view;
    const struct payload_metrics *design;
    size_t arms;
    double alpha;   /* of one comparison */
    double mixture; /* variance of the effects always-valid inference is tuned for; 0 = none */
    struct readout_plan plan;
    bool rough; /* no texts, and probabilities by the normal approximation */
    struct readout_change change;
};

void readout_start(struct readout *readout, const struct readout_call *call,
                   const struct live_view *view);

/* Sizes the design; the last few are remembered, because an exact size can take long to find. */
void readout_make_plan(const struct live_view *view, struct readout_plan *plan);

/* +1 where the goal is to increase, -1 where it is to decrease. */
double goal_sign(const struct payload_metrics *design);

/* The probability to be better: in the direction of the goal. */
double readout_better(const struct readout *readout, double probability_larger);

/* A text of the catalogue. */
const char *readout_text(const struct readout *readout, const char *key);

double readout_share(const struct readout *readout, size_t arm);

/* People of all arms of the design. */
int64_t readout_people(const struct readout *readout);

/* The metric that counts: the primary one, or the numerator of a ratio. */
const char *readout_timed_metric(const struct readout *readout);

/* The parts, each in the file of its name. */
void readout_comparisons(const struct readout *readout, struct live_stats *stats);
void readout_sequential(const struct readout *readout, struct live_stats *stats);
void readout_srm(const struct readout *readout, struct live_stats *stats);
void readout_cuped(const struct readout *readout, struct live_stats *stats);
void readout_stratified(const struct readout *readout, struct live_stats *stats);
void readout_guardrail(const struct readout *readout, struct live_stats *stats);
void readout_holdout(const struct readout *readout, struct live_stats *stats);
void readout_population(const struct readout *readout, struct live_stats *stats);

void readout_drill_down(const struct readout *readout, struct live_stats *stats);
void readout_forecast(const struct readout *readout, struct live_stats *stats);
void readout_oddities(const struct readout *readout, struct live_stats *stats);
void readout_metrics(const struct readout *readout, struct live_stats *stats);

/* A robust metric of the design, for the list of metrics. */
void readout_robust(const struct readout *readout, const struct robust_metric *asked,
                    struct live_metric *shown);

/* Says of each effect whether it goes where the metric should (enum goal_direction). */
void readout_mark_improvements(const struct object_list *comparisons, int direction);

/* A test as a comparison of that list; rates as shares. */
void readout_fill_metric(const struct test_result *test, bool rate,
                         struct live_metric_comparison *result);

/* Data of one arm of the primary metric. */
struct readout_arm {
    int64_t index;
    int64_t n;
    int64_t converted;
    double mean, deviation; /* of the value per person */
    bool defined;           /* the values could be squared and added */
    struct ratio_moments ratio;
};
struct readout_arm readout_arm(const struct readout *readout, int arm);

/* The analysis of one arm against another. Fills in everything but the index, the arms and
 * sequential_significant. */
void readout_compare(const struct readout *readout, const struct readout_arm *control,
                     const struct readout_arm *treatment, struct live_comparison *comparison);

/* The sentence about several comparisons; NULL for one. */
const char *readout_bonferroni(const struct readout *readout);

/* The test as a document. */
const struct results_reply *readout_analysis(const struct readout *readout,
                                             const struct test_result *test,
                                             const char *interpretation);

struct optional_number readout_number(bool given, double value);
struct optional_integer readout_integer(bool given, int64_t value);

#endif
