/* Reading the files of service levels: objectives of the service, of entities and of metrics. */
#include "livedata/catalog/measure.h"
#include "livedata/catalog/own.h"

#include "base/list.h"
#include "base/yaml.h"
#include "livedata/timestamp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW_DAYS_MAX = 3650 };

const char *const slo_measurements[] = {"p95_latency_ms", "freshness_seconds", "error_rate_percent",
                                        "metric_value"};

/* One level of a file. */
struct level_reader {
    struct arena *arena;
    const struct catalog *catalog;
    const char *path;
    const json_t *json;
    struct slo *slo;
    struct problem *problem;
};

__attribute__((format(printf, 2, 3))) static enum error fault(const struct level_reader *reader,
                                                              const char *format, ...)
{
    const char *name = reader->slo->name ? reader->slo->name : "without a name";
    char text[600];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return problem_set(reader->problem, ERROR_INVALID, "config_invalid", "%s: level %.60s: %s",
                       reader->path, name, text);
}

const char *slo_measurement_names(struct arena *arena)
{
    const char *names = slo_measurements[0];

    for (int i = 1; i < SLO_UNSUPPORTED; i++)
        names = arena_print(arena, "%s, %s", names, slo_measurements[i]);
    return names;
}

static enum slo_measurement measurement_of(const char *name)
{
    for (int i = 0; i < SLO_UNSUPPORTED; i++)
        if (strcmp(slo_measurements[i], name) == 0)
            return (enum slo_measurement)i;
    return SLO_UNSUPPORTED;
}

/* A level may ask for more or less traffic than the settings do. */
static int64_t least_of(const json_t *json, const char *key, int64_t otherwise)
{
    const json_t *given = json_object_get(json, key);

    return json_is_integer(given) ? json_integer_value(given) : otherwise;
}

/* What all levels have. */
static enum error read_objective(const struct level_reader *reader)
{
    const json_t *target = json_object_get(reader->json, "target"),
                 *threshold = json_object_get(reader->json, "threshold"),
                 *days = json_object_get(reader->json, "window_days");
    struct slo *slo = reader->slo;

    if (!slo->name || !*slo->name)
        return fault(reader, "name is needed, a text");
    if (!slo->measurement_name)
        return fault(reader, "measurement is needed: one of %s",
                     slo_measurement_names(reader->arena));
    slo->measurement = measurement_of(slo->measurement_name);
    slo->target = json_number_value(target);
    slo->threshold = json_number_value(threshold);
    slo->window_days = json_integer_value(days);
    if (!json_is_number(target) || slo->target < 0 || slo->target > 1)
        return fault(reader, "target is a share from 0 to 1, such as 0.99");
    if (slo->measurement != SLO_METRIC && !json_is_number(threshold))
        return fault(reader, "threshold is needed, a number");
    if (slo->measurement == SLO_FRESHNESS && slo->threshold <= 0)
        return fault(reader, "threshold is a number of seconds above 0");
    if (!json_is_integer(days) || slo->window_days < 1 || slo->window_days > WINDOW_DAYS_MAX)
        return fault(reader, "window_days is a whole number of days from 1 to %d", WINDOW_DAYS_MAX);
    return ERROR_NONE;
}

/* Entity types under which the journal has what changes the entity. */
static struct string_list types_of_entity(struct arena *arena, const struct entity_type *type)
{
    struct string_list types = {0};

    *LIST_ADD(arena, &types) = type->name;
    if (!type->table->own && strcmp(type->name, "user") == 0) {
        /* Computed from orders and the categories of products, or sent as change data. */
        *LIST_ADD(arena, &types) = "order";
        *LIST_ADD(arena, &types) = "product";
    }
    return types;
}

/* Names what the catalog has, and finds it. */
static enum error read_subject(const struct level_reader *reader)
{
    const char *entity = catalog_text(reader->json, "entity", reader->arena),
               *metric = catalog_text(reader->json, "metric", reader->arena);
    struct slo *slo = reader->slo;

    if (entity && metric)
        return fault(reader, "entity and metric exclude each other");
    slo->entity = entity ? catalog_entity(reader->catalog, entity) : NULL;
    slo->metric = metric ? catalog_metric(reader->catalog, metric) : NULL;
    if (entity && !slo->entity)
        return fault(reader, "there is no entity %s; entities are %s", entity,
                     catalog_entity_names(reader->catalog, reader->arena));
    if (metric && !slo->metric)
        return fault(reader, "there is no metric %s; metrics are %s", metric,
                     catalog_metric_names(reader->catalog, reader->arena));
    if (slo->measurement == SLO_LATENCY && (entity || metric))
        return fault(reader, "%s is of all answers: it takes no entity and no metric",
                     slo->measurement_name);
    if (slo->measurement == SLO_ERRORS && metric)
        return fault(reader, "%s is of all events or of an entity's", slo->measurement_name);
    if (slo->entity)
        slo->types = types_of_entity(reader->arena, slo->entity);
    if (slo->metric)
        slo->types = slo->metric->source_events;
    if (slo->measurement == SLO_FRESHNESS && slo->metric &&
        (!slo->types.count || slo->types.count > SLO_TYPES_MAX))
        return fault(reader, "metric %s has %zu source_events; its freshness needs 1 to %d", metric,
                     slo->types.count, SLO_TYPES_MAX);
    return ERROR_NONE;
}

static enum error read_bound(const struct level_reader *reader, const char *key,
                             struct optional_number *bound)
{
    const json_t *given = json_object_get(reader->json, key);

    if (given && !json_is_number(given))
        return fault(reader, "%s is a number", key);
    if (given)
        *bound = GIVEN_NUMBER(json_number_value(given));
    return ERROR_NONE;
}

/* How often a metric is checked: each check is of the rows since the one before. */
static enum error read_checks(const struct level_reader *reader)
{
    const char *every = catalog_text(reader->json, "every", reader->arena);
    struct slo *slo = reader->slo;
    int64_t checks;

    every = every ? every : "1h";
    if (!day_part_parse(every, &slo->every))
        return fault(reader, "every is a part of a day, such as 5m or 1h");
    checks = slo->window_days * (us_per_day / slo->every);
    if (checks > SLO_CHECKS_MAX)
        return fault(reader,
                     "%lld days with a check every %s are %lld checks, and %d are allowed: choose "
                     "a longer every, or fewer days",
                     (long long)slo->window_days, every, (long long)checks, SLO_CHECKS_MAX);
    return ERROR_NONE;
}

/* A metric within bounds. */
static enum error read_bounds(const struct level_reader *reader)
{
    struct slo *slo = reader->slo;
    enum error error = ERROR_NONE;

    if (slo->measurement != SLO_METRIC)
        return ERROR_NONE;
    if (!slo->metric)
        return fault(reader, "metric_value needs metric, one of %s",
                     catalog_metric_names(reader->catalog, reader->arena));
    if (!slo->metric->measure)
        return fault(reader, "metric %s has no kind in its file: only its windows can be computed",
                     slo->metric->name);
    error = read_bound(reader, "minimum", &slo->minimum);
    if (!error)
        error = read_bound(reader, "maximum", &slo->maximum);
    if (error)
        return error;
    if (!slo->minimum.given && !slo->maximum.given)
        return fault(reader, "metric_value needs minimum, maximum or both");
    if (slo->minimum.given && slo->maximum.given && slo->minimum.value > slo->maximum.value)
        return fault(reader, "minimum is above maximum");
    return read_checks(reader);
}

/* `taken` are the levels before it. */
static enum error read_level(const struct level_reader *reader, const struct slo *taken,
                             size_t count)
{
    enum error error = read_objective(reader);

    if (!error)
        error = read_subject(reader);
    if (!error)
        error = read_bounds(reader);
    for (size_t i = 0; !error && i < count; i++)
        if (strcmp(taken[i].name, reader->slo->name) == 0)
            error = fault(reader, "the name is taken by a level of %s", taken[i].domain->folder);
    return error;
}

/* `most` is the number of levels that the array has room for. */
static enum error read_file(struct arena *arena, const char *path, const struct domain *domain,
                            const struct livedata_settings *settings, struct catalog *catalog,
                            struct problem *problem, bool *found)
{
    const json_t *item;
    json_t *json;
    size_t i;
    enum error error = yaml_read_file(arena, path, &json, problem);

    *found = error != ERROR_NOT_FOUND;
    if (error)
        return *found ? error : ERROR_NONE;
    json_array_foreach(json_object_get(json, "slos"), i, item)
    {
        struct slo *slo = ARRAY_ADD(arena, catalog->slos, catalog->slo_count);
        const struct level_reader reader = {arena, catalog, path, item, slo, problem};

        *slo =
            (struct slo){.name = catalog_text(item, "name", arena),
                         .description = catalog_text(item, "description", arena),
                         .domain = domain,
                         .measurement_name = catalog_text(item, "measurement", arena),
                         .min_events = least_of(item, "min_events", settings->slo_min_events),
                         .min_failures = least_of(item, "min_failures", settings->slo_min_failures),
                         .settings = settings};
        error = read_level(&reader, catalog->slos, catalog->slo_count - 1);
        if (error)
            return error;
    }
    return ERROR_NONE;
}

/* A missing first file is reported when a client asks for levels. */
enum error catalog_load_slos(struct arena *arena, const struct livedata_settings *settings,
                             struct catalog *catalog, struct problem *problem)
{
    const char *folder = catalog->domains[0].folder;
    enum error error = ERROR_NONE;

    /* A domain may have no levels; the shop has some, and a file that is named is needed. */
    catalog->slo_file_found =
        !catalog->shop && strncmp(settings->slo_file, folder, strlen(folder)) == 0;
    for (size_t i = 0; !error && i < catalog->domain_count; i++) {
        const struct domain *domain = &catalog->domains[i];
        const char *path =
            i ? arena_print(arena, "%s/slo.yaml", domain->folder) : settings->slo_file;
        bool found;

        error = read_file(arena, path, domain, settings, catalog, problem, &found);
        catalog->slo_file_found = catalog->slo_file_found || (found && !i) || catalog->slo_count;
    }
    return error;
}
