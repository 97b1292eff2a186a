/* SQL of kafka_offsets: how far the partitions of Kafka were applied, and how far they go. */
#include "kafka/offsets.h"

#include "base/list.h"
#include "db/query.h"

static const struct statement add_offset = {
    .name = "kafka_offset_add",
    .sql = "INSERT INTO kafka_offsets (topic, partition_number, next_offset, end_offset, seen_at)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (topic, partition_number) DO NOTHING",
};
static const struct statement read_offset = {
    .name = "kafka_offset_read",
    .sql = "SELECT next_offset FROM kafka_offsets WHERE topic = ? AND partition_number = ?",
};
static const struct statement move_offset = {
    .name = "kafka_offset_move",
    .sql = "UPDATE kafka_offsets SET next_offset = ?, end_offset = ?, seen_at = ?"
           " WHERE topic = ? AND partition_number = ? AND next_offset = ?",
};
static const struct statement forget_topic = {
    .name = "kafka_offsets_forget",
    .sql = "DELETE FROM kafka_offsets WHERE topic = ?",
};
static const struct statement read_lags = {
    .name = "kafka_lags_read",
    .sql = "SELECT topic, sum(CASE WHEN end_offset > next_offset THEN end_offset - next_offset"
           " ELSE 0 END), min(seen_at), sum(CASE WHEN seen_at < (SELECT max(seen_at)"
           " FROM kafka_offsets) - CAST(? AS BIGINT) THEN 1 ELSE 0 END)"
           " FROM kafka_offsets GROUP BY topic ORDER BY topic LIMIT ?",
};

static enum error add(struct db *db, const struct kafka_position *position, struct problem *problem)
{
    struct query *query = db_query(db, &add_offset);

    query_bind_text(query, position->topic);
    query_bind_integer(query, position->partition);
    query_bind_integer(query, position->next);
    query_bind_integer(query, position->end);
    query_bind_integer(query, position->seen_at);
    return query_end(query, problem);
}

enum error kafka_offset_load(struct db *db, struct kafka_position *position,
                             struct problem *problem)
{
    enum error error = add(db, position, problem);
    struct query *query;

    if (error)
        return error;
    query = db_query(db, &read_offset);
    query_bind_text(query, position->topic);
    query_bind_integer(query, position->partition);
    if (query_next(query))
        position->next = query_integer(query, 0);
    position->batch_next = position->next;
    return query_end(query, problem);
}

/* From position->next to `next`; whether it was there. */
static enum error move(struct db *db, const struct kafka_position *position, int64_t next,
                       int64_t now, bool *moved, struct problem *problem)
{
    struct query *query = db_query(db, &move_offset);

    query_bind_integer(query, next);
    query_bind_integer(query, position->end > next ? position->end : next);
    query_bind_integer(query, now);
    query_bind_text(query, position->topic);
    query_bind_integer(query, position->partition);
    query_bind_integer(query, position->next);
    *moved = query_changes(query) == 1;
    return query_end(query, problem);
}

enum error kafka_offsets_advance(struct db *db, const struct kafka_position *positions,
                                 size_t count, int64_t now, struct problem *problem)
{
    enum error error = ERROR_NONE;
    bool moved = true;

    for (size_t i = 0; !error && moved && i < count; i++)
        if (positions[i].batch_next != positions[i].next)
            error = move(db, &positions[i], positions[i].batch_next, now, &moved, problem);
    if (!error && !moved)
        return problem_set(problem, ERROR_CONFLICT, "offset_moved",
                           "another bridge has applied these records");
    return error;
}

enum error kafka_offsets_note(struct db *db, const struct kafka_position *positions, size_t count,
                              int64_t now, struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);
    bool moved;

    if (error)
        return error;
    for (size_t i = 0; !error && i < count; i++)
        error = move(db, &positions[i], positions[i].next, now, &moved, problem);
    return db_finish(db, error, problem);
}

enum error kafka_offsets_forget(struct db *db, const char *topic, int64_t *partitions,
                                struct problem *problem)
{
    struct query *query = db_query(db, &forget_topic);

    query_bind_text(query, topic);
    *partitions = query_changes(query);
    return query_end(query, problem);
}

enum error kafka_lags_read(struct db *db, struct arena *arena, struct kafka_lag **lags,
                           size_t *count, struct problem *problem)
{
    struct query *query = db_query(db, &read_lags);

    *lags = NULL;
    *count = 0;
    query_bind_integer(query, (int64_t)KAFKA_SILENCE_SECONDS * 1000000);
    query_bind_integer(query, KAFKA_LAGS_MAX);
    while (query_next(query)) {
        struct kafka_lag *lag = ARRAY_ADD(arena, *lags, *count);

        lag->topic = query_text(query, 0, arena);
        lag->records = query_integer(query, 1);
        lag->seen_at = query_integer(query, 2);
        lag->silent = query_integer(query, 3);
    }
    return query_end(query, problem);
}

struct kafka_lag kafka_lag_of_all(const struct kafka_lag *lags, size_t count)
{
    struct kafka_lag all = {0};

    for (size_t i = 0; i < count; i++) {
        all.records += lags[i].records;
        all.silent += lags[i].silent;
        if (!all.seen_at || lags[i].seen_at < all.seen_at)
            all.seen_at = lags[i].seen_at;
    }
    return all;
}

const char *kafka_lag_text(struct arena *arena, const struct kafka_lag *lag)
{
    if (!lag->silent)
        return "";
    return arena_print(arena, "; nothing was heard of %lld partition(s) while others go on",
                       (long long)lag->silent);
}
