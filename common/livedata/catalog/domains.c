/* Domains: folders of configuration files, and what all of them together must not say twice. */
#include "livedata/catalog/own.h"

#include "base/list.h"
#include "base/yaml.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAINS_MAX = 16, NAME_LONGEST = 24 };

static enum error refuse(const char *path, const char *what, struct problem *problem)
{
    return problem_set(problem, ERROR_INVALID, "config_invalid", "%s: %s", path, what);
}

static enum error refuse_name(struct arena *arena, const char *path, struct problem *problem)
{
    return refuse(path,
                  arena_print(arena,
                              "`name` of domain.yaml, or else that of the folder, is a lower-case "
                              "letter, then letters, digits and _, at most %d, and no word of SQL",
                              NAME_LONGEST),
                  problem);
}

/* By `domain.yaml` in the folder, else that of the folder, which may be any as long as no table is
 * called by it. */
static enum error name_domain(struct arena *arena, struct domain *domain, struct problem *problem)
{
    const char *path = arena_print(arena, "%s/domain.yaml", domain->folder);
    json_t *json;
    enum error error = yaml_read_file(arena, path, &json, problem);

    if (error == ERROR_NOT_FOUND)
        domain->name = basename(arena_copy_string(arena, domain->folder));
    else if (!error)
        domain->name = catalog_text(json, "name", arena);
    if (error == ERROR_NOT_FOUND)
        return ERROR_NONE;
    return error || (domain->name && own_name_is_good(domain->name, NAME_LONGEST))
               ? error
               : refuse_name(arena, path, problem);
}

enum error catalog_load_domains(struct arena *arena, const struct livedata_settings *settings,
                                struct catalog *catalog, struct problem *problem)
{
    const struct string_list *folders = &settings->config_folders;
    enum error error = ERROR_NONE;

    if (folders->count > DOMAINS_MAX)
        return refuse("LIVE_CONFIG_DIR",
                      arena_print(arena, "names more than %d folders", DOMAINS_MAX), problem);
    catalog->domains = ARENA_ARRAY(arena, struct domain, folders->count);
    for (size_t i = 0; !error && i < folders->count; i++) {
        struct domain *domain = &catalog->domains[catalog->domain_count++];

        domain->folder = folders->items[i];
        error = name_domain(arena, domain, problem);
        for (size_t j = 0; !error && j < i; j++)
            if (strcmp(catalog->domains[j].name, domain->name) == 0)
                error = refuse(domain->folder,
                               arena_print(arena, "the domain %s is also in %s", domain->name,
                                           catalog->domains[j].folder),
                               problem);
    }
    return error;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct entity_type *)left)->name,
                  ((const struct entity_type *)right)->name);
}

bool catalog_has_shop_entity(const struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->entity_count; i++)
        if (!catalog->entities[i].table->own)
            return true;
    return false;
}

/* The shop's tables are in every database; without its files they are nobody's. */
static enum error list_tables(struct arena *arena, struct catalog *catalog, struct problem *problem)
{
    size_t own = 0;

    catalog->tables = ARENA_ARRAY(arena, const struct serving_table *,
                                  serving_table_count + catalog->entity_count);
    for (size_t i = 0; i < serving_table_count; i++)
        if (catalog->shop || !serving_tables[i].entity)
            catalog->tables[catalog->table_count++] = &serving_tables[i];
    for (size_t i = 0; i < catalog->entity_count; i++) {
        const struct serving_table *table = catalog->entities[i].table;

        if (!table->own)
            continue;
        if (!own_name_is_good(table->own->domain, NAME_LONGEST))
            return refuse_name(arena, catalog->entities[i].domain->folder, problem);
        if (catalog_table(catalog, table->name))
            return refuse(catalog->entities[i].domain->folder,
                          arena_print(arena,
                                      "the table of %s would be %s, which another entity has: "
                                      "give the entity or the domain another name",
                                      catalog->entities[i].name, table->name),
                          problem);
        if (++own > OWN_ENTITIES_MAX)
            return refuse(catalog->entities[i].domain->folder,
                          arena_print(arena, "more than %d entities", OWN_ENTITIES_MAX), problem);
        catalog->tables[catalog->table_count++] = table;
    }
    return ERROR_NONE;
}

/* Relations of a domain must be right; the shop's also name lists of other tables. */
static enum error find_relations(struct arena *arena, const struct catalog *catalog,
                                 struct entity_type *type, struct problem *problem)
{
    const char *name;
    json_t *value;

    json_object_foreach(type->relationships, name, value)
    {
        const struct entity_type *to = catalog_entity(catalog, name);
        const char *key = json_string_value(value);
        const struct table_column *column = key ? serving_column_find(type->table, key) : NULL;

        if (to && column && column->type == COLUMN_TEXT)
            *ARRAY_ADD(arena, type->relations, type->relation_count) =
                (struct entity_relation){to, column};
        else if (type->table->own)
            return refuse(
                arena_print(arena, "%s/entities/%s.yaml", type->domain->folder, type->name),
                arena_print(arena,
                            "relations.%.60s: is the name of an entity, and its value a "
                            "text column of this one with the other's key",
                            name),
                problem);
    }
    return ERROR_NONE;
}

const char *const catalog_shop_events[] = {"order.created",
                                           "order.updated",
                                           "order.cancelled",
                                           "payment.initiated",
                                           "payment.completed",
                                           "payment.failed",
                                           "click",
                                           "page_view",
                                           "add_to_cart",
                                           "product.updated",
                                           NULL};

bool catalog_is_shop_event(const char *event_type)
{
    for (size_t i = 0; catalog_shop_events[i]; i++)
        if (strcmp(catalog_shop_events[i], event_type) == 0)
            return true;
    return false;
}

static const char *without_schema(const char *table)
{
    const char *dot = strrchr(table, '.');

    return dot ? dot + 1 : table;
}

/* Changes of a table in the source go to one entity. "machines" is that of any schema. */
static enum error check_source(struct arena *arena, const struct catalog *catalog,
                               const struct entity_type *type, struct problem *problem)
{
    const char *table = type->table->own ? type->table->own->source_table : NULL;

    for (const struct entity_type *other = catalog->entities; table && other < type; other++) {
        const char *taken = other->table->own ? other->table->own->source_table : NULL;
        bool whole = taken && strchr(taken, '.') && strchr(table, '.');

        if (taken && strcmp(whole ? taken : without_schema(taken),
                            whole ? table : without_schema(table)) == 0)
            return refuse(
                arena_print(arena, "%s/entities/%s.yaml", type->domain->folder, type->name),
                arena_print(arena, "changes.table: %s is taken by %s", table, other->name),
                problem);
    }
    return ERROR_NONE;
}

/* An event type changes one entity. */
static enum error check_events(struct arena *arena, const struct catalog *catalog,
                               const struct entity_type *type, struct problem *problem)
{
    const struct own_entity *own = type->table->own;

    for (size_t i = 0; own && i < own->event_count; i++) {
        const char *name = own->events[i].event_type;
        const struct entity_type *other = NULL;

        if (catalog_own_event(catalog, name, &other) == &own->events[i] &&
            !catalog_is_shop_event(name))
            continue;
        return refuse(arena_print(arena, "%s/entities/%s.yaml", type->domain->folder, type->name),
                      arena_print(arena, "events.%s: the event type is taken by %s", name,
                                  other && !catalog_is_shop_event(name) ? other->name : "the shop"),
                      problem);
    }
    return ERROR_NONE;
}

enum error catalog_join(struct arena *arena, struct catalog *catalog, struct problem *problem)
{
    enum error error;

    qsort(catalog->entities, catalog->entity_count, sizeof catalog->entities[0], by_name);
    catalog->shop = catalog_has_shop_entity(catalog);
    error = list_tables(arena, catalog, problem);
    for (size_t i = 0; !error && i < catalog->entity_count; i++)
        error = find_relations(arena, catalog, &catalog->entities[i], problem);
    for (size_t i = 0; !error && i < catalog->entity_count; i++)
        error = check_events(arena, catalog, &catalog->entities[i], problem);
    for (size_t i = 0; !error && i < catalog->entity_count; i++)
        error = check_source(arena, catalog, &catalog->entities[i], problem);
    return error;
}

const struct serving_table *catalog_table(const struct catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->table_count; i++)
        if (strcmp(catalog->tables[i]->name, name) == 0)
            return catalog->tables[i];
    return NULL;
}

const struct entity_type *catalog_entity_of_table(const struct catalog *catalog,
                                                  const struct serving_table *table)
{
    for (size_t i = 0; i < catalog->entity_count; i++)
        if (catalog->entities[i].table == table)
            return &catalog->entities[i];
    return NULL;
}

bool catalog_has_event(const struct catalog *catalog, const char *event_type)
{
    const struct entity_type *type;

    return (catalog->shop && catalog_is_shop_event(event_type)) ||
           catalog_own_event(catalog, event_type, &type);
}

const struct event_mapping *catalog_own_event(const struct catalog *catalog, const char *event_type,
                                              const struct entity_type **type)
{
    for (size_t i = 0; i < catalog->entity_count; i++) {
        const struct own_entity *own = catalog->entities[i].table->own;

        for (size_t j = 0; own && j < own->event_count; j++)
            if (strcmp(own->events[j].event_type, event_type) == 0) {
                *type = &catalog->entities[i];
                return &own->events[j];
            }
    }
    return NULL;
}
