/* Reaching the PostgreSQL server: its turn in the pool, pauses after failures, a deadline, and how
 * the session is set up. */
#include "db/postgres.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OLDEST_SERVER = 130000,
    ANSWER_GRACE_MS = 5000, /* what an answer may take beyond the server's own limit */
    PAUSES_MAX = 16,        /* doublings of the pause between failed connects */
    HANDOVER_TRIES = 4,     /* a connection that was let go may still count for an instant */
    HANDOVER_PAUSE_MS = 8
};

/* Of the server, a role or a database. */
static const char too_many_connections[] = "53300";

bool postgres_wait(PGconn *libpq, short events, int64_t deadline)
{
    struct pollfd ready = {.fd = pq.socket(libpq), .events = events};

    for (;;) {
        int64_t left = deadline ? deadline - clock_monotonic_microseconds() : 0;
        int result;

        if (deadline && left <= 0)
            return false;
        result = poll(&ready, 1, deadline ? (int)((left + 999) / 1000) : -1);
        if (result > 0)
            return true;
        if (result < 0 && errno != EINTR)
            return false;
    }
}

/* Adds a parameter that the URL does not give. */
static void add_default(struct target *target, const char *keyword, const char *value)
{
    for (int i = 0; i < target->keyword_count; i++) {
        if (strcmp(target->keywords[i], keyword) == 0)
            return;
    }
    if (target->keyword_count == TARGET_KEYWORDS_MAX - 1)
        return;
    target->keywords[target->keyword_count] = keyword;
    target->values[target->keyword_count++] = value;
}

/* Starts connecting. A server that has lost power is noticed within half a minute. */
static PGconn *start_connecting(const struct db *db)
{
    struct target target = db->target;

    add_default(&target, "application_name", db->options.application_name);
    add_default(&target, "keepalives_idle", "15");
    add_default(&target, "keepalives_interval", "5");
    add_default(&target, "keepalives_count", "3");
    add_default(&target, "tcp_user_timeout", "30000");
    add_default(&target, "client_encoding", "UTF8");
    target.keywords[target.keyword_count] = target.values[target.keyword_count] = NULL;
    return pq.connectStartParams(target.keywords, target.values, 0);
}

static bool finish_connecting(PGconn *libpq, int64_t deadline)
{
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;

    while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
        short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;

        if (!postgres_wait(libpq, events, deadline))
            return false;
        state = pq.connectPoll(libpq);
    }
    return state == PGRES_POLLING_OK;
}

/* Notices ("relation exists, skipping") are of no use to anybody here. */
static void drop_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* libpq keeps the SQLSTATE of a refused connection to itself, but for its verbose words:
 * `FATAL:  53300: too many connections ... LOCATION: ...`. */
static bool refused_as(const char *text, const char *state)
{
    const char *at = strstr(text, "FATAL:  ");

    return at && strncmp(at + 8, state, strlen(state)) == 0;
}

/* libpq's words on one line, without credentials. */
static enum error unreachable(const char *text, struct problem *problem)
{
    const char *place = strstr(text, "LOCATION:");
    char line[400], shown[400];
    size_t length = 0;

    if (refused_as(text, too_many_connections))
        return problem_set(problem, ERROR_BUSY, "pool_exhausted",
                           "the server allows no more connections (SQLSTATE %s)",
                           too_many_connections);
    for (; *text && text != place && length + 1 < sizeof line; text++) {
        bool blank = *text == '\n' || *text == '\t' || *text == ' ';

        if (!blank)
            line[length++] = *text;
        else if (length && line[length - 1] != ' ')
            line[length++] = ' ';
    }
    while (length && line[length - 1] == ' ')
        length--;
    line[length] = '\0';
    db_redact_text(line, shown, sizeof shown);
    return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable", "%s", shown);
}

#define SETTINGS                                                                                   \
    " FROM (VALUES ('statement_timeout', CAST($1 AS TEXT)), ('lock_timeout', CAST($2 AS TEXT)),"   \
    " ('idle_in_transaction_session_timeout', '300000'),"                                          \
    " ('default_transaction_isolation', 'read committed'), ('timezone', 'UTC'),"                   \
    " ('standard_conforming_strings', 'on'), ('extra_float_digits', '1'),"                         \
    " ('bytea_output', 'hex'), ('jit', 'off')) AS setting (name, value)"

static int send_settings(const struct postgres_connection *connection, const char *sql)
{
    char statement[16], lock[16], pid[16];
    const char *values[] = {statement, lock, pid};

    snprintf(statement, sizeof statement, "%d", connection->statement_ms);
    snprintf(lock, sizeof lock, "%d", connection->lock_ms);
    snprintf(pid, sizeof pid, "%d", pq.backendPID(connection->libpq));
    return pq.sendQueryParams(connection->libpq, sql, 3, NULL, values, NULL, NULL, 0);
}

int postgres_send_settings(const struct postgres_connection *connection)
{
    return send_settings(connection, "SELECT set_config(name, value, true)" SETTINGS
                                     " WHERE CAST($3 AS TEXT) IS NOT NULL");
}

/* A pooler says at connecting that its session is another process than the one that then answers:
 * there nothing is set for longer than a transaction. */
enum error postgres_set_timeouts(struct db *db, int statement_ms, int lock_ms,
                                 struct problem *problem)
{
    struct postgres_connection *connection = db->connection;
    PGresult *result;

    connection->timeout_ms = statement_ms ? statement_ms + ANSWER_GRACE_MS : 0;
    connection->statement_ms = statement_ms;
    connection->lock_ms = lock_ms;
    if (connection->pooled)
        return ERROR_NONE;
    result = postgres_answer(
        db,
        send_settings(connection, "SELECT set_config(name, value, false)" SETTINGS
                                  " WHERE CAST(pg_backend_pid() AS TEXT) = CAST($3 AS TEXT)"),
        problem);
    connection->pooled = result && pq.ntuples(result) == 0;
    pq.clear(result);
    return result ? ERROR_NONE : problem->error;
}

static enum error set_up(struct db *db, struct problem *problem)
{
    const struct postgres_connection *connection = db->connection;
    const char *encoding = pq.parameterStatus(connection->libpq, "server_encoding");

    if (pq.serverVersion(connection->libpq) < OLDEST_SERVER)
        return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                           "PostgreSQL 13 or newer is needed");
    if (!encoding || strcmp(encoding, "UTF8") != 0)
        return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                           "the encoding of the database is %s; it must be UTF8",
                           encoding ? encoding : "unknown");
    pq.setnonblocking(connection->libpq, 1);
    pq.setNoticeReceiver(connection->libpq, drop_notice, NULL);
    return postgres_set_timeouts(db, db->options.statement_timeout_ms, db->options.busy_timeout_ms,
                                 problem);
}

static enum error connect_now(struct db *db, struct problem *problem)
{
    struct postgres_connection *connection = calloc(1, sizeof *connection);
    int64_t deadline =
        clock_monotonic_microseconds() + (int64_t)db->options.connect_timeout_ms * 1000;

    if (!connection)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a connection");
    db->connection = connection;
    connection->libpq = start_connecting(db);
    if (!connection->libpq)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a connection");
    pq.setErrorVerbosity(connection->libpq, PQERRORS_VERBOSE);
    if (pq.status(connection->libpq) == CONNECTION_BAD ||
        !finish_connecting(connection->libpq, deadline)) {
        if (pq.status(connection->libpq) == CONNECTION_BAD)
            return unreachable(pq.errorMessage(connection->libpq), problem);
        return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                           "the server did not answer within %d ms",
                           db->options.connect_timeout_ms);
    }
    pq.setErrorVerbosity(connection->libpq, PQERRORS_DEFAULT);
    return set_up(db, problem);
}

/* Doubling pauses, a quarter more or less at random so that workers do not come all at once. */
static void plan_retry(struct db *db)
{
    int64_t now = clock_monotonic_microseconds();
    int doublings = db->failed_connects < PAUSES_MAX ? db->failed_connects : PAUSES_MAX;
    int64_t pause = (int64_t)db->options.reconnect_first_ms << doublings;

    if (pause > db->options.reconnect_most_ms)
        pause = db->options.reconnect_most_ms;
    db->failed_connects++;
    db->retry_at = now + pause * 750 + (now ^ getpid()) % 500 * pause;
}

static enum error take_turn(struct db *db, int timeout_ms, struct problem *problem)
{
    if (!db->options.pool_directory)
        return ERROR_NONE;
    if (!db->pool)
        db->pool = pool_open(db, problem);
    if (!db->pool)
        return ERROR_UNAVAILABLE;
    return pool_take(db->pool, timeout_ms, problem);
}

static bool is_pool_pressure(const struct problem *problem)
{
    return strcmp(problem->reason, "pool_exhausted") == 0;
}

/* Connects in turn. Refused because there are too many already, it waits as for a slot: what others
 * let go may count for an instant longer, and what is refused again shows how many there can be. */
static enum error connect_in_turn(struct db *db, struct problem *problem)
{
    int64_t give_up = clock_monotonic_microseconds() + (int64_t)db->options.pool_timeout_ms * 1000;
    struct timespec pause = {.tv_nsec = HANDOVER_PAUSE_MS * 1000000};

    for (int tries = 1;; tries++) {
        int64_t left = give_up - clock_monotonic_microseconds();
        enum error error = take_turn(db, left > 0 ? (int)(left / 1000) : 0, problem);

        if (!error)
            error = connect_now(db, problem);
        if (!error)
            return ERROR_NONE;
        postgres_disconnect(db);
        if (!is_pool_pressure(problem) || clock_monotonic_microseconds() >= give_up)
            return error;
        if (db->pool && tries % HANDOVER_TRIES == 0)
            pool_settle(db->pool);
        nanosleep(&pause, NULL);
    }
}

enum error postgres_connect(struct db *db, struct problem *problem)
{
    int64_t wait = db->retry_at - clock_monotonic_microseconds();
    struct problem own;
    enum error error;

    if (wait > 0)
        return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                           "the server could not be reached; the next try is in %lld ms",
                           (long long)(wait / 1000));
    if (!libpq_load())
        return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                           "libpq, the client library of PostgreSQL, cannot be loaded");
    error = connect_in_turn(db, &own);
    if (!error) {
        pool_connected(db->pool);
        db->retry_at = 0;
        db->failed_connects = 0;
        return ERROR_NONE;
    }
    if (!is_pool_pressure(&own))
        plan_retry(db);
    db->suspect = false;
    return problem_set(problem, error, own.reason, "%s", own.text);
}

void postgres_disconnect(struct db *db)
{
    struct postgres_connection *connection = db->connection;

    if (connection)
        pq.finish(connection->libpq);
    free(connection);
    db->connection = NULL;
    pool_give(db->pool);
}

bool postgres_rest(struct db *db)
{
    return !pool_is_wanted(db->pool);
}

bool postgres_alive(struct db *db)
{
    struct postgres_connection *connection = db->connection;

    if (connection->dead || pq.status(connection->libpq) != CONNECTION_OK)
        return false;
    for (int i = 0; i < 8; i++) {
        struct pollfd ready = {.fd = pq.socket(connection->libpq), .events = POLLIN};

        if (poll(&ready, 1, 0) <= 0)
            return true;
        /* An idle server has nothing to say but farewell, which is followed by the end. */
        if (!pq.consumeInput(connection->libpq))
            return false;
    }
    return false;
}
