/* The audit log, health and metrics. */
#ifndef ASSAY_ACCOUNTS_PEOPLE_SYSTEM_H
#define ASSAY_ACCOUNTS_PEOPLE_SYSTEM_H

#include "accounts/service.h"

extern const struct schema audit_query_schema, audit_schema, health_schema;

enum error audit_handle(struct request *request, struct reply *reply);
enum error live_handle(struct request *request, struct reply *reply);
enum error health_handle(struct request *request, struct reply *reply);
enum error accounts_metrics_handle(struct request *request, struct reply *reply);

#endif
