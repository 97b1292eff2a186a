/*
 * The input of live results, read in one snapshot of the database. The cost does not depend on the
 * number of events.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_VIEW_H
#define ASSAY_EXPERIMENTS_LIVE_VIEW_H

#include "experiments/adaptive/adaptive_store.h"
#include "experiments/alarms/alarm_store.h"
#include "experiments/live/cluster_store.h"
#include "experiments/live/look_store.h"
#include "experiments/live/rollup_store.h"
#include "experiments/live/source_store.h"

enum {
    LIVE_STRATA_MAX = 50, /* with more strata, nothing is stratified */
    LIVE_GUARDRAILS_MAX = 3,
    LIVE_SLICES_MAX = 51 /* slices of a requested dimension, "other" included */
};

/* Events under names that the design does not have. */
enum { LIVE_UNKNOWN_MAX = 20 };
struct live_unknown_metric {
    const char *name;
    int64_t events;
};
struct live_unknown {
    int64_t names, events; /* total number */
    size_t count;
    struct live_unknown_metric items[LIVE_UNKNOWN_MAX]; /* those with the most events */
};

struct live_view {
    struct live_experiment experiment; /* number 0: no event was received */
    const struct experiment_payload *design;
    const char *updated_at;           /* of the design */
    size_t arm_count;                 /* of the design */
    struct live_name_list metrics;    /* metrics named by the design */
    struct live_name_list strata;     /* in bytewise order; none when there are too many */
    struct live_name_list covariates; /* in use, in bytewise order; none when there are too many */
    int64_t covariates_wanted;        /* covariates that enough subjects have */
    struct live_covered_list covered; /* all covariates, by number of subjects */
    struct live_unknown unknown;      /* on request */
    struct live_name_list slices;     /* of the requested dimension, or of all declared ones */
    const char *dimension;            /* as requested; NULL = none */
    struct adaptive adaptive;         /* the newest round of an adaptive experiment */
    struct object_list rounds;        /* all of its rounds (struct live_round) */
    struct string_list cluster_names; /* by number, of those that take turns */
    struct live_cluster_slices clusters; /* where the design has clusters */
    struct live_look_list looks;         /* that were taken, where the design plans looks */
    bool has_source;                     /* the design's metric is read from live data */
    struct live_source source;
    enum live_source_state source_state; /* when the view was read */
    struct alarm_list alarms;            /* with their status of that time */
    struct live_rollup rollup; /* cells of those metrics; for strata those of the primary metric */
};

/* A round of an adaptive experiment, and the number of its slice; 0 when nobody was exposed in
 * it. */
struct live_round {
    const struct adaptive_round *round;
    int64_t slice;
};

/* Reads something else of the experiment. */
typedef enum error live_view_reader(const struct live_call *call,
                                    const struct live_experiment *experiment, void *context);

/* Optional parts to read. */
struct live_view_options {
    const char *dimension;  /* its slices, for all metrics; NULL = none */
    bool declared;          /* in place of that: the slices of all dimensions of the design */
    bool bins;              /* of the metrics counted in bins */
    bool unknown;           /* events under names that are not in the design */
    live_view_reader *also; /* in the snapshot of the view, once; NULL = nothing */
    void *context;
};

/* Updates the aggregates first if the design has changed. ERROR_NOT_FOUND with `not_found`. */
MUST_CHECK enum error live_view_load(const struct live_call *call, const char *id,
                                     const struct live_view_options *options,
                                     struct live_view *view);

/* A version that changes whenever the results may change, from the number of changes, the design
 * and the settings. From the arena. */
MUST_CHECK enum error live_read_version(const struct live_call *call, const char *id,
                                        const char **version);
/* How far the design's metric and the alarms were read from live data, as far as an answer shows
 * it; "" where nothing is read from there. It changes with time, too. */
MUST_CHECK enum error live_source_mark(const struct live_call *call, const char *id,
                                       const char **mark);
const char *live_view_version(const struct live_call *call, const struct live_view *view);

/* Whether the values are all there, as far as that is known: false while rows of live data lag. */
bool live_view_is_fresh(const struct live_view *view);

/* Number of subjects of an arm, with their values of a metric. */
struct live_moments {
    int64_t n;
    int64_t converted;
    double sum, mean, squares; /* squares about the mean */
    bool defined;              /* no value was too large to be squared */
};

/* Values of a metric by number (0 = a metric without events) over a slice. */
struct live_moments live_view_moments(const struct live_view *view, int64_t metric, int64_t slice,
                                      int arm);

/* The number of a metric of the design. */
int64_t live_view_metric(const struct live_view *view, const char *name);

/* Counts as sent, before aliases and exclusions are applied. */
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
