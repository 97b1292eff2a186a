/* POST /api/v1/sensitivity: sample size over effects and powers. */
#ifndef ASSAY_EXPERIMENTS_ANALYSIS_SENSITIVITY_H
#define ASSAY_EXPERIMENTS_ANALYSIS_SENSITIVITY_H

#include "http/route.h"

SCHEMA_OF(sensitivity_request_schema, struct sensitivity_request);
SCHEMA_OF(sensitivity_reply_schema, struct sensitivity_reply);

enum error sensitivity_handle(struct request *request, struct reply *reply);

#endif
