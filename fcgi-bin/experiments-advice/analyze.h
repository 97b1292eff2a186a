/* POST /api/v1/analyze. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ANALYZE_H
#define ASSAY_EXPERIMENTS_ADVICE_ANALYZE_H

#include "base/schema.h"
#include "http/route.h"

SCHEMA_OF(analyze_reply_schema, struct analyze_reply);

void analyze_cost(const void *body, struct compute_cost *cost);
enum error analyze_handle(struct request *request, struct reply *reply);

#endif
