/* Routes of the inbox: tickets, who works on them, replies. */
#ifndef ASSAY_SUPPORT_ADMIN_TICKETS_H
#define ASSAY_SUPPORT_ADMIN_TICKETS_H

#include "http/route.h"

SCHEMA_OF(tickets_query_schema, struct tickets_query);
SCHEMA_OF(tickets_schema, struct tickets_reply);
SCHEMA_OF(team_schema, struct team_reply);
SCHEMA_OF(ticket_detail_schema, struct ticket_detail);
SCHEMA_OF(assign_schema, struct assign_request);
SCHEMA_OF(respond_schema, struct respond_request);
SCHEMA_OF(responded_schema, struct responded);
SCHEMA_OF(similar_query_schema, struct similar_query);
SCHEMA_OF(similar_schema, struct similar_reply);

enum error tickets_handle(struct request *request, struct reply *reply);
enum error ticket_counts_handle(struct request *request, struct reply *reply);
enum error team_handle(struct request *request, struct reply *reply);
enum error ticket_handle(struct request *request, struct reply *reply);
enum error assign_handle(struct request *request, struct reply *reply);
enum error respond_handle(struct request *request, struct reply *reply);
enum error similar_handle(struct request *request, struct reply *reply);

#endif
