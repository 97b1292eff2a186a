/* Reads requests of /v1/responses: items, earlier answers, tools and limits. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_RESPONSE_BODY_H
#define ASSAY_ORCHESTRATOR_STREAMS_RESPONSE_BODY_H

#include "base/schema.h"
#include "orchestrator-streams/exchange.h"

struct response_body {
    const char *model, *instructions, *previous_response_id, *user, *service_tier, *truncation;
    json_t *input, *prompt, *tools, *tool_choice, *text, *reasoning, *metadata, *include,
        *stream_options;
    struct optional_boolean store, stream, parallel_tool_calls, background;
    struct optional_number temperature, top_p;
    struct optional_integer max_output_tokens, top_logprobs;
    const json_t *document; /* all of it */
};
SCHEMA_OF(response_body_schema, struct response_body);

/* Fills in the call from the body; sets a fault of the request for invalid members. The answers
 * that this one builds on are read for the owner. */
MUST_CHECK enum error response_read(struct request *request, const char *owner,
                                    struct gateway_call *call);

/* The items of the input as a JSON array, each with an id. */
const char *response_input(struct arena *arena, const json_t *input, const char *response_id);

#endif
