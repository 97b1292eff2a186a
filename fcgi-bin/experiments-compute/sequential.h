/* POST /api/v1/sequential/design and /api/v1/sequential/monitor: group sequential tests. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_SEQUENTIAL_H
#define ASSAY_EXPERIMENTS_COMPUTE_SEQUENTIAL_H

#include "http/route.h"

void sequential_design_cost(const void *body, struct compute_cost *cost);
void sequential_monitor_cost(const void *body, struct compute_cost *cost);
enum error sequential_design_handle(struct request *request, struct reply *reply);
enum error sequential_monitor_handle(struct request *request, struct reply *reply);

#endif
