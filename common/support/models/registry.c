/* Reading the registry: providers, then profiles, whose targets must resolve. */
#include "support/models/registry.h"
#include "base/log.h"
#include "base/schema.h"
#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { JSON_DEPTH = 16, CHAT_JSON_MAX = 1 << 16 };

const char *const model_node_names[MODEL_NODE__MAX + 1] = {
    "classify_complexity", "transform_query", "rewrite_query",     "grade_docs", "generate",
    "verify_facts",        "evaluate",        "suggest_questions", NULL};

/* The state of reading. */
struct loading {
    const struct support_settings *settings;
    struct arena *arena;
    struct registry *registry;
    const char *path;
    struct problem *problem;
};

#define REFUSE(loading, ...) refuse((loading), arena_print((loading)->arena, __VA_ARGS__))
static enum error refuse(const struct loading *loading, const char *text)
{
    return problem_set(loading->problem, ERROR_INVALID, "registry_invalid", "%s: %s", loading->path,
                       text);
}

bool registry_is_placeholder(const char *key)
{
    return !key || !*key || strcasecmp(key, "changeme") == 0 || strcasecmp(key, "change-me") == 0 ||
           strcasecmp(key, "change_me") == 0;
}

const struct registry_provider *registry_find(const struct registry *registry, const char *id)
{
    for (size_t i = 0; i < registry->provider_count; i++)
        if (strcmp(registry->providers[i].id, id) == 0)
            return &registry->providers[i];
    return NULL;
}

static const struct registry_model *find_model(const struct registry_provider *provider,
                                               const char *name)
{
    for (size_t i = 0; i < provider->model_count; i++) {
        const struct registry_model *model = &provider->models[i];

        if (strcmp(model->name, name) == 0)
            return model;
        for (size_t j = 0; j < model->aliases.count; j++)
            if (strcmp(model->aliases.items[j], name) == 0)
                return model;
    }
    return NULL;
}

static enum error check_names(const struct loading *loading,
                              const struct registry_provider *provider)
{
    for (size_t i = 0; i < provider->model_count; i++) {
        const struct registry_model *model = &provider->models[i];

        if (find_model(provider, model->name) != model)
            return REFUSE(loading, "provider %s: %s names two models", provider->id, model->name);
        for (size_t j = 0; j < model->aliases.count; j++)
            if (find_model(provider, model->aliases.items[j]) != model)
                return REFUSE(loading, "provider %s: %s names two models", provider->id,
                              model->aliases.items[j]);
    }
    return ERROR_NONE;
}

/* A paid model without a price would bypass every limit. */
static enum error take_models(const struct loading *loading, const struct object_list *list,
                              struct registry_provider *provider)
{
    provider->model_count = list->count;
    provider->models = ARENA_ARRAY(loading->arena, struct registry_model, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const struct model_entry *from = &((const struct model_entry *)list->items)[i];

        if (provider->kind == PROVIDER_PAID &&
            (!from->input_price_per_1m_tokens.given || !from->output_price_per_1m_tokens.given))
            return REFUSE(loading, "provider %s is paid: model %s must have both prices",
                          provider->id, from->name);
        provider->models[i] =
            (struct registry_model){.name = from->name,
                                    .aliases = from->aliases,
                                    .input_price = from->input_price_per_1m_tokens.value,
                                    .output_price = from->output_price_per_1m_tokens.value};
    }
    return ERROR_NONE;
}

/* Members of a provider that always come from the settings. */
static void apply_settings(const struct loading *loading, struct registry_provider *provider,
                           int protocol)
{
    const struct support_settings *settings = loading->settings;

    if (strcmp(provider->id, "ollama") == 0) {
        if (!provider->base_url)
            provider->base_url = settings->ollama_base_url;
        provider->timeout_seconds = settings->ollama_timeout_sec;
    }
    if (protocol != PROTOCOL_ORCH)
        return;
    provider->timeout_seconds = settings->orch_timeout_sec;
    provider->base_url = arena_print(
        loading->arena, "%s/v1", provider->base_url ? provider->base_url : settings->orch_base_url);
}

/* Profiles refer to models by name, so names change only after profiles have been resolved. */
static void rename_models(const struct loading *loading)
{
    const struct support_settings *settings = loading->settings;
    const struct registry_provider *ollama = registry_find(loading->registry, "ollama");

    if (!ollama)
        return;
    for (size_t i = 0; i < ollama->model_count; i++) {
        if (&ollama->models[i] == ollama->strong && settings->ollama_model)
            ollama->models[i].name = settings->ollama_model;
        else if (&ollama->models[i] == ollama->fast && settings->ollama_fast_model)
            ollama->models[i].name = settings->ollama_fast_model;
    }
}

static enum error add_provider(const struct loading *loading, const struct provider_entry *entry)
{
    struct registry *registry = loading->registry;
    struct registry_provider *provider = &registry->providers[registry->provider_count];
    static const struct provider_capabilities nothing;
    static const struct provider_limits unlimited;
    const struct provider_capabilities *can = entry->capabilities ? entry->capabilities : &nothing;
    const struct provider_limits *limits = entry->rate_limits ? entry->rate_limits : &unlimited;
    const char *key = entry->api_key_env ? getenv(entry->api_key_env) : NULL;
    enum error error;

    if (registry_find(registry, entry->id))
        return REFUSE(loading, "provider %s exists twice", entry->id);
    *provider = (struct registry_provider){
        .id = entry->id,
        .label = entry->label ? entry->label : entry->id,
        .kind = (enum provider_kind)entry->kind,
        .protocol =
            entry->protocol < LLM_PROTOCOL__MAX ? (enum llm_protocol)entry->protocol : LLM_OPENAI,
        .protocol_name = provider_protocol_names[entry->protocol],
        .base_url = entry->base_url,
        .enabled = entry->enabled,
        .api_key_env = entry->api_key_env,
        .token = registry_is_placeholder(key) ? NULL : key,
        .timeout_seconds = entry->timeout_seconds,
        .capabilities = *can,
        .limits = *limits};
    error = take_models(loading, &entry->models, provider);
    if (error)
        return error;
    apply_settings(loading, provider, entry->protocol);
    if (!entry->default_models)
        return REFUSE(loading, "provider %s: default_models is missing", entry->id);
    provider->fast = find_model(provider, entry->default_models->fast);
    provider->strong = find_model(provider, entry->default_models->strong);
    if (!provider->fast || !provider->strong)
        return REFUSE(loading, "provider %s: default_models names no model of it", entry->id);
    if ((provider->kind == PROVIDER_EMBEDDED) != (entry->protocol == PROTOCOL_EMBEDDED))
        return REFUSE(loading, "provider %s: kind and protocol do not fit", entry->id);
    if (provider->kind != PROVIDER_EMBEDDED &&
        (!provider->base_url || strncmp(provider->base_url, "http", 4) != 0 ||
         strpbrk(provider->base_url, "@?# \t")))
        return REFUSE(loading, "provider %s: base_url must be http:// or https://", entry->id);
    registry->provider_count++;
    return check_names(loading, provider);
}

/* Such a name stands for the model of the provider that comes first. */
static void warn_of_clashes(const struct registry *registry)
{
    for (size_t i = 0; i < registry->provider_count; i++)
        for (size_t j = 0; j < registry->providers[i].model_count; j++) {
            const struct string_list *aliases = &registry->providers[i].models[j].aliases;

            for (size_t k = 0; k < aliases->count; k++)
                for (size_t first = 0; first < i; first++)
                    if (find_model(&registry->providers[first], aliases->items[k]))
                        log_event(LOG_WARNING, "registry_alias_twice", aliases->items[k]);
        }
}

static enum error read_provider(const struct loading *loading, size_t place, const json_t *json)
{
    struct provider_entry *entry = ARENA_NEW(loading->arena, struct provider_entry);
    struct schema_errors errors = {.arena = loading->arena};

    if (loading->registry->provider_count + 2 >= REGISTRY_PROVIDERS_MAX)
        return REFUSE(loading, "more than %d providers", REGISTRY_PROVIDERS_MAX - 2);
    if (schema_decode(&provider_entry_schema, json, "provider", entry, &errors, loading->arena)) {
        const struct schema_path *at = errors.items[0].path;

        return REFUSE(loading, "provider %zu: %s is wrong", place + 1,
                      at && at->key ? at->key : "an item");
    }
    return add_provider(loading, entry);
}

static enum error read_target(const struct loading *loading, const char *where, const json_t *json,
                              struct registry_target *target)
{
    const char *id = json_string_value(json_object_get(json, "provider")),
               *model = json_string_value(json_object_get(json, "model"));

    if (!id || !model)
        return REFUSE(loading, "%s must have provider and model", where);
    target->provider = registry_find(loading->registry, id);
    if (!target->provider)
        return REFUSE(loading, "%s: there is no provider %s", where, id);
    target->model = find_model(target->provider, model);
    if (!target->model)
        return REFUSE(loading, "%s: provider %s has no model %s", where, id, model);
    return ERROR_NONE;
}

static enum error check_fallback(const struct loading *loading, const char *where,
                                 const struct registry_target *target)
{
    return target->provider->kind == PROVIDER_PAID
               ? REFUSE(loading, "%s: a paid provider must not be asked in place of another", where)
               : ERROR_NONE;
}

static enum error read_chain(const struct loading *loading, const char *where, const json_t *list,
                             struct registry_chain *chain)
{
    enum error error = ERROR_NONE;

    if (!json_is_array(list) || json_array_size(list) < 1 ||
        json_array_size(list) > REGISTRY_CHAIN_MAX)
        return REFUSE(loading, "%s must list 1 to %d targets", where, REGISTRY_CHAIN_MAX);
    for (size_t i = 0; i < json_array_size(list) && !error; i++) {
        error = read_target(loading, where, json_array_get(list, i), &chain->targets[i]);
        if (!error && i)
            error = check_fallback(loading, where, &chain->targets[i]);
        chain->count++;
    }
    return error;
}

static enum error read_nodes(const struct loading *loading, const char *name, json_t *nodes,
                             struct registry_profile *profile)
{
    const char *key;
    json_t *list;

    json_object_foreach(nodes, key, list)
    {
        int node = 0;
        enum error error;

        while (node < MODEL_NODE__MAX && strcmp(model_node_names[node], key) != 0)
            node++;
        if (node == MODEL_NODE__MAX)
            return REFUSE(loading, "profile %s: there is no node %s", name, key);
        error = read_chain(loading, arena_print(loading->arena, "profile %s, %s", name, key), list,
                           &profile->nodes[node]);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

static enum error read_profile(const struct loading *loading, const char *name, json_t *json)
{
    struct registry_profile *profile =
        &loading->registry->profiles[loading->registry->profile_count++];
    const char *description = json_string_value(json_object_get(json, "description"));
    const char *where = arena_print(loading->arena, "profile %s", name);
    json_t *fallback = json_object_get(json, "fallback");
    enum error error;

    *profile =
        (struct registry_profile){.name = name, .description = description ? description : ""};
    error = read_target(loading, arena_print(loading->arena, "%s, fast", where),
                        json_object_get(json, "fast"), &profile->fast);
    if (!error)
        error = read_target(loading, arena_print(loading->arena, "%s, strong", where),
                            json_object_get(json, "strong"), &profile->strong);
    where = arena_print(loading->arena, "%s, fallback", where);
    if (!error && fallback && !json_is_null(fallback)) {
        error = read_target(loading, where, fallback, &profile->fallback);
        if (!error)
            error = check_fallback(loading, where, &profile->fallback);
    }
    return error ? error : read_nodes(loading, name, json_object_get(json, "nodes"), profile);
}

static enum error read_profiles(const struct loading *loading, const char *default_profile,
                                json_t *profiles)
{
    enum error error = ERROR_NONE;
    const char *name;
    json_t *profile;

    loading->registry->default_profile = default_profile ? default_profile : "embedded";
    loading->registry->profiles =
        ARENA_ARRAY(loading->arena, struct registry_profile, json_object_size(profiles) + 2);
    json_object_foreach(profiles, name, profile)
    {
        error = read_profile(loading, name, profile);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

static enum error read_document(const struct loading *loading, json_t *document)
{
    json_t *providers = json_object_get(document, "providers");
    enum error error = ERROR_NONE;

    if (!json_is_array(providers))
        return REFUSE(loading, "providers must be a list");
    for (size_t i = 0; i < json_array_size(providers) && !error; i++)
        error = read_provider(loading, i, json_array_get(providers, i));
    return error ? error
                 : read_profiles(loading,
                                 json_string_value(json_object_get(document, "default_profile")),
                                 json_object_get(document, "routing_profiles"));
}

/* The built-in providers that support offers. */
static enum error add_built_in(const struct loading *loading)
{
    const struct providers_file *file = providers_built_in(loading->arena);
    const struct provider_entry *entries = file->providers.items;
    enum error error = ERROR_NONE;

    for (size_t i = 0; i < file->providers.count && !error; i++)
        if (provider_serves(&entries[i], "support"))
            error = add_provider(loading, &entries[i]);
    return error ? error : read_profiles(loading, file->default_profile, file->routing_profiles);
}

/* Adds the built-in entries; an entry of the file with the same name replaces them. */
static enum error add_text(const struct loading *loading, const char *text)
{
    struct json_fault fault;
    json_t *json;

    if (json_read(loading->arena, text, strlen(text), JSON_DEPTH, &json, &fault))
        return REFUSE(loading, "%s", fault.text);
    return read_provider(loading, loading->registry->provider_count, json);
}

static struct model_entry chat_model(const struct support_settings *settings, const char *name,
                                     const json_t *prices)
{
    const json_t *own = json_object_get(prices, name);
    const json_t *input = json_object_get(own, "input"), *output = json_object_get(own, "output");

    return (struct model_entry){
        .name = name,
        .input_price_per_1m_tokens =
            GIVEN_NUMBER(json_is_number(input) ? json_number_value(input) : settings->input_price),
        .output_price_per_1m_tokens = GIVEN_NUMBER(
            json_is_number(output) ? json_number_value(output) : settings->output_price)};
}

/* The endpoint of LLM_CHAT_URL in the form of the file, whose rules then hold for it. */
static const char *chat_provider(const struct loading *loading, const json_t *prices)
{
    static const struct provider_capabilities capabilities = {.supports_streaming = true,
                                                              .supports_tool_use = true};
    const struct support_settings *settings = loading->settings;
    const char *fast = settings->chat_fast_model ? settings->chat_fast_model : settings->chat_model;
    bool paid = settings->input_price > 0 || settings->output_price > 0 || prices;
    bool has_two = strcmp(fast, settings->chat_model) != 0;
    const struct model_defaults defaults = {.fast = fast, .strong = settings->chat_model};
    struct model_entry models[] = {chat_model(settings, settings->chat_model, prices),
                                   chat_model(settings, fast, prices)};
    const struct provider_entry entry = {.id = "openai",
                                         .kind = paid ? PROVIDER_PAID : PROVIDER_LOCAL,
                                         .protocol = (int)settings->chat_protocol,
                                         .base_url = settings->chat_url,
                                         .api_key_env = settings->chat_api_key_env,
                                         .enabled = true,
                                         .timeout_seconds = settings->chat_timeout_sec,
                                         .default_models = &defaults,
                                         .capabilities = &capabilities,
                                         .models = {has_two ? 2 : 1, models}};

    return schema_json(loading->arena, CHAT_JSON_MAX, &provider_entry_schema, &entry);
}

static enum error add_chat(const struct loading *loading)
{
    const char *json = loading->settings->model_prices;
    struct loading named = *loading;
    struct json_fault fault;
    json_t *prices = NULL;
    enum error error;

    named.path = "LLM_MODEL_PRICES";
    if (json && (json_read(loading->arena, json, strlen(json), JSON_DEPTH, &prices, &fault) ||
                 !json_is_object(prices)))
        return REFUSE(&named, "must be a JSON object of models");
    named.path = "LLM_CHAT_URL";
    error = add_text(&named, chat_provider(loading, prices));
    return error;
}

static void add_profile(struct registry *registry, const char *name, const char *description,
                        const char *provider_id)
{
    const struct registry_provider *provider = registry_find(registry, provider_id);

    registry->profiles[registry->profile_count++] =
        (struct registry_profile){.name = name,
                                  .description = description,
                                  .fast = {provider, provider->fast},
                                  .strong = {provider, provider->strong}};
}

static const struct registry_profile *find_profile(const struct registry *registry,
                                                   const char *name)
{
    for (size_t i = 0; i < registry->profile_count; i++)
        if (strcmp(registry->profiles[i].name, name) == 0)
            return &registry->profiles[i];
    return NULL;
}

/* A paid provider without its key is not available. */
static enum error check_target(const struct loading *loading, const char *profile,
                               const struct registry_target *target)
{
    const struct registry_provider *provider = target->provider;

    if (!provider)
        return ERROR_NONE;
    if (!provider->enabled)
        return REFUSE(loading, "profile %s needs provider %s, which is not enabled", profile,
                      provider->id);
    if (provider->kind == PROVIDER_PAID && provider->api_key_env && !provider->token)
        return REFUSE(loading, "profile %s needs the key of provider %s in %s", profile,
                      provider->id, provider->api_key_env);
    return ERROR_NONE;
}

static enum error choose_profile(const struct loading *loading)
{
    struct registry *registry = loading->registry;
    const char *name = loading->settings->provider_profile ? loading->settings->provider_profile
                                                           : registry->default_profile;
    const struct registry_profile *profile = find_profile(registry, name);
    enum error error;

    if (!profile)
        return problem_set(loading->problem, ERROR_INVALID, "setting_invalid",
                           "LLM_PROVIDER_PROFILE: there is no profile %s", name);
    error = check_target(loading, name, &profile->fast);
    if (!error)
        error = check_target(loading, name, &profile->strong);
    if (!error)
        error = check_target(loading, name, &profile->fallback);
    for (int node = 0; node < MODEL_NODE__MAX && !error; node++)
        for (size_t i = 0; i < profile->nodes[node].count && !error; i++)
            error = check_target(loading, name, &profile->nodes[node].targets[i]);
    registry->active = profile;
    return error;
}

static enum error check_nodes(const struct support_settings *settings, struct problem *problem)
{
    for (size_t i = 0; i < settings->model_nodes.count; i++) {
        int node = 0;

        while (node < MODEL_NODE__MAX &&
               strcmp(model_node_names[node], settings->model_nodes.items[i]) != 0)
            node++;
        if (node == MODEL_NODE__MAX)
            return problem_set(problem, ERROR_INVALID, "setting_invalid",
                               "LLM_NODES: there is no node %s", settings->model_nodes.items[i]);
    }
    return ERROR_NONE;
}

enum error registry_load(const struct support_settings *settings, struct arena *arena,
                         struct registry **registry, struct problem *problem)
{
    static const char embedded[] =
        "{\"id\":\"embedded\",\"label\":\"Embedded\",\"kind\":\"embedded\",\"protocol\":"
        "\"embedded\",\"default_models\":{\"fast\":\"extractive-v1\",\"strong\":\"extractive-v1\"},"
        "\"models\":[{\"name\":\"extractive-v1\"}]}";
    const struct loading loading = {
        settings, arena, ARENA_NEW(arena, struct registry),
        settings->registry_path ? settings->registry_path : "built-in registry", problem};
    json_t *document = NULL;
    enum error error = check_nodes(settings, problem);

    if (!error && settings->registry_path)
        error = yaml_read_file(arena, settings->registry_path, &document, problem);
    if (!error)
        error = add_text(&loading, embedded);
    if (!error && settings->chat_url)
        error = add_chat(&loading);
    if (!error)
        error =
            settings->registry_path ? read_document(&loading, document) : add_built_in(&loading);
    if (error)
        return error;
    if (!find_profile(loading.registry, "embedded"))
        add_profile(loading.registry, "embedded", "No model", "embedded");
    if (settings->chat_url && !find_profile(loading.registry, "openai"))
        add_profile(loading.registry, "openai", "The endpoint of LLM_CHAT_URL", "openai");
    warn_of_clashes(loading.registry);
    rename_models(&loading);
    *registry = loading.registry;
    return choose_profile(&loading);
}

struct registry_chain registry_chain_of(const struct registry_profile *profile,
                                        enum model_node node, bool fast)
{
    struct registry_chain chain = profile->nodes[node];

    if (!chain.count) {
        chain.targets[chain.count++] = fast ? profile->fast : profile->strong;
        if (profile->fallback.provider)
            chain.targets[chain.count++] = profile->fallback;
    }
    return chain;
}

bool registry_profile_of(const struct registry *registry, const char *name,
                         struct registry_profile *profile)
{
    const struct registry_profile *found = find_profile(registry, name);

    for (size_t i = 0; i < registry->provider_count; i++) {
        const struct registry_provider *provider = &registry->providers[i];
        const struct registry_target target = {
            provider, provider->enabled ? find_model(provider, name) : NULL};

        if (target.model) {
            *profile = (struct registry_profile){
                .name = name, .description = "", .fast = target, .strong = target};
            return true;
        }
    }
    if (found)
        *profile = *found;
    return found != NULL;
}

bool registry_profile_asks(const struct registry_profile *profile,
                           const struct registry_provider *provider)
{
    bool asked = false;

    for (int node = 0; node < MODEL_NODE__MAX; node++)
        for (int fast = 0; fast < 2; fast++) {
            struct registry_chain chain =
                registry_chain_of(profile, (enum model_node)node, fast != 0);

            for (size_t i = 0; i < chain.count; i++)
                asked |= chain.targets[i].provider == provider;
        }
    return asked;
}
