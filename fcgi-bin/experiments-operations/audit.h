/* Handlers of the audit log and of the purge. */
#ifndef ASSAY_EXPERIMENTS_OPERATIONS_AUDIT_H
#define ASSAY_EXPERIMENTS_OPERATIONS_AUDIT_H

#include "http/route.h"

SCHEMA_OF(audit_query_schema, struct audit_query);
SCHEMA_OF(audit_export_query_schema, struct audit_query);
SCHEMA_OF(audit_reply_schema, struct audit_reply);
SCHEMA_OF(purge_request_schema, struct purge_request);
SCHEMA_OF(purge_reply_schema, struct purge_reply);

enum error audit_handle(struct request *request, struct reply *reply);
enum error audit_export_handle(struct request *request, struct reply *reply);
enum error purge_handle(struct request *request, struct reply *reply);

#endif
