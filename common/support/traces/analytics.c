/* Analytics: sums over traces by category and by day. */
#include "support/traces/analytics.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "db/query.h"

#include <string.h>

enum { SECONDS_A_DAY = 86400, ROWS_MOST = 1000, DATE_LENGTH = 10 };
static const int64_t microseconds_a_minute = INT64_C(60000000),
                     microseconds_a_day = INT64_C(86400000000);

const char *const analytics_metric_names[ANALYTICS__MAX + 1] = {"quality", "cost", "resolution",
                                                                NULL};

static const struct statement read_topics = {
    .name = "analytics_topics",
    .sqlite = "SELECT c.value, count(*), sum(CASE WHEN t.final_route = 'auto' THEN 1 ELSE 0 END),"
              " avg(t.final_quality) FROM traces t, json_each(t.categories) c"
              " WHERE t.origin = 'live' AND t.tenant_id = ?"
              " AND t.started_at >= {now_plus:?} GROUP BY c.value"
              " ORDER BY count(*) DESC, c.value LIMIT ?",
    .postgres = "SELECT c.value, count(*), sum(CASE WHEN t.final_route = 'auto' THEN 1 ELSE 0 END),"
                " CAST(avg(t.final_quality) AS DOUBLE PRECISION) FROM traces t,"
                " jsonb_array_elements_text(t.categories) AS c(value)"
                " WHERE t.origin = 'live' AND t.tenant_id = ?"
                " AND t.started_at >= {now_plus:?} GROUP BY c.value"
                " ORDER BY count(*) DESC, c.value LIMIT ?",
};
static const struct statement read_category_costs = {
    .name = "analytics_category_costs",
    .sqlite = "SELECT c.value, sum(s.cost_usd) FROM traces t, json_each(t.categories) c,"
              " trace_steps s WHERE s.trace_id = t.trace_id AND t.tenant_id = ?"
              " AND t.started_at >= {now_plus:?} AND s.cost_usd > 0 GROUP BY c.value"
              " ORDER BY sum(s.cost_usd) DESC, c.value LIMIT ?",
    .postgres = "SELECT c.value, sum(s.cost_usd) FROM traces t,"
                " jsonb_array_elements_text(t.categories) AS c(value), trace_steps s"
                " WHERE s.trace_id = t.trace_id AND t.tenant_id = ?"
                " AND t.started_at >= {now_plus:?} AND s.cost_usd > 0 GROUP BY c.value"
                " ORDER BY sum(s.cost_usd) DESC, c.value LIMIT ?",
};
static const struct statement read_model_costs = {
    .name = "analytics_model_costs",
    .sql = "SELECT s.model_name, sum(s.cost_usd) FROM traces t JOIN trace_steps s"
           " ON s.trace_id = t.trace_id WHERE t.tenant_id = ? AND t.started_at >= {now_plus:?}"
           " AND s.model_name IS NOT NULL GROUP BY s.model_name"
           " ORDER BY sum(s.cost_usd) DESC, s.model_name LIMIT ?",
};
#define BY_DAY                                                                                     \
    " FROM traces WHERE origin = 'live' AND tenant_id = ? AND started_at >= {now_plus:?}"          \
    " AND finished_at IS NOT NULL"                                                                 \
    " GROUP BY substr(started_at, 1, 10) ORDER BY substr(started_at, 1, 10) LIMIT ?"
static const struct statement read_days[ANALYTICS__MAX] = {
    {.name = "analytics_quality",
     .sql = "SELECT substr(started_at, 1, 10),"
            " CAST(avg(final_quality) AS DOUBLE PRECISION)" BY_DAY},
    {.name = "analytics_cost", .sql = "SELECT substr(started_at, 1, 10), avg(cost_usd)" BY_DAY},
    {.name = "analytics_resolution",
     .sql = "SELECT substr(started_at, 1, 10),"
            " avg(CASE WHEN final_route = 'auto' THEN 1.0 ELSE 0.0 END) * 1e0" BY_DAY},
};

/* Without a person; of the traces t. */
#define ANSWERED "t.final_route IN ('auto', 'agentic')"
static const struct statement read_series = {
    .name = "analytics_series",
    .sql = "SELECT t.started_at, CASE WHEN " ANSWERED " THEN 1 ELSE 0 END, t.final_quality,"
           " t.cost_usd FROM traces t WHERE t.origin = 'live' AND t.tenant_id = ?"
           " AND t.started_at >= {now_plus:?} AND t.finished_at IS NOT NULL",
    .streams = true,
};

/* The newest answer by its time, before its id. */
#define QUESTIONS                                                                                  \
    "SELECT max(t.question), count(*), max(t.started_at), max(t.started_at || ' ' || t.trace_id)"  \
    " FROM traces t"
#define OF_PERIOD                                                                                  \
    " WHERE t.origin = 'live' AND t.tenant_id = ? AND t.started_at >= {now_plus:?}"                \
    " AND t.finished_at IS NOT NULL"
#define UNANSWERED "CASE WHEN " ANSWERED " THEN 0 ELSE 1 END"
#define MOST_FREQUENT                                                                              \
    " GROUP BY lower(t.question) ORDER BY count(*) DESC, lower(t.question) LIMIT ?"
static const struct statement read_questions[QUESTIONS__MAX] = {
    {.name = "analytics_asked", .sql = QUESTIONS OF_PERIOD MOST_FREQUENT},
    {.name = "analytics_unanswered",
     .sql = "SELECT max(t.question), sum(" UNANSWERED "), max(t.started_at),"
            " max(t.started_at || ' ' || t.trace_id) FROM traces t" OF_PERIOD
            " GROUP BY lower(t.question) HAVING max(CASE WHEN " ANSWERED " THEN '' ELSE"
            " t.started_at END) > max(CASE WHEN " ANSWERED " THEN t.started_at ELSE '' END)"
            " ORDER BY sum(" UNANSWERED ") DESC, lower(t.question) LIMIT ?"},
    {.name = "analytics_disliked",
     .sql = QUESTIONS " JOIN feedback f ON f.tenant_id = t.tenant_id AND f.trace_id = t.trace_id"
                      " AND f.linked = 1 AND f.rating = 'down'" OF_PERIOD MOST_FREQUENT},
};

static struct query *ask(const struct trace_call *call, const struct statement *statement,
                         int64_t days)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    query_bind_integer(query, ROWS_MOST);
    return query;
}

enum error analytics_topics(const struct trace_call *call, int64_t days, struct object_list *rows)
{
    struct topic_row *items = ARENA_ARRAY(call->arena, struct topic_row, ROWS_MOST);
    struct query *query = ask(call, &read_topics, days);

    *rows = (struct object_list){.items = items};
    while (rows->count < ROWS_MOST && query_next(query)) {
        struct topic_row *row = &items[rows->count++];

        *row = (struct topic_row){query_text(query, 0, call->arena), query_integer(query, 1),
                                  query_integer(query, 2), query_optional_number(query, 3)};
        row->avg_quality.value = number_round_figure(row->avg_quality.value, 2);
    }
    return query_end(query, call->problem);
}

enum error analytics_days(const struct trace_call *call, int64_t days, enum analytics_metric metric,
                          struct object_list *rows)
{
    struct day_row *items = ARENA_ARRAY(call->arena, struct day_row, ROWS_MOST);
    struct query *query = ask(call, &read_days[metric], days);

    *rows = (struct object_list){.items = items};
    while (rows->count < ROWS_MOST && query_next(query))
        items[rows->count++] = (struct day_row){query_text(query, 0, call->arena),
                                                number_round_figure(query_number(query, 1), 4)};
    return query_end(query, call->problem);
}

static void add_answer(struct series_day *day, double *quality, int64_t *rated, struct query *query)
{
    bool answered = query_integer(query, 1) != 0;

    day->questions++;
    day->answered += answered;
    day->handed_over += !answered;
    day->cost_usd += query_is_null(query, 3) ? 0 : query_number(query, 3);
    if (query_is_null(query, 2))
        return;
    *quality += query_number(query, 2);
    *rated += 1;
}

static void finish_day(struct series_day *day, double quality, int64_t rated, int64_t start,
                       struct arena *arena)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(start, text);
    day->date = arena_copy(arena, text, DATE_LENGTH);
    day->cost_usd = number_round_figure(day->cost_usd, 6);
    if (rated)
        day->quality =
            (struct optional_number)GIVEN_NUMBER(number_round_figure(quality / (double)rated, 2));
}

enum error analytics_series(const struct trace_call *call, int64_t days, int64_t offset_minutes,
                            struct object_list *rows)
{
    struct series_day *items = ARENA_ARRAY(call->arena, struct series_day, (size_t)days);
    double *quality = ARENA_ARRAY(call->arena, double, (size_t)days);
    int64_t *rated = ARENA_ARRAY(call->arena, int64_t, (size_t)days);
    int64_t offset = offset_minutes * microseconds_a_minute;
    int64_t today = (clock_unix_microseconds() + offset) / microseconds_a_day;
    struct arena *texts = arena_create_below(call->arena, 1 << 16);
    struct query *query = db_query(call->db, &read_series);

    query_bind_text(query, call->tenant);
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    while (query_next(query)) {
        int64_t moment, place = -1;

        if (timestamp_from_text(query_text(query, 0, texts), &moment))
            place = (moment + offset) / microseconds_a_day - today + days - 1;
        if (place >= 0 && place < days)
            add_answer(&items[place], &quality[place], &rated[place], query);
        arena_reset(texts);
    }
    for (int64_t i = 0; i < days; i++)
        finish_day(&items[i], quality[i], rated[i], (today - days + 1 + i) * microseconds_a_day,
                   call->arena);
    arena_destroy(texts);
    *rows = (struct object_list){(size_t)days, items};
    return query_end(query, call->problem);
}

static enum error costs(const struct trace_call *call, const struct statement *statement,
                        int64_t days, struct object_list *rows)
{
    struct cost_row *items = ARENA_ARRAY(call->arena, struct cost_row, ROWS_MOST);
    struct query *query = ask(call, statement, days);

    *rows = (struct object_list){.items = items};
    while (rows->count < ROWS_MOST && query_next(query))
        items[rows->count++] = (struct cost_row){query_text(query, 0, call->arena),
                                                 number_round_figure(query_number(query, 1), 6)};
    return query_end(query, call->problem);
}

enum error analytics_costs(const struct trace_call *call, int64_t days,
                           struct object_list *by_model, struct object_list *by_category)
{
    enum error error = costs(call, &read_model_costs, days, by_model);

    return error ? error : costs(call, &read_category_costs, days, by_category);
}

enum error analytics_frequent(const struct trace_call *call, int64_t days,
                              enum analytics_questions kind, int64_t limit,
                              struct object_list *rows)
{
    struct question_row *items = ARENA_ARRAY(call->arena, struct question_row, (size_t)limit + 1);
    struct query *query = db_query(call->db, &read_questions[kind]);

    query_bind_text(query, call->tenant);
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    query_bind_integer(query, limit);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)limit && query_next(query)) {
        const char *newest = query_text(query, 3, call->arena);

        items[rows->count++] =
            (struct question_row){query_text(query, 0, call->arena), query_integer(query, 1),
                                  query_text(query, 2, call->arena), strrchr(newest, ' ') + 1};
    }
    return query_end(query, call->problem);
}
