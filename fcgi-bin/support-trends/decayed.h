/* Answers that stood on passages which are not in their documents any more. */
#ifndef ASSAY_SUPPORT_TRENDS_DECAYED_H
#define ASSAY_SUPPORT_TRENDS_DECAYED_H

#include "http/route.h"

SCHEMA_OF(decayed_query_schema, struct decayed_query);
SCHEMA_OF(decayed_schema, struct decayed_reply);
SCHEMA_OF(decay_reviewed_schema, struct decay_reviewed);

enum error decayed_handle(struct request *request, struct reply *reply);
enum error decay_review_handle(struct request *request, struct reply *reply);

#endif
