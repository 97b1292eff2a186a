/* POST /api/v1/srm-check: was the traffic split as planned? */
#ifndef ASSAY_EXPERIMENTS_ANALYSIS_SRM_CHECK_H
#define ASSAY_EXPERIMENTS_ANALYSIS_SRM_CHECK_H

#include "http/route.h"

extern const struct schema srm_request_schema;
extern const struct schema srm_reply_schema;

enum error srm_handle(struct request *request, struct reply *reply);

#endif
