/* POST /api/v1/simulate/bandit: what adaptive allocation would have done with the traffic. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_BANDIT_H
#define ASSAY_EXPERIMENTS_COMPUTE_BANDIT_H

#include "http/route.h"

extern const struct schema bandit_request_schema;
extern const struct schema bandit_reply_schema;

void bandit_request_cost(const void *body, struct compute_cost *cost);
enum error bandit_handle(struct request *request, struct reply *reply);

#endif
