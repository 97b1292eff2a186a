/* Sessions, votes, tickets, categories, documents that grow old. */
#ifndef ASSAY_SUPPORT_ADMIN_DESK_H
#define ASSAY_SUPPORT_ADMIN_DESK_H

#include "http/route.h"

extern const struct schema sessions_query_schema;
extern const struct schema session_schema;
extern const struct schema history_schema;
extern const struct schema cleared_schema;
extern const struct schema votes_query_schema;
extern const struct schema votes_schema;
extern const struct schema tickets_query_schema;
extern const struct schema tickets_schema;
extern const struct schema ticket_detail_schema;
extern const struct schema respond_schema;
extern const struct schema responded_schema;
extern const struct schema similar_query_schema;
extern const struct schema similar_schema;
extern const struct schema categories_schema;

enum error sessions_handle(struct request *request, struct reply *reply);
enum error history_handle(struct request *request, struct reply *reply);
enum error session_delete_handle(struct request *request, struct reply *reply);
enum error votes_handle(struct request *request, struct reply *reply);
enum error tickets_handle(struct request *request, struct reply *reply);
enum error ticket_handle(struct request *request, struct reply *reply);
enum error respond_handle(struct request *request, struct reply *reply);
enum error similar_handle(struct request *request, struct reply *reply);
enum error categories_handle(struct request *request, struct reply *reply);

#endif
