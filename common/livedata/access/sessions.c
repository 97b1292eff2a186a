/* The session log: rows held by a worker, and the SQL that writes and sums them. */
#include "livedata/access/sessions.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "db/query.h"
#include "livedata/moment.h"

#include <stdio.h>
#include <string.h>

enum { LISTED_MAX = 2000, ENDPOINTS_MAX = 200, TOP_ENDPOINTS = 3 };

static const int64_t flush_us = 1000000;
static const double anomaly_ratio = 3;

static const struct statement add_session = {
    .name = "session_add",
    .sql = "INSERT INTO api_sessions (tenant_id, request_id, key_name, endpoint, method,"
           " status_code, duration_us, cache_hit, entity_type, entity_id, metric_name,"
           " query_engine, query_text, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement add_usage = {
    .name = "usage_add",
    .sql = "INSERT INTO api_usage (tenant_id, key_id, key_slot, at) VALUES (?, ?, ?, ?)",
};
static const struct statement usage_by_tenant = {
    .name = "usage_by_tenant",
    .sql = "SELECT tenant_id, count(*) FROM api_usage WHERE at >= ? GROUP BY tenant_id"
           " ORDER BY tenant_id",
};
static const struct statement tenant_figures = {
    .name = "session_tenants",
    .sql = "SELECT tenant_id, count(*), sum(CASE WHEN status_code >= 400 THEN 1 ELSE 0 END),"
           " sum(CASE WHEN cache_hit = 1 THEN 1 ELSE 0 END), count(cache_hit),"
           " CAST(sum(duration_us) AS BIGINT) FROM api_sessions WHERE at >= ?"
           " AND (CAST(? AS TEXT) IS NULL OR tenant_id = ?) GROUP BY tenant_id ORDER BY tenant_id",
};
static const struct statement top_endpoints = {
    .name = "session_endpoints",
    .sql = "SELECT endpoint FROM api_sessions WHERE at >= ? AND tenant_id = ? GROUP BY endpoint"
           " ORDER BY count(*) DESC, endpoint LIMIT 3",
};
static const struct statement top_queries = {
    .name = "session_top_queries",
    .sql = "SELECT query_text, count(*) FROM api_sessions WHERE at >= ? AND query_text IS NOT NULL"
           " GROUP BY query_text ORDER BY count(*) DESC, query_text LIMIT ?",
};
static const struct statement top_entities = {
    .name = "session_top_entities",
    .sql = "SELECT entity_type, entity_id, count(*) FROM api_sessions WHERE at >= ?"
           " AND entity_id IS NOT NULL GROUP BY entity_type, entity_id"
           " ORDER BY count(*) DESC, entity_type, entity_id LIMIT ?",
};
static const struct statement latencies = {
    .name = "session_latency",
    .sql = "SELECT endpoint, max(n), min(CASE WHEN place >= 0.50 * n THEN duration_us END),"
           " min(CASE WHEN place >= 0.95 * n THEN duration_us END),"
           " min(CASE WHEN place >= 0.99 * n THEN duration_us END)"
           " FROM (SELECT endpoint, duration_us,"
           " row_number() OVER (PARTITION BY endpoint ORDER BY duration_us) AS place,"
           " count(*) OVER (PARTITION BY endpoint) AS n FROM api_sessions WHERE at >= ?) AS ranked"
           " GROUP BY endpoint ORDER BY endpoint LIMIT 200",
};
static const struct statement hours = {
    .name = "session_hours",
    .sql = "SELECT tenant_id, at / 3600000000 AS hour, count(*) FROM api_sessions WHERE at >= ?"
           " GROUP BY tenant_id, at / 3600000000 ORDER BY tenant_id, hour",
};
static const struct statement key_day = {
    .name = "usage_key_day",
    .sql = "SELECT count(*) FROM api_usage WHERE key_id = ? AND at >= ?",
};
static const struct statement key_old_hour = {
    .name = "usage_key_old",
    .sql = "SELECT count(*) FROM api_usage WHERE key_id = ? AND at >= ?"
           " AND key_slot = 'previous'",
};
static const struct statement last_minute = {
    .name = "session_rate",
    .sql = "SELECT count(*) FROM api_sessions WHERE at >= ?",
};

struct session_row *session_add(struct session_log *log)
{
    if (log->count == SESSIONS_HELD_MAX) {
        log->dropped++;
        return NULL;
    }
    log->rows[log->count] = (struct session_row){.cache = -1};
    return &log->rows[log->count++];
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static enum error write_session(struct db *db, const struct session_row *row,
                                struct problem *problem)
{
    struct query *query = db_query(db, &add_session);

    query_bind_text(query, row->tenant);
    query_bind_text(query, row->request_id);
    query_bind_text(query, or_null(row->key_name));
    query_bind_text(query, row->endpoint);
    query_bind_text(query, row->method);
    query_bind_integer(query, row->status);
    query_bind_integer(query, row->duration_us);
    query_bind_optional_integer(query, row->cache < 0 ? (struct optional_integer){0}
                                                      : GIVEN_INTEGER(row->cache));
    query_bind_text(query, or_null(row->entity_type));
    query_bind_text(query, or_null(row->entity_id));
    query_bind_text(query, or_null(row->metric));
    query_bind_text(query, or_null(row->engine));
    query_bind_text(query, or_null(row->query));
    query_bind_integer(query, row->at);
    return query_end(query, problem);
}

static enum error write_usage(struct db *db, const struct session_row *row, struct problem *problem)
{
    struct query *query;

    if (!*row->key_id)
        return ERROR_NONE;
    query = db_query(db, &add_usage);
    query_bind_text(query, row->tenant);
    query_bind_text(query, row->key_id);
    query_bind_text(query, row->by_previous ? "previous" : "current");
    query_bind_integer(query, row->at);
    return query_end(query, problem);
}

static enum error write_all(struct session_log *log, struct db *db, struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    for (size_t i = 0; !error && i < log->count; i++) {
        error = write_usage(db, &log->rows[i], problem);
        if (!error && !log->rows[i].usage_only)
            error = write_session(db, &log->rows[i], problem);
    }
    return db_finish(db, error, problem);
}

bool session_is_due(const struct session_log *log)
{
    return log->count && (log->count >= SESSIONS_HELD_MAX / 2 ||
                          clock_monotonic_microseconds() - log->written_at >= flush_us);
}

void session_flush(struct session_log *log, struct db *db)
{
    int64_t clock = clock_monotonic_microseconds();
    struct problem problem = {0};

    if (!log->count)
        return;
    if (write_all(log, db, &problem)) {
        log->dropped += (int64_t)log->count;
        log_event(LOG_WARNING, "sessions_not_written", problem.text);
    }
    log->count = 0;
    log->written_at = clock;
}

static struct query *since(const struct session_question *question,
                           const struct statement *statement)
{
    struct query *query = db_query(question->db, statement);

    query_bind_integer(query, question->now - question->window);
    return query;
}

static void open_list(const struct session_question *question, struct json_writer *writer,
                      const char *key)
{
    writer_open_object(writer);
    writer_key_string(writer, "window", question->window_text);
    writer_key(writer, key);
    writer_open_array(writer);
}

static void close_list(struct json_writer *writer)
{
    writer_close_array(writer);
    writer_close_object(writer);
}

enum error session_write_usage(const struct session_question *question, struct json_writer *writer)
{
    struct query *query = since(question, &usage_by_tenant);

    writer_open_object(writer);
    writer_key(writer, "usage");
    writer_open_array(writer);
    while (query_next(query)) {
        writer_open_object(writer);
        writer_key_string(writer, "tenant", query_text(query, 0, question->arena));
        writer_key_integer(writer, "requests_last_24h", query_integer(query, 1));
        writer_close_object(writer);
    }
    close_list(writer);
    return query_end(query, question->problem);
}

static enum error write_endpoints(const struct session_question *question, const char *tenant,
                                  struct json_writer *writer)
{
    struct query *query = since(question, &top_endpoints);

    query_bind_text(query, tenant);
    writer_key(writer, "top_endpoints");
    writer_open_array(writer);
    while (query_next(query))
        writer_string(writer, query_text(query, 0, question->arena));
    writer_close_array(writer);
    return query_end(query, question->problem);
}

static double share(int64_t part, int64_t whole)
{
    return whole ? number_round((double)part / (double)whole, 4) : 0;
}

enum error session_write_tenants(const struct session_question *question,
                                 struct json_writer *writer)
{
    struct query *query = since(question, &tenant_figures);
    enum error error = ERROR_NONE, ended;

    query_bind_text(query, question->tenant);
    query_bind_text(query, question->tenant);
    open_list(question, writer, "tenants");
    while (!error && query_next(query)) {
        const char *tenant = query_text(query, 0, question->arena);
        int64_t total = query_integer(query, 1);

        writer_open_object(writer);
        writer_key_string(writer, "tenant", tenant);
        writer_key_integer(writer, "total_requests", total);
        writer_key_number(writer, "error_rate", share(query_integer(query, 2), total));
        writer_key_number(writer, "cache_hit_rate",
                          share(query_integer(query, 3), query_integer(query, 4)));
        writer_key_number(writer, "avg_duration_ms",
                          number_round((double)query_integer(query, 5) / (double)total / 1000, 3));
        error = write_endpoints(question, tenant, writer);
        writer_close_object(writer);
    }
    close_list(writer);
    ended = query_end(query, error ? NULL : question->problem);
    return error ? error : ended;
}

enum error session_write_top_queries(const struct session_question *question,
                                     struct json_writer *writer)
{
    struct query *query = since(question, &top_queries);

    query_bind_integer(query, question->limit);
    open_list(question, writer, "queries");
    while (query_next(query)) {
        writer_open_object(writer);
        writer_key_string(writer, "query", query_text(query, 0, question->arena));
        writer_key_integer(writer, "count", query_integer(query, 1));
        writer_close_object(writer);
    }
    close_list(writer);
    return query_end(query, question->problem);
}

enum error session_write_top_entities(const struct session_question *question,
                                      struct json_writer *writer)
{
    struct query *query = since(question, &top_entities);

    query_bind_integer(query, question->limit);
    open_list(question, writer, "entities");
    while (query_next(query)) {
        writer_open_object(writer);
        writer_key_string(writer, "entity_type", query_text_or_null(query, 0, question->arena));
        writer_key_string(writer, "entity_id", query_text(query, 1, question->arena));
        writer_key_integer(writer, "count", query_integer(query, 2));
        writer_close_object(writer);
    }
    close_list(writer);
    return query_end(query, question->problem);
}

enum error session_write_latency(const struct session_question *question,
                                 struct json_writer *writer)
{
    static const char *const keys[] = {"p50_ms", "p95_ms", "p99_ms"};
    struct query *query = since(question, &latencies);

    open_list(question, writer, "endpoints");
    while (query_next(query)) {
        writer_open_object(writer);
        writer_key_string(writer, "endpoint", query_text(query, 0, question->arena));
        writer_key_integer(writer, "requests", query_integer(query, 1));
        for (int i = 0; i < 3; i++)
            writer_key_number(writer, keys[i],
                              number_round((double)query_integer(query, 2 + i) / 1000, 3));
        writer_close_object(writer);
    }
    close_list(writer);
    return query_end(query, question->problem);
}

/* One tenant's hours, of which the last is compared with the mean of those before. */
struct busy_hours {
    char tenant[65];
    int64_t last, earlier, count;
};

static void write_anomaly(const struct busy_hours *busy, struct json_writer *writer)
{
    double average = busy->count > 1 ? (double)busy->earlier / (double)(busy->count - 1) : 0;

    if (!*busy->tenant || average <= 0 || (double)busy->last / average <= anomaly_ratio)
        return;
    writer_open_object(writer);
    writer_key_string(writer, "tenant", busy->tenant);
    writer_key_integer(writer, "current_hour_requests", busy->last);
    writer_key_number(writer, "hourly_average", number_round(average, 1));
    writer_key_number(writer, "spike_ratio", number_round((double)busy->last / average, 2));
    writer_close_object(writer);
}

enum error session_write_anomalies(const struct session_question *question,
                                   struct json_writer *writer)
{
    struct query *query = since(question, &hours);
    struct busy_hours busy = {0};

    open_list(question, writer, "anomalies");
    while (query_next(query)) {
        const char *tenant = query_text(query, 0, question->arena);

        if (strcmp(tenant, busy.tenant) != 0) {
            write_anomaly(&busy, writer);
            busy = (struct busy_hours){0};
            (void)!snprintf(busy.tenant, sizeof busy.tenant, "%.64s", tenant);
        }
        busy.earlier += busy.last;
        busy.last = query_integer(query, 2);
        busy.count++;
    }
    write_anomaly(&busy, writer);
    close_list(writer);
    return query_end(query, question->problem);
}

static enum error count_use(const struct session_question *question,
                            const struct statement *statement, const char *key_id, int64_t since_at,
                            int64_t *count)
{
    struct query *query = db_query(question->db, statement);

    query_bind_text(query, key_id);
    query_bind_integer(query, since_at);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, question->problem);
}

enum error session_key_use(const struct session_question *question, const char *key_id,
                           int64_t *day, int64_t *old_hour)
{
    enum error error = count_use(question, &key_day, key_id, question->now - moment_day, day);

    return error
               ? error
               : count_use(question, &key_old_hour, key_id, question->now - moment_hour, old_hour);
}

enum error session_rate(const struct session_question *question, double *rate)
{
    const double seconds = 60;
    struct query *query = db_query(question->db, &last_minute);

    query_bind_integer(query, question->now - moment_minute);
    *rate = query_next(query) ? number_round((double)query_integer(query, 0) / seconds, 2) : 0;
    return query_end(query, question->problem);
}
