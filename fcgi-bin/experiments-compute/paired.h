/* POST /api/v1/results/paired: two measurements of each user. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_PAIRED_H
#define ASSAY_EXPERIMENTS_COMPUTE_PAIRED_H

#include "http/route.h"

extern const struct schema paired_request_schema;
extern const struct schema paired_reply_schema;

void paired_cost(const void *body, struct compute_cost *cost);
enum error paired_handle(struct request *request, struct reply *reply);

#endif
