/* POST /api/v1/simulate/bandit: simulates adaptive allocation of the traffic. */
#ifndef ASSAY_EXPERIMENTS_COMPUTE_BANDIT_H
#define ASSAY_EXPERIMENTS_COMPUTE_BANDIT_H

#include "http/route.h"

SCHEMA_OF(bandit_request_schema, struct bandit_request);
SCHEMA_OF(bandit_reply_schema, struct bandit_reply);

void bandit_request_cost(const void *body, struct compute_cost *cost);
enum error bandit_handle(struct request *request, struct reply *reply);

#endif
