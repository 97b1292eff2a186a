/* POST /api/v1/results/cluster: see cluster.c. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_CLUSTER_H
#define ASSAY_EXPERIMENTS_COMPUTE_CLUSTER_H

#include "experiments/analyses/cluster_analysis.h"
#include "http/route.h"

void cluster_cost(const void *body, struct compute_cost *cost);
enum error cluster_handle(struct request *request, struct reply *reply);

#endif
