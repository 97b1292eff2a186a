/* A tenant's metrics of the last day and week: latency, escalation, quality, errors, votes. A
 * metric without measurements is absent, never zero. */
#ifndef ASSAY_SUPPORT_TRACES_METRICS_SNAPSHOT_H
#define ASSAY_SUPPORT_TRACES_METRICS_SNAPSHOT_H

#include "support/traces/trace_store.h"

struct metrics_snapshot {
    struct optional_number p50_sec, p95_sec, p99_sec; /* 24 h, two decimals or more */
    int64_t timed_traces;                             /* number of answers in the percentiles */
    int64_t total_traces, escalated;                  /* 24 h */
    struct optional_number escalation_rate_pct;       /* one decimal, as the next ones */
    int64_t scored_traces;                            /* 7 d */
    struct optional_number avg_quality, low_quality_share_pct;
    int64_t total_started, likely_failed, failed; /* 24 h */
    struct optional_number likely_failure_rate_pct;
    int64_t votes, thumbs_down; /* 7 d */
    struct optional_number thumbs_down_rate_pct;
};

/* Of the call's tenant, or of all tenants if it is NULL. */
MUST_CHECK enum error metrics_snapshot(const struct trace_call *call,
                                       struct metrics_snapshot *snapshot);

/* The value at the smallest rank not below count times p; `values` are sorted. */
double metrics_percentile(const double *sorted, size_t count, double p);

#endif
