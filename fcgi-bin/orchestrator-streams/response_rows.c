/* The tables of /v1/responses. */
#include "orchestrator-streams/response_rows.h"

#define OWNER struct part_row
static const struct field part_fields[] = {
    STRING(OWNER, type),
    STRING(OWNER, text, .omit_if_null = true),
    STRING(OWNER, refusal, .omit_if_null = true),
    WRITTEN_JSON_OBJECTS(OWNER, annotations, .nullable = true, .omit_if_null = true),
    WRITTEN_JSON_OBJECTS(OWNER, logprobs, .nullable = true, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(part_schema, struct part_row, "ResponsePart", part_fields);

#define OWNER struct summary_row
static const struct field summary_fields[] = {STRING(OWNER, type), STRING(OWNER, text)};
#undef OWNER
static SCHEMA(summary_schema, struct summary_row, "ResponseSummary", summary_fields);

#define OWNER struct item_row
static const struct field message_item_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, type),
    STRING(OWNER, role),
    STRING(OWNER, status),
    OBJECTS(OWNER, content, part_schema),
};
SCHEMA(message_item_schema, struct item_row, "ResponseMessage", message_item_fields);

static const struct field call_item_fields[] = {
    STRING(OWNER, id),      STRING(OWNER, type), STRING(OWNER, status),
    STRING(OWNER, call_id), STRING(OWNER, name), STRING(OWNER, arguments),
};
SCHEMA(call_item_schema, struct item_row, "ResponseCall", call_item_fields);

static const struct field thought_item_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, type),
    STRING(OWNER, status),
    OBJECTS(OWNER, summary, summary_schema),
    STRING(OWNER, encrypted_content, .nullable = true),
};
#undef OWNER
SCHEMA(thought_item_schema, struct item_row, "ResponseReasoning", thought_item_fields);

#define OWNER struct response_error_row
static const struct field error_fields[] = {STRING(OWNER, code), STRING(OWNER, message)};
#undef OWNER
static SCHEMA(error_schema, struct response_error_row, "ResponseError", error_fields);

#define OWNER struct incomplete_row
static const struct field incomplete_fields[] = {STRING(OWNER, reason)};
#undef OWNER
static SCHEMA(incomplete_schema, struct incomplete_row, "ResponseIncomplete", incomplete_fields);

#define OWNER struct input_details
static const struct field input_fields[] = {INTEGER(OWNER, cached_tokens)};
#undef OWNER
static SCHEMA(input_schema, struct input_details, "ResponseInputTokens", input_fields);

#define OWNER struct output_details
static const struct field output_fields[] = {INTEGER(OWNER, reasoning_tokens)};
#undef OWNER
static SCHEMA(output_schema, struct output_details, "ResponseOutputTokens", output_fields);

#define OWNER struct response_usage
static const struct field usage_fields[] = {
    INTEGER(OWNER, input_tokens),  OBJECT(OWNER, input_tokens_details, input_schema),
    INTEGER(OWNER, output_tokens), OBJECT(OWNER, output_tokens_details, output_schema),
    INTEGER(OWNER, total_tokens),
};
#undef OWNER
static SCHEMA(response_usage_schema, struct response_usage, "ResponseUsage", usage_fields);

#define OWNER struct response_row
static const struct field response_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, object),
    INTEGER(OWNER, created_at),
    STRING(OWNER, status),
    BOOLEAN(OWNER, background),
    OBJECT(OWNER, error, error_schema, .nullable = true),
    OBJECT(OWNER, incomplete_details, incomplete_schema, .nullable = true),
    STRING(OWNER, instructions, .nullable = true),
    NULLABLE_INTEGER(OWNER, max_output_tokens),
    STRING(OWNER, model),
    WRITTEN_JSON_OBJECTS(OWNER, output,
                         .help = "Messages, calls of functions and reasoning, in their order."),
    BOOLEAN(OWNER, parallel_tool_calls),
    STRING(OWNER, previous_response_id, .nullable = true),
    JSON_OBJECT(OWNER, prompt, .nullable = true),
    JSON_OBJECT(OWNER, reasoning, .nullable = true),
    STRING(OWNER, service_tier, .nullable = true),
    BOOLEAN(OWNER, store),
    NULLABLE_NUMBER(OWNER, temperature),
    JSON_OBJECT(OWNER, text, .nullable = true),
    JSON_VALUE(OWNER, tool_choice),
    JSON_VALUE(OWNER, tools),
    NULLABLE_INTEGER(OWNER, top_logprobs),
    NULLABLE_NUMBER(OWNER, top_p),
    STRING(OWNER, truncation),
    OBJECT(OWNER, usage, response_usage_schema, .nullable = true),
    STRING(OWNER, user, .nullable = true),
    JSON_OBJECT(OWNER, metadata, .nullable = true),
};
#undef OWNER
SCHEMA(response_schema, struct response_row, "Response", response_fields);

#define OWNER struct response_event
#define EVENT_HEAD STRING(OWNER, type), INTEGER(OWNER, sequence_number)
#define ITEM_HEAD EVENT_HEAD, STRING(OWNER, item_id), INTEGER(OWNER, output_index)
#define PART_HEAD ITEM_HEAD, INTEGER(OWNER, content_index)
#define SUMMARY_HEAD ITEM_HEAD, INTEGER(OWNER, summary_index)
static const struct field response_event_fields[] = {EVENT_HEAD, WRITTEN_JSON(OWNER, response)};
SCHEMA(response_event_schema, struct response_event, "ResponseEvent", response_event_fields);

static const struct field item_event_fields[] = {EVENT_HEAD, INTEGER(OWNER, output_index),
                                                 WRITTEN_JSON(OWNER, item)};
SCHEMA(item_event_schema, struct response_event, "ResponseItemEvent", item_event_fields);

static const struct field part_event_fields[] = {PART_HEAD, OBJECT(OWNER, part, part_schema)};
SCHEMA(part_event_schema, struct response_event, "ResponsePartEvent", part_event_fields);

static const struct field text_delta_fields[] = {PART_HEAD, STRING(OWNER, delta),
                                                 WRITTEN_JSON_OBJECTS(OWNER, logprobs)};
SCHEMA(text_delta_schema, struct response_event, "ResponseTextDelta", text_delta_fields);

static const struct field text_done_fields[] = {PART_HEAD, STRING(OWNER, text),
                                                WRITTEN_JSON_OBJECTS(OWNER, logprobs)};
SCHEMA(text_done_schema, struct response_event, "ResponseTextDone", text_done_fields);

static const struct field refusal_delta_fields[] = {PART_HEAD, STRING(OWNER, delta)};
SCHEMA(refusal_delta_schema, struct response_event, "ResponseRefusalDelta", refusal_delta_fields);

static const struct field refusal_done_fields[] = {PART_HEAD, STRING(OWNER, refusal)};
SCHEMA(refusal_done_schema, struct response_event, "ResponseRefusalDone", refusal_done_fields);

static const struct field arguments_delta_fields[] = {ITEM_HEAD, STRING(OWNER, delta)};
SCHEMA(arguments_delta_schema, struct response_event, "ResponseArgumentsDelta",
       arguments_delta_fields);

static const struct field arguments_done_fields[] = {ITEM_HEAD, STRING(OWNER, name),
                                                     STRING(OWNER, arguments)};
SCHEMA(arguments_done_schema, struct response_event, "ResponseArgumentsDone",
       arguments_done_fields);

static const struct field summary_part_fields[] = {
    SUMMARY_HEAD,
    {.name = "part",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct response_event, summary_part),
     .schema = &summary_schema}};
SCHEMA(summary_part_schema, struct response_event, "ResponseSummaryPart", summary_part_fields);

static const struct field summary_delta_fields[] = {SUMMARY_HEAD, STRING(OWNER, delta)};
SCHEMA(summary_delta_schema, struct response_event, "ResponseSummaryDelta", summary_delta_fields);

static const struct field summary_done_fields[] = {SUMMARY_HEAD, STRING(OWNER, text)};
SCHEMA(summary_done_schema, struct response_event, "ResponseSummaryDone", summary_done_fields);
#undef SUMMARY_HEAD
#undef PART_HEAD
#undef ITEM_HEAD
#undef EVENT_HEAD
#undef OWNER
