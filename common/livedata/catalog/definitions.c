/* Reading the files of metrics and API versions. */
#include "livedata/catalog/catalog.h"

#include "base/list.h"
#include "base/yaml.h"
#include "livedata/catalog/measure.h"
#include "livedata/catalog/own.h"
#include "livedata/timestamp.h"

#include <stdlib.h>
#include <string.h>

static enum error refuse(const char *path, const char *what, struct problem *problem)
{
    return problem_set(problem, ERROR_INVALID, "config_invalid", "%s: %s", path, what);
}

/* The budget that the metric's contract declares. */
static struct optional_number budget_of(const struct catalog *catalog, const char *name,
                                        struct arena *arena)
{
    const char *entity = arena_print(arena, "metric.%s", name);

    for (size_t i = 0; i < catalog->contract_count; i++) {
        const json_t *freshness = json_object_get(catalog->contracts[i].json, "freshness");
        const json_t *budget = json_object_get(freshness, "p95_staleness_budget_seconds");

        if (strcmp(catalog->contracts[i].entity, entity) == 0 && json_is_number(budget))
            return GIVEN_NUMBER(json_number_value(budget));
    }
    return (struct optional_number){0};
}

static enum error check_table(struct arena *arena, const char *path, const struct catalog *catalog,
                              const struct live_metric *metric, const char *name,
                              struct problem *problem)
{
    struct string_list tables = {.items = ARENA_ARRAY(arena, const char *, catalog->table_count)};

    if (metric->table)
        return ERROR_NONE;
    if (!name)
        return refuse(path, "table is needed, a text", problem);
    for (size_t i = 0; i < catalog->table_count; i++)
        tables.items[tables.count++] = catalog->tables[i]->name;
    return refuse(path,
                  arena_print(arena,
                              "there is no table %.100s; tables are %s (own_<domain>_<entity> "
                              "for an entity of your own)",
                              name, catalog_quoted_list(&tables, arena)),
                  problem);
}

/* An event that nobody sends would leave the metric stale forever. */
static enum error check_events(struct arena *arena, const char *path, const struct catalog *catalog,
                               const struct live_metric *metric, struct problem *problem)
{
    for (size_t i = 0; i < metric->source_events.count; i++)
        if (!catalog_has_event(catalog, metric->source_events.items[i]))
            return refuse(path,
                          arena_print(arena, "source_events: there is no event type %.100s",
                                      metric->source_events.items[i]),
                          problem);
    return ERROR_NONE;
}

static enum error check_windows(const char *path, const struct live_metric *metric,
                                struct problem *problem)
{
    int64_t size;

    for (size_t i = 0; i < metric->windows.count; i++)
        if (!window_parse(metric->windows.items[i], &size))
            return refuse(path, "windows are now, or a number and m, h or d", problem);
    return metric->windows.count ? ERROR_NONE : refuse(path, "windows are needed", problem);
}

/* A metric without SQL has the time and the emptiness of its measure. */
static enum error load_measure(struct arena *arena, const char *path, struct catalog *catalog,
                               struct live_metric *metric, const json_t *json,
                               struct problem *problem)
{
    struct problem own;
    const char *empty = catalog_text(json, "empty", arena);

    if (measure_read(arena, catalog, metric->table, json, &metric->measure, &own))
        return refuse(path, own.text, problem);
    if (metric->measure && !metric->value && !empty)
        metric->zero_when_empty = measure_is_zero_when_empty(metric->measure);
    return ERROR_NONE;
}

static enum error load_metric(struct arena *arena, const char *path, struct catalog *catalog,
                              struct problem *problem)
{
    struct live_metric *metric = ARRAY_ADD(arena, catalog->metrics, catalog->metric_count);
    const char *table, *time, *filter, *empty;
    const struct live_metric *first;
    json_t *json;
    enum error error = yaml_read_file(arena, path, &json, problem);

    if (error)
        return error;
    table = catalog_text(json, "table", arena);
    time = catalog_text(json, "time", arena);
    filter = catalog_text(json, "filter", arena);
    empty = catalog_text(json, "empty", arena);
    *metric = (struct live_metric){
        .name = catalog_text(json, "name", arena),
        .order = json_is_integer(json_object_get(json, "order"))
                     ? json_integer_value(json_object_get(json, "order"))
                     : INT64_MAX,
        .description = catalog_text(json, "description", arena),
        .synonyms = json_strings(arena, json_object_get(json, "synonyms")),
        .unit = catalog_text(json, "unit", arena),
        .table = table ? catalog_table(catalog, table) : NULL,
        .value = catalog_text(json, "value", arena),
        .filter = filter ? filter : "",
        .windows = json_strings(arena, json_object_get(json, "windows")),
        .source_events = json_strings(arena, json_object_get(json, "source_events")),
        .zero_when_empty = empty && strcmp(empty, "zero") == 0,
        .currency_of = catalog_text(json, "currency_of", arena)};
    if (!metric->name || !metric->description || !metric->unit ||
        (!metric->value && !json_object_get(json, "kind")))
        return refuse(path, "name, description, unit, table and value or kind are needed", problem);
    error = check_table(arena, path, catalog, metric, table, problem);
    if (!error)
        error = check_events(arena, path, catalog, metric, problem);
    if (error)
        return error;
    if (empty && strcmp(empty, "zero") != 0 && strcmp(empty, "undefined") != 0)
        return refuse(path, "empty is zero or undefined", problem);
    metric->time = time ? serving_column_find(metric->table, time) : NULL;
    if (metric->value && (!metric->time || metric->time->type != COLUMN_TIME))
        return refuse(path, "time is no time column of the table", problem);
    first = catalog_metric(catalog, metric->name);
    if (first != metric)
        return refuse(path,
                      arena_print(arena, "the name %s is taken by a metric of %s", metric->name,
                                  first->domain ? first->domain->folder : "the same folder"),
                      problem);
    metric->budget_seconds = budget_of(catalog, metric->name, arena);
    return check_windows(path, metric, problem);
}

static int by_order(const void *left, const void *right)
{
    const struct live_metric *a = left, *b = right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Those that are made of other metrics come last. */
static enum error load_measures(struct arena *arena, const char *directory,
                                const struct string_list *files, struct catalog *catalog,
                                struct problem *problem)
{
    size_t first = catalog->metric_count - files->count;
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < 2 * files->count; i++) {
        size_t which = i % files->count;
        const char *path = arena_print(arena, "%s/%s", directory, files->items[which]), *kind;
        json_t *json;

        error = yaml_read_file(arena, path, &json, problem);
        kind = error ? NULL : catalog_text(json, "kind", arena);
        if (kind && (i >= files->count) == (strcmp(kind, "ratio") == 0))
            error =
                load_measure(arena, path, catalog, &catalog->metrics[first + which], json, problem);
    }
    return error;
}

enum error catalog_load_metrics(struct arena *arena, const char *directory, struct catalog *catalog,
                                struct problem *problem)
{
    struct string_list files;
    enum error error = catalog_list_files(arena, directory, &files, problem);

    if (error)
        return error;
    for (size_t i = 0; !error && i < files.count; i++)
        error = load_metric(arena, arena_print(arena, "%s/%s", directory, files.items[i]), catalog,
                            problem);
    if (!error)
        error = load_measures(arena, directory, &files, catalog, problem);
    qsort(catalog->metrics, catalog->metric_count, sizeof catalog->metrics[0], by_order);
    return error;
}

static int by_date(const void *left, const void *right)
{
    return strcmp(((const struct api_version *)left)->date,
                  ((const struct api_version *)right)->date);
}

/* An addition must have a path or a header: otherwise it could not be hidden from older
 * versions. */
static bool read_change(struct arena *arena, const json_t *json, struct api_version *version)
{
    const char *type = catalog_text(json, "type", arena);
    const char *description = catalog_text(json, "description", arena);
    const struct api_addition read = {.path = catalog_text(json, "path", arena),
                                      .answer = catalog_text(json, "answer", arena),
                                      .header = catalog_text(json, "header", arena)};
    bool added = type && strcmp(type, "added") == 0;

    if (!type || !description || (read.path && read.header) ||
        added != (read.path || read.header) || (read.answer && !read.path))
        return false;
    version->changes.items[version->changes.count++] = description;
    if (added)
        version->additions[version->addition_count++] = read;
    return true;
}

static bool read_version(struct arena *arena, const json_t *json, struct api_version *version)
{
    const json_t *changes = json_object_get(json, "changes"), *change;
    size_t i;

    version->date = catalog_text(json, "date", arena);
    version->status = catalog_text(json, "status", arena);
    version->changes.items = ARENA_ARRAY(arena, const char *, json_array_size(changes));
    version->additions = ARENA_ARRAY(arena, struct api_addition, json_array_size(changes));
    json_array_foreach(changes, i, change)
    {
        if (!read_change(arena, change, version))
            return false;
    }
    return version->date && version->status;
}

static void find_latest(struct catalog *catalog)
{
    catalog->latest = &catalog->versions[catalog->version_count - 1];
    for (size_t i = 0; i < catalog->version_count; i++)
        if (strcmp(catalog->versions[i].status, "latest") == 0) {
            catalog->latest = &catalog->versions[i];
            return;
        }
}

enum error catalog_load_versions(struct arena *arena, const char *path, struct catalog *catalog,
                                 struct problem *problem)
{
    static struct api_version only[] = {{.date = "2026-04-11", .status = "latest"}};
    const json_t *list, *item;
    json_t *json;
    size_t i;
    enum error error = yaml_read_file(arena, path, &json, problem);

    if (error == ERROR_NOT_FOUND) {
        catalog->versions = only;
        catalog->version_count = 1;
        catalog->latest = only;
        return ERROR_NONE;
    }
    if (error)
        return error;
    list = json_object_get(json, "versions");
    if (!json_array_size(list))
        return refuse(path, "there are no versions", problem);
    catalog->versions = ARENA_ARRAY(arena, struct api_version, json_array_size(list));
    json_array_foreach(list, i, item)
    {
        struct api_version *version = &catalog->versions[catalog->version_count++];

        if (!read_version(arena, item, version))
            return refuse(
                path,
                "a version needs date and status, each of its changes a type and a "
                "description, what was added either path or header, and only a path an answer",
                problem);
    }
    qsort(catalog->versions, catalog->version_count, sizeof catalog->versions[0], by_date);
    find_latest(catalog);
    return ERROR_NONE;
}
