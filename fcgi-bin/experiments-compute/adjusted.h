/* POST /api/v1/results/adjusted: analysis of arms with covariates. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_ADJUSTED_H
#define ASSAY_EXPERIMENTS_COMPUTE_ADJUSTED_H

#include "experiments/analyses/adjusted_analysis.h"
#include "http/route.h"

void adjusted_cost(const void *body, struct compute_cost *cost);
enum error adjusted_handle(struct request *request, struct reply *reply);

#endif
