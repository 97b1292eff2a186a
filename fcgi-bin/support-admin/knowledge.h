/* Gaps, drafts, documents that grow old; analytics. */
#ifndef ASSAY_SUPPORT_ADMIN_KNOWLEDGE_H
#define ASSAY_SUPPORT_ADMIN_KNOWLEDGE_H

#include "http/route.h"

extern const struct schema gaps_schema;
extern const struct schema drafts_query_schema;
extern const struct schema drafts_schema;
extern const struct schema draft_edit_schema;
extern const struct schema decided_schema;
extern const struct schema stale_query_schema;
extern const struct schema stale_schema;
extern const struct schema days_query_schema;
extern const struct schema topics_schema;
extern const struct schema resolution_schema;
extern const struct schema cost_schema;
extern const struct schema trends_query_schema;
extern const struct schema trends_schema;

enum error gaps_handle(struct request *request, struct reply *reply);
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
