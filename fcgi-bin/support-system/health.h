/* GET /api/health, /api/health/ready, /api/health/live. */
#ifndef ASSAY_SUPPORT_SYSTEM_HEALTH_H
#define ASSAY_SUPPORT_SYSTEM_HEALTH_H

#include "http/route.h"

SCHEMA_OF(live_schema, struct live);
SCHEMA_OF(health_schema, struct health);

enum error live_handle(struct request *request, struct reply *reply);
enum error health_handle(struct request *request, struct reply *reply);

#endif
