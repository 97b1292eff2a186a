/* Vendors are in common/llm; the orchestrator's protocol is here. */
#include "experiments/advice/providers.h"

#include "base/json.h"
#include "llm/providers.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
    BODY_MAX = 96 * 1024 * 1024, /* bytes of the request body: the longest prompt, escaped */
    ANSWER_DEPTH_MAX = 32,
    ANTHROPIC_TOKENS_MAX = 1024
};

static const double temperature = 0.4;

const char orchestrator_provider_name[] = "local_orchestrator";

/* The settings of a provider. */
struct provider_override {
    const char *id, *base_url, *model;
};

/* The base URLs of the settings lack the version at the beginning of the protocol's path. */
static const char *versioned_path(enum llm_protocol protocol)
{
    return protocol == LLM_ANTHROPIC ? NULL : "/v1/chat/completions";
}

static struct advice_provider vendor_of(const struct experiments_settings *settings,
                                        const struct provider_entry *entry)
{
    const struct provider_override overrides[] = {
        {"openai", settings->openai_base_url, settings->openai_model},
        {"anthropic", settings->anthropic_base_url, settings->anthropic_model},
        {"mistral", settings->mistral_base_url, settings->mistral_model}};
    struct advice_provider provider = {.name = entry->id,
                                       .title = entry->label ? entry->label : entry->id,
                                       .model = entry->advice_model,
                                       .base_url = entry->base_url,
                                       .protocol = (enum llm_protocol)entry->protocol};

    for (size_t i = 0; i < COUNT_OF(overrides); i++) {
        if (strcmp(overrides[i].id, entry->id) != 0)
            continue;
        provider.base_url = overrides[i].base_url;
        provider.model = overrides[i].model;
        provider.path = versioned_path(provider.protocol);
    }
    return provider;
}

struct advice_providers advice_providers(const struct experiments_settings *settings,
                                         struct arena *arena)
{
    const struct object_list *built_in = &providers_built_in(arena)->providers;
    struct advice_providers list = {
        .items = ARENA_ARRAY(arena, struct advice_provider, built_in->count + 1)};

    list.items[list.count++] = (struct advice_provider){.name = orchestrator_provider_name,
                                                        .title = "The orchestrator",
                                                        .model = settings->llm_model,
                                                        .base_url = settings->llm_base_url,
                                                        .is_orchestrator = true};
    for (size_t i = 0; i < built_in->count; i++) {
        const struct provider_entry *entry = (const struct provider_entry *)built_in->items + i;

        if (provider_serves(entry, "advice"))
            list.items[list.count++] = vendor_of(settings, entry);
    }
    return list;
}

const struct advice_provider *advice_provider_find(const struct advice_providers *providers,
                                                   const char *name)
{
    for (size_t i = 0; i < providers->count; i++)
        if (strcasecmp(providers->items[i].name, name) == 0)
            return &providers->items[i];
    return NULL;
}

static const char *join(struct arena *arena, const char *base, const char *path)
{
    size_t length = strlen(base);

    while (length && base[length - 1] == '/')
        length--;
    return arena_print(arena, "%.*s%s", (int)length, base, path);
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

void provider_compose(const struct experiments_settings *settings,
                      const struct advice_provider *provider, const char *token, const char *prompt,
                      struct arena *arena, struct fetch_request *request)
{
    const struct llm_message message = {.role = "user", .content = prompt};
    const struct llm_request question = {
        .messages = &message, .message_count = 1, .temperature = GIVEN_NUMBER(temperature)};
    const struct llm_provider model = {
        .protocol = provider->protocol,
        .base_url = provider->base_url,
        .path = provider->path,
        .model = provider->model,
        .token = token,
        .max_tokens = provider->protocol == LLM_ANTHROPIC ? ANTHROPIC_TOKENS_MAX : 0};

    if (provider->is_orchestrator)
        compose_task(settings, token, prompt, arena, request);
    else
        llm_compose(arena, &model, &question, request);
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

/* The longest content limit of all, including those of earlier versions. */
static const char *longest_text(const json_t *answer)
{
    const char *best = NULL;

    prefer_longer(&best, json_object_get(answer, "output_text"));
    prefer_longest_of(&best, json_object_get(answer, "results"), "output_text");
    prefer_longest_of(&best, json_object_get(answer, "model_responses"), "text");
    prefer_longer(&best, json_object_get(json_object_get(answer, "consensus"), "text"));
    return best;
}

enum provider_text provider_read_text(const struct advice_provider *provider, const char *body,
                                      size_t length, struct arena *arena, const char **text)
{
    struct json_fault fault;
    struct llm_answer spoken;
    json_t *answer;

    if (!provider->is_orchestrator) {
        llm_read(arena, provider->protocol, NULL, body, length, &spoken);
        *text = spoken.text;
        if (spoken.result == LLM_MALFORMED)
            return PROVIDER_TEXT_MALFORMED;
        return is_blank(*text) ? PROVIDER_TEXT_EMPTY : PROVIDER_TEXT;
    }
    if (json_read(arena, body, length, ANSWER_DEPTH_MAX, &answer, &fault) ||
        !json_is_object(answer))
        return PROVIDER_TEXT_MALFORMED;
    *text = longest_text(answer);
    return *text ? PROVIDER_TEXT : PROVIDER_TEXT_EMPTY;
}
