/* The built-in catalog, names and prices. */
#include "orchestrator/models/catalog.h"

#include "base/schema.h"
#include "base/string_list.h"
#include "llm/providers.h"
#include "text/fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const default_labels[] = {"Best",
                                             "Sonar",
                                             "Claude Sonnet 4.6",
                                             "GPT-5.4",
                                             "Gemini 3.1 Pro",
                                             "Kimi K2.5",
                                             "Claude Opus 4.6",
                                             "Max",
                                             "Nemotron 3 Super"};

/* Further names of the browser's models, listed by the page or not. */
static const struct {
    const char *label;
    const char *names[3];
} known_names[] = {
    {"Claude Sonnet 4.6", {"Claude 4.6", "Claude Sonnet"}},
    {"GPT-5.4", {"GPT 5.4", "GPT-5"}},
    {"Gemini 3.1 Pro", {"Gemini Pro 3.1", "Gemini Pro"}},
    {"Kimi K2.5", {"Kimi K2", "Kimi", "Kimi K2 Thinking"}},
    {"Claude Opus 4.6", {"Claude Opus"}},
    {"Nemotron 3 Super", {"Nemotron 3"}},
    {"Best", {NULL}},
    {"Sonar", {NULL}},
    {"Sonar 2", {NULL}},
    {"Max", {NULL}},
};

/* The API model that replaces a model of the browser. */
static const char *fallback_of(const char *id)
{
    if (strcmp(id, "claude-sonnet-4-6") == 0)
        return "claude-sonnet-4-6-api";
    return strcmp(id, "gpt-5-4") == 0 ? "gpt-5-4-api" : NULL;
}

static void remove_all(char *text, const char *what)
{
    size_t length = strlen(what);

    for (char *at = text; (at = strstr(at, what)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
}

const char *catalog_normalise(struct arena *arena, const char *name)
{
    char *text = arena_copy_string(arena, text_lower(arena, name)), *out = text;

    for (char *at = text; *at; at++)
        if (strchr(".-_\t\n\r", *at))
            *at = ' ';
    remove_all(text, " thinking");
    remove_all(text, " with reasoning");
    for (const char *at = text; *at; at++)
        if (*at != ' ' || (out > text && out[-1] != ' '))
            *out++ = *at;
    while (out > text && out[-1] == ' ')
        out--;
    *out = '\0';
    return text;
}

static const char *slug_of(struct arena *arena, const char *label)
{
    char *slug = arena_copy_string(arena, catalog_normalise(arena, label));

    for (char *at = slug; *at; at++)
        if (*at == ' ')
            *at = '-';
    return slug;
}

struct model catalog_browser_model(struct arena *arena, const char *label)
{
    const char *id = slug_of(arena, label);
    bool fast = strcmp(id, "sonar") == 0 || strcmp(id, "sonar-2") == 0;
    struct model model = {.id = id,
                          .display_name = label,
                          .backend = BACKEND_BROWSER,
                          .provider = "web_provider",
                          .provider_model_id = label,
                          .timeout_seconds = 60,
                          .fast = fast,
                          .concurrency_limit = 1,
                          .reasoning_capable = !fast,
                          .fallback_model_id = fallback_of(id)};

    model.aliases.items = ARENA_ARRAY(arena, const char *, 5);
    string_list_add_new(&model.aliases, label);
    string_list_add_new(&model.aliases, id);
    for (size_t i = 0; i < COUNT_OF(known_names); i++)
        for (size_t j = 0; j < 3 && strcmp(known_names[i].label, label) == 0; j++)
            if (known_names[i].names[j])
                string_list_add_new(&model.aliases, known_names[i].names[j]);
    return model;
}

static void start(struct arena *arena, struct catalog *catalog)
{
    *catalog = (struct catalog){.models = ARENA_ARRAY(arena, struct model, CATALOG_MODELS_MAX)};
}

/* Billionths of a US dollar per token; `otherwise` if no price is given. */
static int64_t per_token(struct optional_number usd_per_million, int64_t otherwise)
{
    return usd_per_million.given ? (int64_t)llround(usd_per_million.value * NANO_PER_DOLLAR / 1e6)
                                 : otherwise;
}

/* The settings give the addresses of `openai` and `anthropic`. */
static bool has_settings(const char *provider_id)
{
    return strcmp(provider_id, "openai") == 0 || strcmp(provider_id, "anthropic") == 0;
}

static struct model built_in_model(const struct provider_entry *provider,
                                   const struct model_entry *entry)
{
    const struct model_listing *listing = entry->orchestrator;
    int64_t input = per_token(entry->input_price_per_1m_tokens, 0);
    struct model model = {
        .id = listing->id,
        .display_name = listing->display_name,
        .aliases = listing->aliases,
        .backend = BACKEND_API,
        .provider = provider->id,
        .provider_model_id = entry->name,
        .timeout_seconds = listing->timeout_seconds,
        .concurrency_limit = listing->concurrency_limit,
        .reasoning_capable = listing->reasoning,
        .priced = entry->input_price_per_1m_tokens.given && entry->output_price_per_1m_tokens.given,
        .input_price = input,
        .cached_price = per_token(entry->cached_input_price_per_1m_tokens, input),
        .cache_write_price = per_token(entry->cache_write_price_per_1m_tokens, input),
        .cache_write_hour_price = per_token(entry->cache_write_hour_price_per_1m_tokens, input),
        .output_price = per_token(entry->output_price_per_1m_tokens, 0),
        .protocol = (enum llm_protocol)provider->protocol};

    if (!has_settings(provider->id))
        catalog_set_access(&model, provider->base_url, provider->api_key_env);
    return model;
}

/* The models of the built-in providers that the orchestrator offers. */
static void add_apis(struct arena *arena, struct catalog *catalog)
{
    const struct object_list *providers = &providers_built_in(arena)->providers;

    for (size_t i = 0; i < providers->count; i++) {
        const struct provider_entry *provider = (const struct provider_entry *)providers->items + i;
        const struct model_entry *models = provider->models.items;

        for (size_t j = 0; j < provider->models.count; j++)
            if (provider_serves(provider, "orchestrator") && models[j].orchestrator)
                catalog->models[catalog->count++] = built_in_model(provider, &models[j]);
    }
}

void catalog_set_access(struct model *model, const char *base_url, const char *api_key_env)
{
    model->own = true;
    model->base_url = base_url;
    model->token = api_key_env ? getenv(api_key_env) : NULL;
    if (api_key_env && (!model->token || !*model->token))
        model->missing_key = api_key_env;
}

void catalog_set_stored_key(struct catalog *catalog, const char *key, const char *ending)
{
    struct model *model = &catalog->models[catalog->count - 1];

    model->token = key;
    model->key_ending = ending;
    model->key_is_lost = !key;
}

static void add_browser_models(struct arena *arena, const struct string_list *labels,
                               struct catalog *catalog)
{
    for (size_t i = 0; i < labels->count && catalog->count < CATALOG_MODELS_MAX / 2; i++) {
        struct model model = catalog_browser_model(arena, labels->items[i]);

        if (*model.id && !catalog_find(catalog, model.id))
            catalog->models[catalog->count++] = model;
    }
    catalog->browser_count = catalog->count;
    catalog->source = "web-provider-model-menu";
}

void catalog_make_from_labels(struct arena *arena, const struct string_list *labels,
                              struct catalog *catalog)
{
    start(arena, catalog);
    add_browser_models(arena, labels, catalog);
    add_apis(arena, catalog);
}

void catalog_copy(struct arena *arena, const struct catalog *base, struct catalog *copy)
{
    *copy = *base;
    copy->models = ARENA_ARRAY(arena, struct model, CATALOG_MODELS_MAX);
    memcpy(copy->models, base->models, base->count * sizeof *copy->models);
}

void catalog_set_model_list(struct arena *arena, const struct catalog *base,
                            const struct string_list *labels, int64_t checked_at,
                            struct catalog *catalog)
{
    start(arena, catalog);
    add_browser_models(arena, labels, catalog);
    catalog->checked_at = checked_at;
    for (size_t i = base->browser_count; i < base->count && catalog->count < CATALOG_MODELS_MAX;
         i++)
        catalog->models[catalog->count++] = base->models[i];
}

void catalog_make_static(struct arena *arena, bool with_browser_models, struct catalog *catalog)
{
    struct string_list labels = {.count = with_browser_models ? COUNT_OF(default_labels) : 0,
                                 .items = (const char **)default_labels};

    catalog_make_from_labels(arena, &labels, catalog);
    catalog->source = with_browser_models ? "dry-run-static" : "api-static";
}

const struct model *catalog_find(const struct catalog *catalog, const char *id)
{
    for (size_t i = 0; i < catalog->count; i++)
        if (strcmp(catalog->models[i].id, id) == 0)
            return &catalog->models[i];
    return NULL;
}

static bool is_called(struct arena *arena, const struct model *model, const char *normalised)
{
    if (strcmp(catalog_normalise(arena, model->id), normalised) == 0 ||
        strcmp(catalog_normalise(arena, model->display_name), normalised) == 0)
        return true;
    for (size_t i = 0; i < model->aliases.count; i++)
        if (strcmp(catalog_normalise(arena, model->aliases.items[i]), normalised) == 0)
            return true;
    return false;
}

const struct model *catalog_resolve(struct arena *arena, const struct catalog *catalog,
                                    const char *name)
{
    const char *normalised = catalog_normalise(arena, name);
    bool has_model_menu = catalog->browser_count > 0 && !catalog->is_closed;

    for (size_t i = 0; *normalised && i < catalog->count; i++)
        if (is_called(arena, &catalog->models[i], normalised))
            return &catalog->models[i];
    for (size_t i = 0; *normalised && has_model_menu && i < COUNT_OF(known_names); i++) {
        struct model known = catalog_browser_model(arena, known_names[i].label);
        struct model *copy;

        if (!is_called(arena, &known, normalised))
            continue;
        copy = ARENA_NEW(arena, struct model);
        *copy = known;
        return copy;
    }
    return NULL;
}

bool catalog_equivalent(struct arena *arena, const struct catalog *catalog, const char *a,
                        const char *b)
{
    const struct model *one = catalog_resolve(arena, catalog, a);
    const struct model *other = catalog_resolve(arena, catalog, b);

    return one && other && strcmp(one->id, other->id) == 0;
}

/* At most `whole`, and 0 when unknown. */
static int64_t part_of(struct optional_integer part, int64_t whole)
{
    if (!part.given || part.value < 0)
        return 0;
    return part.value < whole ? part.value : whole;
}

struct optional_integer model_cost(const struct model *model, const struct llm_usage *usage)
{
    int64_t cost = 0, input = usage->input_tokens.value;
    int64_t cached = part_of(usage->cached_tokens, input);
    int64_t written = part_of(usage->cache_write_tokens, input - cached);
    int64_t for_an_hour = part_of(usage->cache_write_hour_tokens, written);
    const int64_t counts[][2] = {{input - cached - written, model->input_price},
                                 {cached, model->cached_price},
                                 {written - for_an_hour, model->cache_write_price},
                                 {for_an_hour, model->cache_write_hour_price},
                                 {usage->output_tokens.value, model->output_price}};

    if (!model->priced || !usage->input_tokens.given || !usage->output_tokens.given)
        return (struct optional_integer){0};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        int64_t part;

        if (__builtin_mul_overflow(counts[i][0], counts[i][1], &part) ||
            __builtin_add_overflow(cost, part, &cost))
            return (struct optional_integer){0};
    }
    return GIVEN_INTEGER(cost);
}

enum llm_protocol model_protocol(const struct model *model)
{
    if (model->backend != BACKEND_API)
        return LLM_PROTOCOL__MAX;
    return model->protocol;
}
