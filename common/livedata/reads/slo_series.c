/* Service levels over time, each point from the same buckets. */
#include "livedata/reads/slo_series.h"

#include "base/number.h"
#include "livedata/catalog/own.h"
#include "livedata/reads/slo_buckets.h"
#include "livedata/timestamp.h"

#include <string.h>

enum { BUCKETS_MAX = 50000 };

#define OWNER struct slo_point
static const struct field point_fields[] = {
    TIME(OWNER, at, .time = TIME_Z, .help = "End of the window that the values are of."),
    NULLABLE_NUMBER(OWNER, current, .help = "null: nothing was measured."),
    NULLABLE_NUMBER(OWNER, error_budget_remaining),
    NULLABLE_NUMBER(OWNER, good),
    NULLABLE_NUMBER(OWNER, valid),
    BOOLEAN(OWNER, partial, .help = "A part of the window is no longer kept."),
};
#undef OWNER
static SCHEMA(point_schema, struct slo_point, "SLOPoint", point_fields);

#define OWNER struct slo_series
static const struct field series_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, step),
    NUMBER(OWNER, target),
    INTEGER(OWNER, window_days),
    TIME(OWNER, from, .time = TIME_Z),
    TIME(OWNER, to, .time = TIME_Z),
    TIME_OR_NULL(OWNER, kept_since, .time = TIME_Z,
                 .help = "What is older is deleted; null: nothing is."),
    OBJECTS(OWNER, points, point_schema, .help = "At the end of each step, by time."),
    OBJECT(OWNER, level, slo_schema, .omit_if_null = true,
           .help = "In the list of all levels: as it is now."),
};
#undef OWNER
SCHEMA(slo_series_schema, struct slo_series, "SLOSeries", series_fields);

#define OWNER struct slo_series_list
static const struct field list_fields[] = {OBJECTS(OWNER, series, slo_series_schema)};
#undef OWNER
SCHEMA(slo_series_list_schema, struct slo_series_list, "SLOSeriesList", list_fields);

static const struct slo *find_level(const struct reading *reading, const char *name)
{
    for (size_t i = 0; i < reading->catalog->slo_count; i++)
        if (strcmp(reading->catalog->slos[i].name, name) == 0 &&
            slo_is_seen(reading, &reading->catalog->slos[i]))
            return &reading->catalog->slos[i];
    return NULL;
}

/* From when on the rows that the level is measured by are there. */
static int64_t kept_since(const struct reading *reading, const struct slo *slo)
{
    const struct serving_table *table = slo->measurement == SLO_METRIC ? slo->metric->table : NULL;
    int64_t days = slo->measurement == SLO_LATENCY ? reading->settings->log_retention_days
                                                   : reading->settings->journal_retention_days;

    if (table && strcmp(table->name, "pipeline_events") != 0)
        days = table->own ? table->own->retention_days : 0;
    return days ? reading->storage.now - days * us_per_day : 0;
}

static struct slo_point point_of(const struct slo *slo, const struct slo_window *window, int64_t at,
                                 int64_t kept)
{
    struct slo_point point = {.at = at, .partial = at - slo->window_days * us_per_day < kept};

    if (window->known) {
        point.current = GIVEN_NUMBER(number_round(window->share, 4));
        point.good = GIVEN_NUMBER(number_round(window->good, 2));
        point.valid = GIVEN_NUMBER(number_round(window->valid, 2));
    }
    point.error_budget_remaining = slo_budget(slo->target, window);
    return point;
}

/* What points are made of: buckets, so many in the window of each and so many from one to the next.
 */
struct spacing {
    int64_t bucket, window, each;
};

static struct spacing spacing_of(const struct slo *slo, const struct grid *grid)
{
    int64_t bucket = slo->measurement == SLO_METRIC ? slo->every : grid->step;

    return (struct spacing){bucket, slo->window_days * (us_per_day / bucket), grid->step / bucket};
}

static enum error choose_grid(const struct storage_call *call, const struct slo *slo,
                              const struct grid_query *query, struct grid *grid)
{
    enum error error = grid_choose(call, query, grid);
    struct spacing spacing;

    if (error)
        return error;
    spacing = spacing_of(slo, grid);
    if (grid->step % spacing.bucket)
        return problem_set(call->problem, ERROR_INVALID, "step_invalid",
                           "%s is checked every %lld minutes: step must be a multiple of that",
                           slo->name, (long long)(spacing.bucket / us_per_minute));
    if (query->shorten)
        grid_shorten(grid, (BUCKETS_MAX - spacing.window) / spacing.each + 1);
    if (spacing.window + (grid->count - 1) * spacing.each <= BUCKETS_MAX)
        return ERROR_NONE;
    return problem_set(call->problem, ERROR_INVALID, "too_many_points",
                       "%lld days in steps of %s are more than %d: choose a longer step.",
                       (long long)slo->window_days, grid->step_text, BUCKETS_MAX);
}

/* One point per step of the grid. */
static enum error read_grid(const struct storage_call *call, const struct slo *slo,
                            const struct grid *grid, int64_t kept, struct slo_point *points)
{
    struct spacing spacing = spacing_of(slo, grid);
    struct slo_buckets buckets;
    enum error error =
        slo_buckets_read(call, slo, grid->first - spacing.window * spacing.bucket, spacing.bucket,
                         spacing.window + (grid->count - 1) * spacing.each, false, &buckets);

    for (int64_t i = 0; !error && i < grid->count; i++) {
        struct slo_window share =
            slo_buckets_window(&buckets, i * spacing.each, spacing.window + i * spacing.each);

        points[i] = point_of(slo, &share, grid->first + i * grid->step, kept);
    }
    return error;
}

/* `now`: what the last point says; NULL when the time ends before. */
static enum error read_level(const struct reading *reading, const struct slo *slo,
                             const struct grid_query *query, const struct slo_status *now,
                             struct slo_series *series)
{
    const struct storage_call *call = &reading->storage;
    int64_t kept = kept_since(reading, slo);
    struct grid_query chosen = *query;
    struct slo_point *points;
    struct grid grid;
    enum error error;

    chosen.span = slo->window_days * us_per_day;
    error = choose_grid(call, slo, &chosen, &grid);
    if (error)
        return error;
    points = ARENA_ARRAY(call->arena, struct slo_point, (size_t)grid.count + 1);
    *series = (struct slo_series){.name = slo->name,
                                  .step = grid.step_text,
                                  .target = slo->target,
                                  .window_days = slo->window_days,
                                  .from = grid.from,
                                  .to = grid.to,
                                  .kept_since = kept,
                                  .points = {(size_t)grid.count, points}};
    if (grid.count)
        error = read_grid(call, slo, &grid, kept, points);
    if (error || !now)
        return error;
    /* A step that ends now is that point itself. */
    if (grid.count && points[grid.count - 1].at == call->now)
        series->points.count--;
    points[series->points.count++] = point_of(slo, &now->window, call->now, kept);
    return ERROR_NONE;
}

/* A step that the level can be computed in. */
static const char *step_for(const struct slo *slo, const char *step)
{
    int64_t size;

    if (!grid_step(step ? step : "1h", &size))
        return step;
    if (slo->measurement == SLO_METRIC)
        return size % slo->every ? "1d" : step;
    return slo->window_days * (us_per_day / size) > BUCKETS_MAX ? "1d" : step;
}

enum error slo_read_series(const struct reading *reading, const struct slo_series_query *query,
                           struct slo_series *series)
{
    const struct storage_call *call = &reading->storage;
    const struct slo *slo = find_level(reading, query->name);
    struct grid_query chosen = query->grid;
    struct slo_status now;
    enum error error = slo_file_missing(reading);

    if (error)
        return error;
    if (!slo)
        return problem_set(call->problem, ERROR_NOT_FOUND, "unknown_slo",
                           "There is no service level '%.100s'.", query->name);
    if (!chosen.step) {
        chosen.step = step_for(slo, NULL);
        chosen.shorten = !chosen.from;
    }
    error = chosen.to ? slo_check(slo, call->problem) : slo_status(call, slo, &now);
    return error ? error : read_level(reading, slo, &chosen, chosen.to ? NULL : &now, series);
}

/* A level and its course. */
static enum error read_course(const struct reading *reading, const struct slo *slo,
                              const struct grid_query *query, struct slo_series *series)
{
    struct slo_answer *level = ARENA_NEW(reading->storage.arena, struct slo_answer);
    struct grid_query chosen = *query;
    struct slo_status now;
    enum error error = slo_status(&reading->storage, slo, &now);

    chosen.step = step_for(slo, query->step);
    chosen.shorten = true;
    if (!error)
        error = read_level(reading, slo, &chosen, query->to ? NULL : &now, series);
    if (!error)
        error = slo_show(&reading->storage, &now, level);
    series->level = level;
    return error;
}

enum error slo_read_all_series(const struct reading *reading, const struct grid_query *query,
                               struct slo_series_list *list)
{
    const struct catalog *catalog = reading->catalog;
    struct slo_series *items =
        ARENA_ARRAY(reading->storage.arena, struct slo_series, catalog->slo_count);
    enum error error = slo_file_missing(reading);

    *list = (struct slo_series_list){.series = {0, items}};
    for (size_t i = 0; !error && i < catalog->slo_count; i++)
        if (slo_is_seen(reading, &catalog->slos[i]))
            error = read_course(reading, &catalog->slos[i], query, &items[list->series.count++]);
    return error;
}
