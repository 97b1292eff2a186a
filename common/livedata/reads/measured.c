/* Computes measures of metrics, and answers with groups or a series. */
#include "livedata/reads/measured.h"

#include "base/list.h"
#include "livedata/metrics/series.h"
#include "livedata/timestamp.h"

#include <string.h>

static const char *const time_groups[] = {"hour", "day", "week", "month", NULL};

#define OWNER struct series_point
static const struct field point_fields[] = {TIME(OWNER, at, .time = TIME_Z),
                                            NULLABLE_NUMBER(OWNER, value)};
#undef OWNER
static SCHEMA(point_schema, struct series_point, "SeriesPoint", point_fields);

#define OWNER struct series_reply
static const struct field series_fields[] = {
    STRING(OWNER, metric_name),
    STRING(OWNER, unit),
    TIME(OWNER, from, .time = TIME_Z),
    TIME(OWNER, to, .time = TIME_Z, .help = "Not included."),
    STRING(OWNER, step),
    STRING(OWNER, time_zone),
    OBJECTS(OWNER, points, point_schema,
            .help = "One for each step, by its beginning; null where there is no value."),
    STRINGS(OWNER, currencies_not_added, .omit_if_null = true,
            .help = "Currencies without a rate: they are no part of the values."),
    OBJECT(OWNER, meta, metric_meta_schema),
    OBJECT(OWNER, freshness, answer_freshness_schema, .omit_if_null = true),
};
#undef OWNER
SCHEMA(series_schema, struct series_reply, "SeriesResponse", series_fields);

bool measured_is_needed(const struct measured_query *query)
{
    struct time_range range;

    return query->filter || query->group_by ||
           window_calendar(query->window, query->zone, us_per_day, &range);
}

/* The metric, and its measure with the request's filter and groups. */
static enum error find_measure(const struct reading *reading, const char *name, const char *filter,
                               const struct string_list *groups, const struct live_metric **metric,
                               const struct measure **measure)
{
    struct problem *problem = reading->storage.problem;
    enum error error;

    error = find_metric(reading, name, metric);
    if (error)
        return error;
    if (!(*metric)->measure)
        return problem_set(problem, ERROR_INVALID, "no_measure",
                           "Metric '%s' has only its windows: its file declares no kind.", name);
    error = measure_refine(reading->storage.arena, reading->catalog, (*metric)->measure, filter,
                           groups, measure, problem);
    return error ? error : check_metric_readable(reading, *metric, *measure);
}

static const char *time_group(const char *name)
{
    for (size_t i = 0; time_groups[i]; i++)
        if (strcmp(time_groups[i], name) == 0)
            return time_groups[i];
    return NULL;
}

/* The groups without the first unit of time: its buckets are computed, not grouped. */
static struct string_list take_time_group(struct arena *arena, const char *group_by,
                                          const char **unit)
{
    struct string_list names = measure_group_names(arena, group_by);
    size_t kept = 0;

    *unit = NULL;
    for (size_t i = 0; i < names.count; i++) {
        const char *taken = *unit ? NULL : time_group(names.items[i]);

        if (taken)
            *unit = taken;
        else
            names.items[kept++] = names.items[i];
    }
    names.count = kept;
    return names;
}

struct string_list measured_tables(const struct reading *reading,
                                   const struct measured_query *query)
{
    struct arena *arena = reading->storage.arena;
    struct reading quiet = *reading;
    const struct live_metric *metric;
    const struct measure *measure;
    struct metric_tables tables;
    struct problem own;
    const char *unit;
    const struct string_list columns = take_time_group(arena, query->group_by, &unit);

    quiet.storage.problem = &own;
    if (find_measure(&quiet, query->name, query->filter, &columns, &metric, &measure))
        return (struct string_list){0};
    tables = metric_tables(metric, measure);
    return names_of_tables(arena, &tables);
}

static enum error choose_range(const struct reading *reading, const struct live_metric *metric,
                               const struct measured_query *query, struct time_range *range)
{
    int64_t anchor = query->as_of ? query->as_of : reading->storage.now, size = 0;
    enum error error = check_as_of(reading, query->as_of);

    if (error)
        return error;
    if (window_calendar(query->window, query->zone, anchor, range)) {
        if (query->as_of && range->to > anchor)
            range->to = anchor + 1;
        return ERROR_NONE;
    }
    error = metric_check_window(metric, query->window, reading->storage.arena,
                                reading->storage.problem);
    (void)window_parse(query->window, &size);
    *range = (struct time_range){anchor - size, query->as_of ? anchor + 1 : 0};
    return error;
}

static struct measure_request request_for(const struct reading *reading,
                                          const struct measure *measure, struct time_range range,
                                          size_t rows_max)
{
    struct measure_request request = measure_request_of(reading->settings, measure, rows_max);

    request.range = range;
    return request;
}

static enum error too_many(const struct reading *reading)
{
    return problem_set(reading->storage.problem, ERROR_INVALID, "too_many_points",
                       "There would be more than %d points: choose a longer step or a shorter "
                       "time.",
                       WINDOW_BUCKETS_MAX);
}

/* Buckets of hours, days... of a window; one without an end reaches an hour ahead, for clocks that
 * are. */
static enum error cut_window(const struct reading *reading, const char *unit, const char *zone,
                             struct measure_request *request)
{
    struct time_step step = {0};

    if (!unit)
        return ERROR_NONE;
    if (!request->range.to)
        request->range.to = reading->storage.now + us_per_hour;
    (void)step_parse(unit, &step);
    return window_buckets(reading->storage.arena, request->range, &step, zone, &request->buckets)
               ? ERROR_NONE
               : too_many(reading);
}

static void fill_groups(struct arena *arena, const struct measure_request *request,
                        const struct measure_rows *rows, struct metric_reply *reply)
{
    struct metric_group *groups = ARENA_ARRAY(arena, struct metric_group, rows->count + 1);
    const int64_t *begins = request->buckets.items; /* NULL = not grouped by time */

    for (size_t i = 0; i < rows->count; i++) {
        const struct measure_row *row = &rows->items[i];

        groups[i] =
            (struct metric_group){.keys = row->keys,
                                  .at = begins && row->bucket >= 0 ? begins[row->bucket] : 0,
                                  .value = {!row->undefined, row->value},
                                  .reason = row->undefined ? "no_rows_in_window" : NULL};
    }
    reply->groups.count = rows->count;
    reply->groups.items = groups;
}

static struct string_list not_added(struct arena *arena,
                                    const struct measure_currencies *currencies)
{
    struct string_list list = {0};

    for (size_t i = 0; i < currencies->count; i++)
        if (!currencies->items[i].added)
            *LIST_ADD(arena, &list) = currencies->items[i].name;
    return list;
}

/* The value over all groups. */
static enum error read_total(const struct reading *reading, struct measure_request request,
                             const struct measured_query *query, struct measure_row *total)
{
    const struct live_metric *metric;
    struct measure_rows rows;
    enum error error =
        find_measure(reading, query->name, query->filter, NULL, &metric, &request.measure);

    *total = (struct measure_row){.undefined = true};
    request.buckets = (struct time_bounds){0};
    if (!error)
        error = measure_compute(&reading->storage, &request, &rows);
    if (!error && rows.count)
        *total = rows.items[0];
    return error;
}

static enum error answer_groups(const struct reading *reading, const struct measured_query *query,
                                struct measure_request *request, const char *unit,
                                struct metric_reply *reply)
{
    struct measure_rows rows;
    enum error error;

    if (!query->group_by)
        return ERROR_NONE;
    error = cut_window(reading, unit, query->zone, request);
    if (!error)
        error = measure_compute(&reading->storage, request, &rows);
    if (error)
        return error;
    fill_groups(reading->storage.arena, request, &rows, reply);
    if (rows.cut)
        reply->truncated = GIVEN_BOOLEAN(true);
    return ERROR_NONE;
}

enum error read_measured(const struct reading *reading, const struct measured_query *query,
                         enum health_word health, struct metric_reply *reply)
{
    struct arena *arena = reading->storage.arena;
    const struct live_metric *metric;
    const struct measure *measure;
    struct measure_currencies currencies;
    struct measure_request request;
    struct event_mark newest = {0};
    struct measure_row total;
    struct time_range range;
    struct answer_meta *meta;
    const char *unit;
    const struct string_list columns = take_time_group(arena, query->group_by, &unit);
    enum error error =
        find_measure(reading, query->name, query->filter, &columns, &metric, &measure);

    if (!error)
        error = choose_range(reading, metric, query, &range);
    if (error)
        return error;
    request = request_for(reading, measure, range, (size_t)reading->settings->query_rows_max);
    *reply = (struct metric_reply){.metric_name = metric->name,
                                   .unit = metric_unit(metric, reading->settings),
                                   .window = query->window,
                                   .computed_at = reading->storage.now,
                                   .from = range.from,
                                   .to = range.to,
                                   .time_zone = query->zone};
    error = read_total(reading, request, query, &total);
    if (!error)
        error = measure_by_currency(&reading->storage, &request, &currencies);
    if (!error)
        error = answer_groups(reading, query, &request, unit, reply);
    if (!error && !query->as_of)
        error = metric_newest(&reading->storage, metric, &newest);
    if (error)
        return error;
    reply->value = (struct optional_number){!total.undefined, total.value};
    meta = metric_meta(reading, metric, query->as_of, newest, health);
    meta->currencies_not_added = not_added(arena, &currencies);
    meta->reason = !total.undefined   ? NULL
                   : currencies.count ? "no_rows_in_default_currency"
                                      : "no_rows_in_window";
    reply->meta = meta;
    reply->freshness = metric_freshness(reading, metric);
    return ERROR_NONE;
}

static enum error series_range(const struct reading *reading, const struct series_query *query,
                               struct time_range *range)
{
    range->to = query->to ? query->to : reading->storage.now;
    range->from = query->from ? query->from : range->to - us_per_day;
    if (range->from < range->to)
        return ERROR_NONE;
    return problem_set(reading->storage.problem, ERROR_INVALID, "range_invalid",
                       "from must be before to");
}

/* Whether a bucket begins there. */
static bool is_bound(const struct reading *reading, const struct time_step *step, const char *zone,
                     int64_t at)
{
    struct time_bounds bounds;

    return window_buckets(reading->storage.arena, (struct time_range){at - 1, at + 1}, step, zone,
                          &bounds) &&
           bounds.count == 3;
}

static enum error series_buckets(const struct reading *reading, const struct series_query *query,
                                 struct series_request *request)
{
    struct time_step step;

    if (!step_parse(query->step, &step))
        return problem_set(reading->storage.problem, ERROR_INVALID, "step_invalid",
                           "step '%.40s' is no part of a day in whole minutes, as 5m and 1h are, "
                           "and not 1d, 1w or month",
                           query->step);
    if (!window_buckets(reading->storage.arena, request->measured.range, &step, query->zone,
                        &request->measured.buckets))
        return too_many(reading);
    request->first_cut = !is_bound(reading, &step, query->zone, request->measured.range.from);
    request->last_cut = !is_bound(reading, &step, query->zone, request->measured.range.to);
    return ERROR_NONE;
}

/* Each currency of any value that has no rate, once. */
static struct string_list currencies_of(struct arena *arena, const struct series_values *values)
{
    struct string_list list = {0};

    for (size_t i = 0; i < values->count; i++)
        for (const char *at = values->items[i].currencies; at && *at;) {
            size_t length = strcspn(at, " ");
            const char *name = arena_copy(arena, at, length);

            if (!string_list_has(&list, name))
                *LIST_ADD(arena, &list) = name;
            at += length + (at[length] == ' ');
        }
    if (list.count)
        qsort(list.items, list.count, sizeof list.items[0], string_list_order);
    return list;
}

static void fill_points(struct arena *arena, const struct series_values *values,
                        struct series_reply *reply)
{
    const int64_t *starts = values->request->measured.buckets.items;
    struct series_point *points = ARENA_ARRAY(arena, struct series_point, values->count);

    for (size_t i = 0; i < values->count; i++)
        points[i] = (struct series_point){.at = starts[i], .value = values->items[i].value};
    reply->points.count = values->count;
    reply->points.items = points;
}

static struct series_request *series_request_for(const struct reading *reading,
                                                 const struct series_query *query,
                                                 const struct live_metric *metric,
                                                 const struct measure *measure,
                                                 struct time_range range)
{
    struct series_request *request = ARENA_NEW(reading->storage.arena, struct series_request);

    *request = (struct series_request){
        .measured = request_for(reading, measure, range, WINDOW_BUCKETS_MAX),
        .zero = metric->zero_when_empty,
        .step = query->step,
        .zone = query->zone,
        .kept_days = query->filter ? 0 : reading->settings->series_days,
        .journal_days = reading->settings->journal_retention_days};
    return request;
}

enum error read_series(const struct reading *reading, const struct series_query *query,
                       enum health_word health, struct series_reply *reply,
                       struct series_values *values)
{
    struct arena *arena = reading->storage.arena;
    const struct live_metric *metric;
    const struct measure *measure;
    struct series_request *request;
    struct event_mark newest;
    struct time_range range;
    enum error error = find_measure(reading, query->name, query->filter, NULL, &metric, &measure);

    if (!error)
        error = series_range(reading, query, &range);
    if (error)
        return error;
    request = series_request_for(reading, query, metric, measure, range);
    error = series_buckets(reading, query, request);
    if (!error)
        error = series_compute(&reading->storage, request, values);
    if (!error)
        error = metric_newest(&reading->storage, metric, &newest);
    if (error)
        return error;
    *reply = (struct series_reply){.metric_name = metric->name,
                                   .unit = metric_unit(metric, reading->settings),
                                   .from = range.from,
                                   .to = range.to,
                                   .step = query->step,
                                   .time_zone = query->zone,
                                   .currencies_not_added = currencies_of(arena, values),
                                   .meta = metric_meta(reading, metric, 0, newest, health),
                                   .freshness = metric_freshness(reading, metric)};
    fill_points(arena, values, reply);
    return ERROR_NONE;
}
