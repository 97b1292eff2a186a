/* Request bodies of OpenAI's protocol and its relatives: Azure, Mistral and Ollama. */
#include "llm/compose_internal.h"

#include <string.h>

static bool is_openai(enum llm_protocol protocol)
{
    return protocol == LLM_OPENAI || protocol == LLM_MISTRAL || protocol == LLM_AZURE;
}

static void write_function(const struct composition *composition, const struct llm_tool *tool)
{
    struct json_writer *writer = composition->writer;

    writer_key_string(writer, "name", tool->name);
    if (tool->description)
        writer_key_string(writer, "description", tool->description);
    writer_key(writer, "parameters");
    writer_raw(writer, tool->parameters);
    if (tool->strict.given && composition->provider->protocol != LLM_OLLAMA)
        writer_key_boolean(writer, "strict", tool->strict.value);
    compose_more(composition, tool->more);
}

static void write_tools(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    struct json_writer *writer = composition->writer;

    if (!request->tool_count)
        return;
    writer_key(writer, "tools");
    writer_open_array(writer);
    for (size_t i = 0; i < request->tool_count; i++) {
        writer_open_object(writer);
        writer_key_string(writer, "type", "function");
        writer_key(writer, "function");
        writer_open_object(writer);
        write_function(composition, &request->tools[i]);
        writer_close_object(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

/* Ollama takes arguments as an object, the other protocols as a string. */
static void write_tool_calls(const struct composition *composition,
                             const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;
    bool is_ollama = composition->provider->protocol == LLM_OLLAMA;

    writer_key(writer, "tool_calls");
    writer_open_array(writer);
    for (size_t i = 0; i < message->tool_call_count; i++) {
        const struct llm_tool_call *call = &message->tool_calls[i];

        writer_open_object(writer);
        if (!is_ollama) {
            writer_key_string(writer, "id", call->id);
            writer_key_string(writer, "type", "function");
        }
        writer_key(writer, "function");
        writer_open_object(writer);
        writer_key_string(writer, "name", call->name);
        writer_key(writer, "arguments");
        if (is_ollama)
            compose_json(composition, call->arguments);
        else
            writer_string(writer, call->arguments);
        writer_close_object(writer);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

/* Data as a URL. */
static const char *url_of(struct arena *arena, const struct llm_part *part)
{
    return part->data ? arena_print(arena, "data:%s;base64,%s", part->media_type, part->data)
                      : part->url;
}

static void write_image(const struct composition *composition, const struct llm_part *part)
{
    struct json_writer *writer = composition->writer;

    writer_key_string(writer, "type", "image_url");
    writer_key(writer, "image_url");
    writer_open_object(writer);
    writer_key_string(writer, "url", url_of(composition->arena, part));
    compose_more(composition, part->more);
    writer_close_object(writer);
}

static void write_file(const struct composition *composition, const struct llm_part *part)
{
    struct json_writer *writer = composition->writer;

    if (composition->provider->protocol == LLM_MISTRAL) {
        writer_key_string(writer, "type", "document_url");
        writer_key_string(writer, "document_url", url_of(composition->arena, part));
        return;
    }
    writer_key_string(writer, "type", "file");
    writer_key(writer, "file");
    writer_open_object(writer);
    writer_key_string(writer, "filename", part->name ? part->name : "document.pdf");
    writer_key_string(writer, "file_data", url_of(composition->arena, part));
    writer_close_object(writer);
}

static void write_parts(const struct composition *composition, const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;

    writer_open_array(writer);
    for (size_t i = 0; i < message->part_count; i++) {
        const struct llm_part *part = &message->parts[i];

        writer_open_object(writer);
        if (part->kind == LLM_PART_TEXT) {
            writer_key_string(writer, "type", "text");
            writer_key_string(writer, "text", part->text);
            compose_more(composition, part->more);
        } else if (part->kind == LLM_PART_IMAGE) {
            write_image(composition, part);
        } else {
            write_file(composition, part);
        }
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

/* Ollama's images stand beside the text. */
static void write_images(const struct composition *composition, const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;

    writer_key(writer, "images");
    writer_open_array(writer);
    for (size_t i = 0; i < message->part_count; i++)
        if (message->parts[i].kind == LLM_PART_IMAGE)
            writer_string(writer, message->parts[i].data);
    writer_close_array(writer);
}

static void write_message(const struct composition *composition, const struct llm_message *message)
{
    struct json_writer *writer = composition->writer;
    bool is_ollama = composition->provider->protocol == LLM_OLLAMA;

    writer_open_object(writer);
    writer_key_string(writer, "role", message->role);
    writer_key(writer, "content");
    if (message->part_count && !is_ollama)
        write_parts(composition, message);
    else
        writer_string(writer, message->content);
    if (message->part_count && is_ollama)
        write_images(composition, message);
    if (message->tool_call_id && !is_ollama)
        writer_key_string(writer, "tool_call_id", message->tool_call_id);
    if (message->tool_call_count)
        write_tool_calls(composition, message);
    compose_more(composition, message->more);
    writer_close_object(writer);
}

static void write_messages(const struct composition *composition)
{
    writer_key(composition->writer, "messages");
    writer_open_array(composition->writer);
    for (size_t i = 0; i < composition->request->message_count; i++)
        write_message(composition, &composition->request->messages[i]);
    writer_close_array(composition->writer);
}

/* The tool choice and the response format. */
static void write_wishes(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    enum llm_protocol protocol = composition->provider->protocol;
    struct json_writer *writer = composition->writer;
    bool is_json;
    const json_t *schema = compose_format(composition->arena, request, &is_json);
    const json_t *choice = compose_read_json(composition->arena, request->tool_choice);

    if (choice && is_openai(protocol)) {
        writer_key(writer, "tool_choice");
        writer_value(writer, choice);
    }
    if (request->parallel_tool_calls.given && is_openai(protocol))
        writer_key_boolean(writer, "parallel_tool_calls", request->parallel_tool_calls.value);
    if (!is_json)
        return;
    writer_key(writer, protocol == LLM_OLLAMA ? "format" : "response_format");
    if (protocol != LLM_OLLAMA)
        compose_json(composition, request->response_format);
    else if (schema)
        writer_value(writer, schema);
    else
        writer_string(writer, "json");
}

/* The names of the token limits in each protocol. */
static const struct limit_names {
    const char *max_tokens, *seed;
} limit_names[LLM_PROTOCOL__MAX] = {
    [LLM_OPENAI] = {"max_completion_tokens", "seed"},
    [LLM_AZURE] = {"max_completion_tokens", "seed"},
    [LLM_MISTRAL] = {"max_tokens", "random_seed"},
    [LLM_OLLAMA] = {"num_predict", "seed"},
};

static bool is_old_name(const struct llm_provider *provider, const struct llm_request *request)
{
    return provider->protocol == LLM_OPENAI && provider->knows_old_name && request->by_old_name;
}

static void write_limits(const struct composition *composition)
{
    const struct llm_provider *provider = composition->provider;
    const struct llm_request *request = composition->request;
    const struct limit_names *names = &limit_names[provider->protocol];
    struct json_writer *writer = composition->writer;
    int64_t most = request->max_tokens.given ? request->max_tokens.value : provider->max_tokens;

    if (most)
        writer_key_integer(writer,
                           is_old_name(provider, request) ? "max_tokens" : names->max_tokens, most);
    if (request->temperature.given)
        writer_key_number(writer, "temperature", request->temperature.value);
    if (request->top_p.given)
        writer_key_number(writer, "top_p", request->top_p.value);
    if (request->top_k.given)
        writer_key_integer(writer, "top_k", request->top_k.value);
    if (request->presence_penalty.given)
        writer_key_number(writer, "presence_penalty", request->presence_penalty.value);
    if (request->frequency_penalty.given)
        writer_key_number(writer, "frequency_penalty", request->frequency_penalty.value);
    if (request->seed.given)
        writer_key_integer(writer, names->seed, request->seed.value);
    if (!request->stop.count)
        return;
    writer_key(writer, "stop");
    writer_strings(writer, request->stop.items, request->stop.count);
}

static void write_ollama_thinking(const struct composition *composition)
{
    const char *effort = compose_effort(composition->request);
    int64_t budget = compose_thinking_budget(composition->request);

    if (budget == 0 || (effort && strcmp(effort, "none") == 0))
        writer_key_boolean(composition->writer, "think", false);
    else if (effort)
        writer_key_string(composition->writer, "think",
                          strcmp(effort, "minimal") == 0 ? "low"
                          : strcmp(effort, "xhigh") == 0 ? "high"
                                                         : effort);
}

/* What only OpenAI's relatives know, and the further members. */
static void write_more(const struct composition *composition)
{
    const struct llm_request *request = composition->request;
    struct json_writer *writer = composition->writer;
    const char *effort = compose_effort(request);

    if (composition->provider->protocol == LLM_OLLAMA) {
        write_ollama_thinking(composition);
        return;
    }
    if (effort)
        writer_key_string(writer, "reasoning_effort", effort);
    if (request->n.given && request->n.value != 1)
        writer_key_integer(writer, "n", request->n.value);
    if (request->logprobs.given)
        writer_key_boolean(writer, "logprobs", request->logprobs.value);
    if (request->top_logprobs.given)
        writer_key_integer(writer, "top_logprobs", request->top_logprobs.value);
    if (request->service_tier)
        writer_key_string(writer, "service_tier", request->service_tier);
    if (request->user)
        writer_key_string(writer, "user", request->user);
    compose_more(composition, request->more);
}

/* Ollama streams by default. */
static void write_stream(const struct composition *composition)
{
    bool streams = composition->request->on_text || composition->request->on_delta;
    enum llm_protocol protocol = composition->provider->protocol;
    struct json_writer *writer = composition->writer;

    if (streams || protocol == LLM_OLLAMA)
        writer_key_boolean(writer, "stream", streams);
    if (!streams || (protocol != LLM_OPENAI && protocol != LLM_AZURE))
        return;
    writer_key(writer, "stream_options");
    writer_open_object(writer);
    writer_key_boolean(writer, "include_usage", true);
    writer_close_object(writer);
}

void compose_openai(const struct composition *composition)
{
    writer_key_string(composition->writer, "model", composition->provider->model);
    if (composition->provider->protocol == LLM_OLLAMA) {
        writer_key(composition->writer, "options");
        writer_open_object(composition->writer);
        write_limits(composition);
        writer_close_object(composition->writer);
    } else {
        write_limits(composition);
    }
    write_messages(composition);
    write_tools(composition);
    write_wishes(composition);
    write_more(composition);
    write_stream(composition);
}
