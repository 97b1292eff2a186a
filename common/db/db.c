/* The handle: opening, the rule of one process, what happens between requests, and the small
 * questions about the store. Knows no engine but through its table. */
#include "db/db_internal.h"
#include "db/record.h"

#include "base/clock.h"
#include "base/fiber.h"
#include "base/log.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HANDLE_BYTES_MAX = 2 * DB_STATEMENTS_MAX * SQL_BYTES_MAX, /* translated statements and names */
    SCRATCH_BYTES_MAX = 8 * SQL_BYTES_MAX,
    PAGE_BYTES_LEAST = 512, /* what SQLite takes */
    PAGE_BYTES_MOST = 65536
};

const char *const db_journal_mode_names[DB_JOURNAL__MAX + 1] = {
    "DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL", "OFF", NULL};
const char *const db_synchronous_names[DB_SYNCHRONOUS__MAX + 1] = {"OFF", "NORMAL", "FULL", "EXTRA",
                                                                   NULL};

static const struct engine *const engines[DB_ENGINE__MAX] = {&sqlite_engine, &postgres_engine};

void db_warn(const char *format, ...)
{
    char text[LOG_VALUE_MAX], shown[LOG_VALUE_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    db_redact_text(text, shown, sizeof shown);
    log_event(LOG_WARNING, "database", shown);
}

void db_report_damage(struct db *db, const char *reason, const char *text)
{
    struct log_line line;

    if (!db->identity || db->damage_reported || strcmp(reason, "database_corrupt") != 0)
        return;
    db->damage_reported = true;
    log_begin(&line, LOG_CRITICAL, "database_corrupt");
    log_text(&line, "database", db_shown_target(db));
    log_text(&line, "detail", text);
    log_write(&line);
}

/* The bounds of the numbers in struct db_options. */
static enum error check_options(const struct db_options *options, struct problem *problem)
{
    const struct {
        const char *name;
        int value, minimum;
    } bounds[] = {
        {"busy_timeout_ms", options->busy_timeout_ms, 1},
        {"statement_timeout_ms", options->statement_timeout_ms, 0},
        {"slow_transaction_ms", options->slow_transaction_ms, 0},
        {"connect_timeout_ms", options->connect_timeout_ms, 1},
        {"reconnect_first_ms", options->reconnect_first_ms, 1},
        {"reconnect_most_ms", options->reconnect_most_ms, options->reconnect_first_ms},
        {"cache_kib", options->cache_kib, 0},
        {"pool_size", options->pool_size, 1},
        {"pool_timeout_ms", options->pool_timeout_ms, 0},
    };

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        if (bounds[i].value < bounds[i].minimum)
            return problem_set(problem, ERROR_INVALID, "database_option", "%s must be at least %d",
                               bounds[i].name, bounds[i].minimum);
    }
    if (options->page_bytes &&
        (options->page_bytes < PAGE_BYTES_LEAST || options->page_bytes > PAGE_BYTES_MOST ||
         (options->page_bytes & (options->page_bytes - 1))))
        return problem_set(problem, ERROR_INVALID, "database_option",
                           "page_bytes must be 0 or a power of two from %d to %d", PAGE_BYTES_LEAST,
                           PAGE_BYTES_MOST);
    if (options->journal_mode >= DB_JOURNAL__MAX || options->synchronous >= DB_SYNCHRONOUS__MAX)
        return problem_set(problem, ERROR_INVALID, "database_option",
                           "journal_mode or synchronous is not one of its names");
    return ERROR_NONE;
}

static enum error fill_handle(struct db *db, const char *target, const struct db_options *options,
                              struct problem *problem)
{
    enum error error = check_options(options, problem);

    if (!error)
        error = target_parse(target, db->arena, &db->target, problem);
    if (error)
        return error;
    db->engine = engines[db->target.engine];
    db->options = *options;
    db->options.application_name =
        arena_copy_string(db->arena, options->application_name ? options->application_name : "");
    if (options->pool_directory)
        db->options.pool_directory = arena_copy_string(db->arena, options->pool_directory);
    for (int i = 0; i <= DB_OPEN_QUERIES_MAX; i++)
        db->queries[i].db = db;
    if (options->identity_file)
        db->identity = identity_open(db->arena, options->identity_file);
    return ERROR_NONE;
}

static void db_free(struct db *db)
{
    if (!db)
        return;
    identity_close(db->identity);
    arena_destroy(db->arena);
    arena_destroy(db->scratch);
    free(db);
}

enum error db_open(const char *target, const struct db_options *options, struct db **db,
                   struct problem *problem)
{
    static const struct db_options defaults = DB_OPTIONS_DEFAULT;
    enum error error = ERROR_SYSTEM;

    *db = calloc(1, sizeof **db);
    if (*db) {
        (*db)->arena = arena_create(HANDLE_BYTES_MAX);
        (*db)->scratch = arena_create(SCRATCH_BYTES_MAX);
    }
    if (*db && (*db)->arena && (*db)->scratch)
        error = fill_handle(*db, target, options ? options : &defaults, problem);
    else
        problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a database handle");
    if (error) {
        db_free(*db);
        *db = NULL;
    }
    return error;
}

void db_drop_connection(struct db *db)
{
    static const struct problem gone = {.error = ERROR_UNAVAILABLE,
                                        .reason = "database_unavailable",
                                        .text = "the connection was given up"};

    queries_fail_all(db, gone.text);
    group_lose(db, &gone);
    if (db->connection)
        db->engine->disconnect(db);
    db->connection = NULL;
    db->suspect = false;
    db->verified = false;
}

void db_disconnect(struct db *db)
{
    queries_release_all(db);
    while (db->transaction.depth)
        db_rollback(db);
    db_drop_connection(db);
    pool_close(db->pool);
    db->pool = NULL;
    db->owner = 0;
}

void db_release(struct db *db)
{
    if (db->target.engine == DB_POSTGRES)
        db_disconnect(db);
}

void db_release_before_wait(struct db *db)
{
    if (!fiber_current())
        db_release(db);
}

void db_close(struct db *db)
{
    if (!db)
        return;
    db_disconnect(db);
    db_free(db);
}

static void check_owner(const struct db *db)
{
    if (!db->owner || db->owner == getpid())
        return;
    fprintf(stderr, "database %s: connected in process %d, used in %d; connect after fork()\n",
            db->target.shown, (int)db->owner, (int)getpid());
    abort();
}

/* Nothing is open and the connection has idled: it may have been closed, or its file replaced. */
static void check_after_idling(struct db *db)
{
    if (db->transaction.depth || !db->connection)
        return;
    if (db->suspect || (!db->in_use && !db->engine->alive(db)))
        db_drop_connection(db);
}

static enum error connect_now(struct db *db, struct problem *problem)
{
    enum error error;

    db->owner = getpid();
    error = db->identity ? identity_refusal(db->identity, problem) : ERROR_NONE;
    if (!error)
        error = db->engine->connect(db, problem);
    if (error)
        return error;
    db->generation++;
    db->counters.connects++;
    db->verified = false;
    return ERROR_NONE;
}

enum error db_verify(struct db *db, struct problem *problem)
{
    struct problem own;

    if (!db->identity || db->verified)
        return ERROR_NONE;
    if (db->engine->verify(db, &own)) {
        db->suspect = true;
        if (problem)
            *problem = own;
        return own.error;
    }
    db->verified = true;
    return ERROR_NONE;
}

enum error db_ready(struct db *db, struct problem *problem)
{
    enum error error = ERROR_NONE;

    check_owner(db);
    check_after_idling(db);
    if (!db->connection && db->transaction.depth)
        return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                           "the connection was lost inside a transaction");
    if (!db->connection)
        error = connect_now(db, problem);
    db->in_use = !error;
    return error;
}

enum error db_connect(struct db *db, struct problem *problem)
{
    enum error error = db_ready(db, problem);

    return error ? error : db_verify(db, problem);
}

void db_fail_after(struct db *db, int64_t steps)
{
    db->fail_after = steps;
}

void db_die_after(struct db *db, int64_t steps)
{
    db->die_after = steps;
}

bool db_fails_now(struct db *db, struct problem *problem)
{
    if (db->die_after && !--db->die_after)
        raise(SIGKILL);
    if (!db->fail_after || --db->fail_after)
        return false;
    problem_set(problem, ERROR_UNAVAILABLE, "database_io", "db_fail_after() has chosen this step");
    return true;
}

bool db_end_of_request(struct db *db)
{
    struct transaction *transaction = &db->transaction;
    int left_open;
    bool clean;

    if (db->foreign.end)
        db->foreign.end(db);
    left_open = queries_release_all(db);
    clean = !left_open;
    if (left_open)
        db_warn("%d statements were left open", left_open);
    if (transaction->depth) {
        db_warn("the transaction begun at %s:%d was left open and is rolled back",
                transaction->file, transaction->line);
        while (transaction->depth)
            db_rollback(db);
        clean = false;
    }
    db->in_use = false;
    db->verified = false;
    if (db->connection && (db->suspect || !db->engine->rest(db)))
        db_drop_connection(db);
    return clean;
}

void db_queue_writers(struct db *db, struct shm_region *region)
{
    db->write_lock = region;
}

const char *db_system_name(const struct db *db)
{
    return db->target.engine == DB_SQLITE ? "sqlite" : "postgresql";
}

enum db_engine db_engine(const struct db *db)
{
    return db->target.engine;
}

const char *db_shown_target(const struct db *db)
{
    return db->target.shown;
}

const char *db_location(const struct db *db)
{
    return db->target.location;
}

struct db_counters db_counters(const struct db *db)
{
    return db->counters;
}

void db_counters_reset(struct db *db)
{
    db->counters = (struct db_counters){0};
}

/* The row that provision.c has made room for; without a record nothing is kept. */
static enum error write_probe(struct db *db, struct problem *problem)
{
    static const struct statement keep = {"health_probe",
                                          "INSERT INTO assay_probe (id, at) VALUES (1, {now})"
                                          " ON CONFLICT (id) DO UPDATE SET at = excluded.at"};
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    if (!db->identity) {
        db_rollback(db);
        return ERROR_NONE;
    }
    error = query_end(db_query(db, &keep), problem);
    return db_finish(db, error, problem);
}

void db_pool_read(const struct db *db, struct db_pool_figures *figures)
{
    *figures = (struct db_pool_figures){0};
    if (db->pool)
        *figures = (struct db_pool_figures){.size = db->options.pool_size,
                                            .limit = pool_limit(db->pool),
                                            .held = pool_held(db->pool)};
}

/* Fills what every engine answers the same way: can it be reached, can it be written to. */
void db_health(struct db *db, struct db_health *health)
{
    struct problem problem;

    *health = (struct db_health){.size_bytes = -1};
    if (db_connect(db, &problem)) {
        snprintf(health->detail, sizeof health->detail, "%.255s", problem.text);
        snprintf(health->write_detail, sizeof health->write_detail, "%.255s", problem.text);
        return;
    }
    health->reachable = true;
    snprintf(health->detail, sizeof health->detail, "%s", db->engine->name);
    db->engine->health(db, health);
    if (health->write_detail[0])
        return;
    if (write_probe(db, &problem)) {
        snprintf(health->write_detail, sizeof health->write_detail, "%.255s", problem.text);
        return;
    }
    health->writable = true;
    snprintf(health->write_detail, sizeof health->write_detail, "%s succeeded",
             db->target.engine == DB_SQLITE ? "BEGIN IMMEDIATE" : "BEGIN");
}

enum error db_maintain(struct db *db, struct problem *problem)
{
    enum error error = db_ready(db, problem);

    return error ? error : db->engine->maintain(db, problem);
}

bool db_maintain_is_due(double seconds, int64_t *done_at)
{
    int64_t now = clock_monotonic_microseconds();

    if (*done_at && (double)(now - *done_at) < seconds * 1e6)
        return false;
    *done_at = now;
    return true;
}

/* Backslash, percent and underscore stand for themselves. */
char *db_like_contains(struct arena *arena, const char *text)
{
    char *pattern = arena_alloc(arena, 2 * strlen(text) + 3);
    size_t length = 0;

    pattern[length++] = '%';
    for (; *text; text++) {
        if (strchr("\\%_", *text))
            pattern[length++] = '\\';
        pattern[length++] = *text;
    }
    pattern[length] = '%';
    return pattern;
}
