/* GET /api/v1/models, POST /api/v1/models/refresh: in two families, because the second may wait
 * long. */
#ifndef ASSAY_ORCHESTRATOR_MODELS_H
#define ASSAY_ORCHESTRATOR_MODELS_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(models_schema, struct models);
SCHEMA_OF(refreshed_models_schema, struct models);

enum error models_handle(struct request *request, struct reply *reply);
enum error models_refresh_handle(struct request *request, struct reply *reply);

#endif
