/* POST /api/v1/sequential/design, /monitor and /hybrid: tests that are looked at before their end.
 */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_SEQUENTIAL_H
#define ASSAY_EXPERIMENTS_COMPUTE_SEQUENTIAL_H

#include "http/route.h"

void sequential_design_cost(const void *body, struct compute_cost *cost);
void sequential_monitor_cost(const void *body, struct compute_cost *cost);
void hybrid_cost(const void *body, struct compute_cost *cost);
enum error sequential_design_handle(struct request *request, struct reply *reply);
enum error sequential_monitor_handle(struct request *request, struct reply *reply);
enum error hybrid_handle(struct request *request, struct reply *reply);

#endif
