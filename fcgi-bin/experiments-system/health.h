/* GET /health, /readyz and /openapi.json: liveness, readiness and the API document. */
#ifndef ASSAY_EXPERIMENTS_SYSTEM_HEALTH_H
#define ASSAY_EXPERIMENTS_SYSTEM_HEALTH_H

#include "http/route.h"

SCHEMA_OF(health_reply_schema, struct health);
SCHEMA_OF(readiness_reply_schema, struct readiness);

enum error health_handle(struct request *request, struct reply *reply);
enum error readiness_handle(struct request *request, struct reply *reply);

#endif
