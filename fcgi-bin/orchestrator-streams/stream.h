/* Streamed answers: POST /api/v1/orchestrate/stream. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_STREAM_H
#define ASSAY_ORCHESTRATOR_STREAMS_STREAM_H

#include "http/request.h"

enum error orchestrate_stream_handle(struct request *request, struct reply *reply);

#endif
