/* Routes of traces, evaluations, the snapshot of metrics and the audit log. */
#ifndef ASSAY_SUPPORT_ADMIN_TRACES_H
#define ASSAY_SUPPORT_ADMIN_TRACES_H

#include "http/route.h"

SCHEMA_OF(traces_query_schema, struct traces_query);
SCHEMA_OF(traces_schema, struct traces_reply);
SCHEMA_OF(trace_schema, struct trace_reply);
SCHEMA_OF(purge_query_schema, struct purge_query);
SCHEMA_OF(audit_purge_query_schema, struct purge_query);
SCHEMA_OF(audit_purged_schema, struct audit_purged);
SCHEMA_OF(traces_purged_schema, struct traces_purged);
SCHEMA_OF(trend_query_schema, struct trend_query);
SCHEMA_OF(trend_schema, struct trend_reply);
SCHEMA_OF(worst_query_schema, struct worst_query);
SCHEMA_OF(worst_schema, struct worst_reply);
SCHEMA_OF(metrics_schema, struct metrics_reply);
SCHEMA_OF(audit_query_schema, struct audit_query);
SCHEMA_OF(audit_schema, struct audit_reply);

enum error traces_handle(struct request *request, struct reply *reply);
enum error trace_handle(struct request *request, struct reply *reply);
enum error audit_purge_handle(struct request *request, struct reply *reply);
enum error traces_purge_handle(struct request *request, struct reply *reply);
enum error trend_handle(struct request *request, struct reply *reply);
enum error worst_handle(struct request *request, struct reply *reply);
enum error metrics_handle(struct request *request, struct reply *reply);
enum error audit_handle(struct request *request, struct reply *reply);

#endif
