/* The members of a completion's body that are passed on unchanged, and those that are refused. */
#include "orchestrator-streams/parameters.h"

#include "orchestrator-streams/conversation.h"

#include <string.h>

enum { MEMBERS_MAX = 1 << 20 /* bytes */, DEPTH_MAX = 30 };

/* Those whose answers have a shape that is not handed on, or that choose other models. */
static const char *const refused[] = {
    "functions", "audio", "function_call", "modalities", "models", "web_search_options", NULL};

/* Members of the schema, which each protocol expresses in its own way. */
static const char *const known[] = {"model",
                                    "template",
                                    "prompt",
                                    "messages",
                                    "stream",
                                    "stream_options",
                                    "stop",
                                    "tools",
                                    "tool_choice",
                                    "response_format",
                                    "metadata",
                                    "temperature",
                                    "top_p",
                                    "presence_penalty",
                                    "frequency_penalty",
                                    "max_tokens",
                                    "max_completion_tokens",
                                    "seed",
                                    "n",
                                    "user",
                                    "parallel_tool_calls",
                                    "logprobs",
                                    "top_logprobs",
                                    "top_k",
                                    "reasoning_effort",
                                    "service_tier",
                                    NULL};

static bool is_in(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* null, false and empty lists request nothing. */
static bool asks_for_something(const json_t *value)
{
    return !json_is_null(value) && !json_is_false(value) &&
           !(json_is_array(value) && json_array_size(value) == 0);
}

const char *first_beyond(const json_t *object, const char *const *names)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)object, key, value)
    {
        if (!is_in(names, key) && asks_for_something(value))
            return key;
    }
    return NULL;
}

const json_t *members_beyond(struct arena *arena, const json_t *object, const char *const *names)
{
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    json_t *more, *value;
    const char *key;

    text_start(&text, arena, MEMBERS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    json_object_foreach((json_t *)object, key, value)
    {
        if (is_in(names, key) || json_is_null(value))
            continue;
        writer_key(&writer, key);
        writer_value(&writer, value);
    }
    writer_close_object(&writer);
    return text.overflowed || text.length == 2 ||
                   json_read(arena, text.bytes, text.length, DEPTH_MAX, &more, &fault)
               ? NULL
               : more;
}

const json_t *member_added(struct arena *arena, const json_t *object, const char *name,
                           const json_t *value)
{
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    json_t *whole, *old;
    const char *key;

    text_start(&text, arena, MEMBERS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    json_object_foreach((json_t *)object, key, old)
    {
        writer_key(&writer, key);
        writer_value(&writer, old);
    }
    writer_key(&writer, name);
    writer_value(&writer, value);
    writer_close_object(&writer);
    return json_read(arena, text.bytes, text.length, DEPTH_MAX, &whole, &fault) ? object : whole;
}

static enum error refuse(struct request *request, const char *name, const char *message)
{
    return request_fault(request, "body", name, "value_error", message);
}

static bool is_text_alone(const json_t *modalities)
{
    const char *only = json_string_value(json_array_get(modalities, 0));

    return json_array_size(modalities) == 1 && only && strcmp(only, "text") == 0;
}

static enum error check_stream_options(struct request *request, const json_t *options)
{
    static const char *const names[] = {"include_usage", NULL};
    const json_t *usage = json_object_get(options, "include_usage");
    const char *other = first_beyond(options, names);

    if (other)
        return refuse(request, arena_print(request->arena, "stream_options.%s", other),
                      "this is not supported");
    if (usage && !json_is_boolean(usage) && !json_is_null(usage))
        return refuse(request, "stream_options.include_usage", "Input should be a valid boolean");
    return ERROR_NONE;
}

enum error parameters_read(struct request *request, struct llm_request *conversation)
{
    const struct completion_body *body = request->body;

    for (size_t i = 0; refused[i]; i++) {
        const json_t *value = json_object_get(body->document, refused[i]);

        if (value && asks_for_something(value) && !is_text_alone(value))
            return refuse(request, refused[i], "this is not supported");
    }
    if (body->max_tokens.given && body->max_completion_tokens.given &&
        body->max_tokens.value != body->max_completion_tokens.value)
        return refuse(request, "max_tokens", "this differs from max_completion_tokens");
    conversation->parallel_tool_calls = body->parallel_tool_calls;
    conversation->by_old_name = !body->max_completion_tokens.given;
    conversation->user = body->user;
    conversation->more = members_beyond(request->arena, body->document, known);
    return check_stream_options(request, body->stream_options);
}
