/*
 * SQL of an experiment: its row, its names, and its aggregates.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_ROLLUP_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_ROLLUP_STORE_H

#include "experiments/live/bucket_store.h"
#include "experiments/live/live_store.h"
#include "experiments/payloads/payload.h"

/* Whether records may be taken: ERROR_NOT_FOUND with `project_not_found`, ERROR_INVALID with
 * `project_archived`. `buckets`, unless NULL, gets over how many the project divides its users. */
MUST_CHECK enum error live_check_experiment(const struct live_call *call, const char *id,
                                            int64_t *buckets);

/*
 * For a change: checks the project, takes the lock of the experiment until the transaction ends,
 * and reads its row; creates the row if it is missing. The row of a divided experiment is read
 * without a lock, which is that of its buckets. ERROR_NOT_FOUND with `project_not_found`,
 * ERROR_INVALID with `project_archived`.
 */
MUST_CHECK enum error live_open_experiment(const struct live_call *call, const char *id,
                                           struct live_experiment *experiment);

/* The row as stored, with the sums of its buckets. `number` 0: no event was received yet.
 * ERROR_NOT_FOUND with `not_found` when the project does not exist. */
struct live_reading {
    struct live_experiment experiment;
    const struct experiment_payload *design;
    const char *updated_at;
};
MUST_CHECK enum error live_read_experiment(const struct live_call *call, const char *id,
                                           struct live_reading *reading);

/* The design of a project, into `design` and `updated_at`. */
MUST_CHECK enum error live_read_design(const struct live_call *call, const char *id,
                                       struct live_reading *reading);

/* For a change other than an event: takes the lock of the experiment, and of all its buckets; reads
 * the row as stored, without sums, and what the experiment is stored in. */
MUST_CHECK enum error live_lock_experiment(const struct live_call *call, const char *id,
                                           struct live_reading *reading, struct live_parts *parts);

/* The lock of the row of an experiment, which is there or not: that of all records when it is not
 * divided. */
MUST_CHECK enum error live_lock_row(const struct live_call *call, const char *id);

/* The row alone, without sums and without a lock. */
MUST_CHECK enum error live_find_experiment(const struct live_call *call, const char *id,
                                           struct live_experiment *experiment);

/* The ids of experiments with events, in bytewise order. */
MUST_CHECK enum error live_list_experiments(const struct live_call *call,
                                            struct live_names *experiments);

/* Of a bucket: its own row only. */
MUST_CHECK enum error live_save_experiment(const struct live_call *call,
                                           const struct live_experiment *experiment);

/* Kinds of names; a slice also has a dimension. */
enum live_name_kind { LIVE_METRIC_NAMES, LIVE_COVARIATE_NAMES, LIVE_SLICE_NAMES };

/* Where a value of a dimension goes: see slices.h. */
enum live_place { LIVE_NAME_OWN, LIVE_NAME_OTHER, LIVE_NAME_NONE };

struct live_name {
    const char *dimension; /* "" for strata, and for kinds other than slices */
    const char *name;
    int64_t number; /* 0 = not known yet */
    enum live_place place;
};
struct live_name_list {
    size_t count;
    struct live_name *items;
};

/* The entry of a name; adds one without a number when it is missing. */
struct live_name *live_name_entry(struct arena *arena, struct live_name_list *names,
                                  const char *dimension, const char *name);

/* Assigns numbers to all names of the list that have a place of their own; creates names that are
 * new to the experiment: for a bucket in all buckets, which must be locked, with the counters of
 * its `whole`. */
MUST_CHECK enum error live_number_names(const struct live_call *call,
                                        struct live_experiment *experiment,
                                        enum live_name_kind kind, struct live_name_list *names);

/* Sets the numbers of the known names of the list; the others keep 0. */
MUST_CHECK enum error live_find_names(const struct live_call *call, int64_t experiment,
                                      enum live_name_kind kind, struct live_name_list *names);

/* The number of a name without a dimension; 0 when it is not in the list or NULL. */
int64_t live_name_number(const struct live_name_list *names, const char *name);

/* Covariates by the number of subjects of the arms that have them. */
struct live_covered {
    const char *name;
    int64_t number;
    int64_t people;
};
enum { LIVE_COVERED_MAX = 32 };
struct live_covered_list {
    size_t count;
    struct live_covered items[LIVE_COVERED_MAX]; /* by number of subjects, descending */
    int64_t exposed;                             /* subjects of the arms */
};
MUST_CHECK enum error live_read_covered(const struct live_call *call,
                                        const struct live_experiment *experiment,
                                        struct live_covered_list *covered);

/* A covariate is used if at least this share of the subjects has it; without subjects all are
 * used. */
bool live_is_covering(const struct live_covered_list *covered, size_t i);

/* The numbers of the covariates to use, ascending: those that enough subjects have. More than
 * LIVE_COVARIATES_MAX are counted and not listed. */
size_t live_wanted_covariates(const struct live_covered_list *covered,
                              int64_t wanted[LIVE_COVARIATES_MAX]);

/* All names of a kind, in bytewise order. `experiment` is any bucket of a divided one, here and in
 * the functions around. */
MUST_CHECK enum error live_read_names(const struct live_call *call, int64_t experiment,
                                      enum live_name_kind kind, struct live_name_list *names);

/* The values of a dimension, in bytewise order. */
MUST_CHECK enum error live_read_slices(const struct live_call *call, int64_t experiment,
                                       const char *dimension, struct live_name_list *names);

/* The metrics whose products the design needs, as names; NULL for unused ones. */
struct live_design_metrics {
    const char *primary, *numerator, *denominator;
};
struct live_design_metrics live_design_metrics(const struct experiment_payload *design);

/* The events that the design counts: see LIVE_WINDOW_ALL. */
int64_t live_design_window(const struct experiment_payload *design);
int64_t live_window_of(int conversion_window, struct optional_number days);

/* The further aggregates that a design needs. `names` holds the metric numbers; 0 for a metric
 * without a number. */
size_t live_design_robust(const struct experiment_payload *design,
                          const struct live_name_list *names,
                          struct live_robust robust[LIVE_ROBUST_MAX]);

/* Adds the metrics that the aggregates are made of, by name. */
void live_design_names(const struct experiment_payload *design, struct arena *arena,
                       struct live_name_list *names);

/* Sets all of this in the row, in memory; assigns numbers to the names. */
MUST_CHECK enum error live_fit_design(const struct live_call *call,
                                      const struct experiment_payload *design,
                                      struct live_experiment *experiment);

/* Adds the changes to the stored values. Sets `stale` when too many digits were lost. */
MUST_CHECK enum error live_save_rollup(const struct live_call *call,
                                       struct live_experiment *experiment,
                                       const struct live_rollup *rollup);

/* Of a bucket, or an experiment without: adds what is stored to the products of the rollup, and
 * stores the products with the changes. */
MUST_CHECK enum error live_read_products(const struct live_call *call, int64_t number,
                                         struct live_rollup *rollup);
MUST_CHECK enum error live_save_products(const struct live_call *call,
                                         struct live_experiment *experiment,
                                         const struct live_rollup *changes);

/* Deletes all aggregates of an experiment, or all products with covariates. */
MUST_CHECK enum error live_clear_rollup(const struct live_call *call, int64_t experiment);
MUST_CHECK enum error live_clear_covariance(const struct live_call *call, int64_t experiment);

/* Load parts of the aggregates into an empty rollup, those of all buckets together: the cells of
 * some metrics over all subjects or, with a dimension, over each of its slices; their bins; arms
 * with the products; arms and the counts as sent. */
MUST_CHECK enum error live_read_metrics(const struct live_call *call,
                                        const struct integer_list *metrics, const char *dimension,
                                        struct live_rollup *rollup);
MUST_CHECK enum error live_read_bins(const struct live_call *call,
                                     const struct integer_list *metrics,
                                     struct live_rollup *rollup);
/* By a statement that takes metrics and the number of a bucket, and gives the columns of cells as
 * live_read_bins() has them. */
struct statement;
MUST_CHECK enum error live_read_cells(const struct live_call *call,
                                      const struct statement *statement,
                                      const struct integer_list *metrics,
                                      struct live_rollup *rollup);
MUST_CHECK enum error live_read_arms(const struct live_call *call, bool products,
                                     struct live_rollup *rollup);

/* Calls `metric` with the name and event count of each metric that has events, largest count
 * first. */
typedef void live_metric_visitor(const char *name, int64_t events, void *context);
MUST_CHECK enum error live_visit_metrics(const struct live_call *call,
                                         const struct live_experiment *experiment,
                                         live_metric_visitor *metric, void *context);

MUST_CHECK enum error live_read_totals(const struct live_call *call, struct live_rollup *rollup);

/* How many subjects have each covariate. */
MUST_CHECK enum error live_read_coverage(const struct live_call *call, struct live_rollup *rollup);

/* Reads all aggregates into an empty rollup. */
MUST_CHECK enum error live_read_rollup(const struct live_call *call, struct live_rollup *rollup);

#endif
