/* Counting the journal's events by steps. */
#include "livedata/reads/event_rate.h"

#include "db/query.h"
#include "livedata/access/types.h"
#include "livedata/timestamp.h"

#define OWNER struct event_rate_point
static const struct field point_fields[] = {
    TIME(OWNER, at, .time = TIME_Z, .help = "The beginning of the step."),
    INTEGER(OWNER, applied),
    INTEGER(OWNER, failed),
};
#undef OWNER
static SCHEMA(point_schema, struct event_rate_point, "EventRatePoint", point_fields);

#define OWNER struct event_rate
static const struct field rate_fields[] = {
    TIME(OWNER, from, .time = TIME_Z),
    TIME(OWNER, to, .time = TIME_Z),
    STRING(OWNER, step),
    INTEGER(OWNER, applied, .help = "Events that were applied in all of the time."),
    INTEGER(OWNER, failed, .help = "Events that could not be applied, and have not been since."),
    OBJECTS(OWNER, points, point_schema, .help = "One per step; the last one has not ended."),
};
#undef OWNER
SCHEMA(event_rate_schema, struct event_rate, "EventRate", rate_fields);

static const struct statement count_steps = {
    .name = "event_rate",
    .sql = "SELECT (processed_at - ?) / ?, coalesce(sum(CASE WHEN topic = 'events.validated' THEN 1"
           " ELSE 0 END), 0), coalesce(sum(CASE WHEN topic = 'events.deadletter' THEN 1 ELSE 0"
           " END), 0) FROM pipeline_events WHERE tenant_id = ? AND processed_at >= ?"
           " AND processed_at < ? AND (CAST(? AS TEXT) IS NULL"
           " OR replace(?, ',' || coalesce(entity_type, '') || ',', '') <> ?) GROUP BY 1"
           " ORDER BY 1",
};

static enum error count(const struct reading *reading, const char *types, int64_t step,
                        struct event_rate *rate)
{
    struct event_rate_point *points = (struct event_rate_point *)rate->points.items;
    struct query *query = db_query(reading->storage.db, &count_steps);

    query_bind_integer(query, rate->from);
    query_bind_integer(query, step);
    query_bind_text(query, reading->storage.tenant);
    query_bind_integer(query, rate->from);
    query_bind_integer(query, rate->to);
    for (int i = 0; i < 3; i++)
        query_bind_text(query, types);
    while (query_next(query)) {
        struct event_rate_point *point = &points[query_integer(query, 0)];

        point->applied = query_integer(query, 1);
        point->failed = query_integer(query, 2);
        rate->applied += point->applied;
        rate->failed += point->failed;
    }
    return query_end(query, reading->storage.problem);
}

enum error event_rate_read(const struct reading *reading, const char *entity_type,
                           const struct grid_query *query, struct event_rate *rate)
{
    const struct storage_call *call = &reading->storage;
    const struct string_list one = {1, &entity_type};
    struct event_rate_point *points;
    struct grid grid;
    const struct entity_type *type;
    enum error error = entity_type ? find_readable_type(reading, entity_type, &type) : ERROR_NONE;

    if (!error)
        error = grid_choose(call, query, &grid);
    if (error)
        return error;
    /* The first step is whole: the time begins with it. */
    *rate = (struct event_rate){
        .from = grid.from / grid.step * grid.step, .to = grid.to, .step = grid.step_text};
    rate->points.count = (size_t)((rate->to - rate->from + grid.step - 1) / grid.step);
    points = ARENA_ARRAY(call->arena, struct event_rate_point, rate->points.count);
    rate->points.items = points;
    for (size_t i = 0; i < rate->points.count; i++)
        points[i].at = rate->from + (int64_t)i * grid.step;
    return count(reading,
                 entity_type ? entity_types_text(call->arena, &one) : reading_event_types(reading),
                 grid.step, rate);
}
