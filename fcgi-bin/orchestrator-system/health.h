/* Health in four forms: alive, ready, in short and in full. */
#ifndef ASSAY_ORCHESTRATOR_SYSTEM_HEALTH_H
#define ASSAY_ORCHESTRATOR_SYSTEM_HEALTH_H

#include "base/schema.h"
#include "http/request.h"

extern const struct schema live_schema, health_schema, readiness_schema, detailed_schema;

enum error live_handle(struct request *request, struct reply *reply);
enum error ready_handle(struct request *request, struct reply *reply);
enum error health_handle(struct request *request, struct reply *reply);
enum error readiness_handle(struct request *request, struct reply *reply);
enum error detailed_handle(struct request *request, struct reply *reply);

#endif
