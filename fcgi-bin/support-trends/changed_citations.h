/* Routes of stale citations: answers whose passages are no longer in their documents. */
#ifndef ASSAY_SUPPORT_TRENDS_CHANGED_CITATIONS_H
#define ASSAY_SUPPORT_TRENDS_CHANGED_CITATIONS_H

#include "http/route.h"

SCHEMA_OF(changed_citations_query_schema, struct changed_citations_query);
SCHEMA_OF(changed_citations_schema, struct changed_citations_reply);
SCHEMA_OF(changed_citations_reviewed_schema, struct changed_citations_reviewed);

enum error changed_citations_handle(struct request *request, struct reply *reply);
enum error changed_citations_review_handle(struct request *request, struct reply *reply);

#endif
