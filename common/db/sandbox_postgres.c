/* Others' SQL on PostgreSQL: one statement of the extended protocol in a reading transaction. */
#include "db/postgres.h"
#include "db/sandbox.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TYPE_DATE = 1082, TYPE_TIMESTAMP = 1114, TYPE_TIMESTAMPTZ = 1184 };

static enum error failed(struct sandbox_run *run, struct problem *own)
{
    if (own->error == ERROR_BUSY)
        return problem_set(run->problem, ERROR_BUSY, "query_timeout", "the query took too long");
    if (own->error == ERROR_UNAVAILABLE)
        return problem_set(run->problem, own->error, own->reason, "%s", own->text);
    return problem_set(run->problem, ERROR_INVALID, "query_failed", "%s", own->text);
}

/* "2026-04-09 11:00:00.5+00" as the wire has times. */
static const char *time_text(struct sandbox_run *run, const char *text)
{
    char *copy = arena_copy_string(run->arena, text);
    size_t length = strlen(copy);

    if (length > 10 && copy[10] == ' ')
        copy[10] = 'T';
    if (length > 3 && strcmp(copy + length - 3, "+00") == 0)
        memcpy(copy + length - 3, "Z", 2);
    return copy;
}

static bool take_cell(struct sandbox_run *run, const PGresult *result, int row, int column,
                      struct sandbox_cell *cell)
{
    const char *text = pq.getvalue(result, row, column);

    if (pq.getisnull(result, row, column))
        return true;
    switch (pq.ftype(result, column)) {
    case TYPE_BOOLEAN:
        cell->kind = SANDBOX_INTEGER;
        cell->integer = *text == 't';
        cell->exact = *text == 't' ? "t" : "f";
        return true;
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_INT8:
        cell->kind = integer_parse(text, &cell->integer) ? SANDBOX_INTEGER : SANDBOX_NULL;
        return true;
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
    case TYPE_NUMERIC:
        cell->kind = number_parse(text, &cell->number) ? SANDBOX_NUMBER : SANDBOX_NULL;
        cell->exact = sandbox_copy(run, text, (size_t)pq.getlength(result, row, column));
        return cell->exact != NULL;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
        cell->kind = SANDBOX_TEXT;
        cell->text = time_text(run, text);
        return true;
    default:
        cell->kind = SANDBOX_TEXT;
        cell->text = sandbox_copy(run, text, (size_t)pq.getlength(result, row, column));
        return cell->text != NULL;
    }
}

static enum error take_result(struct sandbox_run *run, const PGresult *result)
{
    struct sandbox_answer *answer = run->answer;
    int rows = pq.ntuples(result);

    answer->column_count = (size_t)pq.nfields(result);
    answer->columns = ARENA_ARRAY(run->arena, const char *, answer->column_count);
    for (size_t i = 0; i < answer->column_count; i++)
        answer->columns[i] = arena_copy_string(run->arena, pq.fname(result, (int)i));
    for (int row = 0; row < rows; row++) {
        struct sandbox_cell *cells = sandbox_add_row(run);

        if (!cells)
            return ERROR_NONE;
        for (size_t i = 0; i < answer->column_count; i++)
            if (!take_cell(run, result, row, (int)i, &cells[i]))
                return problem_set(run->problem, ERROR_TOO_LARGE, "query_too_large",
                                   "the answer is too large");
    }
    return ERROR_NONE;
}

static void end(struct db *db)
{
    pq.clear(db->foreign.held);
    db->foreign = (struct db_foreign_statement){.end = NULL};
}

enum error sandbox_postgres(struct sandbox_run *run)
{
    const struct postgres_connection *connection = run->db->connection;
    char limit[96];
    struct problem own = {0};
    PGresult *result;
    enum error error;

    (void)!snprintf(limit, sizeof limit,
                    "SET LOCAL statement_timeout = %d; SET LOCAL TimeZone = 'UTC'",
                    run->rules->timeout_ms);
    error = postgres_run(run->db, limit, run->problem);
    if (error)
        return error;
    result = postgres_answer(
        run->db,
        pq.sendQueryParams(connection->libpq,
                           run->explain ? arena_print(run->arena, "EXPLAIN %s", run->sql)
                                        : run->sql,
                           0, NULL, NULL, NULL, NULL, 0),
        &own);
    if (!result)
        return failed(run, &own);
    run->db->foreign = (struct db_foreign_statement){.end = end, .held = result};
    error = take_result(run, result);
    end(run->db);
    return error;
}
