/* POST /api/v1/hypotheses/generate. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_HYPOTHESES_H
#define ASSAY_EXPERIMENTS_ADVICE_HYPOTHESES_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(hypotheses_request_schema, struct hypotheses_request);
SCHEMA_OF(hypotheses_reply_schema, struct hypotheses_reply);

enum error hypotheses_handle(struct request *request, struct reply *reply);

#endif
