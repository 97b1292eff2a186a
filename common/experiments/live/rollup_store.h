/*
 * SQL of an experiment: its row, its names, and its aggregates.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_ROLLUP_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_ROLLUP_STORE_H

#include "experiments/live/live_store.h"
#include "experiments/payloads/payload.h"

/*
 * For a change: checks the project, takes the lock of the experiment, which is held until the
 * transaction ends, and reads its row, made when there is none. ERROR_NOT_FOUND with
 * `project_not_found`, ERROR_INVALID with `project_archived`.
 */
MUST_CHECK enum error live_open_experiment(const struct live_call *call, const char *id,
                                           struct live_experiment *experiment);

/* The row as it is. `number` 0: no event has come in yet. ERROR_NOT_FOUND with `not_found` when
 * there is no such project. */
struct live_reading {
    struct live_experiment experiment;
    const struct experiment_payload *design;
    const char *updated_at;
};
MUST_CHECK enum error live_read_experiment(const struct live_call *call, const char *id,
                                           struct live_reading *reading);

/* The same with the lock of the experiment, for a change that is no event. */
MUST_CHECK enum error live_lock_experiment(const struct live_call *call, const char *id,
                                           struct live_reading *reading);

/* The ids of experiments with events, bytewise. */
MUST_CHECK enum error live_list_experiments(const struct live_call *call,
                                            struct live_names *experiments);

MUST_CHECK enum error live_save_experiment(const struct live_call *call,
                                           const struct live_experiment *experiment);

/* Kinds of names; a slice has a dimension besides. */
enum live_name_kind { LIVE_METRIC_NAMES, LIVE_COVARIATE_NAMES, LIVE_SLICE_NAMES };

struct live_name {
    const char *dimension; /* "" for strata, and for what is no slice */
    const char *name;
    int64_t number; /* 0 = not known yet */
};
struct live_name_list {
    size_t count, capacity;
    struct live_name *items;
};

/* The entry of a name, added without a number when it is not there. */
struct live_name *live_name_entry(struct arena *arena, struct live_name_list *names,
                                  const char *dimension, const char *name);

/* Numbers all names of the list, adding those that are new to the experiment. */
MUST_CHECK enum error live_number_names(const struct live_call *call,
                                        struct live_experiment *experiment,
                                        enum live_name_kind kind, struct live_name_list *names);

/* Numbers those names of the list that are known; the others keep 0. */
MUST_CHECK enum error live_find_names(const struct live_call *call, int64_t experiment,
                                      enum live_name_kind kind, struct live_name_list *names);

/* The number of a name without a dimension; 0 for one that is not in the list, and for NULL. */
int64_t live_name_number(const struct live_name_list *names, const char *name);

/* Covariates by how many subjects of the arms they cover. */
struct live_covered {
    const char *name;
    int64_t number;
    int64_t people;
};
enum { LIVE_COVERED_MAX = 32 };
struct live_covered_list {
    size_t count;
    struct live_covered items[LIVE_COVERED_MAX]; /* those that cover most, first */
    int64_t exposed;                             /* subjects of the arms */
};
MUST_CHECK enum error live_read_covered(const struct live_call *call, int64_t experiment,
                                        struct live_covered_list *covered);

/* From this share of the subjects on a covariate is used; without subjects all are. */
bool live_is_covering(const struct live_covered_list *covered, size_t i);

/* The numbers of the covariates to be used, ascending: those that cover enough subjects. More than
 * LIVE_COVARIATES_MAX of them are counted and not listed. */
size_t live_wanted_covariates(const struct live_covered_list *covered,
                              int64_t wanted[LIVE_COVARIATES_MAX]);

/* All names of a kind, in bytewise order. */
MUST_CHECK enum error live_read_names(const struct live_call *call, int64_t experiment,
                                      enum live_name_kind kind, struct live_name_list *names);

/* The values of a dimension, in bytewise order. */
MUST_CHECK enum error live_read_slices(const struct live_call *call, int64_t experiment,
                                       const char *dimension, struct live_name_list *names);

/* The metrics that a design needs products of, as names; NULL where it has no use for them. */
struct live_design_metrics {
    const char *primary, *numerator, *denominator;
};
struct live_design_metrics live_design_metrics(const struct experiment_payload *design);

/* Which events the design counts: see LIVE_WINDOW_ALL. */
int64_t live_design_window(const struct experiment_payload *design);

/* What a design wants to be kept of its metrics besides. `names` holds their numbers; 0 for one
 * that has none yet. */
size_t live_design_robust(const struct experiment_payload *design,
                          const struct live_name_list *names,
                          struct live_robust robust[LIVE_ROBUST_MAX]);

/* Notes all of this in the row, in memory; names get numbers. */
MUST_CHECK enum error live_fit_design(const struct live_call *call,
                                      const struct experiment_payload *design,
                                      struct live_experiment *experiment);

/* Adds the changes onto what is stored. Sets `stale` when too many digits were lost on the way. */
MUST_CHECK enum error live_save_rollup(const struct live_call *call,
                                       struct live_experiment *experiment,
                                       const struct live_rollup *rollup);

/* Forgets all aggregates of an experiment, or one family of products. */
MUST_CHECK enum error live_clear_rollup(const struct live_call *call, int64_t experiment);
MUST_CHECK enum error live_clear_family(const struct live_call *call, int64_t experiment,
                                        enum live_family family);

/* Parts of the aggregates, into a rollup: the cells of some metrics over everybody or, with a
 * dimension, over each of its slices; their bins; arms, with the products; arms and what was sent.
 */
MUST_CHECK enum error live_read_metrics(const struct live_call *call,
                                        const struct integer_list *metrics, const char *dimension,
                                        struct live_rollup *rollup);
MUST_CHECK enum error live_read_bins(const struct live_call *call,
                                     const struct integer_list *metrics,
                                     struct live_rollup *rollup);
MUST_CHECK enum error live_read_arms(const struct live_call *call, bool products,
                                     struct live_rollup *rollup);

/* Calls `metric` with each name that has events and how many, most first. */
typedef void live_metric_visitor(const char *name, int64_t events, void *context);
MUST_CHECK enum error live_visit_metrics(const struct live_call *call, int64_t experiment,
                                         live_metric_visitor *metric, void *context);

MUST_CHECK enum error live_read_totals(const struct live_call *call, struct live_rollup *rollup);

/* Reads all aggregates into an empty rollup. Cells of slices are read only on request. */
MUST_CHECK enum error live_read_rollup(const struct live_call *call, bool slices,
                                       struct live_rollup *rollup);

#endif
