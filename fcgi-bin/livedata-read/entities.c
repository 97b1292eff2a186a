/* Entities, time lines, lineage and metrics. */
#include "livedata-read/reads.h"

#include "base/list.h"

struct as_of_query {
    const char *as_of;
    BOUND_MEMBERS;
};

#define OWNER struct as_of_query
static const struct field as_of_fields[] = {
    STRING(OWNER, as_of, .nullable = true, .help = "The state at that moment, instead of now."),
    BOUND_ROWS,
};
#undef OWNER
SCHEMA(as_of_query_schema, struct as_of_query, "MomentQuery", as_of_fields);

struct entity_events_query {
    int64_t limit;
};

#define OWNER struct entity_events_query
static const struct field entity_events_fields[] = {
    INTEGER(OWNER, limit, .lower = AT_LEAST(1), .upper = AT_MOST(ENTITY_EVENTS_MOST),
            .default_value = 20),
};
#undef OWNER
SCHEMA(entity_events_query_schema, struct entity_events_query, "EntityEventsQuery",
       entity_events_fields);

struct metric_query {
    const char *window;
    const char *as_of;
    BOUND_MEMBERS;
    const char *filter;
    const char *group_by;
};

#define OWNER struct metric_query
static const struct field metric_query_fields[] = {
    STRING(OWNER, window, .default_text = "1h",
           .help = "One of the metric's windows, or this_hour, today, yesterday, this_week, "
                   "last_week, this_month, last_month, this_year or last_year."),
    STRING(OWNER, as_of, .nullable = true, .help = "The value at that moment, instead of now."),
    BOUND_ROWS,
    STRING(OWNER, filter, .nullable = true,
           .help = "Conditions on columns, as in `status = shipped|delivered; total_amount > 9`."),
    STRING(OWNER, group_by, .nullable = true,
           .help = "Columns, and one of hour, day, week and month, separated by commas."),
};
#undef OWNER
SCHEMA(metric_query_schema, struct metric_query, "MetricQuery", metric_query_fields);

/* Answers with the object, less what the client's version of the API does not have. */
static void answer_pinned(const struct request *request, struct reply *reply,
                          const struct reading *reading, const char *answer, const void *object)
{
    const struct schema *schema = request->route->reply;
    const struct schema *shown =
        version_schema(request->arena, reading->catalog, reading->version, answer, schema);
    struct json_writer writer = service_writer(reply);

    if (shown == schema)
        reply->object = object;
    else
        schema_write(&writer, shown, object);
}

/* Names that do not exist, or that the key may not read, are refused by the read itself. */
static enum error demand(struct request *request, struct reply *reply,
                         const struct bound_texts *texts, const struct string_list *tables,
                         struct reading *reading)
{
    return tables->count ? service_demand(request, reply, "query", texts, tables, reading)
                         : ERROR_NONE;
}

static struct string_list tables_of_entity(const struct reading *reading,
                                           const struct entity_type *type)
{
    struct string_list tables = {0};

    if (type && may_see_table(reading, type->table))
        *LIST_ADD(reading->storage.arena, &tables) = type->table->name;
    return tables;
}

static struct string_list tables_of_metric(const struct reading *reading,
                                           const struct measured_query *query)
{
    const struct live_metric *metric = catalog_metric(reading->catalog, query->name);
    struct metric_tables tables;

    if (measured_is_needed(query))
        return measured_tables(reading, query);
    if (!metric || !may_see_tables_of(reading, metric, NULL))
        return (struct string_list){0};
    tables = metric_tables(metric, NULL);
    return names_of_tables(reading->storage.arena, &tables);
}

enum error entity_handle(struct request *request, struct reply *reply)
{
    const struct as_of_query *query = request->query;
    struct live_note *note = service_note(request);
    struct entity_reply *shown = ARENA_NEW(request->arena, struct entity_reply);
    const struct entity_type *type =
        catalog_entity(service_catalog(request), request->arguments[0]);
    struct entity_answer answer;
    struct string_list tables;
    struct reading reading;
    int64_t as_of;
    enum error error = ERROR_NONE;

    note->entity_type = request->arguments[0];
    note->entity_id = request->arguments[1];
    error = service_timestamp(request, "as_of", query->as_of, &as_of);
    if (!error)
        error = service_reading(request, &reading);
    if (!error) {
        tables = tables_of_entity(&reading, type);
        error = demand(request, reply, &BOUND_TEXTS(query), &tables, &reading);
    }
    if (!error)
        error = read_entity(&reading, request->arguments[0], request->arguments[1], as_of, &answer);
    if (error)
        return error;
    note->cache = answer.cache;
    service_cache_header(reply, answer.cache);
    *shown = entity_show(&reading, &answer, service_health(request, &reading));
    answer_pinned(request, reply, &reading, "entity", shown);
    return ERROR_NONE;
}

enum error timeline_handle(struct request *request, struct reply *reply)
{
    struct timeline *timeline = ARENA_NEW(request->arena, struct timeline);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = timeline;
    return error ? error : timeline_read(&reading, request->arguments[0], timeline);
}

enum error lineage_handle(struct request *request, struct reply *reply)
{
    struct lineage *lineage = ARENA_NEW(request->arena, struct lineage);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = lineage;
    return error ? error
                 : lineage_read(&reading, request->arguments[0], request->arguments[1], lineage);
}

enum error entity_events_handle(struct request *request, struct reply *reply)
{
    const struct entity_events_query *query = request->query;
    struct entity_events *events = ARENA_NEW(request->arena, struct entity_events);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = events;
    return error ? error
                 : entity_events_read(&reading, request->arguments[0], request->arguments[1],
                                      query->limit, events);
}

static enum error answer_measured(struct request *request, struct reply *reply,
                                  const struct reading *reading, const struct measured_query *query)
{
    struct metric_reply *shown = ARENA_NEW(request->arena, struct metric_reply);
    enum error error = read_measured(reading, query, service_health(request, reading), shown);

    if (error)
        return service_backend_error(request, error);
    answer_pinned(request, reply, reading, "metric", shown);
    return ERROR_NONE;
}

enum error metric_handle(struct request *request, struct reply *reply)
{
    const struct metric_query *query = request->query;
    struct live_note *note = service_note(request);
    struct metric_reply *shown = ARENA_NEW(request->arena, struct metric_reply);
    struct measured_query measured = {.name = request->arguments[0],
                                      .window = query->window,
                                      .filter = query->filter,
                                      .group_by = query->group_by,
                                      .zone = service_time_zone(request)};
    struct metric_answer answer;
    struct string_list tables;
    struct reading reading;
    int64_t as_of;
    enum error error = service_timestamp(request, "as_of", query->as_of, &as_of);

    note->metric = request->arguments[0];
    if (!error)
        error = service_reading(request, &reading);
    if (!error) {
        tables = tables_of_metric(&reading, &measured);
        error = demand(request, reply, &BOUND_TEXTS(query), &tables, &reading);
    }
    if (!error && measured_is_needed(&measured)) {
        measured.as_of = as_of;
        return answer_measured(request, reply, &reading, &measured);
    }
    if (!error)
        error = read_metric(&reading, request->arguments[0], query->window, as_of, &answer);
    if (error)
        return service_backend_error(request, error);
    note->cache = answer.cache;
    service_cache_header(reply, answer.cache);
    *shown = metric_show(&reading, &answer, service_health(request, &reading));
    answer_pinned(request, reply, &reading, "metric", shown);
    return ERROR_NONE;
}

struct series_parameters {
    const char *from, *to, *step, *filter;
    BOUND_MEMBERS;
};

#define OWNER struct series_parameters
static const struct field series_parameter_fields[] = {
    STRING(OWNER, from, .nullable = true, .help = "A time; unset: a day before `to`."),
    STRING(OWNER, to, .nullable = true, .help = "A time, not included; unset: now."),
    STRING(OWNER, step, .default_text = "1h",
           .help = "Minutes or hours that divide a day, as 5m and 1h, or day, week or month."),
    STRING(OWNER, filter, .nullable = true, .help = "Conditions, as for the metric."),
    BOUND_ROWS,
};
#undef OWNER
SCHEMA(series_query_schema, struct series_parameters, "SeriesQuery", series_parameter_fields);

enum error series_handle(struct request *request, struct reply *reply)
{
    const struct series_parameters *parameters = request->query;
    struct series_query query = {.name = request->arguments[0],
                                 .filter = parameters->filter,
                                 .step = parameters->step,
                                 .zone = service_time_zone(request)};
    struct series_reply *series = ARENA_NEW(request->arena, struct series_reply);
    struct series_values *values = ARENA_NEW(request->arena, struct series_values);
    const struct measured_query measured = {.name = query.name, .filter = query.filter};
    struct string_list tables;
    struct reading reading;
    enum error error = service_timestamp(request, "from", parameters->from, &query.from);

    service_note(request)->metric = query.name;
    if (!error)
        error = service_timestamp(request, "to", parameters->to, &query.to);
    if (!error)
        error = service_reading(request, &reading);
    if (!error) {
        tables = measured_tables(&reading, &measured);
        error = demand(request, reply, &BOUND_TEXTS(parameters), &tables, &reading);
    }
    if (!error)
        error = read_series(&reading, &query, service_health(request, &reading), series, values);
    reply->object = series;
    if (error)
        return service_backend_error(request, error);
    service_keep_series(request, values);
    return ERROR_NONE;
}
