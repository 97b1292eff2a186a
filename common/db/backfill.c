/* Backfills: what programs bring up to date after the files of SQL, each until it has succeeded
 * once. Which have is written in the table schema_backfills. */
#include "db/db_internal.h"
#include "db/migrate.h"

static const char create_table[] = "CREATE TABLE IF NOT EXISTS schema_backfills ("
                                   " name TEXT NOT NULL PRIMARY KEY,"
                                   " finished_at TEXT NOT NULL)";

static const struct statement table_exists = {
    .name = "backfill_table_exists",
    .sqlite = "SELECT count(*) FROM sqlite_master"
              " WHERE type = 'table' AND name = 'schema_backfills'",
    .postgres = "SELECT count(to_regclass('schema_backfills'))",
};
static const struct statement is_finished = {
    .name = "backfill_is_finished",
    .sql = "SELECT count(*) FROM schema_backfills WHERE name = ?",
};
static const struct statement record_finished = {
    .name = "backfill_finished",
    .sql = "INSERT INTO schema_backfills (name, finished_at) VALUES (?, {now})"
           " ON CONFLICT (name) DO NOTHING",
};

static enum error make_table(struct db *db, struct problem *problem)
{
    struct query *query = db_query(db, &table_exists);
    bool exists = query_next(query) && query_integer(query, 0) > 0;
    enum error error = query_end(query, problem);

    if (error || exists)
        return error;
    error = db_begin(db, DB_WRITE, problem);
    if (error)
        return error;
    error = db_lock(db, "schema_migrations", problem);
    if (!error)
        error = db->engine->script(db, create_table, problem);
    return db_finish(db, error, problem);
}

static enum error run_missing(struct db *db, const struct db_backfill *backfill,
                              struct problem *problem)
{
    struct query *query = db_query(db, &is_finished);
    enum error error;
    bool finished;

    query_bind_text(query, backfill->name);
    finished = query_next(query) && query_integer(query, 0) > 0;
    error = query_end(query, problem);
    if (error || finished)
        return error;
    error = backfill->run(db, problem);
    if (error)
        return error;
    query = db_query(db, &record_finished);
    query_bind_text(query, backfill->name);
    return query_end(query, problem);
}

enum error db_backfill(struct db *db, const struct db_backfill *backfills, struct problem *problem)
{
    enum error error = backfills && backfills->name ? make_table(db, problem) : ERROR_NONE;

    for (; !error && backfills && backfills->name; backfills++)
        error = backfills->every_start ? backfills->run(db, problem)
                                       : run_missing(db, backfills, problem);
    return error;
}
