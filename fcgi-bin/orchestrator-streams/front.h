/* The front that clients of OpenAI's interface speak to: POST /v1/chat/completions, GET /v1/models.
 */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_FRONT_H
#define ASSAY_ORCHESTRATOR_STREAMS_FRONT_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(front_models_schema, struct front_models);
SCHEMA_OF(front_model_schema, struct front_model);

enum error completions_handle(struct request *request, struct reply *reply);
enum error front_models_handle(struct request *request, struct reply *reply);
enum error front_model_handle(struct request *request, struct reply *reply);

#endif
