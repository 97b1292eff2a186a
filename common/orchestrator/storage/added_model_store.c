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
static const struct statement list_models = {
    .name = "orch_models_list",
    .sql = "SELECT model_id, spec, sealed_key, key_secret_id, key_ending FROM orch_models"
           " ORDER BY model_id LIMIT ?",
};
static const struct statement insert_model = {
    .name = "orch_model_insert",
    .sql = "INSERT INTO orch_models (model_id, spec, added_by, sealed_key, key_secret_id,"
           " key_ending, added_at) VALUES (?, ?, ?, ?, ?, ?, {now_microseconds})"
           " ON CONFLICT (model_id) DO NOTHING",
};
static const struct statement set_key = {
    .name = "orch_model_set_key",
    .sql = "UPDATE orch_models SET sealed_key = ?, key_secret_id = ?, key_ending = ?"
           " WHERE model_id = ?",
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

enum error added_models_list(struct db *db, struct arena *arena, struct added_model **models,
                             size_t *count, struct problem *problem)
{
    struct query *query = db_query(db, &list_models);

    *models = ARENA_ARRAY(arena, struct added_model, ADDED_MODELS_MAX);
    *count = 0;
    query_bind_integer(query, ADDED_MODELS_MAX);
    while (*count < ADDED_MODELS_MAX && query_next(query))
        (*models)[(*count)++] = (struct added_model){.id = query_text(query, 0, arena),
                                                     .spec = query_text(query, 1, arena),
                                                     .key = {query_text_or_null(query, 2, arena),
                                                             query_text_or_null(query, 3, arena),
                                                             query_text_or_null(query, 4, arena)}};
    return query_end(query, problem);
}

static void bind_key(struct query *query, const struct stored_key *key)
{
    query_bind_text(query, key->sealed);
    query_bind_text(query, key->secret_id);
    query_bind_text(query, key->ending);
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

enum error added_model_add(struct db *db, const struct added_model *model, const char *by,
                           struct problem *problem)
{
    struct query *query;
    bool added;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    query = db_query(db, &insert_model);
    query_bind_text(query, model->id);
    query_bind_text(query, model->spec);
    query_bind_text(query, by);
    bind_key(query, &model->key);
    error = end_change(db, query, &added, problem);
    if (!error && !added)
        error = problem_set(problem, ERROR_CONFLICT, "model_exists",
                            "There is a model '%s' already.", model->id);
    return db_finish(db, error, problem);
}

static enum error change_one(struct db *db, const struct statement *statement, const char *id,
                             const struct stored_key *key, struct problem *problem)
{
    struct query *query;
    bool changed;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    query = db_query(db, statement);
    if (key)
        bind_key(query, key);
    query_bind_text(query, id);
    error = end_change(db, query, &changed, problem);
    if (!error && !changed)
        error = problem_set(problem, ERROR_NOT_FOUND, "model_not_found",
                            "No model '%s' was added here.", id);
    return db_finish(db, error, problem);
}

enum error added_model_set_key(struct db *db, const char *id, const struct stored_key *key,
                               struct problem *problem)
{
    return change_one(db, &set_key, id, key, problem);
}

enum error added_model_delete(struct db *db, const char *id, struct problem *problem)
{
    return change_one(db, &delete_model, id, NULL, problem);
}
