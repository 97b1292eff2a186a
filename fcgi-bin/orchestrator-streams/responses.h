/* /v1/responses: OpenAI's dialect with stored answers. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_RESPONSES_H
#define ASSAY_ORCHESTRATOR_STREAMS_RESPONSES_H

#include "base/schema.h"
#include "http/request.h"

enum error responses_handle(struct request *request, struct reply *reply);

/* Reads, deletes and lists what was stored, for its owner. */
enum error response_get_handle(struct request *request, struct reply *reply);
enum error response_delete_handle(struct request *request, struct reply *reply);
enum error response_input_handle(struct request *request, struct reply *reply);

extern const struct schema response_deleted_schema, response_items_schema,
    response_items_query_schema;

/* Whose stored answers a request may read: the key's, the person's, or those of everybody with the
 * one key, or without any. */
const char *response_owner(const struct request *request);

#endif
