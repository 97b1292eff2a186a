/* Reading the files of entity types, and the lists of names that answers quote. */
#include "livedata/catalog/catalog.h"

#include "base/list.h"
#include "base/number.h"
#include "base/string_list.h"
#include "base/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 500 };

static bool is_config_file(const char *name)
{
    const char *ending = strrchr(name, '.');

    return *name != '.' && ending &&
           (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".yml") == 0 ||
            strcmp(ending, ".json") == 0);
}

enum error catalog_list_files(struct arena *arena, const char *directory, struct string_list *names,
                              struct problem *problem)
{
    struct arena_guard *guard = arena_guard(arena, arena_close_directory);
    DIR *listing = guard->thing = opendir(directory);
    struct dirent *entry;

    if (!listing)
        return problem_set(problem, errno == ENOMEM ? ERROR_SYSTEM : ERROR_NOT_FOUND,
                           "config_unreadable", "%s: %s", directory, strerror(errno));
    *names = (struct string_list){.items = ARENA_ARRAY(arena, const char *, FILES_MAX)};
    while (names->count < FILES_MAX && (entry = readdir(listing)) != NULL)
        if (is_config_file(entry->d_name))
            names->items[names->count++] = arena_copy_string(arena, entry->d_name);
    arena_guard_end(guard);
    qsort(names->items, names->count, sizeof names->items[0], string_list_order);
    if (!names->count)
        return problem_set(problem, ERROR_NOT_FOUND, "config_unreadable", "%s: no files",
                           directory);
    return ERROR_NONE;
}

const char *catalog_text(const json_t *object, const char *key, struct arena *arena)
{
    const json_t *value = json_object_get(object, key);
    char number[NUMBER_TEXT_MAX];

    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_integer(value))
        return NULL;
    integer_format(json_integer_value(value), number); /* `version: 1` without quotes */
    return arena_copy_string(arena, number);
}

static enum error refuse(const char *path, const char *what, struct problem *problem)
{
    return problem_set(problem, ERROR_INVALID, "config_invalid", "%s: %s", path, what);
}

static const char *domain_part(struct arena *arena, const struct domain *domain, const char *set,
                               const char *part)
{
    return set ? set : arena_print(arena, "%s/%s", domain->folder, part);
}

void catalog_read_words(struct arena *arena, const json_t *map, struct entity_field *field)
{
    const json_t *names = json_object_get(map, "value_names");

    field->synonyms = json_strings(arena, json_object_get(map, "synonyms"));
    field->values = json_strings(arena, json_object_get(map, "values"));
    field->value_names = json_is_object(names) ? names : NULL;
    field->high = json_strings(arena, json_object_get(map, "high"));
    field->low = json_strings(arena, json_object_get(map, "low"));
}

static enum error read_fields(struct arena *arena, const char *path, json_t *fields,
                              struct entity_type *type, struct problem *problem)
{
    const char *name;
    json_t *text;

    type->fields = ARENA_ARRAY(arena, struct entity_field, json_object_size(fields));
    json_object_foreach(fields, name, text)
    {
        const struct table_column *column = serving_column_find(type->table, name);
        const char *description = json_is_object(text) ? catalog_text(text, "description", arena)
                                                       : json_string_value(text);
        struct entity_field *field = &type->fields[type->field_count++];

        if (!column || !description)
            return refuse(path,
                          arena_print(arena, "field %s is no column of %s with a text", name,
                                      type->table->name),
                          problem);
        *field = (struct entity_field){name, description, column};
        catalog_read_words(arena, text, field);
    }
    return ERROR_NONE;
}

static void read_stages(struct arena *arena, const json_t *stages, struct entity_type *type)
{
    const json_t *stage;
    size_t i;

    type->stages = ARENA_ARRAY(arena, struct entity_stage, json_array_size(stages));
    json_array_foreach(stages, i, stage)
    {
        const json_t *minutes = json_object_get(stage, "sla_minutes");
        struct entity_stage *made = &type->stages[type->stage_count];

        made->name = json_string_value(json_object_get(stage, "name"));
        made->terminal = json_is_true(json_object_get(stage, "terminal"));
        if (json_is_number(minutes))
            made->sla_minutes = GIVEN_NUMBER(json_number_value(minutes));
        type->stage_count += made->name != NULL;
    }
}

static enum error check_entity(struct arena *arena, const struct catalog *catalog, const char *path,
                               const char *file, const struct entity_type *type,
                               struct problem *problem)
{
    size_t stem = strcspn(file, ".");
    bool has_key = false;

    if (strlen(type->name) != stem || strncmp(type->name, file, stem) != 0)
        return refuse(path, "the name is not that of the file", problem);
    if (catalog_entity(catalog, type->name))
        return refuse(path,
                      arena_print(arena, "the name %s is taken by an entity of %s", type->name,
                                  catalog_entity(catalog, type->name)->domain->folder),
                      problem);
    for (size_t i = 0; i < type->field_count; i++)
        has_key = has_key || strcmp(type->fields[i].name, type->primary_key) == 0;
    return has_key ? ERROR_NONE : refuse(path, "primary_key is not among the fields", problem);
}

/* A file of the shop: its table is in the migrations. */
static enum error load_shop_entity(struct arena *arena, const char *path, const json_t *json,
                                   struct entity_type *type, struct problem *problem)
{
    json_t *fields = json_object_get(json, "fields");
    enum error error;

    type->primary_key = catalog_text(json, "primary_key", arena);
    type->relationships = json_object_get(json, "relationships");
    if (!type->name || !type->description || !type->primary_key || !json_object_size(fields))
        return refuse(path,
                      "name, description, table, primary_key and fields are needed (or, for a "
                      "table of your own, name, description, key, columns and events)",
                      problem);
    type->table = serving_table_find(catalog_text(json, "table", arena));
    if (!type->table)
        return refuse(path,
                      arena_print(arena,
                                  "the shop has no table %.100s; an entity of your own has columns "
                                  "instead of table and fields",
                                  json_string_value(json_object_get(json, "table"))
                                      ? json_string_value(json_object_get(json, "table"))
                                      : ""),
                      problem);
    error = read_fields(arena, path, fields, type, problem);
    return error;
}

static enum error load_entity(struct arena *arena, const char *directory, const char *file,
                              const struct domain *domain, struct catalog *catalog,
                              struct problem *problem)
{
    const char *path = arena_print(arena, "%s/%s", directory, file);
    struct entity_type *type = ARRAY_ADD(arena, catalog->entities, catalog->entity_count);
    json_t *json;
    enum error error = yaml_read_file(arena, path, &json, problem);

    if (error)
        return error;
    *type =
        (struct entity_type){.name = catalog_text(json, "name", arena),
                             .description = catalog_text(json, "description", arena),
                             .domain = domain,
                             .synonyms = json_strings(arena, json_object_get(json, "synonyms"))};
    error = json_object_get(json, "columns") ? catalog_load_own(arena, path, json, type, problem)
                                             : load_shop_entity(arena, path, json, type, problem);
    if (error)
        return error;
    read_stages(arena, json_object_get(json, "stages"), type);
    catalog->entity_count--;
    error = check_entity(arena, catalog, path, file, type, problem);
    catalog->entity_count++;
    return error;
}

/* A folder may have metrics alone, over the tables of other domains; one that has neither is none.
 */
static bool has_metrics_alone(struct arena *arena, const struct domain *domain)
{
    return access(arena_print(arena, "%s/entities", domain->folder), F_OK) != 0 &&
           access(arena_print(arena, "%s/metrics", domain->folder), F_OK) == 0;
}

static enum error load_entities(struct arena *arena, const struct domain *domain,
                                const char *directory, struct catalog *catalog,
                                struct problem *problem)
{
    struct string_list files;
    enum error error = catalog_list_files(arena, directory, &files, problem);

    for (size_t i = 0; !error && i < files.count; i++)
        error = load_entity(arena, directory, files.items[i], domain, catalog, problem);
    return error;
}

/* The entities of all domains, then their metrics, which may read tables of any. */
static enum error load_domains(struct arena *arena, const struct livedata_settings *settings,
                               struct catalog *catalog, struct problem *problem)
{
    enum error error = catalog_load_domains(arena, settings, catalog, problem);

    for (size_t i = 0; !error && i < catalog->domain_count; i++) {
        if (i && has_metrics_alone(arena, &catalog->domains[i]))
            continue;
        error = load_entities(arena, &catalog->domains[i],
                              domain_part(arena, &catalog->domains[i],
                                          i ? NULL : settings->entities_directory, "entities"),
                              catalog, problem);
    }
    return error ? error : catalog_join(arena, catalog, problem);
}

/* A folder of metrics or contracts that a domain does not have declares none; one that the settings
 * name must be there. */
static bool is_to_be_read(const struct domain *domain, const char *folder)
{
    return strncmp(folder, domain->folder, strlen(domain->folder)) != 0 ||
           access(folder, F_OK) == 0;
}

/* Of what was read since the last domain. */
static void set_domain(struct catalog *catalog, const struct domain *domain)
{
    for (size_t i = 0; i < catalog->metric_count; i++)
        if (!catalog->metrics[i].domain)
            catalog->metrics[i].domain = domain;
    for (size_t i = 0; i < catalog->contract_count; i++)
        if (!catalog->contracts[i].domain)
            catalog->contracts[i].domain = domain;
}

static enum error load_parts(struct arena *arena, const struct livedata_settings *settings,
                             struct catalog *catalog, struct problem *problem)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < catalog->domain_count; i++) {
        const char *folder = domain_part(arena, &catalog->domains[i],
                                         i ? NULL : settings->contracts_directory, "contracts");

        if (is_to_be_read(&catalog->domains[i], folder))
            error = catalog_load_contracts(arena, folder, catalog, problem);
        set_domain(catalog, &catalog->domains[i]);
    }
    for (size_t i = 0; !error && i < catalog->domain_count; i++) {
        const char *folder = domain_part(arena, &catalog->domains[i],
                                         i ? NULL : settings->metrics_directory, "metrics");

        if (is_to_be_read(&catalog->domains[i], folder))
            error = catalog_load_metrics(arena, folder, catalog, problem);
        set_domain(catalog, &catalog->domains[i]);
    }
    return error;
}

enum error catalog_load(struct arena *arena, const struct livedata_settings *settings,
                        struct catalog *catalog, struct problem *problem)
{
    enum error error;

    *catalog = (struct catalog){.arena = arena};
    error = load_domains(arena, settings, catalog, problem);
    if (!error)
        error = load_parts(arena, settings, catalog, problem);
    if (!error)
        error = catalog_load_versions(arena, settings->versions_file, catalog, problem);
    if (!error)
        error = catalog_load_slos(arena, settings, catalog, problem);
    return error;
}

const struct entity_type *catalog_entity(const struct catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->entity_count; i++)
        if (strcmp(catalog->entities[i].name, name) == 0)
            return &catalog->entities[i];
    return NULL;
}

const struct live_metric *catalog_metric(const struct catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->metric_count; i++)
        if (strcmp(catalog->metrics[i].name, name) == 0)
            return &catalog->metrics[i];
    return NULL;
}

const struct entity_stage *entity_stage(const struct entity_type *type, const char *name)
{
    for (size_t i = 0; i < type->stage_count; i++)
        if (strcmp(type->stages[i].name, name) == 0)
            return &type->stages[i];
    return NULL;
}

const char *catalog_quoted_list(const struct string_list *list, struct arena *arena)
{
    struct text text;

    text_start(&text, arena, 65536);
    text_append_byte(&text, '[');
    for (size_t i = 0; i < list->count; i++)
        text_append_format(&text, "%s'%s'", i ? ", " : "", list->items[i]);
    text_append_byte(&text, ']');
    return text.bytes;
}

const char *catalog_entity_names(const struct catalog *catalog, struct arena *arena)
{
    struct string_list names = {catalog->entity_count,
                                ARENA_ARRAY(arena, const char *, catalog->entity_count)};

    for (size_t i = 0; i < names.count; i++)
        names.items[i] = catalog->entities[i].name;
    return catalog_quoted_list(&names, arena);
}

const char *catalog_metric_names(const struct catalog *catalog, struct arena *arena)
{
    struct string_list names = {catalog->metric_count,
                                ARENA_ARRAY(arena, const char *, catalog->metric_count)};

    for (size_t i = 0; i < names.count; i++)
        names.items[i] = catalog->metrics[i].name;
    return catalog_quoted_list(&names, arena);
}
