/* POST /api/v1/multiple-testing: which of several p-values are significant after correction. */
#ifndef ASSAY_EXPERIMENTS_ANALYSIS_MULTIPLE_TESTING_H
#define ASSAY_EXPERIMENTS_ANALYSIS_MULTIPLE_TESTING_H

#include "http/route.h"

SCHEMA_OF(multiple_testing_request_schema, struct multiple_testing_request);
SCHEMA_OF(multiple_testing_reply_schema, struct multiple_testing_reply);

enum error multiple_testing_handle(struct request *request, struct reply *reply);

#endif
