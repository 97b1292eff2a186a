/* Messages, tools and limits, out of JSON. */
#include "orchestrator-streams/conversation.h"

#include "orchestrator-streams/parameters.h"
#include "orchestrator-streams/part.h"
#include "orchestrator-streams/template_use.h"

#include <string.h>

enum { PROMPT_MAX = 8 << 20, MESSAGES_MAX = 2000, TOOLS_MAX = 128, STOPS_MAX = 4 };

#define OWNER struct completion_body
static const struct field fields[] = {
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200,
           .help = "A model of the catalog, `orch:smart` or `orch:consensus`."),
    JSON_VALUE(OWNER, messages, .nullable = true, .help = "Required without a template."),
    JSON_OBJECT(OWNER, template, .nullable = true,
                .help = "Messages of a stored template before these: name, version (without it the "
                        "one in production), and variables."),
    JSON_OBJECT(OWNER, prompt, .nullable = true,
                .help = "The same as OpenAI's responses name it: id, version, variables."),
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
    NULLABLE_INTEGER(OWNER, n, .lower = AT_LEAST(1), .upper = AT_MOST(LLM_CHOICES_MAX)),
    NULLABLE_INTEGER(OWNER, top_k, .lower = AT_LEAST(0)),
    NULLABLE_BOOLEAN(OWNER, logprobs),
    NULLABLE_INTEGER(OWNER, top_logprobs, .lower = AT_LEAST(0), .upper = AT_MOST(20)),
    NULLABLE_BOOLEAN(OWNER, parallel_tool_calls),
    STRING(OWNER, user, .nullable = true),
    STRING(OWNER, reasoning_effort, .nullable = true, .min_length = 1, .max_length = 40),
    STRING(OWNER, service_tier, .nullable = true, .min_length = 1, .max_length = 40),
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

/* A text, or a list of parts. Parts of text alone become one text, for that is what they mean. */
static bool read_content(struct arena *arena, const json_t *content, struct llm_message *message)
{
    size_t count = json_array_size(content);
    struct llm_part *parts = ARENA_ARRAY(arena, struct llm_part, count);
    bool has_more = false;
    struct text text;

    message->content = json_string_value(content);
    if (!json_is_array(content))
        return !content || json_is_null(content) || json_is_string(content);
    text_start(&text, arena, PROMPT_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!part_read(arena, json_array_get(content, i), &parts[i]))
            return false;
        has_more = has_more || parts[i].kind != LLM_PART_TEXT;
        if (!parts[i].text)
            continue;
        if (text.length)
            text_append_byte(&text, '\n');
        text_append_string(&text, parts[i].text);
    }
    message->content = text.bytes;
    if (has_more) {
        message->parts = parts;
        message->part_count = count;
    }
    return true;
}

/* Thoughts that an answer of this gateway had. */
static void read_thoughts(struct arena *arena, const json_t *blocks, struct llm_message *message)
{
    size_t count = json_array_size(blocks);
    struct llm_thought *thoughts = ARENA_ARRAY(arena, struct llm_thought, count);

    for (size_t i = 0; i < count; i++) {
        const json_t *block = json_array_get(blocks, i);

        thoughts[i] = (struct llm_thought){
            .text = json_string_value(json_object_get(block, "thinking")),
            .signature = json_string_value(json_object_get(block, "signature")),
            .sealed = json_string_value(json_object_get(block, "data"))};
    }
    message->thoughts = thoughts;
    message->thought_count = count;
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
    static const char *const members[] = {"role",        "thinking_blocks", "reasoning_content",
                                          "content",     "tool_calls",      "tool_call_id",
                                          "annotations", "refusal",         NULL};
    const char *field = arena_print(request->arena, "messages.%zu", position);
    const json_t *calls = json_object_get(json, "tool_calls");
    bool fits;

    message->role = json_string_value(json_object_get(json, "role"));
    fits = read_content(request->arena, json_object_get(json, "content"), message);
    read_thoughts(request->arena, json_object_get(json, "thinking_blocks"), message);
    if (!message->content)
        message->content = json_string_value(json_object_get(json, "refusal"));
    message->more = members_beyond(request->arena, json, members);
    message->tool_call_id = json_string_value(json_object_get(json, "tool_call_id"));
    if (!is_role(message->role))
        return request_fault(request, "body", field, "value_error",
                             "role should be system, developer, user, assistant or tool");
    if (!fits)
        return request_fault(
            request, "body", field, "value_error",
            "content should be text, or a list of parts of text, images and files");
    if (!read_tool_calls(request->arena, calls, message))
        return request_fault(request, "body", field, "value_error",
                             "tool_calls should be a list of calls of functions");
    if (json_object_get(message->more, "audio") || json_object_get(message->more, "function_call"))
        return request_fault(request, "body", field, "value_error",
                             "audio and function_call are not supported");
    return ERROR_NONE;
}

const char *conversation_json(struct arena *arena, const json_t *value)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PROMPT_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    return text.bytes;
}

static struct optional_boolean strictness_of(const json_t *function)
{
    const json_t *strict = json_object_get(function, "strict");

    return (struct optional_boolean){json_is_boolean(strict), json_is_true(strict)};
}

static enum error read_tools(struct request *request, const json_t *list,
                             struct llm_request *conversation)
{
    static const char *const members[] = {"name", "description", "parameters", "strict", NULL};
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
            parameters ? conversation_json(request->arena, parameters) : "{\"type\":\"object\"}";
        tools[i].more = members_beyond(request->arena, function, members);
        tools[i].strict = strictness_of(function);
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

bool conversation_read_stop(struct arena *arena, const json_t *stop, size_t most,
                            struct string_list *texts)
{
    size_t count = json_is_string(stop) ? 1 : json_array_size(stop);
    const char **items = ARENA_ARRAY(arena, const char *, count);
    bool fits = count <= most &&
                (!stop || json_is_null(stop) || json_is_string(stop) || json_is_array(stop));

    for (size_t i = 0; fits && i < count; i++) {
        items[i] = json_string_value(json_is_string(stop) ? stop : json_array_get(stop, i));
        fits = items[i] != NULL;
    }
    *texts = (struct string_list){count, items};
    return fits;
}

static enum error read_messages(struct request *request, const json_t *list,
                                struct llm_request *conversation)
{
    size_t count = json_array_size(list);
    struct llm_message *messages = ARENA_ARRAY(request->arena, struct llm_message, count);
    enum error error = ERROR_NONE;

    if (!count || count > MESSAGES_MAX)
        return request_fault(request, "body", "messages", "value_error",
                             "messages should be a list of 1 to 2000 messages");
    for (size_t i = 0; !error && i < count; i++)
        error = read_message(request, json_array_get(list, i), i, &messages[i]);
    conversation->messages = messages;
    conversation->message_count = count;
    return error;
}

/* The messages of the body, after those of its template. */
static enum error read_all_messages(struct request *request, struct gateway_call *call)
{
    const struct completion_body *body = request->body;
    const json_t *messages = body->messages;
    struct template_reference template;
    enum error error = prompt_template_named(request, body->template, body->prompt, &template);

    if (error)
        return error;
    if (template.value && !json_is_null(template.value))
        error =
            prompt_template_use(request, &template, messages, &messages, &call->template_version);
    else if (!messages || json_is_null(messages))
        error = request_fault(request, "body", "messages", "missing", "Field required");
    return error ? error : read_messages(request, messages, &call->request);
}

static void read_wishes(struct arena *arena, const struct completion_body *body,
                        struct llm_request *conversation)
{
    if (body->tool_choice && !json_is_null(body->tool_choice))
        conversation->tool_choice = conversation_json(arena, body->tool_choice);
    if (body->response_format && !json_is_null(body->response_format))
        conversation->response_format = conversation_json(arena, body->response_format);
}

enum error conversation_read(struct request *request, struct gateway_call *call)
{
    const struct completion_body *body = request->body;
    struct llm_request *conversation = &call->request;
    enum error error;

    *call = (struct gateway_call){
        .model = body->model, .streams = body->stream.value, .metadata = body->metadata};
    *conversation = (struct llm_request){.temperature = body->temperature,
                                         .top_p = body->top_p,
                                         .presence_penalty = body->presence_penalty,
                                         .frequency_penalty = body->frequency_penalty,
                                         .max_tokens = body->max_completion_tokens.given
                                                           ? body->max_completion_tokens
                                                           : body->max_tokens,
                                         .seed = body->seed,
                                         .n = body->n,
                                         .top_k = body->top_k,
                                         .logprobs = body->logprobs,
                                         .top_logprobs = body->top_logprobs,
                                         .reasoning = body->reasoning_effort,
                                         .service_tier = body->service_tier};
    error = read_all_messages(request, call);
    if (!error &&
        !conversation_read_stop(request->arena, body->stop, STOPS_MAX, &conversation->stop))
        error = request_fault(request, "body", "stop", "value_error",
                              "stop should be text, or a list of at most 4 texts");
    if (!error)
        error = parameters_read(request, conversation);
    if (error)
        return error;
    read_wishes(request->arena, body, conversation);
    call->prompt = conversation_text(request->arena, conversation);
    return read_tools(request, body->tools, conversation);
}
