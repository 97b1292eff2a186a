/* POST /api/v1/design/solve: see design_solve.c. */
#ifndef ASSAY_EXPERIMENTS_ANALYSIS_DESIGN_SOLVE_H
#define ASSAY_EXPERIMENTS_ANALYSIS_DESIGN_SOLVE_H

#include "experiments/planning/solve_request.h"
#include "http/route.h"

void design_solve_cost(const void *body, struct compute_cost *cost);
enum error design_solve_handle(struct request *request, struct reply *reply);

#endif
