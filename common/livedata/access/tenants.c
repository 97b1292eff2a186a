/* Reading the tenants file. */
#include "livedata/access/tenants.h"

#include "base/yaml.h"
#include "livedata/catalog/catalog.h"
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
        .time_zone = catalog_text(json, "time_zone", arena)};
    if (json_is_array(types)) {
        struct string_list *list = ARENA_NEW(arena, struct string_list);

        *list = json_strings(arena, types);
        tenant->types = list;
    }
    return tenant->id && tenant_is_name(tenant->id);
}

enum error tenants_load(struct arena *arena, const char *path, struct tenants *tenants,
                        struct problem *problem)
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
        if (!read_tenant(arena, item, &tenants->items[tenants->count++]))
            return problem_set(problem, ERROR_INVALID, "config_invalid",
                               "%s: a tenant needs an id of letters, digits and ._-", path);
        if (tenants->items[tenants->count - 1].time_zone &&
            !zone_is_known(tenants->items[tenants->count - 1].time_zone))
            return problem_set(problem, ERROR_INVALID, "config_invalid",
                               "%s: time_zone of %s is no time zone, as Europe/Berlin is", path,
                               tenants->items[tenants->count - 1].id);
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
