/*
 * Stale citations: every cited sentence of an answer refers to a passage of a document version.
 * When a new version no longer contains the passage, the answer is flagged and listed for review;
 * if it is curated, its case becomes stale.
 */
#ifndef ASSAY_SUPPORT_TRENDS_STALE_CITATIONS_H
#define ASSAY_SUPPORT_TRENDS_STALE_CITATIONS_H

#include "base/schema.h"
#include "support/traces/trace_store.h"

enum {
    CITATION_WATCH_DAYS = 30
}; /* days; older answers are watched only while they are confirmed */

/* Stores the citations of an answer; in the transaction that stores the answer. */
MUST_CHECK enum error stale_citations_bind(const struct trace_call *call, const char *trace_id,
                                           const struct graph_outcome *outcome);

struct stale_citation_counts {
    int64_t documents;         /* documents changed since they were cited */
    int64_t standing, changed; /* number of checked citations */
};

/* Checks the documents of all tenants that have another version than the cited one, and deletes
 * citations that need no more checks. May run concurrently. */
MUST_CHECK enum error stale_citations_check(const struct trace_call *call,
                                            struct stale_citation_counts *counts);

struct stale_citation {
    const char *trace_id, *doc_id, *sentence, *span, *cited_at, *changed_at;
};
SCHEMA_OF(stale_citation_schema, struct stale_citation);
/* Changed citations of the tenant without review, newest first: struct stale_citation. Without
 * those of answers that quote what the call's reader may not read. */
MUST_CHECK enum error stale_citations_list(const struct trace_call *call, int64_t limit,
                                           struct object_list *rows);

/* Marks the citations of an answer as reviewed. ERROR_NOT_FOUND. */
MUST_CHECK enum error stale_citations_review(const struct trace_call *call, const char *trace_id);

#endif
