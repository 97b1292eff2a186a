/* Reads a conversation in OpenAI's API format. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_CONVERSATION_H
#define ASSAY_ORCHESTRATOR_STREAMS_CONVERSATION_H

#include "base/schema.h"
#include "http/request.h"
#include "orchestrator-streams/exchange.h"

struct completion_body {
    const char *model;
    json_t *messages; /* NULL = those of the template alone */
    json_t *template, *prompt;
    struct optional_boolean stream, parallel_tool_calls, logprobs;
    json_t *stream_options, *stop, *tools, *tool_choice, *response_format, *metadata;
    struct optional_number temperature, top_p, presence_penalty, frequency_penalty;
    struct optional_integer max_tokens, max_completion_tokens, seed, n, top_k, top_logprobs;
    const char *user, *reasoning_effort, *service_tier;
    const json_t *document; /* all of it */
};
SCHEMA_OF(completion_body_schema, struct completion_body);

/* Fills in the call from the body of a chat completion; sets a fault of the request for invalid
 * members. */
MUST_CHECK enum error conversation_read(struct request *request, struct gateway_call *call);

/* A value as text. */
const char *conversation_json(struct arena *arena, const json_t *value);

/* Stop texts: one, or a list of at most `most`. False when it is neither. */
bool conversation_read_stop(struct arena *arena, const json_t *stop, size_t most,
                            struct string_list *texts);

#endif
