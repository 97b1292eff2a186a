/*
 * Nightly quality of answers, by measures that need no model, compared with the week before:
 * faithfulness to the documents, precision of retrieval, relevance of the answer.
 */
#ifndef ASSAY_SUPPORT_TRENDS_NIGHTLY_H
#define ASSAY_SUPPORT_TRENDS_NIGHTLY_H

#include "base/optional.h"
#include "support/traces/trace_store.h"
#include "support/trends/measures.h"

#include <stdbool.h>

/* |now - before| / before; 0 when there was no previous value, or it was 0. */
double nightly_drift(double now, struct optional_number before);

enum { NIGHTLY_LEAST = 10, NIGHTLY_MOST = 50, NIGHTLY_DOCUMENTS_MOST = 64 };

struct nightly_result {
    bool skipped; /* fewer than NIGHTLY_LEAST answers: nothing was stored */
    int64_t sample_size;
    struct answered_measures values, drifts;
    bool alerts[MEASURE__ANSWERED];
};

/* The texts that a trace retrieved, best first. From the arena. */
MUST_CHECK enum error nightly_documents(struct db *db, struct arena *arena, const char *trace_id,
                                        const char *const **documents, size_t *count,
                                        struct problem *problem);

/* The newest answers of the last day that were sent without review, of all tenants. */
MUST_CHECK enum error nightly_run(const struct trace_call *call, struct nightly_result *result);

/* Metrics whose newest nightly value, from the last 26 hours, drifts; separated by commas. */
MUST_CHECK enum error nightly_drifting(struct db *db, struct arena *arena, int64_t *count,
                                       const char **names, struct problem *problem);

#endif
