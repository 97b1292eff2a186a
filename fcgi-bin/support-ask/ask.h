/* POST /api/ask and its alias /api/chat, whole and as a stream; votes; asking for a person. */
#ifndef ASSAY_SUPPORT_ASK_ASK_H
#define ASSAY_SUPPORT_ASK_ASK_H

#include "http/route.h"

extern const struct schema ask_schema;
extern const struct schema answer_schema;
extern const struct schema feedback_schema;
extern const struct schema escalate_schema;
extern const struct schema escalated_schema;

/* One place among the questions that are answered at the same time. */
void ask_cost(const void *body, struct compute_cost *cost);

enum error ask_handle(struct request *request, struct reply *reply);
enum error ask_stream_handle(struct request *request, struct reply *reply);
enum error feedback_handle(struct request *request, struct reply *reply);
enum error escalate_handle(struct request *request, struct reply *reply);

#endif
