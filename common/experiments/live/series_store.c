/* Reads and replaces the stored growth of an experiment. */
#include "experiments/live/series_store.h"

#include "base/list.h"
#include "db/query.h"

static const struct statement read_series = {
    .name = "live_series_read",
    .sql = "SELECT version, computed_at, took, step FROM live_series WHERE experiment_id = ?",
};
static const struct statement read_days = {
    .name = "live_days_read",
    .sql = "SELECT day, arm, people, converted, huge, value_sum, value_squares, other_sum,"
           " other_squares, products, crossed FROM live_days WHERE experiment_id = ? ORDER BY day, "
           "arm",
};
/* An archived one grows no more, but its growth may not be known yet. */
static const struct statement active_experiments = {
    .name = "live_series_active",
    .sql = "SELECT e.experiment_id, e.experiment, e.buckets FROM live_experiments e"
           " JOIN projects p ON p.id = e.experiment_id WHERE p.archived = 0 OR NOT EXISTS"
           " (SELECT 1 FROM live_series s WHERE s.experiment_id = e.experiment_id)"
           " ORDER BY e.experiment_id",
    .streams = true,
};
static const struct statement put_series = {
    .name = "live_series_put",
    .sql = "INSERT INTO live_series (experiment_id, version, computed_at, took, step)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (experiment_id) DO UPDATE SET"
           " version = excluded.version, computed_at = excluded.computed_at, took = excluded.took,"
           " step = excluded.step",
};
static const struct statement clear_days = {
    .name = "live_days_clear",
    .sql = "DELETE FROM live_days WHERE experiment_id = ?",
};
static const struct statement insert_day = {
    .name = "live_day_insert",
    .sql = "INSERT INTO live_days (experiment_id, day, arm, people, converted, huge, value_sum,"
           " value_squares, other_sum, other_squares, products, crossed)"
           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement read_ages = {
    .name = "live_ages_read",
    .sql = "SELECT arm, first, second, people, huge, value_sum, products FROM live_ages"
           " WHERE experiment_id = ? ORDER BY arm, first, second",
};
static const struct statement clear_ages = {
    .name = "live_ages_clear",
    .sql = "DELETE FROM live_ages WHERE experiment_id = ?",
};
static const struct statement insert_age = {
    .name = "live_age_insert",
    .sql = "INSERT INTO live_ages (experiment_id, arm, first, second, people, huge, value_sum,"
           " products) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement newest_moment = {
    .name = "live_newest_moment",
    .sql =
        "SELECT coalesce((SELECT max(u.occurred_at) FROM live_units u WHERE u.experiment = ?), 0),"
        " coalesce((SELECT max(c.occurred_at) FROM live_conversions c WHERE c.experiment = ?), 0)",
};

#define OWNER struct live_series_row
static const struct field series_fields[] = {
    STRING(OWNER, version),
    INTEGER(OWNER, computed_at),
    INTEGER(OWNER, took),
    INTEGER(OWNER, step),
};
#undef OWNER
static SCHEMA(series_schema, struct live_series_row, "LiveSeriesRow", series_fields);

#define OWNER struct live_day
static const struct field day_fields[] = {
    INTEGER(OWNER, day),          INTEGER(OWNER, arm),      INTEGER(OWNER, people),
    INTEGER(OWNER, converted),    INTEGER(OWNER, huge),     NUMBER(OWNER, value_sum),
    NUMBER(OWNER, value_squares), NUMBER(OWNER, other_sum), NUMBER(OWNER, other_squares),
    NUMBER(OWNER, products),      INTEGER(OWNER, crossed),
};
#undef OWNER
static SCHEMA(day_schema, struct live_day, "LiveDayRow", day_fields);

#define OWNER struct live_age
static const struct field age_fields[] = {
    INTEGER(OWNER, arm),  INTEGER(OWNER, first),    INTEGER(OWNER, second),  INTEGER(OWNER, people),
    INTEGER(OWNER, huge), NUMBER(OWNER, value_sum), NUMBER(OWNER, products),
};
#undef OWNER
static SCHEMA(age_schema, struct live_age, "LiveAgeRow", age_fields);

enum error live_series_read(const struct live_call *call, const char *id,
                            struct live_series_row *row)
{
    struct query *query = db_query(call->db, &read_series);

    *row = (struct live_series_row){0};
    query_bind_text(query, id);
    if (query_next(query))
        query_read(query, &series_schema, row, call->arena);
    return query_end(query, call->problem);
}

enum error live_days_read(const struct live_call *call, const char *id, struct object_list *days)
{
    struct query *query = db_query(call->db, &read_days);
    struct live_day *items = NULL;

    *days = (struct object_list){0};
    query_bind_text(query, id);
    while (query_next(query))
        query_read(query, &day_schema, ARRAY_ADD(call->arena, items, days->count), call->arena);
    days->items = items;
    return query_end(query, call->problem);
}

enum error live_ages_read(const struct live_call *call, const char *id, struct object_list *ages)
{
    struct query *query = db_query(call->db, &read_ages);
    struct live_age *items = NULL;

    *ages = (struct object_list){0};
    query_bind_text(query, id);
    while (query_next(query))
        query_read(query, &age_schema, ARRAY_ADD(call->arena, items, ages->count), call->arena);
    ages->items = items;
    return query_end(query, call->problem);
}

enum error live_newest_moment(const struct live_call *call, int64_t number, int64_t *at)
{
    struct query *query = db_query(call->db, &newest_moment);

    query_bind_integer(query, number);
    query_bind_integer(query, number);
    if (query_next(query))
        for (int column = 0; column < 2; column++)
            if (query_integer(query, column) > *at)
                *at = query_integer(query, column);
    return query_end(query, call->problem);
}

/* People of all arms, by the aggregates: one small read for each experiment, because a cluster does
 * not add up what lies on other nodes than the list. */
static enum error is_large(const struct live_call *call, const struct live_experiment *experiment,
                           int64_t people, bool *large)
{
    struct live_rollup rollup;
    enum error error;

    live_rollup_start(&rollup, experiment, call->arena);
    error = live_read_arms(call, false, &rollup);
    for (int i = 0; i < 1 + LIVE_ARMS_MAX; i++)
        people -= rollup.arms[i].people;
    *large = people < 0;
    return error;
}

enum error live_series_large(const struct live_call *call, int64_t people,
                             struct live_names *experiments)
{
    struct query *query = db_query(call->db, &active_experiments);
    struct live_experiment *active = NULL;
    size_t count = 0;
    enum error error;

    *experiments = (struct live_names){.arena = call->arena};
    while (query_next(query))
        *ARRAY_ADD(call->arena, active, count) =
            (struct live_experiment){.id = query_text(query, 0, call->arena),
                                     .number = query_integer(query, 1),
                                     .buckets = query_integer(query, 2)};
    error = query_end(query, call->problem);
    for (size_t i = 0; !error && i < count; i++) {
        bool large = false;

        error = is_large(call, &active[i], people, &large);
        if (!error && large)
            live_names_add(experiments, active[i].id);
    }
    return error;
}

static enum error insert_days(const struct live_call *call, const char *id,
                              const struct object_list *days)
{
    const struct live_day *items = days->items;
    struct query *query;

    if (days->count == 0)
        return ERROR_NONE;
    query = db_query(call->db, &insert_day);
    for (size_t i = 0; i < days->count; i++) {
        const struct live_day *day = &items[i];

        query_bind_text(query, id);
        query_bind_integer(query, day->day);
        query_bind_integer(query, day->arm);
        query_bind_integer(query, day->people);
        query_bind_integer(query, day->converted);
        query_bind_integer(query, day->huge);
        query_bind_number(query, day->value_sum);
        query_bind_number(query, day->value_squares);
        query_bind_number(query, day->other_sum);
        query_bind_number(query, day->other_squares);
        query_bind_number(query, day->products);
        query_bind_integer(query, day->crossed);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

static enum error insert_ages(const struct live_call *call, const char *id,
                              const struct object_list *ages)
{
    const struct live_age *items = ages->items;
    struct query *query;

    if (ages->count == 0)
        return ERROR_NONE;
    query = db_query(call->db, &insert_age);
    for (size_t i = 0; i < ages->count; i++) {
        const struct live_age *age = &items[i];

        query_bind_text(query, id);
        query_bind_integer(query, age->arm);
        query_bind_integer(query, age->first);
        query_bind_integer(query, age->second);
        query_bind_integer(query, age->people);
        query_bind_integer(query, age->huge);
        query_bind_number(query, age->value_sum);
        query_bind_number(query, age->products);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

static enum error clear_sums(const struct live_call *call, const char *id,
                             const struct statement *statement)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, id);
    return query_end(query, call->problem);
}

static enum error put_row(const struct live_call *call, const char *id,
                          const struct live_series_row *row)
{
    struct query *query = db_query(call->db, &put_series);

    query_bind_text(query, id);
    query_bind_text(query, row->version);
    query_bind_integer(query, row->computed_at);
    query_bind_integer(query, row->took);
    query_bind_integer(query, row->step);
    return query_end(query, call->problem);
}

enum error live_series_save(const struct live_call *call, const char *id,
                            const struct live_series_row *row, const struct live_series *series)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = put_row(call, id, row);
    if (!error)
        error = clear_sums(call, id, &clear_days);
    if (!error)
        error = clear_sums(call, id, &clear_ages);
    if (!error)
        error = insert_days(call, id, &series->days);
    if (!error)
        error = insert_ages(call, id, &series->ages);
    return db_finish(call->db, error, call->problem);
}
