/* Others' SQL on SQLite: an authorizer that knows the tables and functions, and a deadline. */
#include "db/sandbox.h"
#include "db/sqlite.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct asked {
    const struct sandbox_rules *rules;
    bool refused;
    char what[128];
};

static int refuse(struct asked *asked, const char *what)
{
    asked->refused = true;
    (void)!snprintf(asked->what, sizeof asked->what, "%s", what ? what : "");
    return SQLITE_DENY;
}

/* NOLINTBEGIN(bugprone-easily-swappable-parameters): SQLite calls it by this type */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
/* NOLINTEND(bugprone-easily-swappable-parameters) */
{
    struct asked *asked = context;

    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ: /* of a table without a database: a common table expression */
        if (!database || sandbox_is_listed(asked->rules->tables, first))
            return SQLITE_OK;
        return refuse(asked, first);
    case SQLITE_FUNCTION:
        return sandbox_is_listed(asked->rules->functions, second) ? SQLITE_OK
                                                                  : refuse(asked, second);
    default:
        return refuse(asked, first);
    }
}

static enum error failed(struct sandbox_run *run, sqlite3 *handle, int code,
                         const struct asked *asked)
{
    if (asked->refused)
        return problem_set(run->problem, ERROR_FORBIDDEN, "query_forbidden", "%s may not be used",
                           asked->what);
    if (code == SQLITE_INTERRUPT)
        return problem_set(run->problem, ERROR_BUSY, "query_timeout", "the query took too long");
    if (code == SQLITE_NOMEM) /* values have a limit of their own */
        return problem_set(run->problem, ERROR_SYSTEM, "out_of_memory", "no memory for the query");
    if (code == SQLITE_TOOBIG)
        return problem_set(run->problem, ERROR_TOO_LARGE, "query_too_large",
                           "a value of the query is too large");
    return problem_set(run->problem, ERROR_INVALID, "query_failed", "%s", sqlite3_errmsg(handle));
}

static bool take_cell(struct sandbox_run *run, sqlite3_stmt *statement, int column,
                      struct sandbox_cell *cell)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        return true;
    case SQLITE_INTEGER:
        cell->kind = SANDBOX_INTEGER;
        cell->integer = sqlite3_column_int64(statement, column);
        return true;
    case SQLITE_FLOAT:
        cell->number = sqlite3_column_double(statement, column);
        cell->kind = isfinite(cell->number) ? SANDBOX_NUMBER : SANDBOX_NULL;
        return true;
    default:
        cell->kind = SANDBOX_TEXT;
        cell->text = sandbox_copy(run, (const char *)sqlite3_column_text(statement, column),
                                  (size_t)sqlite3_column_bytes(statement, column));
        return cell->text != NULL;
    }
}

static enum error read_rows(struct sandbox_run *run, sqlite3_stmt *statement, int *code)
{
    struct sandbox_answer *answer = run->answer;

    while ((*code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct sandbox_cell *cells = sandbox_add_row(run);

        if (!cells)
            return ERROR_NONE;
        for (size_t i = 0; i < answer->column_count; i++)
            if (!take_cell(run, statement, (int)i, &cells[i]))
                return problem_set(run->problem, ERROR_TOO_LARGE, "query_too_large",
                                   "the answer is too large");
    }
    return ERROR_NONE;
}

static void name_columns(struct sandbox_run *run, sqlite3_stmt *statement)
{
    struct sandbox_answer *answer = run->answer;

    answer->column_count = (size_t)sqlite3_column_count(statement);
    answer->columns = ARENA_ARRAY(run->arena, const char *, answer->column_count);
    for (size_t i = 0; i < answer->column_count; i++)
        answer->columns[i] = arena_copy_string(run->arena, sqlite3_column_name(statement, (int)i));
}

static void end(struct db *db)
{
    struct sqlite_connection *connection = db->connection;

    sqlite3_finalize(db->foreign.held);
    connection->deadline = 0;
    sqlite3_limit(connection->handle, SQLITE_LIMIT_LENGTH, db->foreign.longest);
    db->foreign = (struct db_foreign_statement){.end = NULL};
}

/* EXPLAIN is not for an authorizer: the statement itself is prepared under it first. */
static int prepare(struct sandbox_run *run, sqlite3 *handle, struct asked *asked,
                   sqlite3_stmt **statement)
{
    const char *plan =
        run->explain ? arena_print(run->arena, "EXPLAIN QUERY PLAN %s", run->sql) : NULL;
    int code;

    sqlite3_set_authorizer(handle, authorize, asked);
    code = sqlite3_prepare_v2(handle, run->sql, -1, statement, NULL);
    sqlite3_set_authorizer(handle, NULL, NULL);
    if (code != SQLITE_OK || !plan)
        return code;
    sqlite3_finalize(*statement);
    return sqlite3_prepare_v2(handle, plan, -1, statement, NULL);
}

enum error sandbox_sqlite(struct sandbox_run *run)
{
    struct sqlite_connection *connection = run->db->connection;
    struct asked asked = {.rules = run->rules};
    sqlite3_stmt *statement = NULL;
    enum error error = ERROR_NONE;
    int code;

    run->db->foreign = (struct db_foreign_statement){
        .end = end,
        .longest =
            sqlite3_limit(connection->handle, SQLITE_LIMIT_LENGTH, (int)run->rules->bytes_max)};
    connection->deadline = clock_monotonic_microseconds() + (int64_t)run->rules->timeout_ms * 1000;
    code = prepare(run, connection->handle, &asked, &statement);
    run->db->foreign.held = statement;
    if (code == SQLITE_OK && statement) {
        name_columns(run, statement);
        error = read_rows(run, statement, &code);
    }
    if (!error && code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
        error = failed(run, connection->handle, code, &asked);
    end(run->db);
    return error;
}
