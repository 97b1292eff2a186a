/* How the service does: service levels, what is fresh, the rate of events. */
#include "livedata-read/reads.h"

#include "livedata/timestamp.h"

struct grid_parameters {
    const char *from, *to, *step, *entity_type;
};

#define OWNER struct grid_parameters
#define STEP_HELP "Minutes or hours that divide a day, as 15m and 1h, or 1d; of UTC."
static const struct field slo_series_fields[] = {
    STRING(OWNER, from, .nullable = true, .help = "A time; unset: a window before `to`."),
    STRING(OWNER, to, .nullable = true, .help = "A time; unset: now, with a point of its own."),
    STRING(OWNER, step, .nullable = true, .help = STEP_HELP),
};
static const struct field event_rate_fields[] = {
    STRING(OWNER, from, .nullable = true, .help = "A time; unset: a day before `to`."),
    STRING(OWNER, to, .nullable = true, .help = "A time, not included; unset: now."),
    STRING(OWNER, step, .nullable = true, .help = STEP_HELP),
    STRING(OWNER, entity_type, .nullable = true, .help = "Only events of this entity."),
};
#undef OWNER
SCHEMA(slo_series_query_schema, struct grid_parameters, "SLOSeriesQuery", slo_series_fields);
SCHEMA(event_rate_query_schema, struct grid_parameters, "EventRateQuery", event_rate_fields);

enum error slo_handle(struct request *request, struct reply *reply)
{
    struct slo_answers *answer = ARENA_NEW(request->arena, struct slo_answers);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = answer;
    return error ? error : slo_read_all(&reading, answer);
}

static enum error read_grid(struct request *request, const struct grid_parameters *parameters,
                            struct grid_query *grid)
{
    enum error error = service_timestamp(request, "from", parameters->from, &grid->from);

    grid->step = parameters->step;
    return error ? error : service_timestamp(request, "to", parameters->to, &grid->to);
}

enum error slo_series_handle(struct request *request, struct reply *reply)
{
    struct slo_series_query query = {.name = request->arguments[0]};
    struct slo_series *series = ARENA_NEW(request->arena, struct slo_series);
    struct reading reading;
    enum error error = read_grid(request, request->query, &query.grid);

    reply->object = series;
    if (!error)
        error = service_reading(request, &reading);
    return error ? error : slo_read_series(&reading, &query, series);
}

enum error slo_all_series_handle(struct request *request, struct reply *reply)
{
    struct slo_series_list *list = ARENA_NEW(request->arena, struct slo_series_list);
    struct grid_query grid = {0};
    struct reading reading;
    enum error error = read_grid(request, request->query, &grid);

    reply->object = list;
    if (!error)
        error = service_reading(request, &reading);
    return error ? error : slo_read_all_series(&reading, &grid, list);
}

enum error current_handle(struct request *request, struct reply *reply)
{
    struct current_report *report = ARENA_NEW(request->arena, struct current_report);
    struct reading reading;
    enum error error = service_reading(request, &reading);

    reply->object = report;
    return error ? error : current_read(&reading, report);
}

enum error event_rate_handle(struct request *request, struct reply *reply)
{
    const struct grid_parameters *parameters = request->query;
    struct grid_query grid = {.span = us_per_day};
    struct event_rate *rate = ARENA_NEW(request->arena, struct event_rate);
    struct reading reading;
    enum error error = read_grid(request, parameters, &grid);

    reply->object = rate;
    if (!error)
        error = service_reading(request, &reading);
    return error ? error : event_rate_read(&reading, parameters->entity_type, &grid, rate);
}
