/* POST /api/v1/results: analysis of a finished two-arm test. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_RESULTS_H
#define ASSAY_EXPERIMENTS_COMPUTE_RESULTS_H

#include "experiments/analyses/results_schema.h"
#include "http/route.h"

void results_cost(const void *body, struct compute_cost *cost);
enum error results_handle(struct request *request, struct reply *reply);

#endif
