/* Reads operators' models from a file. */
#include "orchestrator/models/catalog.h"

#include "base/json.h"
#include "base/schema.h"

#include <math.h>
#include <string.h>

const char *const routing_names[ROUTING__MAX + 1] = {"weight", "least_busy", NULL};

#define OWNER struct deployment
static const struct field deployment_fields[] = {
    STRING(OWNER, base_url, .required = true, .min_length = 1, .max_length = 500),
    STRING(OWNER, model, .nullable = true, .min_length = 1, .max_length = 200),
    STRING(OWNER, api_key_env, .nullable = true, .max_length = 100),
    STRING(OWNER, api_version, .nullable = true, .max_length = 60),
    INTEGER(OWNER, weight, .default_value = 1, .lower = AT_LEAST(1), .upper = AT_MOST(1000)),
    INTEGER(OWNER, priority, .default_value = 0, .lower = AT_LEAST(0), .upper = AT_MOST(999)),
};
#undef OWNER
static SCHEMA(deployment_schema, struct deployment, "Deployment", deployment_fields);

struct entry {
    OBJECT_LIST(struct deployment, deployments);
    int64_t max_retries;
    const char *id, *display_name, *provider, *model, *base_url, *api_key_env, *api_version;
    const char *fallback;
    int protocol, routing;
    struct string_list aliases;
    int64_t timeout_seconds, concurrency_limit;
    bool reasoning, fast, embeddings;
    struct optional_number usd_per_1000_input, usd_per_1000_output;
    struct optional_number usd_per_1000_cached_input, usd_per_1000_cache_write;
};

#define OWNER struct entry
static const struct field entry_fields[] = {
    STRING(OWNER, id, .required = true, .min_length = 1, .max_length = 120),
    STRING(OWNER, display_name, .nullable = true, .max_length = 200),
    STRING(OWNER, provider, .required = true, .min_length = 1, .max_length = 60),
    CHOICE(OWNER, protocol, llm_protocol_names, .required = true,
           .choice_count = LLM_PROTOCOL__MAX),
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200),
    STRING(OWNER, base_url, .required = true, .min_length = 1, .max_length = 500),
    OBJECTS(OWNER, deployments, deployment_schema, .max_length = DEPLOYMENTS_MAX),
    CHOICE(OWNER, routing, routing_names, .choice_count = ROUTING__MAX, .default_value = 0),
    INTEGER(OWNER, max_retries, .default_value = 0, .lower = AT_LEAST(0), .upper = AT_MOST(10)),
    STRING(OWNER, api_key_env, .nullable = true, .max_length = 100),
    STRING(OWNER, api_version, .nullable = true, .max_length = 60),
    STRING(OWNER, fallback, .nullable = true, .max_length = 120),
    STRINGS(OWNER, aliases, .max_length = 20),
    INTEGER(OWNER, timeout_seconds, .default_value = 60, .lower = AT_LEAST(1),
            .upper = AT_MOST(3600)),
    INTEGER(OWNER, concurrency_limit, .default_value = 256, .lower = AT_LEAST(1),
            .upper = AT_MOST(16384)),
    BOOLEAN(OWNER, reasoning, .default_value = 0),
    BOOLEAN(OWNER, fast, .default_value = 0),
    BOOLEAN(OWNER, embeddings, .default_value = 0),
    NULLABLE_NUMBER(OWNER, usd_per_1000_input, .lower = AT_LEAST(0), .upper = AT_MOST(1000)),
    NULLABLE_NUMBER(OWNER, usd_per_1000_output, .lower = AT_LEAST(0), .upper = AT_MOST(1000)),
    NULLABLE_NUMBER(OWNER, usd_per_1000_cached_input, .lower = AT_LEAST(0), .upper = AT_MOST(1000)),
    NULLABLE_NUMBER(OWNER, usd_per_1000_cache_write, .lower = AT_LEAST(0), .upper = AT_MOST(1000)),
};
#undef OWNER
static SCHEMA(entry_schema, struct entry, "CatalogModel", entry_fields);

static int64_t per_token(struct optional_number usd_per_1000)
{
    return (int64_t)llround(usd_per_1000.value / 1000 * NANO_PER_DOLLAR);
}

/* Without cache prices, cached tokens cost the same as the prompt; in Anthropic's protocol cache
 * writes cost 1.25 times as much, and 2 times for an hour. */
static void set_prices(struct model *model, const struct entry *entry)
{
    int64_t input = per_token(entry->usd_per_1000_input);
    bool is_anthropic = model->protocol == LLM_ANTHROPIC;

    model->priced = entry->usd_per_1000_input.given && entry->usd_per_1000_output.given;
    if (!model->priced)
        return;
    model->input_price = input;
    model->output_price = per_token(entry->usd_per_1000_output);
    model->cached_price = entry->usd_per_1000_cached_input.given
                              ? per_token(entry->usd_per_1000_cached_input)
                              : input;
    model->cache_write_price = entry->usd_per_1000_cache_write.given
                                   ? per_token(entry->usd_per_1000_cache_write)
                               : is_anthropic ? input + input / 4
                                              : input;
    model->cache_write_hour_price = is_anthropic && !entry->usd_per_1000_cache_write.given
                                        ? 2 * input
                                        : model->cache_write_price;
}

/* The keys of the deployments. The model can be called when one of them can. */
static void set_deployments(struct model *model, const struct entry *entry)
{
    struct deployment *deployments = entry->deployments.items;
    struct model place;

    model->deployments = deployments;
    model->deployment_count = entry->deployments.count;
    model->routing = (enum routing)entry->routing;
    for (size_t i = 0; i < model->deployment_count; i++) {
        const char *key =
            deployments[i].api_key_env ? deployments[i].api_key_env : entry->api_key_env;

        place = (struct model){0};
        catalog_set_access(&place, deployments[i].base_url, key);
        deployments[i].token = place.token;
        deployments[i].missing_key = place.missing_key;
        if (!place.missing_key)
            model->missing_key = NULL;
    }
}

static struct model model_of(struct arena *arena, const struct entry *entry)
{
    struct model model = {.id = entry->id,
                          .display_name = entry->display_name ? entry->display_name : entry->id,
                          .backend = BACKEND_API,
                          .provider = entry->provider,
                          .provider_model_id = entry->model,
                          .timeout_seconds = entry->timeout_seconds,
                          .fast = entry->fast,
                          .concurrency_limit = entry->concurrency_limit,
                          .reasoning_capable = entry->reasoning,
                          .fallback_model_id = entry->fallback,
                          .protocol = (enum llm_protocol)entry->protocol,
                          .embeds = entry->embeddings,
                          .max_retries = entry->max_retries,
                          .api_version = entry->api_version};

    catalog_set_access(&model, entry->base_url, entry->api_key_env);
    set_deployments(&model, entry);

    model.aliases.items = ARENA_ARRAY(arena, const char *, entry->aliases.count + 1);
    model.aliases.items[model.aliases.count++] = entry->id;
    for (size_t i = 0; i < entry->aliases.count; i++)
        model.aliases.items[model.aliases.count++] = entry->aliases.items[i];
    set_prices(&model, entry);
    return model;
}

static enum error add_entry(struct arena *arena, const char *path, size_t position, json_t *json,
                            struct catalog *catalog, struct problem *problem)
{
    struct entry *entry = ARENA_NEW(arena, struct entry);
    struct schema_errors errors = {.arena = arena};

    if (catalog->count == CATALOG_MODELS_MAX)
        return problem_set(problem, ERROR_TOO_LARGE, "models_file", "%s: more than %d models", path,
                           CATALOG_MODELS_MAX);
    if (schema_decode(&entry_schema, json, "model", entry, &errors, arena)) {
        const struct schema_path *at = errors.items[0].path;

        return problem_set(problem, ERROR_INVALID, "models_file", "%s: model %zu: %s is wrong",
                           path, position, at && at->key ? at->key : "an item");
    }
    if (catalog_find(catalog, entry->id))
        return problem_set(problem, ERROR_INVALID, "models_file",
                           "%s: model %zu: %s exists already", path, position, entry->id);
    catalog->models[catalog->count++] = model_of(arena, entry);
    return ERROR_NONE;
}

enum error catalog_add_file(struct arena *arena, const char *path, struct catalog *catalog,
                            struct problem *problem)
{
    json_t *document;
    enum error error = json_read_file(arena, path, &document, problem);

    if (!error && !json_is_array(document))
        error = problem_set(problem, ERROR_INVALID, "models_file", "%s: not a list", path);
    for (size_t i = 0; !error && i < json_array_size(document); i++)
        error = add_entry(arena, path, i, json_array_get(document, i), catalog, problem);
    return error;
}

enum error catalog_add_text(struct arena *arena, const char *json, struct catalog *catalog,
                            struct problem *problem)
{
    struct json_fault fault;
    json_t *document;
    enum error error;

    if (json_read(arena, json, strlen(json), JSON_DEPTH_LIMIT, &document, &fault))
        return problem_set(problem, ERROR_INVALID, "models_file", "an added model is no JSON");
    error = add_entry(arena, "added", 0, document, catalog, problem);
    if (!error)
        catalog->models[catalog->count - 1].was_added = true;
    return error;
}
