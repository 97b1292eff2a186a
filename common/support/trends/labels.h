/* Private to common/support/trends: answers of a period with their verdicts. */
#ifndef ASSAY_SUPPORT_TRENDS_LABELS_H
#define ASSAY_SUPPORT_TRENDS_LABELS_H

#include "support/traces/trace_store.h"
#include "support/trends/threshold.h"

#define EVERYBODY "all" /* as a tenant: all tenants */

/* The values of one metric: all in ascending order, and those of judged answers. */
struct labelled_metric {
    size_t count;
    double *values;
    struct threshold_samples samples;
};

struct labelled {
    int64_t traces;
    int64_t labels; /* verdicts of any age; if there are none: answers, by their route */
    bool by_people;
    struct labelled_metric metrics[THRESHOLD__MAX];
    const char *heavy_tenant; /* the reviewer of at least half of all bad verdicts; NULL = none */
    double heavy_share;
};

/* Live answers of the last `days` days of the call's tenant, or of EVERYBODY. */
MUST_CHECK enum error labelled_read(const struct trace_call *call, int64_t days,
                                    struct labelled *labelled);

/* Counts verdicts since a time on the tenant's answers that pass a cutoff of a metric (quality or
 * facts), and the bad verdicts among them. */
MUST_CHECK enum error labelled_count(const struct trace_call *call, enum threshold_metric metric,
                                     double cutoff, const char *since, int64_t *given,
                                     int64_t *wrong);

#endif
