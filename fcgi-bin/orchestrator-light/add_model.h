/* A model that an administrator adds. */
#ifndef ASSAY_ORCHESTRATOR_LIGHT_ADD_MODEL_H
#define ASSAY_ORCHESTRATOR_LIGHT_ADD_MODEL_H

#include "base/schema.h"
#include "http/request.h"

struct new_model;
struct model_name;
SCHEMA_OF(new_model_schema, struct new_model);
SCHEMA_OF(added_model_schema, struct model_name);

enum error model_add_handle(struct request *request, struct reply *reply);

#endif
