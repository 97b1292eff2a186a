/*
 * Queries from beginning to end: finding the prepared statement, the states of a run, errors that
 * stick. bind.c puts values in, row.c takes them out. Knows no engine but through its table.
 */
#include "db/db_internal.h"

#include "base/cause.h"
#include "base/clock.h"
#include "base/fiber.h"

#include <stdio.h>
#include <string.h>

static size_t slot_of(const struct statement *statement)
{
    uint64_t address = (uint64_t)(uintptr_t)statement;

    return (size_t)((address >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (STATEMENT_SLOTS - 1);
}

/* The statement as this handle keeps it; translated on first use. NULL with `problem` set. */
static struct prepared *find_prepared(struct db *db, const struct statement *statement,
                                      struct problem *problem)
{
    size_t slot = slot_of(statement);
    struct prepared *prepared;

    while (db->statements[slot].statement && db->statements[slot].statement != statement)
        slot = (slot + 1) & (STATEMENT_SLOTS - 1);
    prepared = &db->statements[slot];
    if (prepared->statement)
        return prepared;
    if (db->statement_count == DB_STATEMENTS_MAX) {
        problem_set(problem, ERROR_SYSTEM, "statement_misused",
                    "%s: more than %d different statements", statement->name, DB_STATEMENTS_MAX);
        return NULL;
    }
    arena_reset(db->scratch);
    if (translate_statement(db->target.engine, statement, db->scratch, &prepared->translation,
                            problem))
        return NULL;
    prepared->translation.sql = arena_copy_string(db->arena, prepared->translation.sql);
    prepared->statement = statement;
    db->statement_count++;
    return prepared;
}

static struct query *free_query(struct db *db)
{
    for (int i = 0; i < DB_OPEN_QUERIES_MAX; i++) {
        if (db->queries[i].state == QUERY_FREE)
            return &db->queries[i];
    }
    return &db->queries[DB_OPEN_QUERIES_MAX];
}

void query_fail(struct query *query, enum error error)
{
    struct db *db = query->db;
    char text[sizeof query->problem.text];

    query->problem.error = error;
    if (query->prepared) {
        memcpy(text, query->problem.text, sizeof text);
        snprintf(query->problem.text, sizeof query->problem.text, "%.60s: %.440s",
                 query->prepared->statement->name, text);
    }
    query->state = QUERY_FAILED;
    db->counters.failures++;
    transaction_doom(db, &query->problem);
}

static void misuse(struct query *query, const char *what)
{
    query_fail(query, problem_set(&query->problem, ERROR_SYSTEM, "statement_misused", "%s", what));
}

static void reset_query(struct query *query)
{
    struct db *db = query->db;

    query->prepared = NULL;
    query->state = QUERY_BINDING;
    query->streaming = query->owns_transaction = false;
    query->bound = 0;
    query->started_at = 0;
    query->changes = query->rows = query->mark = 0;
    query->problem = (struct problem){0};
    query->result = query->scratch = NULL;
    query->row = query->piece = 0;
    query->schema = NULL;
    query->column_count = 0;
    query->db = db;
}

/* What must be so before a statement may run. */
static void admit(struct query *query, const struct statement *statement)
{
    struct db *db = query->db;
    struct prepared *prepared;

    if (query == &db->queries[DB_OPEN_QUERIES_MAX]) {
        misuse(query, "too many queries are open at once");
        return;
    }
    if (transaction_refusal(db, &query->problem)) {
        query_fail(query, query->problem.error);
        return;
    }
    prepared = find_prepared(db, statement, &query->problem);
    if (!prepared) {
        query_fail(query, query->problem.error);
        return;
    }
    if (prepared->running) {
        problem_set(&query->problem, ERROR_SYSTEM, "statement_misused",
                    "%s: it is running already; end that query first", statement->name);
        query_fail(query, ERROR_SYSTEM);
        return;
    }
    query->prepared = prepared;
    prepared->running = true;
    if (prepared->translation.writes && db->transaction.depth && db->transaction.intent == DB_READ)
        misuse(query, "it writes, and the transaction only reads");
    else if (prepared->translation.writes && statement->streams)
        misuse(query, "a statement that writes cannot stream");
}

struct query *db_query(struct db *db, const struct statement *statement)
{
    struct query *query;

    group_commit(db);
    query = free_query(db);
    if (query->state == QUERY_FREE)
        fiber_hold("a statement");
    reset_query(query);
    admit(query, statement);
    return query;
}

static void count(struct query *query, int64_t start, bool row)
{
    query->db->counters.microseconds += clock_monotonic_microseconds() - start;
    if (!row)
        return;
    query->db->counters.rows++;
    query->rows++;
}

/* After a step of the engine: at a row, at the end, or failed. */
static void stepped(struct query *query, enum error error, bool row)
{
    if (error) {
        query_fail(query, error);
        return;
    }
    query->state = row ? QUERY_ROW : QUERY_DONE;
    if (row && !query->prepared->statement->streams && query->rows > DB_ROWS_MAX) {
        problem_set(&query->problem, ERROR_TOO_LARGE, "result_too_large",
                    "more than %d rows, and the statement does not stream", DB_ROWS_MAX);
        query_fail(query, ERROR_TOO_LARGE);
    }
}

static bool bound_all(struct query *query)
{
    if (query->bound == query->prepared->translation.parameters)
        return true;
    problem_set(&query->problem, ERROR_SYSTEM, "statement_misused", "%d values for %d parameters",
                query->bound, query->prepared->translation.parameters);
    query_fail(query, ERROR_SYSTEM);
    return false;
}

/* A stream needs a transaction to keep its cursor and its snapshot. */
static enum error open_stream(struct query *query)
{
    enum error error = ERROR_NONE;

    if (!query->db->transaction.depth) {
        error =
            db_begin_at(query->db, DB_READ, query->prepared->statement->name, 0, &query->problem);
        query->owns_transaction = !error;
    }
    return error;
}

static void run(struct query *query)
{
    struct db *db = query->db;
    int64_t start = clock_monotonic_microseconds();
    enum error error;
    bool row = false;

    if (!bound_all(query))
        return;
    error = transaction_refusal(db, &query->problem);
    query->streaming = query->prepared->statement->streams;
    if (!error && query->streaming)
        error = open_stream(query);
    if (!error)
        error = db_ready(db, &query->problem);
    if (!error && !db->transaction.depth)
        error = db_verify(db, &query->problem);
    if (!error && db_fails_now(db, &query->problem))
        error = query->problem.error;
    if (error) {
        query_fail(query, error);
        return;
    }
    db->counters.statements++;
    if (db->transaction.depth)
        db->transaction.statements++;
    else
        query->started_at = start;
    query->state = QUERY_RUNNING;
    error = db->engine->start(query, &row);
    count(query, start, row && !error);
    stepped(query, error, row);
}

bool query_next(struct query *query)
{
    int64_t start;
    enum error error;
    bool row = false;

    if (query->state == QUERY_BINDING) {
        run(query);
    } else if (query->state == QUERY_ROW) {
        start = clock_monotonic_microseconds();
        error = query->db->engine->next(query, &row);
        count(query, start, row && !error);
        stepped(query, error, row);
    } else if (query->state == QUERY_REPEATING) {
        misuse(query, "a repeated statement gives no rows");
    }
    return query->state == QUERY_ROW;
}

/* A statement that writes is complete only when all its rows have been passed. */
static void run_to_the_end(struct query *query)
{
    while (query_next(query)) {
        if (!query->prepared->translation.writes)
            break;
    }
}

int64_t query_changes(struct query *query)
{
    if (query->state == QUERY_BINDING || query->state == QUERY_ROW)
        run_to_the_end(query);
    return query->state == QUERY_FAILED ? 0 : query->changes;
}

void query_repeat(struct query *query, int64_t *changes)
{
    struct db *db = query->db;
    int64_t start = clock_monotonic_microseconds();
    enum error error;

    if (query->state == QUERY_FAILED)
        return;
    if (query->state != QUERY_BINDING && query->state != QUERY_REPEATING) {
        misuse(query, "only a statement that has not run can be repeated");
        return;
    }
    if (!db->transaction.depth || query->prepared->statement->streams) {
        misuse(query, "only a statement inside a transaction can be repeated");
        return;
    }
    if (!bound_all(query))
        return;
    query->state = QUERY_REPEATING;
    db->counters.statements++;
    db->transaction.statements++;
    if (changes)
        *changes = 0;
    error = transaction_refusal(db, &query->problem);
    if (!error)
        error = db_ready(db, &query->problem);
    if (!error && db_fails_now(db, &query->problem))
        error = query->problem.error;
    if (!error)
        error = db->engine->repeat(query, changes);
    query->bound = 0;
    count(query, start, false);
    if (error)
        query_fail(query, error);
}

/* What the engine holds for the query goes back; the slot stays the owner's. */
static void let_go(struct query *query)
{
    if (query->state == QUERY_FREE || !query->prepared)
        return;
    query->db->engine->finish(query);
    query->prepared->running = false;
    query->prepared = NULL;
}

static void set_free(struct query *query)
{
    if (query->state != QUERY_FREE)
        fiber_release();
    query->state = QUERY_FREE;
}

static void close_stream(struct query *query, struct problem *problem, enum error *error)
{
    if (!query->owns_transaction)
        return;
    query->owns_transaction = false;
    *error = db_finish(query->db, *error, problem);
}

/* Those inside of a transaction are told with it. */
static void tell_alone(const struct query *query, enum error error)
{
    const struct cause_database use = {.name =
                                           query->prepared ? query->prepared->statement->name : "",
                                       .system = db_system_name(query->db),
                                       .started_at = query->started_at,
                                       .ended_at = clock_monotonic_microseconds(),
                                       .statements = 1,
                                       .failure = error ? query->problem.reason : NULL};

    cause_database_used(&use);
}

enum error query_end(struct query *query, struct problem *problem)
{
    enum error error = ERROR_NONE;

    if (query->state == QUERY_REPEATING) {
        error = query->db->engine->repeat_end(query);
        if (error)
            query_fail(query, error);
    } else if (query->state == QUERY_BINDING ||
               (query->state == QUERY_ROW && query->prepared->translation.writes)) {
        run_to_the_end(query);
    }
    error = query->state == QUERY_FAILED ? query->problem.error : ERROR_NONE;
    if (error && problem)
        *problem = query->problem;
    if (query->started_at && cause_current())
        tell_alone(query, error);
    let_go(query);
    set_free(query);
    close_stream(query, problem, &error);
    return error;
}

static bool is_running(const struct query *query)
{
    return query->state == QUERY_RUNNING || query->state == QUERY_ROW ||
           query->state == QUERY_REPEATING;
}

int queries_fail_all(struct db *db, const char *why)
{
    int running = 0;

    for (int i = 0; i < DB_OPEN_QUERIES_MAX; i++) {
        struct query *query = &db->queries[i];

        if (query->state == QUERY_FREE || query->state == QUERY_BINDING)
            continue;
        if (is_running(query)) {
            running++;
            problem_set(&query->problem, ERROR_SYSTEM, "statement_misused", "%.60s: %s",
                        query->prepared->statement->name, why);
            if (query->state == QUERY_REPEATING) /* nobody has asked whether its runs went well */
                transaction_doom(db, &query->problem);
            query->state = QUERY_FAILED;
        }
        let_go(query);
        query->owns_transaction = false;
    }
    return running;
}

int queries_release_all(struct db *db)
{
    int running = 0;

    for (int i = 0; i < DB_OPEN_QUERIES_MAX; i++) {
        struct query *query = &db->queries[i];

        running += query->state != QUERY_FREE;
        let_go(query);
        query->owns_transaction = false;
        set_free(query);
    }
    return running;
}
