/* POST /v1/completions: OpenAI's older dialect, a prompt instead of a conversation. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_COMPLETIONS_H
#define ASSAY_ORCHESTRATOR_STREAMS_COMPLETIONS_H

#include "base/schema.h"
#include "http/request.h"

enum error completions_handle(struct request *request, struct reply *reply);

extern const struct schema text_completion_body_schema, text_completion_schema;

#endif
