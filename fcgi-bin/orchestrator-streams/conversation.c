/* Messages, tools and limits, out of JSON. */
#include "orchestrator-streams/conversation.h"

#include "orchestrator-streams/parameters.h"

#include <string.h>

enum { PROMPT_MAX = 8 << 20, MESSAGES_MAX = 2000, TOOLS_MAX = 128, STOPS_MAX = 4 };

#define OWNER struct completion_body
static const struct field fields[] = {
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200,
           .help = "A model of the catalog, `orch:smart` or `orch:consensus`."),
    JSON_VALUE(OWNER, messages, .required = true),
    NULLABLE_BOOLEAN(OWNER, stream),
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
    NULLABLE_BOOLEAN(OWNER, parallel_tool_calls),
    STRING(OWNER, user, .nullable = true),
};
#undef OWNER
SCHEMA(
    completion_body_schema, struct completion_body, "ChatCompletionRequest", fields,
    .help = "Members beyond these are passed on to models of OpenAI's protocol.",
    .extra = EXTRA_KEEP, .document = offsetof(struct completion_body, document),
    .example = "{\"model\":\"orch:smart\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}");

static const char *const roles[] = {"system", "developer", "user", "assistant", "tool", NULL};

static bool is_role(const char *role)
{
    for (size_t i = 0; role && roles[i]; i++)
        if (strcmp(role, roles[i]) == 0)
            return true;
    return false;
}

/* A text, or the texts of a list of parts; NULL for none. `*fits` is false for parts of other
 * kinds, or with members that would be lost. */
static const char *content_of(struct arena *arena, const json_t *content, bool *fits)
{
    static const char *const members[] = {"type", "text", NULL};
    struct text text;

    *fits = !content || json_is_null(content) || json_is_string(content) || json_is_array(content);
    if (!json_is_array(content))
        return json_string_value(content);
    text_start(&text, arena, PROMPT_MAX);
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *item = json_array_get(content, i);
        const char *part = json_string_value(json_object_get(item, "text"));

        *fits = part && !first_beyond(item, members);
        if (!*fits)
            return NULL;
        if (text.length)
            text_append_byte(&text, '\n');
        text_append_string(&text, part);
    }
    return text.bytes;
}

static bool is_list(const json_t *value)
{
    return !value || json_is_null(value) || json_is_array(value);
}

/* False for what is no list of calls of functions, or has members that would be lost. */
static bool read_tool_calls(struct arena *arena, const json_t *list, struct llm_message *message)
{
    static const char *const outer[] = {"id", "type", "function", "index", NULL};
    static const char *const members[] = {"name", "arguments", NULL};
    size_t count = json_array_size(list);
    struct llm_tool_call *calls = ARENA_ARRAY(arena, struct llm_tool_call, count);

    for (size_t i = 0; i < count; i++) {
        const json_t *call = json_array_get(list, i);
        const json_t *function = json_object_get(call, "function");
        const char *id = json_string_value(json_object_get(call, "id"));
        const char *name = json_string_value(json_object_get(function, "name"));
        const char *arguments = json_string_value(json_object_get(function, "arguments"));

        if (!name || first_beyond(call, outer) || first_beyond(function, members))
            return false;
        calls[i] = (struct llm_tool_call){id ? id : "", name, arguments ? arguments : "{}"};
    }
    message->tool_calls = calls;
    message->tool_call_count = count;
    return is_list(list);
}

static enum error read_message(struct request *request, const json_t *json, size_t position,
                               struct llm_message *message)
{
    /* Annotations of a model's earlier answer are not sent back to it. */
    static const char *const members[] = {"role",        "content", "tool_calls", "tool_call_id",
                                          "annotations", "refusal", NULL};
    const char *field = arena_print(request->arena, "messages.%zu", position);
    const json_t *calls = json_object_get(json, "tool_calls");
    bool fits;

    message->role = json_string_value(json_object_get(json, "role"));
    message->content = content_of(request->arena, json_object_get(json, "content"), &fits);
    if (!message->content)
        message->content = json_string_value(json_object_get(json, "refusal"));
    message->more = members_beyond(request->arena, json, members);
    message->tool_call_id = json_string_value(json_object_get(json, "tool_call_id"));
    if (!is_role(message->role))
        return request_fault(request, "body", field, "value_error",
                             "role should be system, developer, user, assistant or tool");
    if (!fits)
        return request_fault(request, "body", field, "value_error",
                             "content should be text, or a list of parts of text alone");
    if (!read_tool_calls(request->arena, calls, message))
        return request_fault(request, "body", field, "value_error",
                             "tool_calls should be a list of calls of functions");
    if (json_object_get(message->more, "audio") || json_object_get(message->more, "function_call"))
        return request_fault(request, "body", field, "value_error",
                             "audio and function_call are not supported");
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
    static const char *const members[] = {"name", "description", "parameters", NULL};
    static const char *const outer[] = {"type", "function", NULL};
    size_t count = json_array_size(list);
    struct llm_tool *tools = ARENA_ARRAY(request->arena, struct llm_tool, count);
    bool fits = is_list(list) && count <= TOOLS_MAX;

    for (size_t i = 0; i < count; i++) {
        const json_t *tool = json_array_get(list, i);
        const json_t *function = json_object_get(tool, "function");
        const json_t *parameters = json_object_get(function, "parameters");

        tools[i].name = json_string_value(json_object_get(function, "name"));
        tools[i].description = json_string_value(json_object_get(function, "description"));
        tools[i].parameters =
            parameters ? json_text(request->arena, parameters) : "{\"type\":\"object\"}";
        tools[i].more = members_beyond(request->arena, function, members);
        fits = fits && tools[i].name && !first_beyond(tool, outer);
    }
    if (!fits)
        return request_fault(request, "body", "tools", "value_error",
                             "each of at most 128 tools should be of type function, with a name, "
                             "and have no further members");
    conversation->tools = tools;
    conversation->tool_count = count;
    return ERROR_NONE;
}

static enum error read_stop(struct request *request, const json_t *stop,
                            struct llm_request *conversation)
{
    size_t count = json_is_string(stop) ? 1 : json_array_size(stop);
    const char **items = ARENA_ARRAY(request->arena, const char *, STOPS_MAX);
    bool fits = !stop || json_is_null(stop) || json_is_string(stop) || json_is_array(stop);

    for (size_t i = 0; fits && i < count; i++) {
        const char *text = json_string_value(json_is_string(stop) ? stop : json_array_get(stop, i));

        fits = text && i < STOPS_MAX;
        if (fits)
            items[conversation->stop.count++] = text;
    }
    conversation->stop.items = items;
    return fits ? ERROR_NONE
                : request_fault(request, "body", "stop", "value_error",
                                "stop should be text, or a list of at most 4 texts");
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
    error = read_stop(request, body->stop, conversation);
    if (!error)
        error = parameters_read(request, conversation);
    if (error)
        return error;
    if (body->tool_choice && !json_is_null(body->tool_choice))
        conversation->tool_choice = json_text(request->arena, body->tool_choice);
    if (body->response_format && !json_is_null(body->response_format))
        conversation->response_format = json_text(request->arena, body->response_format);
    *prompt = as_prompt(request->arena, conversation);
    return read_tools(request, body->tools, conversation);
}
