/* POST /api/v1/calculate: the sample size of a design. */
#ifndef ASSAY_EXPERIMENTS_ANALYSIS_CALCULATE_H
#define ASSAY_EXPERIMENTS_ANALYSIS_CALCULATE_H

#include "experiments/design/calculation.h"
#include "http/route.h"

SCHEMA_OF(calculate_request_schema, struct sizing_request);

void calculate_cost(const void *body, struct compute_cost *cost);
enum error calculate_handle(struct request *request, struct reply *reply);

#endif
