/*
 * The aggregates that an experiment keeps per cluster when its design says that users were assigned
 * by clusters: cells whose slice is below zero. No SQL here.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_CLUSTER_PLAN_H
#define ASSAY_EXPERIMENTS_LIVE_CLUSTER_PLAN_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct experiment_payload;

/* Slices of cells: bins lie between LIVE_BINS_BEGIN and 0, clusters at LIVE_CLUSTERS and below, and
 * what is washed out of their periods at LIVE_WASHED_OUT and below. Those, and what lies above
 * LIVE_CLUSTERS, have cells of the metric 0 only, which count subjects. */
#define LIVE_BINS_BEGIN "-100000"
enum {
    LIVE_CLUSTERS_OUTSIDE = -999998, /* exposed before the first period, or after the last */
    LIVE_CLUSTERS_CROSSED = -999999, /* seen in another cluster as well */
    LIVE_CLUSTERS = -1000000
};
#define LIVE_WASHED_OUT INT64_C(-1000000000000000)

/* What the cells are made for. With periods a cluster has one cell for each of them. */
struct live_cluster_plan {
    bool kept;                      /* false: the experiment has no cells of clusters */
    int64_t periods;                /* 0 = clusters keep their variation */
    int64_t start, length, washout; /* of the periods; microseconds */
};

bool live_same_cluster_plan(const struct live_cluster_plan *one,
                            const struct live_cluster_plan *other);

/* The plan of a design. */
void live_design_clusters(const struct experiment_payload *design, struct live_cluster_plan *plan);

/* As stored; an empty text is the plan that keeps nothing. */
const char *live_cluster_plan_text(const struct live_cluster_plan *plan, struct arena *arena);
void live_read_cluster_plan(const char *text, struct live_cluster_plan *plan);

/* How many clusters may have names, when so many cells may be kept; one at least. */
int64_t live_clusters_most(const struct live_cluster_plan *plan, int64_t cells_max);

/* The slice of a subject by the number of its cluster and the moment of its exposure. */
int64_t live_cluster_slice(const struct live_cluster_plan *plan, int64_t cluster, int64_t moment);

/* What a slice of a cluster stands for; the period is 0 without periods. */
struct live_cluster_place {
    int64_t cluster, period;
};
struct live_cluster_place live_cluster_place(const struct live_cluster_plan *plan, int64_t slice);

/* The slices of a place: of subjects that count, and of those that are washed out. */
int64_t live_place_slice(const struct live_cluster_plan *plan, struct live_cluster_place place,
                         bool washed_out);

#endif
