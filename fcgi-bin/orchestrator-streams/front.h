/* The OpenAI-compatible API: POST /v1/chat/completions. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_FRONT_H
#define ASSAY_ORCHESTRATOR_STREAMS_FRONT_H

#include "http/request.h"

enum error completions_handle(struct request *request, struct reply *reply);

#endif
