/* POST /api/v1/results/switchback: see switchback.c. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_SWITCHBACK_H
#define ASSAY_EXPERIMENTS_COMPUTE_SWITCHBACK_H

#include "experiments/analyses/switchback_analysis.h"
#include "http/route.h"

void switchback_cost(const void *body, struct compute_cost *cost);
enum error switchback_handle(struct request *request, struct reply *reply);

#endif
