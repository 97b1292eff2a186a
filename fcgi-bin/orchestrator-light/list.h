/* The list of tasks: GET /api/v1/tasks. */
#ifndef ASSAY_ORCHESTRATOR_LIGHT_LIST_H
#define ASSAY_ORCHESTRATOR_LIGHT_LIST_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(task_query_schema, struct task_query);

enum error task_list_handle(struct request *request, struct reply *reply);

#endif
