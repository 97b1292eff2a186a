/*
 * PostgreSQL: waiting for answers, what its errors mean to callers, transactions. Answers are
 * awaited with a deadline of our own, because the server's limits are no help when it is the
 * server, or the wire, that is gone.
 */
#include "db/postgres.h"
#include "db/record.h"

#include "base/clock.h"
#include "base/number.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { MIGRATION_WAIT_MS = 60 * 1000 };

#define UNDEFINED_TABLE "42P01"

/* SQLSTATEs or their classes, the longer before the class they belong to. */
static const struct meaning {
    const char *state;
    enum error error;
    const char *reason;
    bool quotes_values; /* the server's text repeats what it was given: it is not passed on */
} meanings[] = {
    {"23505", ERROR_CONFLICT, "unique_violation", false},
    {"23P01", ERROR_CONFLICT, "unique_violation", false},
    {"23503", ERROR_CONFLICT, "foreign_key_violation", false},
    {"23", ERROR_SYSTEM, "constraint_violation", false},
    {"40", ERROR_BUSY, "database_busy", false},
    {"55P03", ERROR_BUSY, "database_busy", false},
    {"57014", ERROR_BUSY, "statement_timeout", false},
    {"22", ERROR_INVALID, "value_rejected", true},
    {"25006", ERROR_UNAVAILABLE, "database_read_only", false},
    {"53100", ERROR_UNAVAILABLE, "disk_full", false},
    {"53", ERROR_UNAVAILABLE, "database_unavailable", false},
    {"54", ERROR_TOO_LARGE, "value_too_large", true},
    {"57P", ERROR_UNAVAILABLE, "database_unavailable", false},
    {"08", ERROR_UNAVAILABLE, "database_unavailable", false},
    {"58", ERROR_UNAVAILABLE, "database_io", false},
    {"XX001", ERROR_UNAVAILABLE, "database_corrupt", false},
    {"XX002", ERROR_UNAVAILABLE, "database_corrupt", false},
};

static const struct meaning *meaning_of(const char *state)
{
    static const struct meaning other = {"", ERROR_SYSTEM, "statement_failed", false};

    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (strncmp(state, meanings[i].state, strlen(meanings[i].state)) == 0)
            return &meanings[i];
    }
    return &other;
}

static void mark_dead(struct db *db)
{
    struct postgres_connection *connection = db->connection;

    connection->dead = true;
    db->suspect = true;
}

enum error postgres_problem(struct db *db, const PGresult *result, struct problem *problem)
{
    struct postgres_connection *connection = db->connection;
    const char *state = result ? pq.resultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    const char *text = result ? pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    const struct meaning *meaning = meaning_of(state ? state : "");

    if (connection->dead || pq.status(connection->libpq) == CONNECTION_BAD) {
        mark_dead(db);
        return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                           "the connection to the server was lost");
    }
    if (db->identity && state && strcmp(state, UNDEFINED_TABLE) == 0) {
        db->suspect = true;
        return identity_mismatch(problem, "tables of the database are missing");
    }
    if (!state)
        return problem_set(problem, ERROR_SYSTEM, "statement_failed",
                           "the server's answer makes "
                           "no sense");
    db_report_damage(db, meaning->reason, text ? text : state);
    return problem_set(problem, meaning->error, meaning->reason, "%s (SQLSTATE %s)",
                       meaning->quotes_values || !text ? "the server refuses a value" : text,
                       state);
}

static int64_t answer_deadline(const struct db *db)
{
    const struct postgres_connection *connection = db->connection;
    int wait_ms = db->answer_within_ms ? db->answer_within_ms : connection->timeout_ms;

    if (!wait_ms)
        return 0;
    return clock_monotonic_microseconds() + (int64_t)wait_ms * 1000;
}

/* Sends what is buffered and reads until an answer is complete; false when the server is gone. */
static bool exchange(struct db *db, int64_t deadline)
{
    struct postgres_connection *connection = db->connection;

    for (;;) {
        int unsent = pq.flush(connection->libpq);

        if (unsent < 0)
            return false;
        if (!unsent && !pq.isBusy(connection->libpq))
            return true;
        if (!postgres_wait(connection->libpq, unsent ? POLLIN | POLLOUT : POLLIN, deadline))
            return false;
        if (!pq.consumeInput(connection->libpq))
            return false;
    }
}

PGresult *postgres_next_result(struct db *db)
{
    struct postgres_connection *connection = db->connection;

    if (connection->dead)
        return NULL;
    if (!exchange(db, answer_deadline(db))) {
        mark_dead(db);
        return NULL;
    }
    return pq.getResult(connection->libpq);
}

static bool succeeded(const PGresult *result)
{
    ExecStatusType status = pq.resultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

/* The last result of what was sent, or the first that failed; NULL without any. */
static PGresult *collect(struct db *db, int sent)
{
    PGresult *kept = NULL, *result;

    while (sent && (result = postgres_next_result(db)) != NULL) {
        if (kept && !succeeded(kept)) { /* the first failure is the one that tells */
            pq.clear(result);
        } else {
            pq.clear(kept);
            kept = result;
        }
    }
    return kept;
}

PGresult *postgres_answer(struct db *db, int sent, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    PGresult *kept = collect(db, sent);

    if (kept && succeeded(kept) && !connection->dead)
        return kept;
    postgres_problem(db, kept, problem);
    pq.clear(kept);
    return NULL;
}

enum error postgres_run(struct db *db, const char *sql, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    struct problem own;
    PGresult *result;

    postgres_settle(db);
    result = postgres_answer(db, !connection->dead && pq.sendQuery(connection->libpq, sql), &own);
    pq.clear(result);
    if (result)
        return ERROR_NONE;
    if (problem)
        *problem = own;
    return own.error;
}

/* Sends `sql`, which ends by reading the id of the database, and compares that. */
static enum error run_and_compare(struct db *db, const char *sql, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    PGresult *result;
    bool right;

    postgres_settle(db);
    result =
        postgres_answer(db, !connection->dead && pq.sendQuery(connection->libpq, sql), problem);
    if (!result)
        return problem->error;
    right =
        pq.ntuples(result) == 1 && strcmp(pq.getvalue(result, 0, 0), db->identity->record.id) == 0;
    pq.clear(result);
    if (right)
        return ERROR_NONE;
    db->suspect = true;
    return identity_mismatch(problem, "this is another database than the one of the start");
}

#define READ_SNAPSHOT "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
#define ASK_ID "SELECT id FROM assay_identity"

static enum error verify(struct db *db, struct problem *problem)
{
    return run_and_compare(db, ASK_ID, problem);
}

/* The settings hold for the transaction: the pooler gives the session to others afterwards. */
static enum error begin_pooled(struct db *db, enum db_intent intent, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    enum error error;
    char sql[400];

    (void)snprintf(sql, sizeof sql,
                   "%s; SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d; SET LOCAL "
                   "idle_in_transaction_session_timeout = 300000; SET LOCAL TimeZone = 'UTC'; "
                   "SET LOCAL jit = off%s",
                   intent == DB_WRITE ? "BEGIN ISOLATION LEVEL READ COMMITTED" : READ_SNAPSHOT,
                   connection->statement_ms, connection->lock_ms, db->identity ? "; " ASK_ID : "");
    if (!db->identity)
        return postgres_run(db, sql, problem);
    error = run_and_compare(db, sql, problem);
    db->verified = !error;
    return error;
}

static enum error begin(struct db *db, enum db_intent intent, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    enum error error;

    if (connection->pooled)
        return begin_pooled(db, intent, problem);
    if (!db->identity)
        return postgres_run(db, intent == DB_WRITE ? "BEGIN" : READ_SNAPSHOT, problem);
    error = run_and_compare(db, intent == DB_WRITE ? "BEGIN; " ASK_ID : READ_SNAPSHOT "; " ASK_ID,
                            problem);
    db->verified = !error;
    return error;
}

static enum error commit(struct db *db, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    PGresult *result;
    bool kept;

    postgres_settle(db);
    if (db->transaction.doomed) { /* by a batch that has just been settled */
        *problem = db->transaction.cause;
        return problem->error;
    }
    if (connection->dead)
        return postgres_problem(db, NULL, problem);
    result = postgres_answer(db, pq.sendQuery(connection->libpq, "COMMIT"), problem);
    if (!result) {
        if (connection->dead)
            problem_set(problem, ERROR_UNAVAILABLE, "commit_unknown",
                        "the connection was lost while it was being committed; it may or may not "
                        "have been kept");
        return problem->error;
    }
    kept = strcmp(pq.cmdStatus(result), "COMMIT") == 0;
    pq.clear(result);
    return kept ? ERROR_NONE
                : problem_set(problem, ERROR_SYSTEM, "transaction_doomed",
                              "the server rolled it back");
}

static bool rollback(struct db *db)
{
    const struct postgres_connection *connection = db->connection;

    if (connection->dead)
        return false;
    if (pq.transactionStatus(connection->libpq) == PQTRANS_IDLE)
        return true;
    return postgres_run(db, "ROLLBACK", NULL) == ERROR_NONE;
}

static enum error lock(struct db *db, const char *name, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    PGresult *result;

    postgres_settle(db);
    result = postgres_answer(
        db,
        pq.sendQueryParams(connection->libpq,
                           "SELECT pg_advisory_xact_lock(hashtextextended('assay ' || $1, 0))", 1,
                           NULL, &name, NULL, NULL, 0),
        problem);
    pq.clear(result);
    return result ? ERROR_NONE : problem->error;
}

/* The failure with the line on which it was found. */
static enum error script_problem(struct db *db, const PGresult *result, const char *sql,
                                 struct problem *problem)
{
    const char *position = result ? pq.resultErrorField(result, PG_DIAG_STATEMENT_POSITION) : NULL;
    enum error error = postgres_problem(db, result, problem);
    char text[sizeof problem->text];
    int64_t characters;
    int line = 1;

    if (!position || !integer_parse(position, &characters))
        return error;
    for (; *sql && characters > 1; sql++) {
        line += *sql == '\n';
        characters -= ((unsigned char)sql[1] & 0xc0) != 0x80; /* UTF-8 goes on */
    }
    memcpy(text, problem->text, sizeof text);
    return problem_set(problem, error, problem->reason, "line %d: %.450s", line, text);
}

static enum error script(struct db *db, const char *sql, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    PGTransactionStatusType before = pq.transactionStatus(connection->libpq);
    enum error error = ERROR_NONE;
    PGresult *result;

    postgres_settle(db);
    result = collect(db, !connection->dead && pq.sendQuery(connection->libpq, sql));
    if (!result || !succeeded(result) || connection->dead)
        error = script_problem(db, result, sql, problem);
    pq.clear(result);
    if (error || before == pq.transactionStatus(connection->libpq))
        return error;
    return problem_set(problem, ERROR_SYSTEM, "statement_misused",
                       "a script must neither begin nor end a transaction");
}

static enum error set_time(struct db *db, int statement_ms, struct problem *problem)
{
    return postgres_set_timeouts(db, statement_ms, db->options.busy_timeout_ms, problem);
}

static enum error migrating(struct db *db, bool on, struct problem *problem)
{
    if (on)
        return postgres_set_timeouts(db, 0, MIGRATION_WAIT_MS, problem);
    return postgres_set_timeouts(db, db->options.statement_timeout_ms, db->options.busy_timeout_ms,
                                 problem);
}

static enum error migration_check(struct db *db, int version, struct problem *problem)
{
    (void)db;
    (void)version;
    (void)problem;
    return ERROR_NONE;
}

static void health(struct db *db, struct db_health *health)
{
    const struct postgres_connection *connection = db->connection;
    struct problem problem;
    PGresult *result = postgres_answer(db,
                                       pq.sendQuery(connection->libpq,
                                                    "SELECT pg_database_size(current_database()),"
                                                    " current_setting('transaction_read_only')"),
                                       &problem);

    snprintf(health->journal_mode, sizeof health->journal_mode, "POSTGRES");
    health->journal_mode_as_configured = true;
    db_pool_read(db, &health->pool);
    snprintf(health->synchronous, sizeof health->synchronous, "READ COMMITTED");
    if (!result) {
        snprintf(health->write_detail, sizeof health->write_detail, "%.255s", problem.text);
        return;
    }
    if (!integer_parse(pq.getvalue(result, 0, 0), &health->size_bytes))
        health->size_bytes = -1;
    if (strcmp(pq.getvalue(result, 0, 1), "on") == 0)
        snprintf(health->write_detail, sizeof health->write_detail,
                 "the server takes reading transactions only");
    pq.clear(result);
}

/* The tables that have changed since their statistics were made. A table that somebody else holds
 * has its turn the next time. */
static enum error maintain(struct db *db, struct problem *problem)
{
    static const char changed[] =
        "SELECT format('ANALYZE (SKIP_LOCKED) %I.%I', schemaname, relname) FROM pg_stat_user_tables"
        " WHERE schemaname = ANY (current_schemas(false)) AND n_mod_since_analyze > 0"
        " ORDER BY relname";
    const struct postgres_connection *connection = db->connection;
    PGresult *list = postgres_answer(db, pq.sendQuery(connection->libpq, changed), problem);
    enum error error = list ? ERROR_NONE : problem->error;

    for (int i = 0; !error && i < pq.ntuples(list); i++) {
        PGresult *result =
            postgres_answer(db, pq.sendQuery(connection->libpq, pq.getvalue(list, i, 0)), problem);

        error = result ? ERROR_NONE : problem->error;
        if (result)
            pq.clear(result);
    }
    if (list)
        pq.clear(list);
    return error;
}

const struct engine postgres_engine = {
    .name = "postgresql",
    .connect = postgres_connect,
    .disconnect = postgres_disconnect,
    .rest = postgres_rest,
    .alive = postgres_alive,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .lock = lock,
    .script = script,
    .verify = verify,
    .start = postgres_start,
    .next = postgres_next,
    .finish = postgres_finish,
    .repeat = postgres_repeat,
    .repeat_end = postgres_repeat_end,
    .columns = postgres_columns,
    .column_name = postgres_column_name,
    .column = postgres_column,
    .set_time = set_time,
    .migrating = migrating,
    .migration_check = migration_check,
    .health = health,
    .maintain = maintain,
};
