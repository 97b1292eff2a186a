/* Messages, tools and limits, out of JSON. */
#include "orchestrator-streams/conversation.h"

#include "base/json.h"

#include <string.h>

enum { PROMPT_MAX = 8 << 20, MESSAGES_MAX = 2000, TOOLS_MAX = 128, STOPS_MAX = 4 };

#define OWNER struct completion_body
static const struct field fields[] = {
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200,
           .help = "A model of the catalog, `orch:smart` or `orch:consensus`."),
    JSON_VALUE(OWNER, messages, .required = true),
    BOOLEAN(OWNER, stream, .preset = 0),
    JSON_OBJECT(OWNER, stream_options, .nullable = true),
    JSON_VALUE(OWNER, stop, .nullable = true),
    JSON_VALUE(OWNER, tools, .nullable = true),
    JSON_VALUE(OWNER, tool_choice, .nullable = true),
    JSON_OBJECT(OWNER, response_format, .nullable = true),
    JSON_OBJECT(OWNER, metadata, .nullable = true),
    NULLABLE_NUMBER(OWNER, temperature, .lower = AT_LEAST(0), .upper = AT_MOST(2)),
    NULLABLE_NUMBER(OWNER, top_p, .lower = AT_LEAST(0), .upper = AT_MOST(1)),
    NULLABLE_NUMBER(OWNER, presence_penalty, .lower = AT_LEAST(-2), .upper = AT_MOST(2)),
    NULLABLE_NUMBER(OWNER, frequency_penalty, .lower = AT_LEAST(-2), .upper = AT_MOST(2)),
    NULLABLE_INTEGER(OWNER, max_tokens, .lower = AT_LEAST(1)),
    NULLABLE_INTEGER(OWNER, max_completion_tokens, .lower = AT_LEAST(1)),
    NULLABLE_INTEGER(OWNER, seed),
    NULLABLE_INTEGER(OWNER, n, .lower = AT_LEAST(1), .upper = AT_MOST(1)),
    STRING(OWNER, user, .nullable = true),
};
#undef OWNER
SCHEMA(
    completion_body_schema, struct completion_body, "ChatCompletionRequest", fields,
    .extra = EXTRA_IGNORE,
    .example = "{\"model\":\"orch:smart\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}");

static const char *const roles[] = {"system", "developer", "user", "assistant", "tool", NULL};

static bool is_role(const char *role)
{
    for (size_t i = 0; role && roles[i]; i++)
        if (strcmp(role, roles[i]) == 0)
            return true;
    return false;
}

/* A text, or the texts of a list of parts; NULL for none, and for parts of other kinds. */
static const char *content_of(struct arena *arena, const json_t *content)
{
    struct text text;

    if (json_is_string(content))
        return json_string_value(content);
    text_start(&text, arena, PROMPT_MAX);
    for (size_t i = 0; i < json_array_size(content); i++) {
        const char *part = json_string_value(json_object_get(json_array_get(content, i), "text"));

        if (!part)
            return NULL;
        if (text.length)
            text_append_byte(&text, '\n');
        text_append_string(&text, part);
    }
    return json_is_array(content) ? text.bytes : NULL;
}

static void read_tool_calls(struct arena *arena, const json_t *list, struct llm_message *message)
{
    size_t count = json_array_size(list);
    struct llm_tool_call *calls = ARENA_ARRAY(arena, struct llm_tool_call, count);

    for (size_t i = 0; i < count; i++) {
        const json_t *call = json_array_get(list, i);
        const json_t *function = json_object_get(call, "function");
        const char *id = json_string_value(json_object_get(call, "id"));
        const char *name = json_string_value(json_object_get(function, "name"));
        const char *arguments = json_string_value(json_object_get(function, "arguments"));

        calls[i] =
            (struct llm_tool_call){id ? id : "", name ? name : "", arguments ? arguments : "{}"};
    }
    message->tool_calls = calls;
    message->tool_call_count = count;
}

static enum error read_message(struct request *request, const json_t *json, size_t place,
                               struct llm_message *message)
{
    const char *field = arena_print(request->arena, "messages.%zu", place);
    const json_t *calls = json_object_get(json, "tool_calls");

    message->role = json_string_value(json_object_get(json, "role"));
    message->content = content_of(request->arena, json_object_get(json, "content"));
    message->tool_call_id = json_string_value(json_object_get(json, "tool_call_id"));
    read_tool_calls(request->arena, calls, message);
    if (!is_role(message->role))
        return request_fault(request, "body", field, "value_error",
                             "role should be system, developer, user, assistant or tool");
    if (!message->content && !message->tool_call_count)
        return request_fault(request, "body", field, "value_error",
                             "content should be text, or a list of parts of text");
    return ERROR_NONE;
}

static const char *json_text(struct arena *arena, const json_t *value)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PROMPT_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    return text.bytes;
}

static enum error read_tools(struct request *request, const json_t *list,
                             struct llm_request *conversation)
{
    size_t count = json_array_size(list);
    struct llm_tool *tools = ARENA_ARRAY(request->arena, struct llm_tool, count);

    for (size_t i = 0; i < count; i++) {
        const json_t *function = json_object_get(json_array_get(list, i), "function");
        const json_t *parameters = json_object_get(function, "parameters");

        tools[i].name = json_string_value(json_object_get(function, "name"));
        tools[i].description = json_string_value(json_object_get(function, "description"));
        tools[i].parameters =
            parameters ? json_text(request->arena, parameters) : "{\"type\":\"object\"}";
        if (!tools[i].name || count > TOOLS_MAX)
            return request_fault(request, "body", "tools", "value_error",
                                 "each of at most 128 tools needs a function with a name");
    }
    conversation->tools = tools;
    conversation->tool_count = count;
    return ERROR_NONE;
}

static void read_stop(struct arena *arena, const json_t *stop, struct llm_request *conversation)
{
    size_t count = json_is_string(stop) ? 1 : json_array_size(stop);
    const char **items = ARENA_ARRAY(arena, const char *, STOPS_MAX);

    for (size_t i = 0; i < count && conversation->stop.count < STOPS_MAX; i++) {
        const char *text = json_string_value(json_is_string(stop) ? stop : json_array_get(stop, i));

        if (text)
            items[conversation->stop.count++] = text;
    }
    conversation->stop.items = items;
}

/* What is stored: the only message as it is, several each with its role. */
static const char *as_prompt(struct arena *arena, const struct llm_request *conversation)
{
    struct text text;

    if (conversation->message_count == 1 && conversation->messages[0].content)
        return conversation->messages[0].content;
    text_start(&text, arena, PROMPT_MAX);
    for (size_t i = 0; i < conversation->message_count; i++)
        if (conversation->messages[i].content)
            text_append_format(&text, "%s%s: %s", text.length ? "\n\n" : "",
                               conversation->messages[i].role, conversation->messages[i].content);
    return text.bytes;
}

enum error conversation_read(struct request *request, struct llm_request *conversation,
                             const char **prompt)
{
    const struct completion_body *body = request->body;
    size_t count = json_array_size(body->messages);
    struct llm_message *messages = ARENA_ARRAY(request->arena, struct llm_message, count);
    enum error error = ERROR_NONE;

    if (!count || count > MESSAGES_MAX)
        return request_fault(request, "body", "messages", "value_error",
                             "messages should be a list of 1 to 2000 messages");
    for (size_t i = 0; !error && i < count; i++)
        error = read_message(request, json_array_get(body->messages, i), i, &messages[i]);
    if (error)
        return error;
    *conversation = (struct llm_request){.messages = messages,
                                         .message_count = count,
                                         .temperature = body->temperature,
                                         .top_p = body->top_p,
                                         .presence_penalty = body->presence_penalty,
                                         .frequency_penalty = body->frequency_penalty,
                                         .max_tokens = body->max_completion_tokens.given
                                                           ? body->max_completion_tokens
                                                           : body->max_tokens,
                                         .seed = body->seed};
    read_stop(request->arena, body->stop, conversation);
    if (body->tool_choice && !json_is_null(body->tool_choice))
        conversation->tool_choice = json_text(request->arena, body->tool_choice);
    if (body->response_format && !json_is_null(body->response_format))
        conversation->response_format = json_text(request->arena, body->response_format);
    *prompt = as_prompt(request->arena, conversation);
    return read_tools(request, body->tools, conversation);
}
