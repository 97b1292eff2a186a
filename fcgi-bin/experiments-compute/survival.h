/* POST /api/v1/results/survival: analysis of survival times. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_SURVIVAL_H
#define ASSAY_EXPERIMENTS_COMPUTE_SURVIVAL_H

#include "experiments/analyses/survival_schema.h"
#include "http/route.h"

void survival_cost(const void *body, struct compute_cost *cost);
enum error survival_handle(struct request *request, struct reply *reply);

#endif
