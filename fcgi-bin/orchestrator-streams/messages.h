/* POST /v1/messages: Anthropic's dialect. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_MESSAGES_H
#define ASSAY_ORCHESTRATOR_STREAMS_MESSAGES_H

#include "base/schema.h"
#include "http/request.h"

enum error messages_handle(struct request *request, struct reply *reply);

/* The answer: a message. */
extern const struct schema message_answer_schema;

#endif
