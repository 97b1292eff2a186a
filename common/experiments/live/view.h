/*
 * All that results of a running experiment are computed from, read in one snapshot of the database.
 * The cost does not depend on the number of events.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_VIEW_H
#define ASSAY_EXPERIMENTS_LIVE_VIEW_H

#include "experiments/live/rollup_store.h"

enum {
    LIVE_STRATA_MAX = 50, /* with more, nothing is stratified */
    LIVE_GUARDRAILS_MAX = 3,
    LIVE_SLICES_MAX = 50 /* of a requested dimension */
};

/* Events under names that the design does not have. */
enum { LIVE_UNKNOWN_MAX = 20 };
struct live_unknown_metric {
    const char *name;
    int64_t events;
};
struct live_unknown {
    int64_t names, events; /* in all */
    size_t count;
    struct live_unknown_metric items[LIVE_UNKNOWN_MAX]; /* those with most events */
};

struct live_view {
    struct live_experiment experiment; /* number 0: nothing has come in */
    const struct experiment_payload *design;
    const char *updated_at;           /* of the design */
    size_t arm_count;                 /* of the design */
    struct live_name_list metrics;    /* those that the design names */
    struct live_name_list strata;     /* bytewise; none when there are too many */
    struct live_name_list covariates; /* in use, bytewise; none when there are too many */
    int64_t covariates_wanted;        /* those that cover enough subjects */
    struct live_covered_list covered; /* all covariates, by how many subjects they cover */
    struct live_unknown unknown;      /* on request */
    struct live_name_list slices;     /* of the requested dimension */
    const char *dimension;            /* as it was requested; NULL = none */
    struct live_rollup rollup;        /* cells of those metrics; of strata the primary one's */
};

/* What is read in addition. */
struct live_view_options {
    const char *dimension; /* its slices, for all metrics; NULL = none */
    bool bins;             /* of the metrics that are counted in bins */
    bool unknown;          /* events under names that the design does not have */
};

/* Brings the aggregates up to the design first when that has been changed. ERROR_NOT_FOUND with
 * `not_found`. */
MUST_CHECK enum error live_view_load(const struct live_call *call, const char *id,
                                     const struct live_view_options *options,
                                     struct live_view *view);

/* A version that changes whenever the results may: made of the number of changes, the design and
 * the settings. From the arena. */
MUST_CHECK enum error live_read_version(const struct live_call *call, const char *id,
                                        const char **version);
const char *live_view_version(const struct live_call *call, const struct live_view *view);

/* Subjects of an arm with what they have of a metric. */
struct live_moments {
    int64_t n;
    int64_t converted;
    double sum, mean, squares; /* squares about the mean */
    bool defined;              /* all values could be squared */
};

/* Of a metric by number (0 = one without events) over a slice. */
struct live_moments live_view_moments(const struct live_view *view, int64_t metric, int64_t slice,
                                      int arm);

/* The number of a metric of the design. */
int64_t live_view_metric(const struct live_view *view, const char *name);

/* Counts as they were sent, without folding or leaving out. */
struct live_metric_count {
    const char *metric;
    int64_t count;
    struct optional_number value_sum; /* absent when a value is too large to be added */
};
struct live_variation_count {
    int64_t variation_index;
    int64_t count;
};
struct live_ingestion {
    const char *experiment_id;
    int64_t exposures_total;
    OBJECT_LIST(struct live_variation_count, exposure_counts); /* struct live_variation_count */
    int64_t conversions_total;
    OBJECT_LIST(struct live_metric_count, conversion_counts); /* struct live_metric_count */
};
MUST_CHECK enum error live_read_ingestion(const struct live_call *call, const char *id,
                                          struct live_ingestion *ingestion);

#endif
