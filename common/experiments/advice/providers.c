/* Vendors are in common/llm; the orchestrator's protocol is here. */
#include "experiments/advice/providers.h"

#include "base/json.h"
#include "llm/llm.h"

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

/* The vendors' protocols, and where they are. */
static struct llm_provider vendor(const struct experiments_settings *settings,
                                  enum provider provider)
{
    switch (provider) {
    case PROVIDER_ANTHROPIC:
        return (struct llm_provider){.protocol = LLM_ANTHROPIC,
                                     .base_url = settings->anthropic_base_url,
                                     .max_tokens = ANTHROPIC_TOKENS_MAX};
    case PROVIDER_MISTRAL:
        return (struct llm_provider){.protocol = LLM_MISTRAL,
                                     .base_url = settings->mistral_base_url,
                                     .path = "/v1/chat/completions"};
    default:
        return (struct llm_provider){.protocol = LLM_OPENAI,
                                     .base_url = settings->openai_base_url,
                                     .path = "/v1/chat/completions"};
    }
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

static void compose_task(const struct experiments_settings *settings, const char *token,
                         const char *prompt, struct arena *arena, struct fetch_request *request)
{
    struct json_writer writer;
    struct text body;

    text_start(&body, arena, BODY_MAX);
    writer_start(&writer, &body);
    writer_open_object(&writer);
    write_task(&writer, settings->llm_model, prompt);
    writer_close_object(&writer);
    request->url = join(arena, settings->llm_base_url, settings->llm_path);
    request->body = body.bytes;
    request->body_length = body.length;
    request->headers[request->header_count++] =
        (struct fetch_header){"Content-Type", "application/json"};
    request->headers[request->header_count++] = (struct fetch_header){"Accept", "application/json"};
    if (token)
        request->headers[request->header_count++] =
            (struct fetch_header){"Authorization", arena_print(arena, "Bearer %s", token)};
}

void provider_compose(const struct experiments_settings *settings, enum provider provider,
                      const char *token, const char *prompt, struct arena *arena,
                      struct fetch_request *request)
{
    const struct llm_message message = {.role = "user", .content = prompt};
    const struct llm_request question = {
        .messages = &message, .message_count = 1, .temperature = GIVEN_NUMBER(temperature)};
    struct llm_provider whom;

    if (provider == PROVIDER_ORCHESTRATOR) {
        compose_task(settings, token, prompt, arena, request);
        return;
    }
    whom = vendor(settings, provider);
    whom.model = provider_model(settings, provider);
    whom.token = token;
    llm_compose(arena, &whom, &question, request);
}

static bool is_blank(const char *text)
{
    for (; *text; text++)
        if (!isspace((unsigned char)*text))
            return false;
    return true;
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
    struct llm_answer said;
    json_t *answer;

    if (provider != PROVIDER_ORCHESTRATOR) {
        llm_read(arena, provider == PROVIDER_ANTHROPIC ? LLM_ANTHROPIC : LLM_OPENAI, body, length,
                 &said);
        *text = said.text;
        if (said.result == LLM_MALFORMED)
            return PROVIDER_TEXT_MALFORMED;
        return is_blank(*text) ? PROVIDER_TEXT_EMPTY : PROVIDER_TEXT;
    }
    if (json_read(arena, body, length, ANSWER_DEPTH_MAX, &answer, &fault) ||
        !json_is_object(answer))
        return PROVIDER_TEXT_MALFORMED;
    *text = longest_text(answer);
    return *text ? PROVIDER_TEXT : PROVIDER_TEXT_EMPTY;
}
