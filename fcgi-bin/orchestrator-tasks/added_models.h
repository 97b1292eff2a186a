/* Models that administrators have added. */
#ifndef ASSAY_ORCHESTRATOR_TASKS_ADDED_MODELS_H
#define ASSAY_ORCHESTRATOR_TASKS_ADDED_MODELS_H

#include "base/schema.h"
#include "http/request.h"

struct new_key;
SCHEMA_OF(new_key_schema, struct new_key);

enum error model_remove_handle(struct request *request, struct reply *reply);
enum error model_key_handle(struct request *request, struct reply *reply);

#endif
