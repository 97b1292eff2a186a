/* Reading the tenants file. */
#include "livedata/access/tenants.h"

#include "base/yaml.h"
#include "livedata/timestamp.h"

#include <ctype.h>
#include <string.h>

bool tenant_is_name(const char *text)
{
    size_t length = strlen(text);

    return length >= 1 && length <= 64 && isalnum((unsigned char)*text) &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-") ==
               length;
}

static bool read_tenant(struct arena *arena, const json_t *json, struct tenant *tenant)
{
    const json_t *types = json_object_get(json, "allowed_entity_types");

    *tenant = (struct tenant){
        .id = catalog_text(json, "id", arena),
        .display_name = catalog_text(json, "display_name", arena),
        .events_per_day = json_integer_value(json_object_get(json, "max_events_per_day")),
        .keys_most = json_integer_value(json_object_get(json, "max_api_keys")),
        .version_pin = catalog_text(json, "api_version_pin", arena),
        .topic_prefix = catalog_text(json, "kafka_topic_prefix", arena),
        .time_zone = catalog_text(json, "time_zone", arena)};
    if (json_is_array(types)) {
        struct string_list *list = ARENA_NEW(arena, struct string_list);

        *list = json_strings(arena, types);
        tenant->types = list;
    }
    return tenant->id && tenant_is_name(tenant->id);
}

static bool same(const struct string_list *a, const struct string_list *b)
{
    bool equal = a->count == b->count;

    for (size_t i = 0; equal && i < a->count; i++)
        equal = strcmp(a->items[i], b->items[i]) == 0;
    return equal;
}

/* Tenants with the same list share a view. */
static const struct catalog *view_of(struct arena *arena, const struct catalog *catalog,
                                     const struct tenants *tenants, const struct tenant *tenant)
{
    for (const struct tenant *other = tenants->items; other < tenant; other++)
        if (other->catalog->whole && same(&other->domains, &tenant->domains))
            return other->catalog;
    return catalog_view(arena, catalog, &tenant->domains);
}

/* Without the member, a tenant sees all domains. */
static enum error read_domains(struct arena *arena, const char *path, const json_t *json,
                               const struct catalog *catalog, const struct tenants *tenants,
                               struct tenant *tenant, struct problem *problem)
{
    const json_t *listed = json_object_get(json, "domains"), *item;
    size_t i;

    tenant->catalog = catalog;
    if (!listed)
        return ERROR_NONE;
    if (!json_is_array(listed))
        return problem_set(problem, ERROR_INVALID, "config_invalid",
                           "%s: domains of %s is a list of names", path, tenant->id);
    json_array_foreach(listed, i, item)
    {
        const char *name = json_string_value(item);

        if (!name || !catalog_domain(catalog, name))
            return problem_set(problem, ERROR_INVALID, "config_invalid",
                               "%s: domains of %s: there is no domain '%.100s' in LIVE_CONFIG_DIR",
                               path, tenant->id, name ? name : "");
    }
    tenant->domains = json_strings(arena, listed);
    tenant->catalog = view_of(arena, catalog, tenants, tenant);
    return ERROR_NONE;
}

/* Whose events a topic holds must be clear. */
static enum error check_prefix(const char *path, const struct tenants *tenants,
                               const struct tenant *tenant, struct problem *problem)
{
    if (!tenant->topic_prefix)
        return ERROR_NONE;
    if (!*tenant->topic_prefix)
        return problem_set(problem, ERROR_INVALID, "config_invalid",
                           "%s: kafka_topic_prefix of %s is empty", path, tenant->id);
    for (const struct tenant *other = tenants->items; other < tenant; other++)
        if (other->topic_prefix && strcmp(other->topic_prefix, tenant->topic_prefix) == 0)
            return problem_set(problem, ERROR_INVALID, "config_invalid",
                               "%s: %s and %s have the same kafka_topic_prefix '%.100s'", path,
                               other->id, tenant->id, tenant->topic_prefix);
    return ERROR_NONE;
}

enum error tenants_load(struct arena *arena, const char *path, const struct catalog *catalog,
                        struct tenants *tenants, struct problem *problem)
{
    const json_t *list, *item;
    json_t *json;
    size_t i;
    enum error error;

    *tenants = (struct tenants){0};
    if (!path)
        return ERROR_NONE;
    error = yaml_read_file(arena, path, &json, problem);
    if (error)
        return error;
    tenants->declared = true;
    list = json_object_get(json, "tenants");
    tenants->items = ARENA_ARRAY(arena, struct tenant, json_array_size(list));
    json_array_foreach(list, i, item)
    {
        struct tenant *tenant = &tenants->items[tenants->count++];

        if (!read_tenant(arena, item, tenant))
            return problem_set(problem, ERROR_INVALID, "config_invalid",
                               "%s: a tenant needs an id of letters, digits and ._-", path);
        if (tenant->time_zone && !zone_is_known(tenant->time_zone))
            return problem_set(problem, ERROR_INVALID, "config_invalid",
                               "%s: time_zone of %s is no time zone, as Europe/Berlin is", path,
                               tenant->id);
        error = check_prefix(path, tenants, tenant, problem);
        if (!error)
            error = read_domains(arena, path, item, catalog, tenants, tenant, problem);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

const struct tenant *tenant_find(const struct tenants *tenants, const char *id)
{
    for (size_t i = 0; i < tenants->count; i++)
        if (strcmp(tenants->items[i].id, id) == 0)
            return &tenants->items[i];
    return NULL;
}

const struct catalog *tenant_catalog(const struct tenants *tenants, const char *id,
                                     const struct catalog *catalog)
{
    const struct tenant *known = tenant_find(tenants, id);

    return known ? known->catalog : catalog;
}
