/*
 * What a design says about users who are assigned by clusters, and about clusters that take turns.
 */
#ifndef ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_CLUSTERS_H
#define ASSAY_EXPERIMENTS_PAYLOADS_PAYLOAD_CLUSTERS_H

#include "base/schema.h"

enum switchback_assignment {
    SWITCHBACK_RANDOM,
    SWITCHBACK_ALTERNATING,
    SWITCHBACK_ASSIGNMENT__MAX
};

enum { PAYLOAD_PERIODS_MAX = 10000 };

/* Every cluster takes turns: periods of one length, from a moment on. */
struct payload_switchback {
    int64_t starts_at; /* microseconds since 1970 */
    double period_minutes;
    int64_t periods;
    double washout_minutes; /* at the beginning of every period */
    int assignment;         /* enum switchback_assignment */
    int cluster_by;         /* enum switchback_clusters (switchback_analysis.h) */
};

/* Users are assigned by clusters, and live results are those of clusters. */
struct payload_clusters {
    const char *unit;                            /* what a cluster is, for people */
    const struct payload_switchback *switchback; /* NULL = a cluster keeps its variation */
};

SCHEMA_OF(payload_clusters_schema, struct payload_clusters);

#endif
