/* SQL of added models. */
#include "orchestrator/storage/added_model_store.h"

#include "db/query.h"

static const struct statement read_version = {
    .name = "orch_models_version",
    .sql = "SELECT version FROM orch_models_version WHERE id = 1",
};
static const struct statement raise_version = {
    .name = "orch_models_version_raise",
    .sql = "UPDATE orch_models_version SET version = version + 1 WHERE id = 1",
};
static const struct statement list_specs = {
    .name = "orch_models_list",
    .sql = "SELECT spec FROM orch_models ORDER BY model_id LIMIT ?",
};
static const struct statement insert_model = {
    .name = "orch_model_insert",
    .sql = "INSERT INTO orch_models (model_id, spec, added_by, added_at)"
           " VALUES (?, ?, ?, {now_microseconds}) ON CONFLICT (model_id) DO NOTHING",
};
static const struct statement delete_model = {
    .name = "orch_model_delete",
    .sql = "DELETE FROM orch_models WHERE model_id = ?",
};

enum error added_models_version(struct db *db, int64_t *version, struct problem *problem)
{
    struct query *query = db_query(db, &read_version);

    *version = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error added_models_list(struct db *db, struct arena *arena, struct string_list *specs,
                             struct problem *problem)
{
    struct query *query = db_query(db, &list_specs);

    *specs = (struct string_list){.items = ARENA_ARRAY(arena, const char *, ADDED_MODELS_MAX)};
    query_bind_integer(query, ADDED_MODELS_MAX);
    while (specs->count < ADDED_MODELS_MAX && query_next(query))
        specs->items[specs->count++] = query_text(query, 0, arena);
    return query_end(query, problem);
}

/* Ends a change of one row, and raises the version when there was one. */
static enum error end_change(struct db *db, struct query *query, bool *changed,
                             struct problem *problem)
{
    enum error error;

    *changed = query_changes(query) == 1;
    error = query_end(query, problem);
    if (error || !*changed)
        return error;
    return query_end(db_query(db, &raise_version), problem);
}

enum error added_model_add(struct db *db, const char *id, const char *spec, const char *by,
                           struct problem *problem)
{
    struct query *query;
    bool added;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    query = db_query(db, &insert_model);
    query_bind_text(query, id);
    query_bind_text(query, spec);
    query_bind_text(query, by);
    error = end_change(db, query, &added, problem);
    if (!error && !added)
        error = problem_set(problem, ERROR_CONFLICT, "model_exists",
                            "There is a model '%s' already.", id);
    return db_finish(db, error, problem);
}

enum error added_model_delete(struct db *db, const char *id, struct problem *problem)
{
    struct query *query;
    bool deleted;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    query = db_query(db, &delete_model);
    query_bind_text(query, id);
    error = end_change(db, query, &deleted, problem);
    if (!error && !deleted)
        error = problem_set(problem, ERROR_NOT_FOUND, "model_not_found",
                            "No model '%s' was added here.", id);
    return db_finish(db, error, problem);
}
