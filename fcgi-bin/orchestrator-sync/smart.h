/* POST /api/v1/smart and /api/v1/smart/v2. */
#ifndef ASSAY_ORCHESTRATOR_SYNC_SMART_H
#define ASSAY_ORCHESTRATOR_SYNC_SMART_H

#include "base/schema.h"
#include "http/request.h"

extern const struct schema smart_body_schema, smart_answer_schema, smart_v2_answer_schema;

enum error smart_handle(struct request *request, struct reply *reply);
enum error smart_v2_handle(struct request *request, struct reply *reply);

#endif
