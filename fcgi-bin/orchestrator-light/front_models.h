/* Models in OpenAI's API format. */
#ifndef ASSAY_ORCHESTRATOR_LIGHT_FRONT_MODELS_H
#define ASSAY_ORCHESTRATOR_LIGHT_FRONT_MODELS_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(front_models_schema, struct front_models);
SCHEMA_OF(front_model_schema, struct front_model);

enum error front_models_handle(struct request *request, struct reply *reply);
enum error front_model_handle(struct request *request, struct reply *reply);

#endif
