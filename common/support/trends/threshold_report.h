/*
 * The analysis of all cutoffs as a document: for each what is set, what finds bad answers best, at
 * which cutoff a risk is kept, the curve, and how values are spread; and the same for people.
 */
#ifndef ASSAY_SUPPORT_TRENDS_THRESHOLD_REPORT_H
#define ASSAY_SUPPORT_TRENDS_THRESHOLD_REPORT_H

#include "support/settings.h"
#include "support/traces/trace_store.h"
#include "support/trends/threshold.h"

#include <stdbool.h>

struct threshold_request {
    const struct support_settings *settings;
    int64_t days;
    double risk, confidence; /* 0 = those of the settings */
    const char *path;        /* of the report, below DATA_DIR or whole; NULL = none is written */
    bool of_tenant;          /* also writes reports/thresholds/<tenant>.md */
};

/* Of the call's tenant, or of `all`. `document` is JSON text from the arena. */
MUST_CHECK enum error threshold_analyse(const struct trace_call *call,
                                        const struct threshold_request *request,
                                        const char **document);

/* The kept analysis of the tenant, made anew where there is none or `anew` says so. */
MUST_CHECK enum error threshold_kept(const struct trace_call *call,
                                     const struct threshold_request *request, bool anew,
                                     const char **document, bool *cached);

#endif
