/* Reads a conversation in OpenAI's API format. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_CONVERSATION_H
#define ASSAY_ORCHESTRATOR_STREAMS_CONVERSATION_H

#include "base/schema.h"
#include "http/request.h"
#include "llm/llm.h"

struct completion_body {
    const char *model;
    json_t *messages;
    struct optional_boolean stream, parallel_tool_calls;
    json_t *stream_options, *stop, *tools, *tool_choice, *response_format, *metadata;
    struct optional_number temperature, top_p, presence_penalty, frequency_penalty;
    struct optional_integer max_tokens, max_completion_tokens, seed, n;
    const char *user;
    const json_t *document; /* all of it */
};
SCHEMA_OF(completion_body_schema, struct completion_body);

/* Fills in the request for models, and the whole conversation as text for the store; sets a fault
 * of the request for invalid messages. */
MUST_CHECK enum error conversation_read(struct request *request, struct llm_request *conversation,
                                        const char **prompt);

#endif
