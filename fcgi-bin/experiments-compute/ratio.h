/* POST /api/v1/results/ratio: numerators and denominators of the users of two arms. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_RATIO_H
#define ASSAY_EXPERIMENTS_COMPUTE_RATIO_H

#include "http/route.h"

SCHEMA_OF(ratio_request_schema, struct ratio_observation);

void ratio_cost(const void *body, struct compute_cost *cost);
enum error ratio_handle(struct request *request, struct reply *reply);

#endif
