/* SQL of stored answers. */
#include "orchestrator/storage/response_store.h"

#include "base/clock.h"
#include "db/query.h"

#include <string.h>

enum { EXPIRE_BATCH = 500 };

#define COLUMNS "response_id, owner, previous_id, created_at, input, answer"

static const struct statement insert = {
    .name = "orch_response_insert",
    .sql = "INSERT INTO orch_responses (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?)",
};
static const struct statement find = {
    .name = "orch_response_find",
    .sql = "SELECT " COLUMNS " FROM orch_responses WHERE response_id = ? AND owner = ?",
};
static const struct statement chain_of = {
    .name = "orch_response_chain",
    .sql = "WITH RECURSIVE chain (" COLUMNS ", depth) AS ("
           "SELECT " COLUMNS ", 1 FROM orch_responses WHERE response_id = ? AND owner = ?"
           " UNION ALL SELECT r.response_id, r.owner, r.previous_id, r.created_at, r.input,"
           " r.answer, c.depth + 1 FROM orch_responses r"
           " JOIN chain c ON r.response_id = c.previous_id AND r.owner = c.owner"
           " WHERE c.depth < ?)"
           " SELECT " COLUMNS " FROM chain ORDER BY depth DESC",
};
static const struct statement delete_one = {
    .name = "orch_response_delete",
    .sql = "DELETE FROM orch_responses WHERE response_id = ? AND owner = ?",
};
static const struct statement delete_old = {
    .name = "orch_response_expire",
    .sql = "DELETE FROM orch_responses WHERE response_id IN (SELECT response_id FROM orch_responses"
           " WHERE created_at < ? ORDER BY created_at LIMIT ?)",
};

#define OWNER struct stored_response
static const struct field fields[] = {
    STRING(OWNER, response_id), STRING(OWNER, owner), STRING(OWNER, previous_id, .nullable = true),
    TIME(OWNER, created_at),    STRING(OWNER, input), STRING(OWNER, answer),
};
#undef OWNER
static SCHEMA(schema, struct stored_response, "StoredResponseRow", fields);

static enum error not_found(struct problem *problem, const char *response_id)
{
    return problem_set(problem, ERROR_NOT_FOUND, "response_not_found",
                       "Response with id '%s' not found.", response_id);
}

enum error response_save(struct db *db, const struct stored_response *response,
                         struct problem *problem)
{
    struct query *query = db_query(db, &insert);
    char created_at[CLOCK_TEXT_MAX];

    clock_format(response->created_at, created_at);
    query_bind_text(query, response->response_id);
    query_bind_text(query, response->owner);
    query_bind_text(query, response->previous_id);
    query_bind_text(query, created_at);
    query_bind_text(query, response->input);
    query_bind_text(query, response->answer);
    return query_end(query, problem);
}

enum error response_find(struct db *db, struct arena *arena, const char *owner,
                         const char *response_id, struct stored_response *response,
                         struct problem *problem)
{
    struct query *query = db_query(db, &find);
    enum error error;

    *response = (struct stored_response){0};
    query_bind_text(query, response_id);
    query_bind_text(query, owner);
    if (query_next(query))
        query_read(query, &schema, response, arena);
    error = query_end(query, problem);
    return error || response->response_id ? error : not_found(problem, response_id);
}

enum error response_chain(struct db *db, struct arena *arena, const char *owner,
                          const char *response_id, struct object_list *chain,
                          struct problem *problem)
{
    struct stored_response *items = ARENA_ARRAY(arena, struct stored_response, RESPONSE_CHAIN_MAX);
    struct query *query = db_query(db, &chain_of);

    *chain = (struct object_list){0, items};
    query_bind_text(query, response_id);
    query_bind_text(query, owner);
    query_bind_integer(query, RESPONSE_CHAIN_MAX);
    while (chain->count < RESPONSE_CHAIN_MAX && query_next(query))
        query_read(query, &schema, &items[chain->count++], arena);
    return query_end(query, problem);
}

enum error response_delete(struct db *db, const char *owner, const char *response_id,
                           struct problem *problem)
{
    struct query *query = db_query(db, &delete_one);
    int64_t changed;
    enum error error;

    query_bind_text(query, response_id);
    query_bind_text(query, owner);
    changed = query_changes(query);
    error = query_end(query, problem);
    return error || changed ? error : not_found(problem, response_id);
}

enum error response_expire(struct db *db, int64_t days, struct problem *problem)
{
    struct query *query = db_query(db, &delete_old);
    char before[CLOCK_TEXT_MAX];

    clock_format(clock_unix_microseconds() - days * INT64_C(86400000000), before);
    query_bind_text(query, before);
    query_bind_integer(query, EXPIRE_BATCH);
    return query_end(query, problem);
}
