/* The protocols of the providers, each a few lines of JSON in and out. */
#include "experiments/advice/providers.h"

#include "base/json.h"

#include <ctype.h>
#include <string.h>

enum {
    BODY_MAX = 96 * 1024 * 1024, /* bytes of what is sent; a prompt at its longest, escaped */
    ANSWER_DEPTH_MAX = 32,
    ANTHROPIC_TOKENS_MAX = 1024
};

static const double temperature = 0.4;

const char *const provider_names[PROVIDER__MAX] = {"local_orchestrator", "openai", "anthropic",
                                                   "mistral"};
const char *const provider_titles[PROVIDER__MAX] = {"The orchestrator", "OpenAI", "Anthropic",
                                                    "Mistral"};

const char *provider_model(const struct experiments_settings *settings, enum provider provider)
{
    switch (provider) {
    case PROVIDER_OPENAI:
        return settings->openai_model;
    case PROVIDER_ANTHROPIC:
        return settings->anthropic_model;
    case PROVIDER_MISTRAL:
        return settings->mistral_model;
    default:
        return settings->llm_model;
    }
}

static const char *join(struct arena *arena, const char *base, const char *path)
{
    size_t length = strlen(base);

    while (length && base[length - 1] == '/')
        length--;
    return arena_print(arena, "%.*s%s", (int)length, base, path);
}

static const char *url_of(const struct experiments_settings *settings, enum provider provider,
                          struct arena *arena)
{
    switch (provider) {
    case PROVIDER_OPENAI:
        return join(arena, settings->openai_base_url, "/v1/chat/completions");
    case PROVIDER_ANTHROPIC:
        return join(arena, settings->anthropic_base_url, "/v1/messages");
    case PROVIDER_MISTRAL:
        return join(arena, settings->mistral_base_url, "/v1/chat/completions");
    default:
        return join(arena, settings->llm_base_url, settings->llm_path);
    }
}

static void add_header(struct fetch_request *request, const char *name, const char *value)
{
    request->headers[request->header_count++] = (struct fetch_header){name, value};
}

static void add_token(struct fetch_request *request, enum provider provider, const char *token,
                      struct arena *arena)
{
    if (provider == PROVIDER_ANTHROPIC) {
        add_header(request, "x-api-key", token);
        add_header(request, "anthropic-version", "2023-06-01");
    } else if (token) {
        add_header(request, "Authorization", arena_print(arena, "Bearer %s", token));
    }
}

/* What the three vendors have in common. */
static void write_chat(struct json_writer *writer, enum provider provider, const char *model,
                       const char *prompt)
{
    writer_key_string(writer, "model", model);
    if (provider == PROVIDER_ANTHROPIC)
        writer_key_integer(writer, "max_tokens", ANTHROPIC_TOKENS_MAX);
    writer_key_number(writer, "temperature", temperature);
    writer_key(writer, "messages");
    writer_open_array(writer);
    writer_open_object(writer);
    writer_key_string(writer, "role", "user");
    writer_key_string(writer, "content", prompt);
    writer_close_object(writer);
    writer_close_array(writer);
}

static void write_task(struct json_writer *writer, const char *model, const char *prompt)
{
    writer_key_string(writer, "prompt", prompt);
    writer_key(writer, "models");
    writer_open_array(writer);
    writer_string(writer, model);
    writer_close_array(writer);
    writer_key_boolean(writer, "decompose", false);
}

void provider_compose(const struct experiments_settings *settings, enum provider provider,
                      const char *token, const char *prompt, struct arena *arena,
                      struct fetch_request *request)
{
    const char *model = provider_model(settings, provider);
    struct json_writer writer;
    struct text body;

    text_start(&body, arena, BODY_MAX);
    writer_start(&writer, &body);
    writer_open_object(&writer);
    if (provider == PROVIDER_ORCHESTRATOR)
        write_task(&writer, model, prompt);
    else
        write_chat(&writer, provider, model, prompt);
    writer_close_object(&writer);
    request->url = url_of(settings, provider, arena);
    request->body = body.bytes;
    request->body_length = body.length;
    add_header(request, "Content-Type", "application/json");
    add_header(request, "Accept", "application/json");
    add_token(request, provider, token, arena);
}

static bool is_blank(const char *text)
{
    for (; *text; text++)
        if (!isspace((unsigned char)*text))
            return false;
    return true;
}

/* A string, or the texts of an array of parts, one per line. False when it is neither. `type` names
 * the parts that count; NULL = all. */
static bool collect(const json_t *content, const char *type, struct text *out)
{
    if (json_is_string(content))
        text_append_string(out, json_string_value(content));
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *part = json_array_get(content, i);
        const char *text = json_string_value(json_object_get(part, "text"));
        const char *kind = json_string_value(json_object_get(part, "type"));

        if (!text || (type && (!kind || strcmp(kind, type) != 0)))
            continue;
        if (out->length)
            text_append_byte(out, '\n');
        text_append_string(out, text);
    }
    return json_is_string(content) || json_is_array(content);
}

static void prefer_longer(const char **best, const json_t *candidate)
{
    const char *text = json_string_value(candidate);

    if (text && !is_blank(text) && (!*best || strlen(text) > strlen(*best)))
        *best = text;
}

static void prefer_longest_of(const char **best, const json_t *list, const char *member)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        prefer_longer(best, json_object_get(json_array_get(list, i), member));
}

/* The longest of all that its answers may hold, those of earlier versions included. */
static const char *longest_text(const json_t *answer)
{
    const char *best = NULL;

    prefer_longer(&best, json_object_get(answer, "output_text"));
    prefer_longest_of(&best, json_object_get(answer, "results"), "output_text");
    prefer_longest_of(&best, json_object_get(answer, "model_responses"), "text");
    prefer_longer(&best, json_object_get(json_object_get(answer, "consensus"), "text"));
    return best;
}

enum provider_text provider_read_text(enum provider provider, const char *body, size_t length,
                                      struct arena *arena, const char **text)
{
    struct json_fault fault;
    struct text collected;
    json_t *answer;
    const json_t *choice;

    if (json_read(arena, body, length, ANSWER_DEPTH_MAX, &answer, &fault) ||
        !json_is_object(answer))
        return PROVIDER_TEXT_MALFORMED;
    if (provider == PROVIDER_ORCHESTRATOR) {
        *text = longest_text(answer);
        return *text ? PROVIDER_TEXT : PROVIDER_TEXT_EMPTY;
    }
    text_start(&collected, arena, length);
    choice = json_array_get(json_object_get(answer, "choices"), 0);
    if (provider == PROVIDER_ANTHROPIC
            ? !collect(json_object_get(answer, "content"), "text", &collected)
            : !collect(json_object_get(json_object_get(choice, "message"), "content"), NULL,
                       &collected))
        return PROVIDER_TEXT_MALFORMED;
    *text = collected.bytes;
    return is_blank(*text) ? PROVIDER_TEXT_EMPTY : PROVIDER_TEXT;
}
