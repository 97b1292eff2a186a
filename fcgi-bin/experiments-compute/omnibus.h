/* POST /api/v1/results/omnibus: analysis of several groups. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_OMNIBUS_H
#define ASSAY_EXPERIMENTS_COMPUTE_OMNIBUS_H

#include "experiments/analyses/omnibus_analysis.h"
#include "http/route.h"

void omnibus_cost(const void *body, struct compute_cost *cost);
enum error omnibus_handle(struct request *request, struct reply *reply);

#endif
