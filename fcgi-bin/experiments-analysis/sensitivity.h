/* POST /api/v1/sensitivity: sample size over effects and powers. */
#ifndef ASSAY_EXPERIMENTS_ANALYSIS_SENSITIVITY_H
#define ASSAY_EXPERIMENTS_ANALYSIS_SENSITIVITY_H

#include "http/route.h"

extern const struct schema sensitivity_request_schema;
extern const struct schema sensitivity_reply_schema;

enum error sensitivity_handle(struct request *request, struct reply *reply);

#endif
