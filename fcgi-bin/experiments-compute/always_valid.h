/* POST /api/v1/results/always-valid: two arms that may be read at any time. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_ALWAYS_VALID_H
#define ASSAY_EXPERIMENTS_COMPUTE_ALWAYS_VALID_H

#include "http/route.h"

void always_valid_cost(const void *body, struct compute_cost *cost);
enum error always_valid_handle(struct request *request, struct reply *reply);

#endif
