/* States which answer of a vote is right. */
#ifndef ASSAY_ORCHESTRATOR_TASKS_RIGHT_ANSWER_H
#define ASSAY_ORCHESTRATOR_TASKS_RIGHT_ANSWER_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(right_answer_schema, struct right_answer);

enum error right_answer_handle(struct request *request, struct reply *reply);

#endif
