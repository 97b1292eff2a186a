/* GET /api/v1/models, POST /api/v1/models/refresh, GET /api/v1/analytics. */
#ifndef ASSAY_ORCHESTRATOR_LIGHT_MODELS_H
#define ASSAY_ORCHESTRATOR_LIGHT_MODELS_H

#include "base/schema.h"
#include "http/request.h"

extern const struct schema models_schema, refreshed_models_schema, analytics_schema;

enum error models_handle(struct request *request, struct reply *reply);
enum error models_refresh_handle(struct request *request, struct reply *reply);
enum error analytics_handle(struct request *request, struct reply *reply);

#endif
