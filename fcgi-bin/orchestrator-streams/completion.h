/* Completions in OpenAI's API format. */
#ifndef ASSAY_ORCHESTRATOR_STREAMS_COMPLETION_H
#define ASSAY_ORCHESTRATOR_STREAMS_COMPLETION_H

#include "base/schema.h"
#include "orchestrator/task_answer.h"

struct function_row {
    const char *name, *arguments;
};

struct tool_row {
    int64_t index; /* for chunks only */
    const char *id, *type;
    const struct function_row *function;
};

/* A thought in Anthropic's form: its text and signature, or a sealed one. */
struct thought_row {
    const char *type, *thinking, *signature, *data;
};

struct message_row {
    const char *role, *content, *refusal, *reasoning_content;
    OBJECT_LIST(struct thought_row, thinking_blocks);
    OBJECT_LIST(struct tool_row, tool_calls);
};

struct choice_row {
    int64_t index;
    const struct message_row *message;
    const char *logprobs; /* JSON */
    const char *finish_reason;
};

struct prompt_details {
    struct optional_integer cached_tokens, cache_write_tokens;
};

struct completion_details {
    struct optional_integer reasoning_tokens;
};

struct usage_row {
    int64_t prompt_tokens, completion_tokens, total_tokens;
    const struct prompt_details *prompt_tokens_details;
    const struct completion_details *completion_tokens_details;
};

struct orch_row {
    const char *task_id, *model_id;
    int64_t splices;
    const struct accounting_answer *accounting;
    struct string_list models_used;
};

struct completion {
    const char *id, *object;
    int64_t created;
    const char *model;
    OBJECT_LIST(struct choice_row, choices);
    const struct usage_row *usage;
    const char *service_tier;
    const struct orch_row *orch;
};

/* The delta of a stream chunk; members that are NULL are omitted. */
struct delta_row {
    const char *role, *content, *refusal, *reasoning_content;
    OBJECT_LIST(struct thought_row, thinking_blocks);
    OBJECT_LIST(struct tool_row, tool_calls);
};

struct chunk_choice {
    int64_t index;
    const struct delta_row *delta;
    json_t *logprobs;
    const char *finish_reason;
};

/* Another model continues the stream. */
struct splice_row {
    const char *event, *from_model_id, *model_id, *code;
};

struct chunk {
    const char *id, *object;
    int64_t created;
    const char *model;
    OBJECT_LIST(struct chunk_choice, choices);
    const struct usage_row *usage;
    struct schema_variant orch;
};
/* Chunks: with a choice; the usage at the end; and a model switch. */
SCHEMA_OF(chunk_schema, struct chunk);
SCHEMA_OF(usage_chunk_schema, struct chunk);
SCHEMA_OF(splice_chunk_schema, struct chunk);

SCHEMA_OF(splice_schema, struct splice_row);
SCHEMA_OF(usage_schema, struct usage_row);
SCHEMA_OF(orch_schema, struct orch_row);
SCHEMA_OF(completion_schema, struct completion);

#endif
