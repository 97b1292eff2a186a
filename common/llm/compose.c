/* Builds requests: addresses, headers, and what the bodies of the protocols have in common. */
#include "llm/compose_internal.h"

#include <string.h>

enum { BODY_MAX = 96 * 1024 * 1024 /* bytes of the request body: the longest prompt, escaped */ };

const char *const llm_protocol_names[LLM_PROTOCOL__MAX + 1] = {
    "openai", "anthropic", "mistral", "ollama", "gemini", "azure", NULL};

static const char *const paths[LLM_PROTOCOL__MAX] = {
    [LLM_OPENAI] = "/chat/completions",          [LLM_ANTHROPIC] = "/v1/messages",
    [LLM_MISTRAL] = "/chat/completions",         [LLM_OLLAMA] = "/api/chat",
    [LLM_AZURE] = "/openai/v1/chat/completions",
};

/* The model is part of the path in Gemini's protocol, and in that of Azure's deployments. */
static const char *path_of(struct arena *arena, const struct llm_provider *provider,
                           const struct llm_request *request)
{
    bool streams = request->on_text || request->on_delta;

    if (provider->path)
        return provider->path;
    if (request->embedding)
        return embedding_path(arena, provider);
    if (provider->protocol == LLM_GEMINI)
        return arena_print(arena, "/models/%s:%s", provider->model,
                           streams ? "streamGenerateContent?alt=sse" : "generateContent");
    if (provider->protocol == LLM_AZURE && provider->version)
        return arena_print(arena, "/openai/deployments/%s/chat/completions?api-version=%s",
                           provider->model, provider->version);
    return paths[provider->protocol];
}

const char *llm_url(struct arena *arena, const struct llm_provider *provider, const char *path)
{
    size_t length = strlen(provider->base_url);

    while (length && provider->base_url[length - 1] == '/')
        length--;
    return arena_print(arena, "%.*s%s", (int)length, provider->base_url, path);
}

static void add_header(struct fetch_request *http, const char *name, const char *value)
{
    http->headers[http->header_count++] = (struct fetch_header){name, value};
}

void llm_add_token(struct arena *arena, const struct llm_provider *provider,
                   struct fetch_request *http)
{
    static const char *const names[LLM_PROTOCOL__MAX] = {
        [LLM_ANTHROPIC] = "x-api-key", [LLM_GEMINI] = "x-goog-api-key", [LLM_AZURE] = "api-key"};
    const char *name = names[provider->protocol];

    if (provider->token)
        add_header(http, name ? name : "Authorization",
                   name ? provider->token : arena_print(arena, "Bearer %s", provider->token));
    if (provider->protocol == LLM_ANTHROPIC)
        add_header(http, "anthropic-version", "2023-06-01");
}

const json_t *compose_read_json(struct arena *arena, const char *json)
{
    struct json_fault fault;
    json_t *value = NULL;

    return json && !json_read(arena, json, strlen(json), LLM_ANSWER_DEPTH_MAX / 2, &value, &fault)
               ? value
               : NULL;
}

void compose_json(const struct composition *composition, const char *json)
{
    const json_t *value = compose_read_json(composition->arena, json);

    if (value) {
        writer_value(composition->writer, value);
        return;
    }
    writer_open_object(composition->writer);
    writer_close_object(composition->writer);
}

void compose_more(const struct composition *composition, const json_t *more)
{
    enum llm_protocol protocol = composition->provider->protocol;
    bool is_anthropic = composition->request->form == LLM_ANTHROPIC;
    const char *key;
    json_t *value;

    if (is_anthropic ? protocol != LLM_ANTHROPIC
                     : protocol != LLM_OPENAI && protocol != LLM_MISTRAL && protocol != LLM_AZURE)
        return;
    json_object_foreach((json_t *)more, key, value)
    {
        writer_key(composition->writer, key);
        writer_value(composition->writer, value);
    }
}

bool compose_is_system(const struct llm_message *message)
{
    return strcmp(message->role, "system") == 0 || strcmp(message->role, "developer") == 0;
}

const json_t *compose_format(struct arena *arena, const struct llm_request *request, bool *is_json)
{
    const json_t *format = compose_read_json(arena, request->response_format);
    const char *type = json_string_value(json_object_get(format, "type"));
    const json_t *schema = json_object_get(json_object_get(format, "json_schema"), "schema");

    *is_json = type && strcmp(type, "text") != 0;
    return *is_json ? schema : NULL;
}

/* Tools take objects only, so a schema of anything else is none for a tool. */
const json_t *compose_answer_schema(struct arena *arena, const struct llm_request *request)
{
    bool is_json;
    const json_t *schema = compose_format(arena, request, &is_json);
    const char *type = json_string_value(json_object_get(schema, "type"));

    for (size_t i = 0; i < request->tool_count; i++)
        if (strcmp(request->tools[i].name, LLM_ANSWER_TOOL) == 0)
            return NULL;
    return type && strcmp(type, "object") == 0 ? schema : NULL;
}

/* Asks for the format in words. */
static void append_format(struct text *text, struct arena *arena, const struct llm_request *request)
{
    bool is_json;
    const json_t *schema = compose_format(arena, request, &is_json);
    struct json_writer writer;

    if (!is_json)
        return;
    if (text->length)
        text_append_string(text, "\n\n");
    if (compose_answer_schema(arena, request)) {
        text_append_string(text, "Give your answer by calling the tool " LLM_ANSWER_TOOL ".");
        return;
    }
    text_append_string(text, "Answer with one JSON value and nothing else, without a code fence.");
    if (!schema)
        return;
    text_append_string(text, " It has to fit this JSON schema: ");
    writer_start(&writer, text);
    writer_value(&writer, schema);
}

const char *compose_system(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    struct text text;

    text_start(&text, composition->arena, BODY_MAX);
    for (size_t i = 0; i < request->message_count; i++) {
        if (!compose_is_system(&request->messages[i]) || !request->messages[i].content)
            continue;
        if (text.length)
            text_append_string(&text, "\n\n");
        text_append_string(&text, request->messages[i].content);
    }
    if (composition->provider->protocol == LLM_ANTHROPIC)
        append_format(&text, composition->arena, request);
    return text.length ? text.bytes : NULL;
}

void compose_tool_choice(struct arena *arena, const struct llm_request *request, const char **word,
                         const char **function)
{
    const json_t *choice = compose_read_json(arena, request->tool_choice);

    *word = json_string_value(choice);
    *function = json_string_value(json_object_get(json_object_get(choice, "function"), "name"));
}

/* Budgets of tokens that stand for OpenAI's words. */
static const struct effort {
    const char *name;
    int64_t tokens;
} efforts[] = {{"none", 0},      {"minimal", 1024}, {"low", 1024},
               {"medium", 4096}, {"high", 16384},   {"xhigh", 32768}};

static const size_t effort_count = sizeof efforts / sizeof efforts[0];

int64_t compose_thinking_budget(const struct llm_request *request)
{
    const json_t *tokens = json_object_get(request->thinking, "budget_tokens");
    const char *type = json_string_value(json_object_get(request->thinking, "type"));

    if (json_is_integer(tokens) && json_integer_value(tokens) > 0)
        return json_integer_value(tokens);
    if (type)
        return strcmp(type, "disabled") == 0 ? 0 : efforts[3].tokens;
    for (size_t i = 0; request->reasoning && i < effort_count; i++)
        if (strcmp(request->reasoning, efforts[i].name) == 0)
            return efforts[i].tokens;
    return -1;
}

/* A model without thoughts refuses any word, so none is sent where none are wanted. */
const char *compose_effort(const struct llm_request *request)
{
    int64_t budget = request->reasoning ? -1 : compose_thinking_budget(request);

    if (request->reasoning || budget <= 0)
        return request->reasoning;
    return budget <= 2048 ? "low" : budget <= 8192 ? "medium" : "high";
}

int64_t llm_added_tokens(enum llm_protocol protocol, const struct llm_request *request)
{
    int64_t budget = compose_thinking_budget(request);

    return protocol == LLM_ANTHROPIC && budget > 0 ? budget : 0;
}

static void compose_body(const struct composition *composition)
{
    static void (*const composers[LLM_PROTOCOL__MAX])(const struct composition *) = {
        [LLM_OPENAI] = compose_openai,  [LLM_ANTHROPIC] = compose_anthropic,
        [LLM_MISTRAL] = compose_openai, [LLM_OLLAMA] = compose_openai,
        [LLM_GEMINI] = compose_gemini,  [LLM_AZURE] = compose_openai,
    };

    writer_open_object(composition->writer);
    if (composition->request->embedding)
        compose_embedding(composition);
    else
        composers[composition->provider->protocol](composition);
    writer_close_object(composition->writer);
}

void llm_compose(struct arena *arena, const struct llm_provider *provider,
                 const struct llm_request *request, struct fetch_request *http)
{
    const bool streams = request->on_text || request->on_delta;
    struct json_writer writer;
    struct text body;

    text_start(&body, arena, BODY_MAX);
    writer_start(&writer, &body);
    compose_body(&(struct composition){&writer, arena, provider, request});
    http->url = llm_url(arena, provider, path_of(arena, provider, request));
    http->body = body.bytes;
    http->body_length = body.length;
    add_header(http, "Content-Type", "application/json");
    add_header(http, "Accept",
               streams && provider->protocol != LLM_OLLAMA ? "text/event-stream"
                                                           : "application/json");
    llm_add_token(arena, provider, http);
}
