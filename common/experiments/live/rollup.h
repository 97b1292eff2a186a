/*
 * The aggregates of subjects. Defines the analytical population in one place, for ingestion (remove
 * a subject's contribution, change the subject, add it back) and for rebuilding the aggregates from
 * all subjects. No SQL here.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_ROLLUP_H
#define ASSAY_EXPERIMENTS_LIVE_ROLLUP_H

#include "base/optional.h"
#include "experiments/live/cluster_plan.h"
#include "experiments/live/records.h"
#include "experiments/live/units.h"
#include "experiments/payloads/payload_metric_rules.h"

enum {
    LIVE_COVARIATES_MAX = 10, /* with more covariates, nothing is adjusted */
    LIVE_FACTORS_MAX = 3 + LIVE_COVARIATES_MAX,
    LIVE_EVERYBODY = 0, /* the number of the slice of all subjects */
    LIVE_PRESENCE = 0   /* the metric number under which every subject counts */
};

/* Further aggregates of a metric: the mean of capped values, or counts in bins (stats/binned.h). */
enum { LIVE_ROBUST_MAX = 8, LIVE_BINS = -20000 };
struct live_robust {
    int64_t metric;
    bool capped;
    double cap;
};

/* How a metric counts where the design has a rule for it: see LIVE_WINDOW_ALL; the sum of a
 * subject's values is capped, without a cap infinite. */
enum { LIVE_RULES_MAX = PAYLOAD_METRIC_RULES_MAX };
struct live_metric_rule {
    int64_t metric;
    int64_t window;
    double lower, upper;
};

/* The row of live_experiments, or of live_buckets with what it shares with that. */
struct live_experiment {
    int64_t number;
    const char *id;
    int64_t version;
    int64_t next_unit, next_sequence;
    int64_t metrics, covariates, slices, strata; /* names per kind */
    int64_t links, alias_exposures, alias_conversions, merged_people;
    int64_t spike_events;
    int64_t primary_metric; /* 0 = none: the design has a ratio, or nothing needed it yet */
    int64_t numerator, denominator;
    int64_t window; /* see LIVE_WINDOW_ALL */
    size_t used_count;
    int64_t used[LIVE_COVARIATES_MAX]; /* covariates by number: factors 2, 3, ... */
    size_t robust_count;
    struct live_robust robust[LIVE_ROBUST_MAX];
    size_t rule_count;
    struct live_metric_rule rules[LIVE_RULES_MAX];
    int64_t clusters; /* names */
    struct live_cluster_plan cluster_plan;
    bool stale;
    struct optional_integer first_exposed_at, last_exposed_at; /* of the arms, as sent */
    int64_t buckets; /* that its users are divided over (bucket_store.h); 1 and less = it is not */
    struct live_experiment *whole; /* of a bucket: the experiment that it is a part of */
};

/* Number of subjects of an arm and a slice with events of a metric, and sums of their values.
 * Capped values have the metric live_capped_metric(); bins have the slices LIVE_BINS + index. */
struct live_cell {
    int64_t metric, slice;
    int arm;
    int64_t people;
    int64_t huge; /* subjects with a value beyond LIVE_VALUE_MAX, which the sums omit */
    struct sum sum, squares;
    double peak; /* the largest square that was ever added or subtracted */
    int64_t events, early, late;
};

struct live_arm {
    int64_t exposures; /* as sent */
    int64_t people;    /* included subjects */
    int64_t excluded;  /* excluded manually */
    int64_t spiked;    /* excluded for too many events, and not manually */
    int64_t crossed;   /* included subjects that were also seen in another arm */
};

/* Events of a metric as sent. */
struct live_total {
    int64_t metric;
    int64_t events, huge;
    struct sum sum;
};

/* Sums of products of pairs of factors; factor 0 is 1, so [0][0] counts subjects and [0][i] are
 * plain sums. Only second >= first is filled in. */
struct live_product {
    struct sum sum;
    double peak;
};
struct live_products {
    int64_t huge; /* subjects with a factor beyond LIVE_VALUE_MAX, which the sums omit */
    struct live_product at[LIVE_FACTORS_MAX][LIVE_FACTORS_MAX];
};

/* Over the subjects of an arm that have all covariates in use: sums of a metric's value, of its
 * square, and of its products with each covariate. Subjects without events add nothing. The counts
 * and the covariates' own sums are those of LIVE_COVARIANCE. The primary metric has none here. */
enum { LIVE_METRIC_SUM, LIVE_METRIC_SQUARES, LIVE_METRIC_COVARIATES };
struct live_metric_products {
    int64_t metric;
    int arm;
    int64_t huge; /* subjects with a value beyond LIVE_VALUE_MAX, which the sums omit */
    struct live_product at[LIVE_METRIC_COVARIATES + LIVE_COVARIATES_MAX];
};
struct live_metric_arms {
    struct live_metric_products *at[LIVE_ARMS_MAX]; /* NULL = no products */
};

enum live_family {
    LIVE_RATIO,      /* denominator, numerator: over all subjects */
    LIVE_COVARIANCE, /* primary metric or numerator, covariates in use, then 1 for those with
                        events or the denominator: over subjects that have all covariates */
    LIVE_FAMILY__MAX
};

struct live_rollup {
    struct arena *arena;
    const struct live_experiment *experiment;
    bool off[LIVE_FAMILY__MAX]; /* families that are not updated for now */
    size_t cell_count, cell_slots;
    struct live_cell **cells;                /* by key, with gaps */
    struct live_arm arms[1 + LIVE_ARMS_MAX]; /* from LIVE_HOLDOUT on */
    size_t total_count;
    struct live_total *totals; /* by the number of the metric */
    struct live_products *products[LIVE_FAMILY__MAX][LIVE_ARMS_MAX]; /* NULL = no products */
    size_t metric_arms_count;
    struct live_metric_arms *metric_arms; /* by the number of the metric */
    size_t covered_count;
    int64_t *covered; /* subjects of the arms with a covariate, by its number */
    int64_t alias_exposures, alias_conversions, merged_people;
    size_t scratch_capacity;
    struct live_values *scratch;
};

void live_rollup_start(struct live_rollup *rollup, const struct live_experiment *experiment,
                       struct arena *arena);

/* The events of a metric that count. */
int64_t live_metric_window(const struct live_experiment *experiment, int64_t metric);

/* The sum of a subject's values as it counts. */
double live_capped_value(const struct live_experiment *experiment, int64_t metric, double value);

/* Whether the subject of `root` counts: exposed, not excluded, and no robot by its events. */
bool live_subject_counts(const struct live_unit *root, const struct live_experiment *experiment);

/* The values of a subject as they count, one per metric: `*values` is valid until the next call. */
size_t live_rollup_values(struct live_rollup *rollup, const struct live_unit *root,
                          const struct live_values **values);

/* Whether the counted values of a metric are too large for sums. */
bool live_values_are_huge(const struct live_values *values);

/* Adds (sign 1) or subtracts (sign -1) the whole contribution of the subject of `root`. */
void live_rollup_subject(struct live_rollup *rollup, const struct live_unit *root, int sign);

/* The cell of a key; adds a zeroed one when it is missing. */
struct live_cell *live_rollup_cell(struct live_rollup *rollup, int64_t metric, int64_t slice,
                                   int arm);

/* The metric number for the capped means of the robust metric at that index. */
static inline int64_t live_capped_metric(size_t position)
{
    return -1 - (int64_t)position;
}

/* The total of a metric; adds a zeroed one when it is missing. */
struct live_total *live_rollup_total(struct live_rollup *rollup, int64_t metric);

/* The products of a metric in an arm; adds zeroed ones when they are missing. */
struct live_metric_products *live_rollup_metric_products(struct live_rollup *rollup, int64_t metric,
                                                         int arm);

/* The count of a covariate; adds a zeroed one when it is missing. */
int64_t *live_rollup_covered(struct live_rollup *rollup, int64_t covariate);

/* The number of factors of a family for the experiment's names; 0 = the family is not stored. */
int live_family_factors(const struct live_experiment *experiment, enum live_family family);

/* Whether the design has a metric that covariates adjust. */
static inline bool live_adjusts(const struct live_experiment *experiment)
{
    return experiment->primary_metric || (experiment->numerator && experiment->denominator);
}

/* Adds `change` to `stored`. False when so many digits cancelled that the sums should be recomputed
 * from the subjects. */
bool live_cell_add(struct live_cell *stored, const struct live_cell *change);
bool live_product_add(struct live_product *stored, const struct live_product *change);

/* Whether the sum of squares about the mean of `count` values is still precise, when their sum of
 * squares was once `peak`: larger values that were subtracted leave rounding errors. */
bool live_squares_hold(const struct sum *squares, const struct sum *sum, double count, double peak);

#endif
