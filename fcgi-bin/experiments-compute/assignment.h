/* POST /api/v1/assignment/preview: assigns a sample of users to the variations of a plan. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_ASSIGNMENT_H
#define ASSAY_EXPERIMENTS_COMPUTE_ASSIGNMENT_H

#include "http/route.h"

SCHEMA_OF(assignment_request_schema, struct assignment_request);
SCHEMA_OF(assignment_reply_schema, struct assignment_reply);

void assignment_request_cost(const void *body, struct compute_cost *cost);
enum error assignment_handle(struct request *request, struct reply *reply);

#endif
