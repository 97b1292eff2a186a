/* GET /api/v1/analytics. */
#ifndef ASSAY_ORCHESTRATOR_LIGHT_ANALYTICS_H
#define ASSAY_ORCHESTRATOR_LIGHT_ANALYTICS_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(analytics_schema, struct analytics);

enum error analytics_handle(struct request *request, struct reply *reply);

#endif
