/* POST /api/v1/results/paired: analysis of two measurements per user. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_PAIRED_H
#define ASSAY_EXPERIMENTS_COMPUTE_PAIRED_H

#include "http/route.h"

SCHEMA_OF(paired_request_schema, struct paired_request);
SCHEMA_OF(paired_reply_schema, struct paired_reply);

void paired_cost(const void *body, struct compute_cost *cost);
enum error paired_handle(struct request *request, struct reply *reply);

#endif
