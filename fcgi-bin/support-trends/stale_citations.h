/* Answers that stood on passages which are not in their documents any more. */
#ifndef ASSAY_SUPPORT_TRENDS_STALE_CITATIONS_H
#define ASSAY_SUPPORT_TRENDS_STALE_CITATIONS_H

#include "http/route.h"

SCHEMA_OF(stale_citations_query_schema, struct stale_citations_query);
SCHEMA_OF(stale_citations_schema, struct stale_citations_reply);
SCHEMA_OF(stale_citation_reviewed_schema, struct stale_citation_reviewed);

enum error stale_citations_handle(struct request *request, struct reply *reply);
enum error stale_citation_review_handle(struct request *request, struct reply *reply);

#endif
