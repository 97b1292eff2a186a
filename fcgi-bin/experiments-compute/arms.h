/* POST /api/v1/results/arms: see arms.c. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_ARMS_H
#define ASSAY_EXPERIMENTS_COMPUTE_ARMS_H

#include "experiments/analyses/arms_analysis.h"
#include "http/route.h"

void arms_cost(const void *body, struct compute_cost *cost);
enum error arms_handle(struct request *request, struct reply *reply);

#endif
