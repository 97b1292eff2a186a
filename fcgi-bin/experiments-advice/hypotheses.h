/* POST /api/v1/hypotheses/generate. */
#ifndef ASSAY_EXPERIMENTS_ADVICE_HYPOTHESES_H
#define ASSAY_EXPERIMENTS_ADVICE_HYPOTHESES_H

#include "base/schema.h"
#include "http/request.h"

extern const struct schema hypotheses_request_schema, hypotheses_reply_schema;

enum error hypotheses_handle(struct request *request, struct reply *reply);

#endif
