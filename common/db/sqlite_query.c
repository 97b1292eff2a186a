/* Running statements on SQLite: preparing, binding, stepping, columns, and what its result codes
 * mean to callers. */
#include "db/sqlite.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>

static const struct meaning {
    int code; /* extended ones before the primary code they belong to */
    enum error error;
    const char *reason;
    bool suspect; /* the connection should not be used again */
} meanings[] = {
    {SQLITE_CONSTRAINT_UNIQUE, ERROR_CONFLICT, "unique_violation", false},
    {SQLITE_CONSTRAINT_PRIMARYKEY, ERROR_CONFLICT, "unique_violation", false},
    {SQLITE_CONSTRAINT_ROWID, ERROR_CONFLICT, "unique_violation", false},
    {SQLITE_CONSTRAINT_FOREIGNKEY, ERROR_CONFLICT, "foreign_key_violation", false},
    {SQLITE_CONSTRAINT, ERROR_SYSTEM, "constraint_violation", false},
    {SQLITE_BUSY, ERROR_BUSY, "database_busy", false},
    {SQLITE_LOCKED, ERROR_BUSY, "database_busy", false},
    {SQLITE_PROTOCOL, ERROR_BUSY, "database_busy", false},
    {SQLITE_INTERRUPT, ERROR_BUSY, "statement_timeout", false},
    {SQLITE_FULL, ERROR_UNAVAILABLE, "disk_full", false},
    {SQLITE_READONLY, ERROR_UNAVAILABLE, "database_read_only", true},
    {SQLITE_PERM, ERROR_UNAVAILABLE, "database_unavailable", true},
    {SQLITE_CANTOPEN, ERROR_UNAVAILABLE, "database_unavailable", true},
    {SQLITE_IOERR, ERROR_UNAVAILABLE, "database_io", true},
    {SQLITE_CORRUPT, ERROR_UNAVAILABLE, "database_corrupt", true},
    {SQLITE_NOTADB, ERROR_UNAVAILABLE, "database_corrupt", true},
    {SQLITE_TOOBIG, ERROR_TOO_LARGE, "value_too_large", false},
    {SQLITE_NOMEM, ERROR_SYSTEM, "out_of_memory", false},
};

static const struct meaning *meaning_of(int code)
{
    static const struct meaning other = {0, ERROR_SYSTEM, "statement_failed", false};

    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (meanings[i].code == code || meanings[i].code == (code & 0xff))
            return &meanings[i];
    }
    return &other;
}

enum error sqlite_problem_without(int code, int system, const char *text, struct problem *problem)
{
    const struct meaning *meaning = meaning_of(code);

    if (meaning->error == ERROR_UNAVAILABLE && (system == ENOSPC || system == EDQUOT))
        return problem_set(problem, ERROR_UNAVAILABLE, "disk_full", "%s (the disk is full)", text);
    if (meaning->error == ERROR_UNAVAILABLE && system)
        return problem_set(problem, meaning->error, meaning->reason, "%s (%s)", text,
                           strerror(system));
    return problem_set(problem, meaning->error, meaning->reason, "%s", text);
}

enum error sqlite_problem(struct db *db, struct sqlite_connection *connection, int code,
                          struct problem *problem)
{
    const struct meaning *meaning = meaning_of(code);
    bool outside = meaning->error == ERROR_UNAVAILABLE && (code & 0xff) != SQLITE_FULL &&
                   (code & 0xff) != SQLITE_READONLY;
    int system = outside ? sqlite3_system_errno(connection->handle) : 0;

    db->suspect = db->suspect || meaning->suspect;
    db_report_damage(db, meaning->reason, sqlite3_errmsg(connection->handle));
    if ((code & 0xff) == SQLITE_BUSY)
        return problem_set(problem, meaning->error, meaning->reason,
                           "another process kept the database locked (waited up to %d ms)",
                           connection->busy_timeout_ms);
    if ((code & 0xff) == SQLITE_INTERRUPT)
        return problem_set(problem, meaning->error, meaning->reason,
                           "it ran longer than %d ms and was stopped",
                           connection->statement_timeout_ms);
    return sqlite_problem_without(code, system, sqlite3_errmsg(connection->handle), problem);
}

static enum error prepare(struct query *query)
{
    struct db *db = query->db;
    struct prepared *prepared = query->prepared;
    struct sqlite_connection *connection = db->connection;
    sqlite3_stmt *statement;
    int code;

    if (prepared->generation == db->generation)
        return ERROR_NONE;
    code = sqlite3_prepare_v3(connection->handle, prepared->translation.sql, -1,
                              SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    if (code != SQLITE_OK)
        return sqlite_problem(db, connection, code, &query->problem);
    if (sqlite3_bind_parameter_count(statement) != prepared->translation.parameters) {
        sqlite3_finalize(statement);
        return problem_set(&query->problem, ERROR_SYSTEM, "statement_misused",
                           "parameters are written `?` and nothing else");
    }
    prepared->engine_statement = statement;
    prepared->generation = db->generation;
    return ERROR_NONE;
}

static int bind_value(sqlite3_stmt *statement, int index, const struct value *value)
{
    if (value->null)
        return sqlite3_bind_null(statement, index);
    switch (value->kind) {
    case VALUE_INTEGER:
        return sqlite3_bind_int64(statement, index, value->integer);
    case VALUE_NUMBER:
        return sqlite3_bind_double(statement, index, value->number);
    case VALUE_BLOB:
        return sqlite3_bind_blob64(statement, index, value->length ? value->bytes : "",
                                   value->length, SQLITE_STATIC);
    default:
        return sqlite3_bind_text64(statement, index, value->bytes, value->length, SQLITE_STATIC,
                                   SQLITE_UTF8);
    }
}

static enum error bind_values(struct query *query)
{
    sqlite3_stmt *statement = query->prepared->engine_statement;

    for (int i = 0; i < query->bound; i++) {
        int code = bind_value(statement, i + 1, &query->values[i]);

        if (code != SQLITE_OK)
            return sqlite_problem(query->db, query->db->connection, code, &query->problem);
    }
    return ERROR_NONE;
}

/* A failed write outside a transaction may have failed while it was being made durable. */
static enum error step_problem(struct query *query, int code)
{
    struct db *db = query->db;
    enum error error = sqlite_problem(db, db->connection, code, &query->problem);

    if ((code & 0xff) == SQLITE_IOERR && query->prepared->translation.writes &&
        !db->transaction.depth && error == ERROR_UNAVAILABLE &&
        strcmp(query->problem.reason, "disk_full") != 0)
        query->problem.reason = "commit_unknown";
    return error;
}

/* What a statement wrote by itself is kept only when it went into the right file. */
static enum error verify_written(struct query *query)
{
    struct db *db = query->db;

    if (!db->identity || db->transaction.depth || !query->prepared->translation.writes)
        return ERROR_NONE;
    db->verified = false;
    return db_verify(db, &query->problem);
}

enum error sqlite_next(struct query *query, bool *row)
{
    sqlite3_stmt *statement = query->prepared->engine_statement;
    struct sqlite_connection *connection = query->db->connection;
    int code;

    if (connection->statement_timeout_ms)
        connection->deadline =
            clock_monotonic_microseconds() + (int64_t)connection->statement_timeout_ms * 1000;
    code = sqlite3_step(statement);
    connection->deadline = 0;
    *row = code == SQLITE_ROW;
    /* The count is that of the last statement that could change rows, maybe not this one. */
    if (code == SQLITE_DONE && query->mark != sqlite3_total_changes64(connection->handle))
        query->changes = sqlite3_changes64(connection->handle);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return step_problem(query, code);
    return code == SQLITE_DONE ? verify_written(query) : ERROR_NONE;
}

enum error sqlite_start(struct query *query, bool *row)
{
    const struct sqlite_connection *connection = query->db->connection;
    enum error error = prepare(query);

    if (!error)
        error = bind_values(query);
    query->changes = 0;
    query->mark = sqlite3_total_changes64(connection->handle);
    return error ? error : sqlite_next(query, row);
}

enum error sqlite_repeat(struct query *query, int64_t *changes)
{
    bool row;
    enum error error = sqlite_start(query, &row);

    if (!error && row)
        error = problem_set(&query->problem, ERROR_SYSTEM, "statement_misused",
                            "a repeated statement gives no rows");
    if (!error && changes)
        *changes = query->changes;
    sqlite_finish(query);
    return error;
}

enum error sqlite_repeat_end(struct query *query)
{
    (void)query;
    return ERROR_NONE;
}

void sqlite_finish(struct query *query)
{
    const struct prepared *prepared = query->prepared;

    if (!query->db->connection || prepared->generation != query->db->generation)
        return;
    sqlite3_reset(prepared->engine_statement);
    sqlite3_clear_bindings(prepared->engine_statement);
}

int sqlite_columns(struct query *query)
{
    return sqlite3_data_count(query->prepared->engine_statement);
}

const char *sqlite_column_name(struct query *query, int column)
{
    return sqlite3_column_name(query->prepared->engine_statement, column);
}

void sqlite_column(struct query *query, int column, struct value *value)
{
    sqlite3_stmt *statement = query->prepared->engine_statement;
    int type = sqlite3_column_type(statement, column);

    *value = (struct value){.null = type == SQLITE_NULL};
    if (type == SQLITE_INTEGER) {
        value->kind = VALUE_INTEGER;
        value->integer = sqlite3_column_int64(statement, column);
    } else if (type == SQLITE_FLOAT) {
        value->kind = VALUE_NUMBER;
        value->number = sqlite3_column_double(statement, column);
    } else if (type == SQLITE_TEXT) {
        value->kind = VALUE_TEXT;
        value->bytes = (const char *)sqlite3_column_text(statement, column);
        value->length = (size_t)sqlite3_column_bytes(statement, column);
    } else if (type == SQLITE_BLOB) {
        value->kind = VALUE_BLOB;
        value->bytes = sqlite3_column_blob(statement, column);
        value->length = (size_t)sqlite3_column_bytes(statement, column);
        if (!value->length)
            value->bytes = "";
    }
}
