/* Traces, evaluations, the snapshot of metrics, the audit log. */
#ifndef ASSAY_SUPPORT_ADMIN_TRACES_H
#define ASSAY_SUPPORT_ADMIN_TRACES_H

#include "http/route.h"

extern const struct schema traces_query_schema;
extern const struct schema traces_schema;
extern const struct schema trace_schema;
extern const struct schema purge_query_schema, audit_purge_query_schema, audit_purged_schema;
extern const struct schema traces_purged_schema;
extern const struct schema trend_query_schema;
extern const struct schema trend_schema;
extern const struct schema worst_query_schema;
extern const struct schema worst_schema;
extern const struct schema metrics_schema;
extern const struct schema audit_query_schema;
extern const struct schema audit_schema;

enum error traces_handle(struct request *request, struct reply *reply);
enum error trace_handle(struct request *request, struct reply *reply);
enum error audit_purge_handle(struct request *request, struct reply *reply);
enum error traces_purge_handle(struct request *request, struct reply *reply);
enum error trend_handle(struct request *request, struct reply *reply);
enum error worst_handle(struct request *request, struct reply *reply);
enum error metrics_handle(struct request *request, struct reply *reply);
enum error audit_handle(struct request *request, struct reply *reply);

#endif
