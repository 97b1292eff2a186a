/* The registry of models as administrators see it. Keys are never shown, only whether they are set.
 */
#include "support-admin/providers.h"
#include "support/models/breakers.h"
#include "support/models/spend_store.h"
#include "support/service.h"
#include "support/tools.h"

#include <math.h>

enum { PROFILES_MAX = 1 << 20 };

#define OWNER struct model_defaults
static const struct field defaults_fields[] = {STRING(OWNER, fast), STRING(OWNER, strong)};
#undef OWNER
static SCHEMA(defaults_schema, struct model_defaults, "ProviderDefaults", defaults_fields);

#define OWNER struct provider_capabilities
static const struct field capability_fields[] = {
    BOOLEAN(OWNER, supports_tool_use),  BOOLEAN(OWNER, supports_structured_output),
    BOOLEAN(OWNER, supports_streaming), BOOLEAN(OWNER, supports_batch),
    BOOLEAN(OWNER, supports_vision),
};
#undef OWNER
static SCHEMA(capabilities_schema, struct provider_capabilities, "ProviderCapabilities",
              capability_fields);

#define OWNER struct provider_limits
static const struct field limit_fields[] = {INTEGER(OWNER, requests_per_minute),
                                            INTEGER(OWNER, tokens_per_minute)};
#undef OWNER
static SCHEMA(limits_schema, struct provider_limits, "ProviderLimits", limit_fields);

struct model_view {
    const char *name;
    struct string_list aliases;
    double input_price_per_1m_tokens, output_price_per_1m_tokens;
};

#define OWNER struct model_view
static const struct field model_fields[] = {
    STRING(OWNER, name),
    STRINGS(OWNER, aliases),
    NUMBER(OWNER, input_price_per_1m_tokens),
    NUMBER(OWNER, output_price_per_1m_tokens),
};
#undef OWNER
static SCHEMA(model_schema, struct model_view, "ProviderModel", model_fields);

struct usage_view {
    int64_t requests, tokens;
    double requests_pct, tokens_pct;
};

#define OWNER struct usage_view
static const struct field usage_fields[] = {
    INTEGER(OWNER, requests),
    INTEGER(OWNER, tokens),
    NUMBER(OWNER, requests_pct, ROUNDED(2)),
    NUMBER(OWNER, tokens_pct, ROUNDED(2)),
};
#undef OWNER
static SCHEMA(usage_schema, struct usage_view, "ProviderUsage", usage_fields);

struct provider_view {
    const char *id, *label, *kind, *protocol, *base_url, *api_key_env, *breaker, *last_success_at;
    bool enabled, configured, active;
    const struct model_defaults *default_models;
    const struct provider_capabilities *capabilities;
    const struct provider_limits *rate_limits;
    OBJECT_LIST(struct model_view, models);
    const struct usage_view *usage_1m;
    double cost_24h_usd;
};

#define OWNER struct provider_view
static const struct field provider_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, label),
    STRING(OWNER, kind, .help = "local, paid or embedded."),
    STRING(OWNER, protocol),
    STRING(OWNER, base_url, .nullable = true),
    BOOLEAN(OWNER, enabled),
    BOOLEAN(OWNER, configured, .help = "Not paid, or its key is set."),
    BOOLEAN(OWNER, active, .help = "The active profile asks it."),
    STRING(OWNER, api_key_env, .nullable = true),
    OBJECT(OWNER, default_models, defaults_schema),
    OBJECT(OWNER, capabilities, capabilities_schema),
    OBJECT(OWNER, rate_limits, limits_schema),
    OBJECTS(OWNER, models, model_schema),
    OBJECT(OWNER, usage_1m, usage_schema),
    NUMBER(OWNER, cost_24h_usd, ROUNDED(6)),
    STRING(OWNER, last_success_at, .nullable = true),
    STRING(OWNER, breaker, .help = "closed, half_open or open."),
};
#undef OWNER
static SCHEMA(provider_schema, struct provider_view, "Provider", provider_fields);

struct providers_reply {
    const char *default_profile, *active_profile;
    json_t *profiles;
    struct string_list nodes;
    OBJECT_LIST(struct provider_view, providers);
};

#define OWNER struct providers_reply
static const struct field providers_fields[] = {
    STRING(OWNER, default_profile),
    STRING(OWNER, active_profile),
    JSON_VALUE(OWNER, profiles,
               .help = "By name: description, and whom `fast`, `strong` and "
                       "`fallback` are."),
    STRINGS(OWNER, nodes, .help = "Nodes of the answer graph that the active profile serves."),
    OBJECTS(OWNER, providers, provider_schema),
};
#undef OWNER
SCHEMA(providers_schema, struct providers_reply, "Providers", providers_fields);

struct target_entry {
    const char *provider, *model;
};

#define OWNER struct target_entry
static const struct field target_fields[] = {STRING(OWNER, provider), STRING(OWNER, model)};
#undef OWNER
static SCHEMA(target_schema, struct target_entry, "ProfileTarget", target_fields);

struct profile_entry {
    const char *description;
    const struct target_entry *fast, *strong, *fallback;
};

#define OWNER struct profile_entry
static const struct field profile_fields[] = {
    STRING(OWNER, description), OBJECT(OWNER, fast, target_schema, .nullable = true),
    OBJECT(OWNER, strong, target_schema, .nullable = true),
    OBJECT(OWNER, fallback, target_schema, .nullable = true)};
#undef OWNER
static SCHEMA(profile_schema, struct profile_entry, "Profile", profile_fields);

static const struct target_entry *target_of(struct arena *arena,
                                            const struct registry_target *target)
{
    struct target_entry *entry;

    if (!target->provider)
        return NULL;
    entry = ARENA_NEW(arena, struct target_entry);
    *entry = (struct target_entry){.provider = target->provider->id, .model = target->model->name};
    return entry;
}

static json_t *list_profiles(const struct request *request, const struct registry *registry)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, request->arena, PROFILES_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < registry->profile_count; i++) {
        const struct registry_profile *profile = &registry->profiles[i];

        writer_key(&writer, profile->name);
        schema_write(
            &writer, &profile_schema,
            &(struct profile_entry){.description = profile->description,
                                    .fast = target_of(request->arena, &profile->fast),
                                    .strong = target_of(request->arena, &profile->strong),
                                    .fallback = target_of(request->arena, &profile->fallback)});
    }
    writer_close_object(&writer);
    return service_json(request, text.bytes);
}

static double percent(int64_t used, int64_t limit)
{
    return limit ? round((double)used * 10000 / (double)limit) / 100 : 0;
}

static struct object_list list_models(struct arena *arena, const struct registry_provider *provider)
{
    struct model_view *models = ARENA_ARRAY(arena, struct model_view, provider->model_count + 1);

    for (size_t i = 0; i < provider->model_count; i++)
        models[i] =
            (struct model_view){.name = provider->models[i].name,
                                .aliases = provider->models[i].aliases,
                                .input_price_per_1m_tokens = provider->models[i].input_price,
                                .output_price_per_1m_tokens = provider->models[i].output_price};
    return (struct object_list){provider->model_count, models};
}

static enum error describe(struct request *request, struct db *db,
                           const struct registry_profile *active,
                           const struct registry_provider *from, struct provider_view *view)
{
    struct arena *arena = request->arena;
    struct model_defaults *defaults = ARENA_NEW(arena, struct model_defaults);
    struct usage_view *usage = ARENA_NEW(arena, struct usage_view);
    struct provider_use use;
    enum error error =
        spend_of_provider(db, arena, request->who.tenant ? request->who.tenant : "default",
                          from->id, &use, &request->problem);

    *defaults = (struct model_defaults){.fast = from->fast->name, .strong = from->strong->name};
    *usage =
        (struct usage_view){.requests = use.requests,
                            .tokens = use.tokens,
                            .requests_pct = percent(use.requests, from->limits.requests_per_minute),
                            .tokens_pct = percent(use.tokens, from->limits.tokens_per_minute)};
    *view = (struct provider_view){
        .id = from->id,
        .label = from->label,
        .kind = provider_kind_names[from->kind],
        .protocol = from->protocol_name,
        .base_url = from->base_url,
        .api_key_env = from->api_key_env,
        .breaker = breaker_state_name(
            breaker_read_state(request->server->region, models_breaker_name(arena, from->id))),
        .last_success_at = use.last_used_at,
        .enabled = from->enabled,
        .configured = from->kind != PROVIDER_PAID || !from->api_key_env || from->token,
        .active = registry_profile_asks(active, from),
        .default_models = defaults,
        .capabilities = &from->capabilities,
        .rate_limits = &from->limits,
        .models = list_models(arena, from),
        .usage_1m = usage,
        .cost_24h_usd = use.cost};
    return error;
}

/* The nodes that LLM_NODES enables, and for which the profile has a target. */
static struct string_list list_nodes(const struct request *request, struct models *models)
{
    const struct models_run run = {.models = models};
    struct string_list nodes = {.items =
                                    ARENA_ARRAY(request->arena, const char *, MODEL_NODE__MAX)};

    for (int node = 0; node < MODEL_NODE__MAX; node++)
        if (models_serve(&run, (enum model_node)node))
            nodes.items[nodes.count++] = model_node_names[node];
    return nodes;
}

static enum error find_registry(struct request *request, const struct registry **registry)
{
    struct models *models = service_models(request);

    if (models)
        models_refresh(models);
    *registry = models ? models_registry(models) : NULL;
    return *registry ? ERROR_NONE
                     : problem_set(&request->problem, ERROR_UNAVAILABLE, "registry_invalid",
                                   "The registry of providers is invalid; the log says why");
}

enum error providers_handle(struct request *request, struct reply *reply)
{
    struct providers_reply *object = ARENA_NEW(request->arena, struct providers_reply);
    struct models *models = service_models(request);
    const struct registry *registry;
    struct provider_view *views;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = find_registry(request, &registry);
    if (error)
        return error;
    views = ARENA_ARRAY(request->arena, struct provider_view, registry->provider_count + 1);
    for (size_t i = 0; !error && i < registry->provider_count; i++)
        error = describe(request, db, registry->active, &registry->providers[i], &views[i]);
    *object = (struct providers_reply){.default_profile = registry->default_profile,
                                       .active_profile = registry->active->name,
                                       .profiles = list_profiles(request, registry),
                                       .nodes = list_nodes(request, models),
                                       .providers = {registry->provider_count, views}};
    reply->object = object;
    return error;
}

struct reset_query {
    const char *breaker;
};

#define OWNER struct reset_query
static const struct field reset_query_fields[] = {
    STRING(OWNER, breaker, .nullable = true, .max_length = 100,
           .help = "The provider's id; `ollama` where it is not given.")};
#undef OWNER
SCHEMA(breaker_reset_query_schema, struct reset_query, "BreakerResetQuery", reset_query_fields);

struct reset_reply {
    const char *status, *breaker, *detail;
    const struct provider_breaker *previous, *current;
};

#define OWNER struct reset_reply
static const struct field reset_fields[] = {
    STRING(OWNER, status, .help = "reset; disabled where CIRCUIT_BREAKER_ENABLED is false."),
    STRING(OWNER, breaker),
    STRING(OWNER, detail, .nullable = true),
    OBJECT(OWNER, previous, provider_breaker_schema, .nullable = true),
    OBJECT(OWNER, current, provider_breaker_schema, .nullable = true),
};
#undef OWNER
SCHEMA(breaker_reset_schema, struct reset_reply, "BreakerReset", reset_fields);

enum error breaker_reset_handle(struct request *request, struct reply *reply)
{
    const struct reset_query *query = request->query;
    const char *id = query->breaker ? query->breaker : "ollama";
    struct reset_reply *object = ARENA_NEW(request->arena, struct reset_reply);
    struct provider_breaker *breakers = ARENA_ARRAY(request->arena, struct provider_breaker, 2);
    struct shm_region *region = request->server->region;
    const struct registry_provider *provider;
    const struct registry *registry;

    *object = (struct reset_reply){.breaker = id};
    reply->object = object;
    if (!service_settings(request)->breaker) {
        object->status = "disabled";
        object->detail = "circuit breaker is disabled";
        reply->status = 409;
        return ERROR_NONE;
    }
    if (find_registry(request, &registry))
        return ERROR_UNAVAILABLE;
    provider = registry_find(registry, id);
    if (!provider || provider->kind == PROVIDER_EMBEDDED)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "not_found",
                           "breaker: no provider of models has the id '%s'", id);
    provider_breaker_read(region, request->arena, registry, provider, &breakers[0]);
    provider_breaker_reset(region, request->arena, id);
    provider_breaker_read(region, request->arena, registry, provider, &breakers[1]);
    service_audit(request, "circuit_breaker_reset", arena_print(request->arena, "breaker:%s", id),
                  arena_print(request->arena, "{\"previous\":\"%s\"}", breakers[0].state));
    object->status = "reset";
    object->previous = &breakers[0];
    object->current = &breakers[1];
    return ERROR_NONE;
}
