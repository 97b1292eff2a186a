/* Idempotency keys: all SQL about them is here. */
#include "db/idempotency.h"
#include "crypto/token.h"
#include "db/query.h"

#include <string.h>

enum { MICROSECONDS = 1000000 };

static const struct statement forget_old = {
    .name = "idempotency_forget",
    .sql = "DELETE FROM idempotency_keys WHERE started_at < {now_microseconds} - ?",
};
static const struct statement free_dead = {
    .name = "idempotency_free_dead",
    .sql = "DELETE FROM idempotency_keys WHERE scope = ? AND idempotency_key = ?"
           " AND status IS NULL AND started_at < {now_microseconds} - ?",
};
static const struct statement claim_key = {
    .name = "idempotency_claim",
    .sql = "INSERT INTO idempotency_keys (scope, idempotency_key, request_hash, holder, started_at)"
           " VALUES (?, ?, ?, ?, {now_microseconds})"
           " ON CONFLICT (scope, idempotency_key) DO NOTHING",
};
static const struct statement read_key = {
    .name = "idempotency_read",
    .sql = "SELECT request_hash, status, body, content_type FROM idempotency_keys"
           " WHERE scope = ? AND idempotency_key = ?",
};
static const struct statement keep_answer = {
    .name = "idempotency_keep",
    .sql = "UPDATE idempotency_keys SET status = ?, body = ?, content_type = ?"
           " WHERE scope = ? AND idempotency_key = ? AND holder = ? AND status IS NULL",
};
static const struct statement release_key = {
    .name = "idempotency_release",
    .sql = "DELETE FROM idempotency_keys WHERE scope = ? AND idempotency_key = ? AND holder = ?"
           " AND status IS NULL",
};

static void bind_key(struct query *query, const struct idempotency_key *key)
{
    query_bind_text(query, key->scope);
    query_bind_text(query, key->key);
}

static enum error forget(struct db *db, const struct idempotency_key *key,
                         struct idempotency_times times, struct problem *problem)
{
    struct query *query = db_query(db, &forget_old);
    enum error error;

    query_bind_integer(query, times.keep_seconds * MICROSECONDS);
    error = query_end(query, problem);
    if (error)
        return error;
    query = db_query(db, &free_dead);
    bind_key(query, key);
    query_bind_integer(query, times.lease_seconds * MICROSECONDS);
    return query_end(query, problem);
}

static enum error read_answer(struct db *db, struct arena *arena, const struct idempotency_key *key,
                              enum idempotency_outcome *outcome, struct idempotency_answer *answer,
                              struct problem *problem)
{
    struct query *query = db_query(db, &read_key);

    /* A key that vanished between the two statements was released just now: the client gets the
     * same answer as for a request in flight, and tries again. */
    *outcome = IDEMPOTENCY_IN_FLIGHT;
    bind_key(query, key);
    if (query_next(query)) {
        if (strcmp(query_text(query, 0, arena), key->request_hash) != 0) {
            *outcome = IDEMPOTENCY_CONFLICT;
        } else if (!query_is_null(query, 1)) {
            *outcome = IDEMPOTENCY_REPLAY;
            *answer =
                (struct idempotency_answer){.status = query_integer(query, 1),
                                            .body = query_text_or_null(query, 2, arena),
                                            .content_type = query_text_or_null(query, 3, arena)};
        }
    }
    return query_end(query, problem);
}

enum error idempotency_claim(struct db *db, struct arena *arena, const struct idempotency_key *key,
                             struct idempotency_times times, enum idempotency_outcome *outcome,
                             struct idempotency_answer *answer, const char **holder,
                             struct problem *problem)
{
    char uuid[TOKEN_UUID_TEXT];
    struct query *query;
    enum error error = forget(db, key, times, problem);
    int64_t claimed;

    if (error)
        return error;
    token_uuid(uuid);
    *holder = arena_copy_string(arena, uuid);
    query = db_query(db, &claim_key);
    bind_key(query, key);
    query_bind_text(query, key->request_hash);
    query_bind_text(query, *holder);
    claimed = query_changes(query);
    error = query_end(query, problem);
    if (error)
        return error;
    *outcome = IDEMPOTENCY_FIRST;
    return claimed ? ERROR_NONE : read_answer(db, arena, key, outcome, answer, problem);
}

enum error idempotency_keep(struct db *db, const struct idempotency_key *key, const char *holder,
                            const struct idempotency_answer *answer, struct problem *problem)
{
    struct query *query = db_query(db, &keep_answer);

    query_bind_integer(query, answer->status);
    query_bind_text(query, answer->body);
    query_bind_text(query, answer->content_type);
    bind_key(query, key);
    query_bind_text(query, holder);
    return query_end(query, problem);
}

enum error idempotency_release(struct db *db, const struct idempotency_key *key, const char *holder,
                               struct problem *problem)
{
    struct query *query = db_query(db, &release_key);

    bind_key(query, key);
    query_bind_text(query, holder);
    return query_end(query, problem);
}
