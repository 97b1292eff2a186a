/* POST /api/v1/smart and /api/v1/smart/v2. */
#ifndef ASSAY_ORCHESTRATOR_SYNC_SMART_H
#define ASSAY_ORCHESTRATOR_SYNC_SMART_H

#include "base/schema.h"
#include "http/request.h"

SCHEMA_OF(smart_body_schema, struct smart_body);
SCHEMA_OF(smart_answer_schema, struct smart_answer);
SCHEMA_OF(smart_v2_answer_schema, struct smart_answer);

enum error smart_handle(struct request *request, struct reply *reply);
enum error smart_v2_handle(struct request *request, struct reply *reply);

#endif
