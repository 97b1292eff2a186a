/* The members of completions, as tables. */
#include "orchestrator-streams/completion.h"

#define OWNER struct function_row
static const struct field function_fields[] = {STRING(OWNER, name), STRING(OWNER, arguments)};
#undef OWNER
static SCHEMA(function_schema, struct function_row, "FunctionCall", function_fields);

#define OWNER struct tool_row
static const struct field tool_fields[] = {STRING(OWNER, id), STRING(OWNER, type),
                                           OBJECT(OWNER, function, function_schema)};
#undef OWNER
static SCHEMA(tool_schema, struct tool_row, "ToolCall", tool_fields);

#define OWNER struct thought_row
static const struct field thought_fields[] = {
    STRING(OWNER, type),
    STRING(OWNER, thinking, .nullable = true, .omit_if_null = true),
    STRING(OWNER, signature, .nullable = true, .omit_if_null = true),
    STRING(OWNER, data, .nullable = true, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(thought_schema, struct thought_row, "ChatThought", thought_fields);

#define OWNER struct message_row
static const struct field message_fields[] = {
    STRING(OWNER, role),
    STRING(OWNER, content, .nullable = true),
    STRING(OWNER, refusal, .nullable = true, .omit_if_null = true,
           .help = "What the model says instead of an answer."),
    STRING(OWNER, reasoning_content, .nullable = true, .omit_if_null = true,
           .help = "What the model has thought before."),
    OBJECTS(OWNER, thinking_blocks, thought_schema, .omit_if_null = true,
            .help = "The same with signatures: Anthropic's models need it back after tool calls."),
    OBJECTS(OWNER, tool_calls, tool_schema, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(message_schema, struct message_row, "ChatMessage", message_fields);

#define OWNER struct choice_row
static const struct field choice_fields[] = {
    INTEGER(OWNER, index),
    OBJECT(OWNER, message, message_schema),
    WRITTEN_JSON(OWNER, logprobs, .nullable = true, .omit_if_null = true),
    STRING(OWNER, finish_reason),
};
#undef OWNER
static SCHEMA(choice_schema, struct choice_row, "ChatChoice", choice_fields);

#define OWNER struct prompt_details
static const struct field prompt_fields[] = {
    NULLABLE_INTEGER(OWNER, cached_tokens),
    NULLABLE_INTEGER(OWNER, cache_write_tokens),
};
#undef OWNER
static SCHEMA(prompt_schema, struct prompt_details, "ChatPromptTokens", prompt_fields);

#define OWNER struct completion_details
static const struct field completion_detail_fields[] = {NULLABLE_INTEGER(OWNER, reasoning_tokens)};
#undef OWNER
static SCHEMA(completion_detail_schema, struct completion_details, "ChatCompletionTokens",
              completion_detail_fields);

#define OWNER struct usage_row
static const struct field usage_fields[] = {
    INTEGER(OWNER, prompt_tokens),
    INTEGER(OWNER, completion_tokens),
    INTEGER(OWNER, total_tokens),
    OBJECT(OWNER, prompt_tokens_details, prompt_schema, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, completion_tokens_details, completion_detail_schema, .nullable = true,
           .omit_if_null = true),
};
#undef OWNER
SCHEMA(usage_schema, struct usage_row, "ChatUsage", usage_fields);

#define OWNER struct orch_row
static const struct field orch_fields[] = {
    STRING(OWNER, task_id),
    STRING(OWNER, model_id, .help = "The model that spoke last."),
    INTEGER(OWNER, splices, .help = "How often another model went on."),
    OBJECT(OWNER, accounting, accounting_schema),
    STRINGS(OWNER, models_used, .omit_if_null = true,
            .help = "Of orch:smart and orch:consensus: whose answers the answer is made of."),
};
#undef OWNER
SCHEMA(orch_schema, struct orch_row, "ChatOrchestration", orch_fields);

#define OWNER struct completion
static const struct field completion_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, object),
    INTEGER(OWNER, created),
    STRING(OWNER, model),
    OBJECTS(OWNER, choices, choice_schema),
    OBJECT(OWNER, usage, usage_schema, .nullable = true),
    STRING(OWNER, service_tier, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, orch, orch_schema, .help = "What other interfaces do not have."),
};
#undef OWNER
SCHEMA(completion_schema, struct completion, "ChatCompletion", completion_fields);

#define OWNER struct function_row
static const struct field chunk_function_fields[] = {STRING(OWNER, name, .omit_if_null = true),
                                                     STRING(OWNER, arguments)};
#undef OWNER
static SCHEMA(chunk_function_schema, struct function_row, "FunctionCallChunk",
              chunk_function_fields);

#define OWNER struct tool_row
static const struct field chunk_tool_fields[] = {
    INTEGER(OWNER, index),
    STRING(OWNER, id, .omit_if_null = true),
    STRING(OWNER, type, .omit_if_null = true),
    OBJECT(OWNER, function, chunk_function_schema),
};
#undef OWNER
static SCHEMA(chunk_tool_schema, struct tool_row, "ToolCallChunk", chunk_tool_fields);

#define OWNER struct delta_row
static const struct field delta_fields[] = {
    STRING(OWNER, role, .omit_if_null = true),
    STRING(OWNER, content, .omit_if_null = true),
    OBJECTS(OWNER, tool_calls, chunk_tool_schema, .omit_if_null = true),
    STRING(OWNER, refusal, .omit_if_null = true),
    STRING(OWNER, reasoning_content, .omit_if_null = true),
    OBJECTS(OWNER, thinking_blocks, thought_schema, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(delta_schema, struct delta_row, "ChatDelta", delta_fields);

#define OWNER struct chunk_choice
static const struct field chunk_choice_fields[] = {
    INTEGER(OWNER, index),
    OBJECT(OWNER, delta, delta_schema),
    JSON_VALUE(OWNER, logprobs, .nullable = true, .omit_if_null = true),
    STRING(OWNER, finish_reason, .nullable = true),
};
#undef OWNER
static SCHEMA(chunk_choice_schema, struct chunk_choice, "ChatChunkChoice", chunk_choice_fields);

#define OWNER struct splice_row
static const struct field splice_fields[] = {
    STRING(OWNER, event),
    STRING(OWNER, from_model_id),
    STRING(OWNER, model_id),
    STRING(OWNER, code, .nullable = true),
};
#undef OWNER
SCHEMA(splice_schema, struct splice_row, "ChatSplice", splice_fields);

static const struct schema *const orch_variants[] = {&orch_schema, &splice_schema, NULL};

#define OWNER struct chunk
#define CHUNK_HEAD                                                                                 \
    STRING(OWNER, id), STRING(OWNER, object), INTEGER(OWNER, created), STRING(OWNER, model),       \
        OBJECTS(OWNER, choices, chunk_choice_schema)
static const struct field chunk_fields[] = {CHUNK_HEAD};
SCHEMA(chunk_schema, struct chunk, "ChatChunk", chunk_fields);

static const struct field usage_chunk_fields[] = {
    CHUNK_HEAD,
    OBJECT(OWNER, usage, usage_schema, .nullable = true),
    VARIANT(OWNER, orch, orch_variants),
};
SCHEMA(usage_chunk_schema, struct chunk, "ChatUsageChunk", usage_chunk_fields);

static const struct field splice_chunk_fields[] = {CHUNK_HEAD, VARIANT(OWNER, orch, orch_variants)};
#undef CHUNK_HEAD
#undef OWNER
SCHEMA(splice_chunk_schema, struct chunk, "ChatSpliceChunk", splice_chunk_fields);
