/* Routes of threshold analysis by verdicts, and of chosen thresholds. */
#ifndef ASSAY_SUPPORT_TRENDS_THRESHOLDS_H
#define ASSAY_SUPPORT_TRENDS_THRESHOLDS_H

#include "http/route.h"

SCHEMA_OF(thresholds_query_schema, struct thresholds_query);
SCHEMA_OF(thresholds_refresh_schema, struct thresholds_query);

SCHEMA_OF(choose_schema, struct choose_request);
SCHEMA_OF(choices_schema, struct choices_reply);
SCHEMA_OF(unchosen_schema, struct unchosen);

enum error thresholds_handle(struct request *request, struct reply *reply);
enum error thresholds_refresh_handle(struct request *request, struct reply *reply);
enum error choices_handle(struct request *request, struct reply *reply);
enum error choose_handle(struct request *request, struct reply *reply);
enum error unchoose_handle(struct request *request, struct reply *reply);

#endif
