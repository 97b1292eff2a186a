/* GET /health, /readyz and /openapi.json: is the service there, can it work, what does it offer? */
#ifndef ASSAY_EXPERIMENTS_SYSTEM_HEALTH_H
#define ASSAY_EXPERIMENTS_SYSTEM_HEALTH_H

#include "http/route.h"

SCHEMA_OF(health_reply_schema, struct health);
SCHEMA_OF(readiness_reply_schema, struct readiness);

enum error health_handle(struct request *request, struct reply *reply);
enum error readiness_handle(struct request *request, struct reply *reply);

#endif
