/*
 * Stale citations: every cited sentence of an answer is bound to a passage of a version of a
 * document. When the document changes and the passage is not in it any more, the answer is flagged
 * and listed for review; where it is curated, its case is stale.
 */
#ifndef ASSAY_SUPPORT_TRENDS_STALE_CITATIONS_H
#define ASSAY_SUPPORT_TRENDS_STALE_CITATIONS_H

#include "base/schema.h"
#include "support/traces/trace_store.h"

enum {
    CITATION_WATCH_DAYS = 30
}; /* answers older than that are watched only while they are confirmed */

/* Binds what an answer cites; in the transaction that keeps the answer. */
MUST_CHECK enum error stale_citations_bind(const struct trace_call *call, const char *trace_id,
                                           const struct graph_outcome *outcome);

struct stale_citation_counts {
    int64_t documents;         /* that changed since they were cited */
    int64_t standing, changed; /* citations looked at again */
};

/* Looks at all documents of all tenants that have another version than the one cited, and forgets
 * what need not be watched any more. Any number may run. */
MUST_CHECK enum error stale_citations_check(const struct trace_call *call,
                                            struct stale_citation_counts *counts);

struct stale_citation {
    const char *trace_id, *doc_id, *sentence, *span, *cited_at, *changed_at;
};
SCHEMA_OF(stale_citation_schema, struct stale_citation);
/* Changed citations of the tenant that nobody has reviewed, newest first: struct stale_citation. */
MUST_CHECK enum error stale_citations_list(const struct trace_call *call, int64_t limit,
                                           struct object_list *rows);

/* Says that somebody has looked at an answer's. ERROR_NOT_FOUND. */
MUST_CHECK enum error stale_citations_review(const struct trace_call *call, const char *trace_id);

#endif
