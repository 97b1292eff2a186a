/* Posteriors of several arms over HTTP. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_BAYES_H
#define ASSAY_EXPERIMENTS_COMPUTE_BAYES_H

#include "experiments/analyses/bayes_analysis.h"
#include "http/route.h"

void bayes_cost(const void *body, struct compute_cost *cost);
enum error bayes_handle(struct request *request, struct reply *reply);

#endif
