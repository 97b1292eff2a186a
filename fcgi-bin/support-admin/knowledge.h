/* Routes of gaps, drafts, outdated documents and analytics. */
#ifndef ASSAY_SUPPORT_ADMIN_KNOWLEDGE_H
#define ASSAY_SUPPORT_ADMIN_KNOWLEDGE_H

#include "http/route.h"

SCHEMA_OF(gaps_schema, struct list_reply);
SCHEMA_OF(drafts_query_schema, struct drafts_query);
SCHEMA_OF(drafts_schema, struct list_reply);
SCHEMA_OF(draft_edit_schema, struct draft_edit);
SCHEMA_OF(decided_schema, struct decided);
SCHEMA_OF(stale_query_schema, struct stale_query);
SCHEMA_OF(stale_schema, struct list_reply);
SCHEMA_OF(days_query_schema, struct days_query);
SCHEMA_OF(topics_schema, struct list_reply);
SCHEMA_OF(resolution_schema, struct list_reply);
SCHEMA_OF(cost_schema, struct cost_reply);
SCHEMA_OF(trends_query_schema, struct trends_query);
SCHEMA_OF(trends_schema, struct trends_reply);

enum error gaps_handle(struct request *request, struct reply *reply);
enum error gap_resolve_handle(struct request *request, struct reply *reply);
enum error drafts_handle(struct request *request, struct reply *reply);
enum error draft_edit_handle(struct request *request, struct reply *reply);
enum error draft_reject_handle(struct request *request, struct reply *reply);
enum error draft_publish_handle(struct request *request, struct reply *reply);
enum error stale_handle(struct request *request, struct reply *reply);
enum error stale_review_handle(struct request *request, struct reply *reply);
enum error topics_handle(struct request *request, struct reply *reply);
enum error resolution_handle(struct request *request, struct reply *reply);
enum error cost_handle(struct request *request, struct reply *reply);
enum error trends_handle(struct request *request, struct reply *reply);

#endif
