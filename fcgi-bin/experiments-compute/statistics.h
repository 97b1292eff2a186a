/* POST /api/v1/results/statistics: analysis of sums and counts. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_STATISTICS_H
#define ASSAY_EXPERIMENTS_COMPUTE_STATISTICS_H

#include "experiments/analyses/statistics_analysis.h"
#include "http/route.h"

void statistics_cost(const void *body, struct compute_cost *cost);
enum error statistics_handle(struct request *request, struct reply *reply);

#endif
