/* Routes of conversations, votes and categories. */
#ifndef ASSAY_SUPPORT_ADMIN_CONSOLE_H
#define ASSAY_SUPPORT_ADMIN_CONSOLE_H

#include "http/route.h"

SCHEMA_OF(sessions_query_schema, struct sessions_query);
SCHEMA_OF(history_schema, struct history_reply);
SCHEMA_OF(cleared_schema, struct cleared);
SCHEMA_OF(votes_query_schema, struct votes_query);
SCHEMA_OF(votes_schema, struct votes_reply);
SCHEMA_OF(categories_schema, struct categories_reply);

enum error sessions_handle(struct request *request, struct reply *reply);
enum error history_handle(struct request *request, struct reply *reply);
enum error session_read_handle(struct request *request, struct reply *reply);
enum error session_delete_handle(struct request *request, struct reply *reply);
enum error votes_handle(struct request *request, struct reply *reply);
enum error categories_handle(struct request *request, struct reply *reply);

#endif
