/* SQL of kept answers. */
#include "orchestrator/storage/answer_store.h"

#include "db/query.h"

#include <string.h>

enum { ROW_BYTES = 256 /* of a row beside its answer, indexes included */ };
static const int64_t second_us = 1000000;

static const struct statement find = {
    .name = "orch_answer_find",
    .sql = "SELECT answer FROM orch_answer_cache WHERE cache_key = ?"
           " AND expires_at > {now_microseconds} AND created_at > {now_microseconds} - ?",
};
static const struct statement keep = {
    .name = "orch_answer_keep",
    .sql = "INSERT INTO orch_answer_cache (cache_key, created_at, expires_at, bytes, answer)"
           " VALUES (?, {now_microseconds}, {now_microseconds} + ?, ?, ?)"
           " ON CONFLICT (cache_key) DO UPDATE SET created_at = excluded.created_at,"
           " expires_at = excluded.expires_at, bytes = excluded.bytes, answer = excluded.answer",
};
static const struct statement expire = {
    .name = "orch_answer_expire",
    .sql = "DELETE FROM orch_answer_cache WHERE expires_at <= {now_microseconds}",
};
static const struct statement measure = {
    .name = "orch_answer_measure",
    .sql = "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM orch_answer_cache",
};
/* All but the newest that fit. */
static const struct statement evict = {
    .name = "orch_answer_evict",
    .sql = "DELETE FROM orch_answer_cache WHERE cache_key IN (SELECT cache_key FROM"
           " (SELECT cache_key, row_number() OVER (ORDER BY created_at DESC, cache_key) AS place,"
           " CAST(sum(bytes) OVER (ORDER BY created_at DESC, cache_key) AS BIGINT) AS total"
           " FROM orch_answer_cache) AS ranked WHERE place > ? OR total > ?)",
};

enum error answer_find(struct db *db, struct arena *arena, const char *key, int64_t seconds,
                       const char **answer, struct problem *problem)
{
    struct query *query = db_query(db, &find);

    query_bind_text(query, key);
    query_bind_integer(query, seconds * second_us);
    *answer = query_next(query) ? query_text(query, 0, arena) : NULL;
    return query_end(query, problem);
}

/* A twentieth below the bounds, so that not every answer deletes one. */
static int64_t room(int64_t bound)
{
    return bound - bound / 20;
}

static enum error make_room(struct db *db, struct answer_bounds bounds, struct problem *problem)
{
    struct query *query = db_query(db, &measure);
    struct answer_bounds used = {0};
    enum error error;

    if (query_next(query))
        used = (struct answer_bounds){query_integer(query, 0), query_integer(query, 1)};
    error = query_end(query, problem);
    if (error || (used.rows <= bounds.rows && used.bytes <= bounds.bytes))
        return error;
    query = db_query(db, &evict);
    query_bind_integer(query, room(bounds.rows));
    query_bind_integer(query, room(bounds.bytes));
    return query_end(query, problem);
}

enum error answer_keep(struct db *db, const char *key, const char *answer, int64_t seconds,
                       struct answer_bounds bounds, struct problem *problem)
{
    int64_t bytes = (int64_t)strlen(answer) + ROW_BYTES;
    struct query *query;
    enum error error;

    if (bytes > room(bounds.bytes))
        return ERROR_NONE;
    query = db_query(db, &keep);
    query_bind_text(query, key);
    query_bind_integer(query, seconds * second_us);
    query_bind_integer(query, bytes);
    query_bind_text(query, answer);
    error = query_end(query, problem);
    if (!error)
        error = answer_expire(db, problem);
    return error ? error : make_room(db, bounds, problem);
}

enum error answer_expire(struct db *db, struct problem *problem)
{
    return query_end(db_query(db, &expire), problem);
}
