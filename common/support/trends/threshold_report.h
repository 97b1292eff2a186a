/*
 * The analysis of all cutoffs as a document: for each cutoff the current value, the one that finds
 * bad answers best, the one that keeps a risk, the curve, and the distribution of values; also as
 * Markdown.
 */
#ifndef ASSAY_SUPPORT_TRENDS_THRESHOLD_REPORT_H
#define ASSAY_SUPPORT_TRENDS_THRESHOLD_REPORT_H

#include "base/schema.h"
#include "support/settings.h"
#include "support/traces/trace_store.h"
#include "support/trends/threshold.h"

#include <stdbool.h>

struct threshold_request {
    const struct support_settings *settings;
    int64_t days;
    double risk, confidence; /* 0 = those of the settings */
    const char *path;        /* path of the report, below DATA_DIR or absolute; NULL = no report */
    bool of_tenant;          /* also writes reports/thresholds/<tenant>.md */
};

/* The analysis of the risk at a cutoff. */
struct threshold_risk {
    double risk, confidence;
    const char *status; /* of risk_reason_names */
    struct optional_number cutoff;
    int64_t given, wrong;
    struct optional_number observed, upper, coverage;
    int64_t needed;
    struct optional_number expected_cutoff, expected_coverage;
};

struct threshold_percentiles {
    struct optional_integer p50, p90, p95, p99;
};

/* The analysis of one threshold. */
struct threshold_finding {
    const char *name, *status;
    double current;
    struct optional_number suggested;
    const struct threshold_scores *current_metrics, *suggested_metrics;
    int64_t labeled_count;
    const char *reason, *note;
    int64_t metric_count;
    const char *histogram;
    const struct threshold_percentiles *percentiles; /* if high values are worse */
    const struct threshold_risk *risk;               /* NULL where none is spoken of */
    OBJECT_LIST(struct threshold_point, curve);
};

struct threshold_findings {
    const struct threshold_finding *quality_threshold, *fact_verification_min_score,
        *escalation_threshold, *slow_trace_threshold_ms;
};

struct threshold_analysis {
    const char *generated_at;
    int64_t days;
    const char *tenant;
    int64_t total_traces, label_count;
    const char *label_source;
    const struct threshold_findings *thresholds;
    struct string_list caveats;
    const char *report_path;
    bool cached; /* of a reply: it was computed before */
};

SCHEMA_OF(threshold_analysis_schema, struct threshold_analysis); /* without `cached` */
SCHEMA_OF(threshold_reply_schema, struct threshold_analysis);

/* Of the call's tenant, or of `all`. */
MUST_CHECK enum error threshold_analyse(const struct trace_call *call,
                                        const struct threshold_request *request,
                                        struct threshold_analysis *analysis);

/* The cached analysis of the tenant; computed if there is none, or `anew` requests it. ERROR_SYSTEM
 * analysis_unreadable. */
MUST_CHECK enum error threshold_latest(const struct trace_call *call,
                                       const struct threshold_request *request, bool anew,
                                       struct threshold_analysis *analysis);

/* The cached analysis of the tenant for exactly that many days. */
MUST_CHECK enum error threshold_cached(const struct trace_call *call, int64_t days,
                                       struct threshold_analysis *analysis, bool *found);

#endif
