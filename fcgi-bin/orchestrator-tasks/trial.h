/* One model: a short call to see whether it answers. */
#ifndef ASSAY_ORCHESTRATOR_TASKS_TRIAL_H
#define ASSAY_ORCHESTRATOR_TASKS_TRIAL_H

#include "base/schema.h"
#include "http/request.h"

struct model_trial;
SCHEMA_OF(model_trial_schema, struct model_trial);

enum error model_trial_handle(struct request *request, struct reply *reply);

#endif
