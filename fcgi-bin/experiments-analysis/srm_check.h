/* POST /api/v1/srm-check: sample ratio mismatch check. */
#ifndef ASSAY_EXPERIMENTS_ANALYSIS_SRM_CHECK_H
#define ASSAY_EXPERIMENTS_ANALYSIS_SRM_CHECK_H

#include "http/route.h"

SCHEMA_OF(srm_request_schema, struct srm_request);
SCHEMA_OF(srm_reply_schema, struct srm_reply);

enum error srm_handle(struct request *request, struct reply *reply);

#endif
