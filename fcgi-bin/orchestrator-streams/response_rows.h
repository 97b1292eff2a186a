/* The members of answers of /v1/responses, of their items, and of the events of their streams. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_RESPONSE_ROWS_H
#define ASSAY_ORCHESTRATOR_STREAMS_RESPONSE_ROWS_H

#include "base/schema.h"

/* A part of a message: text or a refusal. */
struct part_row {
    const char *type, *text, *refusal;
    const char *annotations, *logprobs; /* JSON; NULL = left out */
};

struct summary_row {
    const char *type, *text;
};

/* Items, each kind with a schema of its own. */
struct item_row {
    const char *id, *type, *status;
    const char *role;
    OBJECT_LIST(struct part_row, content);
    const char *call_id, *name, *arguments;
    OBJECT_LIST(struct summary_row, summary);
    const char *encrypted_content;
};
SCHEMA_OF(message_item_schema, struct item_row);
SCHEMA_OF(call_item_schema, struct item_row);
SCHEMA_OF(thought_item_schema, struct item_row);

struct response_error_row {
    const char *code, *message;
};
struct incomplete_row {
    const char *reason;
};
struct input_details {
    int64_t cached_tokens;
};
struct output_details {
    int64_t reasoning_tokens;
};
struct response_usage {
    int64_t input_tokens, output_tokens, total_tokens;
    const struct input_details *input_tokens_details;
    const struct output_details *output_tokens_details;
};

struct response_row {
    const char *id, *object, *status, *model, *instructions, *previous_response_id, *service_tier;
    const char *truncation, *user;
    int64_t created_at;
    const struct response_error_row *error;
    const struct incomplete_row *incomplete_details;
    const char *output; /* a JSON array */
    bool parallel_tool_calls, store, background;
    json_t *reasoning, *text, *tool_choice, *tools, *metadata, *prompt;
    struct optional_number temperature, top_p;
    struct optional_integer max_output_tokens, top_logprobs;
    const struct response_usage *usage;
};
SCHEMA_OF(response_schema, struct response_row);

/* The events: each has its own members of this struct. */
struct response_event {
    const char *type;
    int64_t sequence_number;
    const char *response, *item; /* JSON */
    const char *item_id, *delta, *text, *refusal, *arguments, *name;
    int64_t output_index, content_index, summary_index;
    const struct part_row *part;
    const struct summary_row *summary_part;
    const char *logprobs; /* JSON */
};
SCHEMA_OF(response_event_schema, struct response_event);
SCHEMA_OF(item_event_schema, struct response_event);
SCHEMA_OF(part_event_schema, struct response_event);
SCHEMA_OF(text_delta_schema, struct response_event);
SCHEMA_OF(text_done_schema, struct response_event);
SCHEMA_OF(refusal_delta_schema, struct response_event);
SCHEMA_OF(refusal_done_schema, struct response_event);
SCHEMA_OF(arguments_delta_schema, struct response_event);
SCHEMA_OF(arguments_done_schema, struct response_event);
SCHEMA_OF(summary_part_schema, struct response_event);
SCHEMA_OF(summary_delta_schema, struct response_event);
SCHEMA_OF(summary_done_schema, struct response_event);

#endif
