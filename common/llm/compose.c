/* Builds the request body in the format of each protocol. */
#include "llm/llm_internal.h"

#include <string.h>

enum {
    BODY_MAX = 96 * 1024 * 1024, /* bytes of the request body: the longest prompt, escaped */
    ANTHROPIC_TOKENS_MAX = 4096  /* the protocol requires a limit */
};

const char *const llm_protocol_names[LLM_PROTOCOL__MAX + 1] = {"openai", "anthropic", "mistral",
                                                               "ollama", NULL};

static const char *const paths[LLM_PROTOCOL__MAX] = {
    [LLM_OPENAI] = "/chat/completions",
    [LLM_ANTHROPIC] = "/v1/messages",
    [LLM_MISTRAL] = "/chat/completions",
    [LLM_OLLAMA] = "/api/chat",
};

static const char *url_of(struct arena *arena, const struct llm_provider *provider)
{
    size_t length = strlen(provider->base_url);

    while (length && provider->base_url[length - 1] == '/')
        length--;
    return arena_print(arena, "%.*s%s", (int)length, provider->base_url,
                       provider->path ? provider->path : paths[provider->protocol]);
}

static void add_header(struct fetch_request *http, const char *name, const char *value)
{
    http->headers[http->header_count++] = (struct fetch_header){name, value};
}

static void add_token(struct arena *arena, const struct llm_provider *provider,
                      struct fetch_request *http)
{
    if (provider->protocol == LLM_ANTHROPIC) {
        if (provider->token)
            add_header(http, "x-api-key", provider->token);
        add_header(http, "anthropic-version", "2023-06-01");
    } else if (provider->token) {
        add_header(http, "Authorization", arena_print(arena, "Bearer %s", provider->token));
    }
}

/* Parses JSON from outside, so that invalid JSON cannot break the request body; NULL for none. */
static json_t *read_json(struct arena *arena, const char *json)
{
    struct json_fault fault;
    json_t *value = NULL;

    return json && !json_read(arena, json, strlen(json), LLM_ANSWER_DEPTH_MAX / 2, &value, &fault)
               ? value
               : NULL;
}

static void write_json(struct json_writer *writer, struct arena *arena, const char *json)
{
    const json_t *value = read_json(arena, json);

    if (value) {
        writer_value(writer, value);
        return;
    }
    writer_open_object(writer);
    writer_close_object(writer);
}

void compose_more(struct json_writer *writer, const json_t *more)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)more, key, value)
    {
        writer_key(writer, key);
        writer_value(writer, value);
    }
}

static bool is_openai(enum llm_protocol protocol)
{
    return protocol == LLM_OPENAI || protocol == LLM_MISTRAL;
}

static void write_function(struct json_writer *writer, const struct llm_tool *tool,
                           const char *parameters)
{
    writer_key_string(writer, "name", tool->name);
    if (tool->description)
        writer_key_string(writer, "description", tool->description);
    writer_key(writer, parameters);
    writer_raw(writer, tool->parameters);
}

static void write_tools(struct json_writer *writer, enum llm_protocol protocol,
                        const struct llm_request *request)
{
    if (!request->tool_count)
        return;
    writer_key(writer, "tools");
    writer_open_array(writer);
    for (size_t i = 0; i < request->tool_count; i++) {
        writer_open_object(writer);
        if (protocol == LLM_ANTHROPIC) {
            write_function(writer, &request->tools[i], "input_schema");
        } else {
            writer_key_string(writer, "type", "function");
            writer_key(writer, "function");
            writer_open_object(writer);
            write_function(writer, &request->tools[i], "parameters");
            if (is_openai(protocol))
                compose_more(writer, request->tools[i].more);
            writer_close_object(writer);
        }
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

/* Ollama takes arguments as an object, the other protocols as a string. */
static void write_tool_calls(struct json_writer *writer, struct arena *arena,
                             enum llm_protocol protocol, const struct llm_message *message)
{
    writer_key(writer, "tool_calls");
    writer_open_array(writer);
    for (size_t i = 0; i < message->tool_call_count; i++) {
        const struct llm_tool_call *call = &message->tool_calls[i];

        writer_open_object(writer);
        if (protocol != LLM_OLLAMA) {
            writer_key_string(writer, "id", call->id);
            writer_key_string(writer, "type", "function");
        }
        writer_key(writer, "function");
        writer_open_object(writer);
        writer_key_string(writer, "name", call->name);
        writer_key(writer, "arguments");
        if (protocol == LLM_OLLAMA)
            write_json(writer, arena, call->arguments);
        else
            writer_string(writer, call->arguments);
        writer_close_object(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_message(struct json_writer *writer, struct arena *arena,
                          enum llm_protocol protocol, const struct llm_message *message)
{
    writer_open_object(writer);
    writer_key_string(writer, "role", message->role);
    writer_key_string(writer, "content", message->content);
    if (message->tool_call_id && protocol != LLM_OLLAMA)
        writer_key_string(writer, "tool_call_id", message->tool_call_id);
    if (message->tool_call_count)
        write_tool_calls(writer, arena, protocol, message);
    if (is_openai(protocol))
        compose_more(writer, message->more);
    writer_close_object(writer);
}

/* Anthropic's messages hold content blocks when there is more than text. */
static void write_blocks(struct json_writer *writer, struct arena *arena,
                         const struct llm_message *message)
{
    writer_open_array(writer);
    if (message->tool_call_id) {
        writer_open_object(writer);
        writer_key_string(writer, "type", "tool_result");
        writer_key_string(writer, "tool_use_id", message->tool_call_id);
        writer_key_string(writer, "content", message->content ? message->content : "");
        writer_close_object(writer);
    } else if (message->content && *message->content) {
        writer_open_object(writer);
        writer_key_string(writer, "type", "text");
        writer_key_string(writer, "text", message->content);
        writer_close_object(writer);
    }
    for (size_t i = 0; i < message->tool_call_count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "type", "tool_use");
        writer_key_string(writer, "id", message->tool_calls[i].id);
        writer_key_string(writer, "name", message->tool_calls[i].name);
        writer_key(writer, "input");
        write_json(writer, arena, message->tool_calls[i].arguments);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_anthropic_message(struct json_writer *writer, struct arena *arena,
                                    const struct llm_message *message)
{
    bool is_tool = strcmp(message->role, "tool") == 0;

    writer_open_object(writer);
    writer_key_string(writer, "role", is_tool ? "user" : message->role);
    writer_key(writer, "content");
    if (message->tool_call_count || is_tool)
        write_blocks(writer, arena, message);
    else
        writer_string(writer, message->content ? message->content : "");
    writer_close_object(writer);
}

static bool is_system(const struct llm_message *message)
{
    return strcmp(message->role, "system") == 0 || strcmp(message->role, "developer") == 0;
}

/* The schema that the answer must match; NULL for none. `*is_json` when the answer must be JSON. */
static const json_t *format_of(const json_t *format, bool *is_json)
{
    const char *type = json_string_value(json_object_get(format, "type"));
    const json_t *schema = json_object_get(json_object_get(format, "json_schema"), "schema");

    *is_json = type && strcmp(type, "text") != 0;
    return *is_json ? schema : NULL;
}

/* If the protocol has no response format, the system prompt asks the model for it. */
static void append_format(struct text *text, struct arena *arena, const char *response_format)
{
    bool is_json;
    const json_t *schema = format_of(read_json(arena, response_format), &is_json);
    struct json_writer writer;

    if (!is_json)
        return;
    if (text->length)
        text_append_string(text, "\n\n");
    text_append_string(text, "Answer with one JSON value and nothing else, without a code fence.");
    if (!schema)
        return;
    text_append_string(text, " It has to fit this JSON schema: ");
    writer_start(&writer, text);
    writer_value(&writer, schema);
}

/* Anthropic has one system prompt, outside the messages. */
static void write_system(struct json_writer *writer, struct arena *arena,
                         const struct llm_request *request)
{
    struct text text;

    text_start(&text, arena, BODY_MAX);
    for (size_t i = 0; i < request->message_count; i++) {
        if (!is_system(&request->messages[i]) || !request->messages[i].content)
            continue;
        if (text.length)
            text_append_string(&text, "\n\n");
        text_append_string(&text, request->messages[i].content);
    }
    append_format(&text, arena, request->response_format);
    if (text.length)
        writer_key_string(writer, "system", text.bytes);
}

static void write_messages(struct json_writer *writer, struct arena *arena,
                           enum llm_protocol protocol, const struct llm_request *request)
{
    if (protocol == LLM_ANTHROPIC)
        write_system(writer, arena, request);
    writer_key(writer, "messages");
    writer_open_array(writer);
    for (size_t i = 0; i < request->message_count; i++) {
        if (protocol != LLM_ANTHROPIC)
            write_message(writer, arena, protocol, &request->messages[i]);
        else if (!is_system(&request->messages[i]))
            write_anthropic_message(writer, arena, &request->messages[i]);
    }
    writer_close_array(writer);
}

static void write_anthropic_choice(struct json_writer *writer, const json_t *choice,
                                   struct optional_boolean parallel)
{
    const char *word = json_string_value(choice);
    const char *name =
        json_string_value(json_object_get(json_object_get(choice, "function"), "name"));

    if (!word && !name && parallel.given)
        word = "auto";
    if (!word && !name)
        return;
    writer_key(writer, "tool_choice");
    writer_open_object(writer);
    writer_key_string(writer, "type", name ? "tool" : strcmp(word, "required") == 0 ? "any" : word);
    if (name)
        writer_key_string(writer, "name", name);
    if (parallel.given && (name || strcmp(word, "none") != 0))
        writer_key_boolean(writer, "disable_parallel_tool_use", !parallel.value);
    writer_close_object(writer);
}

/* The tool choice and the response format. */
static void write_wishes(struct json_writer *writer, struct arena *arena,
                         enum llm_protocol protocol, const struct llm_request *request)
{
    const json_t *choice = read_json(arena, request->tool_choice);
    const json_t *format = read_json(arena, request->response_format);
    const json_t *schema;
    bool is_json;

    if (request->tool_count && protocol == LLM_ANTHROPIC) {
        write_anthropic_choice(writer, choice, request->parallel_tool_calls);
    } else if (choice && is_openai(protocol)) {
        writer_key(writer, "tool_choice");
        writer_value(writer, choice);
    }
    if (request->parallel_tool_calls.given && is_openai(protocol))
        writer_key_boolean(writer, "parallel_tool_calls", request->parallel_tool_calls.value);
    schema = format_of(format, &is_json);
    if (!is_json || protocol == LLM_ANTHROPIC)
        return;
    writer_key(writer, protocol == LLM_OLLAMA ? "format" : "response_format");
    if (protocol != LLM_OLLAMA)
        writer_value(writer, format);
    else if (schema)
        writer_value(writer, schema);
    else
        writer_string(writer, "json");
}

/* The names of the token limits in each protocol. */
static const struct limit_names {
    const char *max_tokens, *seed, *stop;
} limit_names[LLM_PROTOCOL__MAX] = {
    [LLM_OPENAI] = {"max_completion_tokens", "seed", "stop"},
    [LLM_ANTHROPIC] = {"max_tokens", NULL, "stop_sequences"},
    [LLM_MISTRAL] = {"max_tokens", "random_seed", "stop"},
    [LLM_OLLAMA] = {"num_predict", "seed", "stop"},
};

static bool is_old_name(const struct llm_provider *provider, const struct llm_request *request)
{
    return provider->protocol == LLM_OPENAI && provider->knows_old_name && request->by_old_name;
}

static void write_limits(struct json_writer *writer, const struct llm_provider *provider,
                         const struct llm_request *request)
{
    const struct limit_names *names = &limit_names[provider->protocol];
    int64_t most = request->max_tokens.given ? request->max_tokens.value : provider->max_tokens;

    if (!most && provider->protocol == LLM_ANTHROPIC)
        most = ANTHROPIC_TOKENS_MAX;
    if (most)
        writer_key_integer(writer,
                           is_old_name(provider, request) ? "max_tokens" : names->max_tokens, most);
    if (request->temperature.given)
        writer_key_number(writer, "temperature", request->temperature.value);
    if (request->top_p.given)
        writer_key_number(writer, "top_p", request->top_p.value);
    if (request->presence_penalty.given && provider->protocol != LLM_ANTHROPIC)
        writer_key_number(writer, "presence_penalty", request->presence_penalty.value);
    if (request->frequency_penalty.given && provider->protocol != LLM_ANTHROPIC)
        writer_key_number(writer, "frequency_penalty", request->frequency_penalty.value);
    if (request->seed.given && names->seed)
        writer_key_integer(writer, names->seed, request->seed.value);
    if (!request->stop.count)
        return;
    writer_key(writer, names->stop);
    writer_strings(writer, request->stop.items, request->stop.count);
}

/* The user and the further members in OpenAI's form. */
static void write_more(struct json_writer *writer, enum llm_protocol protocol,
                       const struct llm_request *request)
{
    if (request->user && protocol == LLM_ANTHROPIC) {
        writer_key(writer, "metadata");
        writer_open_object(writer);
        writer_key_string(writer, "user_id", request->user);
        writer_close_object(writer);
    }
    if (!is_openai(protocol))
        return;
    if (request->user)
        writer_key_string(writer, "user", request->user);
    compose_more(writer, request->more);
}

/* Ollama streams by default. */
static void write_stream(struct json_writer *writer, enum llm_protocol protocol, bool streams)
{
    if (streams || protocol == LLM_OLLAMA)
        writer_key_boolean(writer, "stream", streams);
    if (!streams || protocol != LLM_OPENAI)
        return;
    writer_key(writer, "stream_options");
    writer_open_object(writer);
    writer_key_boolean(writer, "include_usage", true);
    writer_close_object(writer);
}

void llm_compose(struct arena *arena, const struct llm_provider *provider,
                 const struct llm_request *request, struct fetch_request *http)
{
    struct json_writer writer;
    struct text body;

    text_start(&body, arena, BODY_MAX);
    writer_start(&writer, &body);
    writer_open_object(&writer);
    writer_key_string(&writer, "model", provider->model);
    if (provider->protocol == LLM_OLLAMA) {
        writer_key(&writer, "options");
        writer_open_object(&writer);
        write_limits(&writer, provider, request);
        writer_close_object(&writer);
    } else {
        write_limits(&writer, provider, request);
    }
    write_messages(&writer, arena, provider->protocol, request);
    write_tools(&writer, provider->protocol, request);
    write_wishes(&writer, arena, provider->protocol, request);
    write_more(&writer, provider->protocol, request);
    write_stream(&writer, provider->protocol, request->on_text != NULL);
    writer_close_object(&writer);
    http->url = url_of(arena, provider);
    http->body = body.bytes;
    http->body_length = body.length;
    add_header(http, "Content-Type", "application/json");
    add_header(http, "Accept",
               request->on_text && provider->protocol != LLM_OLLAMA ? "text/event-stream"
                                                                    : "application/json");
    add_token(arena, provider, http);
}
