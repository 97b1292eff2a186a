/* POST /api/ask and its alias /api/chat, as a whole and as a stream; votes; requests for a
 * human. */
#ifndef ASSAY_SUPPORT_ASK_ASK_H
#define ASSAY_SUPPORT_ASK_ASK_H

#include "http/route.h"
#include "support/conversation/answer_reply.h"

SCHEMA_OF(ask_schema, struct ask_request);
SCHEMA_OF(feedback_schema, struct feedback_request);
SCHEMA_OF(escalate_schema, struct escalate_request);
SCHEMA_OF(escalated_schema, struct escalated);

/* One slot of the semaphore for concurrent questions. */
void ask_cost(const void *body, struct compute_cost *cost);

enum error ask_handle(struct request *request, struct reply *reply);
enum error ask_stream_handle(struct request *request, struct reply *reply);
enum error feedback_handle(struct request *request, struct reply *reply);
enum error escalate_handle(struct request *request, struct reply *reply);

#endif
