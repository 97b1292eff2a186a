/* Routes of sessions, votes, tickets, categories and outdated documents. */
#ifndef ASSAY_SUPPORT_ADMIN_CONSOLE_H
#define ASSAY_SUPPORT_ADMIN_CONSOLE_H

#include "http/route.h"

SCHEMA_OF(sessions_query_schema, struct sessions_query);
SCHEMA_OF(history_schema, struct history_reply);
SCHEMA_OF(cleared_schema, struct cleared);
SCHEMA_OF(votes_query_schema, struct votes_query);
SCHEMA_OF(votes_schema, struct votes_reply);
SCHEMA_OF(tickets_query_schema, struct tickets_query);
SCHEMA_OF(tickets_schema, struct tickets_reply);
SCHEMA_OF(ticket_detail_schema, struct ticket_detail);
SCHEMA_OF(respond_schema, struct respond_request);
SCHEMA_OF(responded_schema, struct responded);
SCHEMA_OF(similar_query_schema, struct similar_query);
SCHEMA_OF(similar_schema, struct tickets_reply);
SCHEMA_OF(categories_schema, struct categories_reply);

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
