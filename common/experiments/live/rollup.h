/*
 * The aggregates of subjects: the one definition of the analytical population, used when events
 * come in (take a subject out, change it, put it back) and for all subjects when the aggregates are
 * rebuilt. No SQL here.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_ROLLUP_H
#define ASSAY_EXPERIMENTS_LIVE_ROLLUP_H

#include "base/optional.h"
#include "experiments/live/records.h"
#include "experiments/live/units.h"

enum {
    LIVE_COVARIATES_MAX = 10, /* with more, nothing is adjusted */
    LIVE_FACTORS_MAX = 2 + LIVE_COVARIATES_MAX,
    LIVE_EVERYBODY = 0, /* the number of the slice of all subjects */
    LIVE_PRESENCE = 0   /* the metric number under which every subject counts */
};

/* What is kept of a metric besides: a mean of capped values, or counts in bins
 * (stats/binned.h). */
enum { LIVE_ROBUST_MAX = 8, LIVE_BINS = -20000 };
struct live_robust {
    int64_t metric;
    bool capped;
    double cap;
};

/* The row of live_experiments. */
struct live_experiment {
    int64_t number;
    const char *id;
    int64_t version;
    int64_t next_unit, next_sequence;
    int64_t metrics, covariates, slices, strata; /* names of each kind */
    int64_t links, alias_exposures, alias_conversions, merged_people;
    int64_t spike_events;
    int64_t primary_metric; /* 0 = covariates are of no use to the design */
    int64_t numerator, denominator;
    int64_t window; /* see LIVE_WINDOW_ALL */
    size_t used_count;
    int64_t used[LIVE_COVARIATES_MAX]; /* covariates by number: factors 2, 3, ... */
    size_t robust_count;
    struct live_robust robust[LIVE_ROBUST_MAX];
    bool stale;
    struct optional_integer first_exposed_at, last_exposed_at; /* of the arms, as sent */
};

/* Subjects of an arm and a slice with events of a metric, and sums of their values. Capped values
 * have the metric live_capped_metric(); bins have the slices LIVE_BINS + index. */
struct live_cell {
    int64_t metric, slice;
    int arm;
    int64_t people;
    int64_t huge; /* of them those with a value beyond LIVE_VALUE_MAX, which the sums omit */
    struct sum sum, squares;
    double peak; /* the largest square that was ever added or subtracted */
    int64_t events, early, late;
};

struct live_arm {
    int64_t exposures; /* as sent */
    int64_t people;    /* included ones */
    int64_t excluded;  /* taken out by hand */
    int64_t spiked;    /* taken out for too many events, and not by hand */
    int64_t crossed;   /* of the included ones, those seen in another arm too */
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

enum live_family {
    LIVE_RATIO,      /* denominator, numerator: of everybody */
    LIVE_COVARIANCE, /* primary metric, covariates in use: of those who have all of them */
    LIVE_FAMILY__MAX
};

struct live_rollup {
    struct arena *arena;
    const struct live_experiment *experiment;
    bool off[LIVE_FAMILY__MAX]; /* families that are left alone for now */
    size_t cell_count, cell_slots;
    struct live_cell **cells;                /* by key, with gaps */
    struct live_arm arms[1 + LIVE_ARMS_MAX]; /* from the holdout on */
    size_t total_count, total_capacity;
    struct live_total *totals; /* by the number of the metric */
    struct live_products *products[LIVE_FAMILY__MAX][LIVE_ARMS_MAX]; /* NULL = nothing */
    size_t covered_count, covered_capacity;
    int64_t *covered; /* subjects of the arms with a covariate, by its number */
    int64_t alias_exposures, alias_conversions, merged_people;
    size_t scratch_capacity;
    struct live_values *scratch;
};

void live_rollup_start(struct live_rollup *rollup, const struct live_experiment *experiment,
                       struct arena *arena);

/* Adds (sign 1) or takes away (sign -1) all that the subject of `root` contributes. */
void live_rollup_subject(struct live_rollup *rollup, const struct live_unit *root, int sign);

/* The cell of a key, added as zeros when it is new. */
struct live_cell *live_rollup_cell(struct live_rollup *rollup, int64_t metric, int64_t slice,
                                   int arm);

/* The number under which the capped means of the robust metric at that index are stored. */
static inline int64_t live_capped_metric(size_t position)
{
    return -1 - (int64_t)position;
}

/* The total of a metric, the same. */
struct live_total *live_rollup_total(struct live_rollup *rollup, int64_t metric);

/* The count of a covariate, the same. */
int64_t *live_rollup_covered(struct live_rollup *rollup, int64_t covariate);

/* How many factors a family has with the experiment's names; 0 = it is not kept. */
int live_family_factors(const struct live_experiment *experiment, enum live_family family);

/* Adds `change` onto what was `stored`. False when so much has cancelled that the sums should be
 * made again from the subjects. */
bool live_cell_add(struct live_cell *stored, const struct live_cell *change);
bool live_product_add(struct live_product *stored, const struct live_product *change);

/* Whether the squares about the mean of `count` values still have digits, when their sum of squares
 * once was `peak`: what was larger and is gone has left its rounding. */
bool live_squares_hold(const struct sum *squares, const struct sum *sum, double count, double peak);

#endif
