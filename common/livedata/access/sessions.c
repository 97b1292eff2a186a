/* The request log: rows buffered by a worker, and the SQL that writes them. */
#include "livedata/access/sessions.h"

#include "base/clock.h"
#include "base/log.h"
#include "db/query.h"

#include <stdio.h>
#include <string.h>

static const int64_t flush_us = 1000000;

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
