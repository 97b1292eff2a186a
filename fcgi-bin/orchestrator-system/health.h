/* Health routes: liveness, readiness, summary and full report. */
#ifndef ASSAY_ORCHESTRATOR_SYSTEM_HEALTH_H
#define ASSAY_ORCHESTRATOR_SYSTEM_HEALTH_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(live_schema, struct live);
SCHEMA_OF(health_schema, struct health);
SCHEMA_OF(readiness_schema, struct readiness_answer);
SCHEMA_OF(detailed_schema, struct detailed);

enum error live_handle(struct request *request, struct reply *reply);
enum error ready_handle(struct request *request, struct reply *reply);
enum error health_handle(struct request *request, struct reply *reply);
enum error readiness_handle(struct request *request, struct reply *reply);
enum error detailed_handle(struct request *request, struct reply *reply);

#endif
