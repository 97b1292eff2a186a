/* POST /api/v1/design: the report on a design. */
#ifndef ASSAY_EXPERIMENTS_ANALYSIS_DESIGN_H
#define ASSAY_EXPERIMENTS_ANALYSIS_DESIGN_H

#include "http/route.h"

void design_cost(const void *body, struct compute_cost *cost);
enum error design_handle(struct request *request, struct reply *reply);

#endif
