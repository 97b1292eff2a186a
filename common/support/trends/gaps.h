/* Knowledge gaps: clusters of similar questions of a week that the documents do not answer. */
#ifndef ASSAY_SUPPORT_TRENDS_GAPS_H
#define ASSAY_SUPPORT_TRENDS_GAPS_H

#include "support/traces/trace_store.h"

enum { GAP_LEAST = 5, GAP_SAMPLES = 3, GAP_QUESTIONS_MOST = 2000 };

struct gap_cluster {
    const char *cluster_id; /* hash of its samples: the same samples give the same hash */
    const char *summary;
    const char *samples[GAP_SAMPLES];
    size_t sample_count, count;
};

/* Clusters of at least `least` questions of one tenant, in order of time: struct gap_cluster. */
void gaps_cluster(struct arena *arena, const char *const *questions, size_t count, size_t least,
                  struct object_list *clusters);

struct gap_counts {
    int64_t questions, created, updated;
};

/* Of all tenants, over the last seven days. Updates a gap that is already open. */
MUST_CHECK enum error gaps_build(const struct trace_call *call, struct gap_counts *counts);

/* Marks a gap of the tenant as filled. ERROR_NOT_FOUND gap_not_found. */
MUST_CHECK enum error gap_resolve(const struct trace_call *call, int64_t id);

#endif
