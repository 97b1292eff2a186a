/* POST /v1/chat/completions: OpenAI's chat dialect. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_CHAT_COMPLETIONS_H
#define ASSAY_ORCHESTRATOR_STREAMS_CHAT_COMPLETIONS_H

#include "http/request.h"

enum error chat_completions_handle(struct request *request, struct reply *reply);

#endif
