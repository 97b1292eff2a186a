/* Reads requests in Anthropic's dialect. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_MESSAGES_BODY_H
#define ASSAY_ORCHESTRATOR_STREAMS_MESSAGES_BODY_H

#include "base/schema.h"
#include "orchestrator-streams/exchange.h"

struct messages_body {
    const char *model;
    json_t *messages, *system, *stop_sequences, *tools;
    json_t *tool_choice, *thinking, *metadata, *output_format, *output_config;
    struct optional_boolean stream;
    struct optional_number temperature, top_p;
    int64_t max_tokens;
    struct optional_integer top_k;
    const char *service_tier;
    const json_t *document; /* all of it */
};
SCHEMA_OF(messages_body_schema, struct messages_body);

/* Fills in the call from the body of the request; sets a fault of the request for invalid members.
 */
MUST_CHECK enum error messages_read(struct request *request, struct gateway_call *call);

#endif
