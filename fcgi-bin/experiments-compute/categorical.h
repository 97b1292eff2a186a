/* POST /api/v1/results/categorical: analysis of a contingency table. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_CATEGORICAL_H
#define ASSAY_EXPERIMENTS_COMPUTE_CATEGORICAL_H

#include "experiments/analyses/contingency_analysis.h"
#include "http/route.h"

void categorical_cost(const void *body, struct compute_cost *cost);
enum error categorical_handle(struct request *request, struct reply *reply);

#endif
