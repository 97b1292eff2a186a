/* POST /v1/embeddings: vectors of texts, in OpenAI's form. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_EMBEDDINGS_H
#define ASSAY_ORCHESTRATOR_STREAMS_EMBEDDINGS_H

#include "base/schema.h"
#include "http/request.h"

enum error embeddings_handle(struct request *request, struct reply *reply);

extern const struct schema embeddings_body_schema, embeddings_schema;

#endif
