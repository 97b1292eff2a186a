/* The audit log and the purge. */
#ifndef ASSAY_EXPERIMENTS_OPERATIONS_AUDIT_H
#define ASSAY_EXPERIMENTS_OPERATIONS_AUDIT_H

#include "http/route.h"

extern const struct schema audit_query_schema, audit_export_query_schema, audit_reply_schema,
    purge_request_schema, purge_reply_schema;

enum error audit_handle(struct request *request, struct reply *reply);
enum error audit_export_handle(struct request *request, struct reply *reply);
enum error purge_handle(struct request *request, struct reply *reply);

#endif
