/* What the key of a read may see, and the refusals that say so. */
#include "livedata/reads/answers.h"

#include <string.h>

bool may_see_type(const struct reading *reading, const char *type)
{
    for (size_t i = 0; reading->types && i < reading->types->count; i++)
        if (strcmp(reading->types->items[i], type) == 0)
            return true;
    return !reading->types;
}

bool may_see_table(const struct reading *reading, const struct serving_table *table)
{
    return !reading->types || (table->entity && may_see_type(reading, table->entity)) ||
           may_see_type(reading, table->name);
}

bool may_see_tables_of(const struct reading *reading, const struct live_metric *metric,
                       const struct measure *measure)
{
    const struct metric_tables tables = metric_tables(metric, measure);
    bool seen = true;

    for (size_t i = 0; seen && i < tables.count; i++)
        seen = may_see_table(reading, tables.items[i]);
    return seen;
}

struct string_list names_of_tables(struct arena *arena, const struct metric_tables *tables)
{
    struct string_list names = {.items = ARENA_ARRAY(arena, const char *, METRIC_TABLES_MAX)};

    for (size_t i = 0; i < tables->count; i++)
        names.items[names.count++] = tables->items[i]->name;
    return names;
}

bool may_see_metric(const struct reading *reading, const char *name)
{
    const struct catalog *whole = reading->catalog->whole;
    const struct live_metric *metric = name ? catalog_metric(reading->catalog, name) : NULL;

    if (metric)
        return may_see_tables_of(reading, metric, NULL);
    return !reading->types && !(name && whole && catalog_metric(whole, name));
}

enum error find_readable_type(const struct reading *reading, const char *name,
                              const struct entity_type **type)
{
    struct problem *problem = reading->storage.problem;

    *type = catalog_entity(reading->catalog, name);
    if (!may_see_type(reading, name))
        return problem_set(problem, ERROR_FORBIDDEN, "entity_forbidden",
                           "API key '%s' cannot access entity type '%.100s'.", reading->key_name,
                           name);
    if (*type)
        return ERROR_NONE;
    return problem_set(problem, ERROR_NOT_FOUND, "unknown_entity_type",
                       "Unknown entity type: %.100s. Available: %s", name,
                       catalog_entity_names(reading->catalog, reading->storage.arena));
}

enum error find_metric(const struct reading *reading, const char *name,
                       const struct live_metric **metric)
{
    *metric = catalog_metric(reading->catalog, name);
    if (*metric)
        return ERROR_NONE;
    return problem_set(reading->storage.problem, ERROR_NOT_FOUND, "unknown_metric",
                       "Unknown metric: %.100s. Available: %s", name,
                       catalog_metric_names(reading->catalog, reading->storage.arena));
}

enum error check_metric_readable(const struct reading *reading, const struct live_metric *metric,
                                 const struct measure *measure)
{
    if (may_see_tables_of(reading, metric, measure))
        return ERROR_NONE;
    return problem_set(reading->storage.problem, ERROR_FORBIDDEN, "metric_forbidden",
                       "API key '%s' cannot access metric '%s'.", reading->key_name, metric->name);
}

enum error check_as_of(const struct reading *reading, int64_t as_of)
{
    if (as_of <= reading->storage.now)
        return ERROR_NONE;
    return problem_set(reading->storage.problem, ERROR_INVALID, "as_of_future",
                       "as_of cannot be in the future");
}
