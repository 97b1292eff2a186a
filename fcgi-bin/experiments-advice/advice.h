/* POST /api/v1/llm/advice. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_ADVICE_H
#define ASSAY_EXPERIMENTS_ADVICE_ADVICE_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(advice_request_schema, struct advice_request);

enum error advice_handle(struct request *request, struct reply *reply);

#endif
