/*
 * SQL of clusters: their names, and reading their cells. Names are bounded by `clusters_max` of the
 * call.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_CLUSTER_STORE_H
#define ASSAY_EXPERIMENTS_LIVE_CLUSTER_STORE_H

#include "experiments/live/rollup_store.h"

/* The different names in exposures, without numbers yet. A table of subjects maps them; without
 * names it stays empty. */
void live_clusters_of(const struct live_exposure *records, size_t count, struct arena *arena,
                      struct live_units *names);

/* Gives the names their numbers; with `create` also those that are new, for a divided experiment in
 * all of its buckets, which must be locked then. Names beyond the bound keep the number 0: their
 * users have no cluster. */
MUST_CHECK enum error live_number_clusters(const struct live_call *call,
                                           struct live_experiment *experiment, bool create,
                                           struct live_units *names);

/* Whether the exposures have a name that live_number_clusters() would create. */
MUST_CHECK enum error live_brings_clusters(const struct live_call *call,
                                           const struct live_experiment *whole,
                                           const struct object_list *records, bool *brings);

/* The names of all clusters by number; 0 has none. `experiment` is the whole one. */
MUST_CHECK enum error live_read_cluster_names(const struct live_call *call,
                                              const struct live_experiment *experiment,
                                              struct string_list *names);

/* The slices of clusters that have subjects in an arm, from high to low: the first cluster first.
 */
struct live_cluster_slices {
    size_t count;
    int64_t *items;
};

/* Adds the cells of clusters to the rollup, for these metrics and LIVE_PRESENCE. */
MUST_CHECK enum error live_read_clusters(const struct live_call *call,
                                         const struct integer_list *metrics,
                                         struct live_rollup *rollup,
                                         struct live_cluster_slices *slices);

#endif
