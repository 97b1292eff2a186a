/* SQLite: opening the file, its settings, locks and transactions. sqlite_query.c runs statements.
 */
#include "db/sqlite.h"
#include "db/record.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum {
    MIGRATION_WAIT_MS = 60 * 1000,
    DEADLINE_STEPS = 2000,       /* virtual machine steps between two readings of the clock */
    BUSY_PAUSE_MS = 8,           /* the longest pause between two tries for a lock */
    DISK_FREE_LEAST = 256 * 1024 /* bytes; with less the disk counts as full */
};

static const char *const journal_pragmas[DB_JOURNAL__MAX] = {
    "PRAGMA journal_mode = DELETE",  "PRAGMA journal_mode = TRUNCATE",
    "PRAGMA journal_mode = PERSIST", "PRAGMA journal_mode = MEMORY",
    "PRAGMA journal_mode = WAL",     "PRAGMA journal_mode = OFF"};
static const char *const synchronous_pragmas[DB_SYNCHRONOUS__MAX] = {
    "PRAGMA synchronous = OFF", "PRAGMA synchronous = NORMAL", "PRAGMA synchronous = FULL",
    "PRAGMA synchronous = EXTRA"};

static void pause_milliseconds(int milliseconds)
{
    struct timespec pause = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};

    nanosleep(&pause, NULL);
}

/* Short pauses, uneven between processes, so that no writer starves behind a crowd. */
static int wait_for_lock(void *context, int count)
{
    struct sqlite_connection *connection = context;
    int64_t now = clock_monotonic_microseconds();
    int pause = count < BUSY_PAUSE_MS ? count + 1 : BUSY_PAUSE_MS;

    if (count == 0)
        connection->busy_since = now;
    if (connection->waited + now - connection->busy_since >=
        (int64_t)connection->busy_timeout_ms * 1000)
        return 0;
    pause_milliseconds(1 + (int)((now ^ getpid()) % pause));
    return 1;
}

static int past_deadline(void *context)
{
    const struct sqlite_connection *connection = context;

    return connection->deadline && clock_monotonic_microseconds() > connection->deadline;
}

bool sqlite_make_directories(const char *path)
{
    char part[4096];

    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0700) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
            return false;
    }
    return true;
}

/* The file is made here, not by SQLite, so that nobody else may ever read it. A file that was
 * there before and is gone must not come back empty. */
static enum error make_file(struct db *db, struct problem *problem)
{
    const char *path = db->target.path;
    int file;

    if (db->identity)
        return sqlite_files_unchanged(db, problem);
    if (db->generation > 0) {
        if (access(path, F_OK) == 0)
            return ERROR_NONE;
        return problem_set(problem, ERROR_UNAVAILABLE, "database_unavailable",
                           "the database file %s is gone", path);
    }
    file = sqlite_make_directories(path) ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
                                         : -1;
    if (file >= 0) {
        close(file);
        return ERROR_NONE;
    }
    if (errno == EEXIST)
        return ERROR_NONE;
    return sqlite_problem_without(SQLITE_CANTOPEN, errno, path, problem);
}

/* Runs one statement without parameters; the first column of its first row goes to `answer`. */
static enum error run(struct db *db, const char *sql, char *answer, size_t size,
                      struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    sqlite3_stmt *statement = NULL;
    enum error error = ERROR_NONE;
    int code = sqlite3_prepare_v2(connection->handle, sql, -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW && answer)
        snprintf(answer, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    while (code == SQLITE_ROW)
        code = sqlite3_step(statement);
    if (code != SQLITE_DONE)
        error = sqlite_problem(db, connection, code, problem);
    sqlite3_finalize(statement);
    return error;
}

/* The same for a statement of every transaction, without rows. */
static enum error run_fixed(struct db *db, enum sqlite_fixed which, struct problem *problem)
{
    static const char *const texts[SQLITE_FIXED__MAX] = {
        "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT part", "RELEASE part", "ROLLBACK TO part"};
    struct sqlite_connection *connection = db->connection;
    sqlite3_stmt **statement = &connection->fixed[which];
    enum error error = ERROR_NONE;
    int code = SQLITE_OK;

    if (!*statement)
        code = sqlite3_prepare_v3(connection->handle, texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                  statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(*statement);
    if (code != SQLITE_DONE)
        error = sqlite_problem(db, connection, code, problem);
    sqlite3_reset(*statement);
    return error;
}

/* Changing the journal mode needs the file alone and does not wait by itself. */
static enum error set_journal_mode(struct db *db, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    const char *wanted = db_journal_mode_names[db->options.journal_mode];
    int64_t give_up = clock_monotonic_microseconds() + (int64_t)connection->busy_timeout_ms * 1000;
    char mode[16] = "";
    enum error error;

    for (;;) {
        error = run(db, "PRAGMA journal_mode", mode, sizeof mode, problem);
        if (error || sqlite3_stricmp(mode, wanted) == 0 || strcmp(mode, "memory") == 0 ||
            sqlite3_db_readonly(connection->handle, "main") == 1)
            return error;
        error = run(db, journal_pragmas[db->options.journal_mode], mode, sizeof mode, problem);
        if (error != ERROR_BUSY || clock_monotonic_microseconds() > give_up)
            return error;
        pause_milliseconds(1 + getpid() % BUSY_PAUSE_MS);
    }
}

/* A database with a record is one set of files from start to stop: the mode of its journal is
 * chosen at the start, and nobody takes the log away when leaving as the last. */
static enum error settle_journal(struct db *db, struct problem *problem)
{
    const struct sqlite_connection *connection = db->connection;
    int persist = 1;

    if (db->identity || db->options.keep_log)
        sqlite3_file_control(connection->handle, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
    return db->identity ? ERROR_NONE : set_journal_mode(db, problem);
}

/* A negative size counts KiB instead of pages. */
static enum error size_cache(struct db *db, struct problem *problem)
{
    char sql[64];

    if (!db->options.cache_kib)
        return ERROR_NONE;
    snprintf(sql, sizeof sql, "PRAGMA cache_size = -%d", db->options.cache_kib);
    return run(db, sql, NULL, 0, problem);
}

/* Only a file that is still empty takes another size. */
static enum error size_pages(struct db *db, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    enum error error = ERROR_NONE;
    char text[64];

    if (db->options.page_bytes) {
        snprintf(text, sizeof text, "PRAGMA page_size = %d", db->options.page_bytes);
        error = run(db, text, NULL, 0, problem);
    }
    if (!error)
        error = run(db, "PRAGMA page_size", text, sizeof text, problem);
    if (!error)
        connection->page_bytes = (int)strtol(text, NULL, 10);
    return error;
}

static enum error configure(struct db *db, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    sqlite3 *handle = connection->handle;
    enum error error;

    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_handler(handle, wait_for_lock, connection);
    sqlite3_progress_handler(handle, DEADLINE_STEPS, past_deadline, connection);
    /* "text" in double quotes is a name or an error, as on PostgreSQL. */
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    error = size_pages(db, problem);
    sqlite_watch_log(connection);
    if (!error)
        error = settle_journal(db, problem);
    if (!error)
        error = run(db, synchronous_pragmas[db->options.synchronous], NULL, 0, problem);
    if (!error) /* LIKE looks at case, as on PostgreSQL */
        error = run(db, "PRAGMA case_sensitive_like = ON", NULL, 0, problem);
    if (!error)
        error = run(db, "PRAGMA temp_store = MEMORY", NULL, 0, problem);
    if (!error)
        error = run(db, "PRAGMA journal_size_limit = 67108864", NULL, 0, problem);
    if (!error)
        error = size_cache(db, problem);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return error;
}

static void disconnect(struct db *db)
{
    struct sqlite_connection *connection = db->connection;

    sqlite_give_write_lock(db);
    for (int i = 0; i < STATEMENT_SLOTS; i++) {
        struct prepared *prepared = &db->statements[i];

        if (prepared->statement && prepared->generation == db->generation)
            sqlite3_finalize(prepared->engine_statement);
        prepared->generation = 0;
        prepared->engine_statement = NULL;
    }
    for (int i = 0; i < SQLITE_FIXED__MAX; i++)
        sqlite3_finalize(connection->fixed[i]);
    /* SQLite leaves it to the last one; of two that leave at once neither is. */
    if (db->identity && connection->log_kib)
        sqlite_save_log(db);
    sqlite3_close(connection->handle);
    free(connection);
    db->connection = NULL;
}

static enum error connect(struct db *db, struct problem *problem)
{
    bool in_memory = strcmp(db->target.path, ":memory:") == 0;
    struct sqlite_connection *connection;
    enum error error = in_memory ? ERROR_NONE : make_file(db, problem);
    int code;

    if (error)
        return error;
    connection = calloc(1, sizeof *connection);
    if (!connection)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory for a connection");
    connection->busy_timeout_ms = db->options.busy_timeout_ms;
    connection->statement_timeout_ms = db->options.statement_timeout_ms;
    db->connection = connection;
    code = sqlite3_open_v2(db->target.path, &connection->handle,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        error = sqlite_problem_without(code, sqlite3_system_errno(connection->handle),
                                       db->target.path, problem);
    else
        error = configure(db, problem);
    if (error)
        disconnect(db);
    db->suspect = false;
    return error;
}

/* Writing on into a file that somebody has replaced or removed would lose every word. */
static bool alive(struct db *db)
{
    struct sqlite_connection *connection = db->connection;
    int moved = 0;

    if (sqlite3_file_control(connection->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) !=
        SQLITE_OK)
        return true;
    return !moved;
}

/* Keeps the file open, which hinders no other process. The client has its answer, so no client
 * waits for the disk, which a checkpoint flushes twice. */
static bool rest(struct db *db)
{
    sqlite_checkpoint(db, true);
    db->verified = false; /* the next request verifies the database itself */
    return true;
}

static enum error begin(struct db *db, enum db_intent intent, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    enum error error;

    /* SQLite itself complains only at the first write. */
    if (intent == DB_WRITE && sqlite3_db_readonly(connection->handle, "main") == 1) {
        db->suspect = true;
        return problem_set(problem, ERROR_UNAVAILABLE, "database_read_only",
                           "the database file may only be read");
    }
    if (intent == DB_WRITE)
        sqlite_take_write_lock(db);
    db->verified = false; /* a request may be long */
    error = db_verify(db, problem);
    if (!error)
        error = run_fixed(db, intent == DB_WRITE ? SQLITE_BEGIN_WRITE : SQLITE_BEGIN_READ, problem);
    connection->waited = 0;
    if (error)
        sqlite_give_write_lock(db);
    return error;
}

static enum error commit(struct db *db, struct problem *problem)
{
    enum error error = run_fixed(db, SQLITE_COMMIT_IT, problem);

    if (!error && db->identity && db->transaction.intent == DB_WRITE) {
        db->verified = false; /* nothing is acknowledged that went into another file */
        error = db_verify(db, problem);
    }
    if (error && strcmp(problem->reason, "database_io") == 0)
        problem->reason = "commit_unknown";
    if (!error) {
        sqlite_give_write_lock(db);
        sqlite_checkpoint(db, false);
    }
    return error;
}

static bool rollback(struct db *db)
{
    const struct sqlite_connection *connection = db->connection;

    if (!sqlite3_get_autocommit(connection->handle))
        run(db, "ROLLBACK", NULL, 0, NULL);
    sqlite_give_write_lock(db);
    return sqlite3_get_autocommit(connection->handle);
}

/* Some errors make SQLite roll back everything; a savepoint outside of a transaction would begin
 * one of its own. */
static enum error nest(struct db *db, enum nest nest, struct problem *problem)
{
    const struct sqlite_connection *connection = db->connection;
    enum error error;

    if (sqlite3_get_autocommit(connection->handle))
        return problem_set(problem, ERROR_UNAVAILABLE, "database_io",
                           "the transaction was rolled back by a failure of another part of it");
    if (nest == NEST_BEGIN)
        return run_fixed(db, SQLITE_NEST, problem);
    error = nest == NEST_UNDO ? run_fixed(db, SQLITE_NEST_UNDO, problem) : ERROR_NONE;
    return error ? error : run_fixed(db, SQLITE_NEST_KEEP, problem);
}

static enum error lock(struct db *db, const char *name, struct problem *problem)
{
    (void)db;
    (void)name;
    (void)problem;
    return ERROR_NONE;
}

/* The failure with the line on which the statement begins. */
static void script_problem(struct db *db, int code, const char *sql, const char *at,
                           struct problem *problem)
{
    struct problem own;
    int line = 1;

    at += strspn(at, " \t\r\n");
    for (; sql < at; sql++)
        line += *sql == '\n';
    sqlite_problem(db, db->connection, code, &own);
    problem_set(problem, own.error, own.reason, "line %d: %.450s", line, own.text);
}

static enum error script(struct db *db, const char *sql, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    bool in_transaction = !sqlite3_get_autocommit(connection->handle);
    const char *at = sql, *tail;
    int code;

    while (*at) {
        sqlite3_stmt *statement;

        code = sqlite3_prepare_v2(connection->handle, at, -1, &statement, &tail);
        while (code == SQLITE_OK || code == SQLITE_ROW)
            code = statement ? sqlite3_step(statement) : SQLITE_DONE;
        if (code != SQLITE_DONE)
            script_problem(db, code, sql, at, problem);
        sqlite3_finalize(statement);
        if (code != SQLITE_DONE)
            return problem->error;
        at = tail;
    }
    if (in_transaction == !sqlite3_get_autocommit(connection->handle))
        return ERROR_NONE;
    return problem_set(problem, ERROR_SYSTEM, "statement_misused",
                       "a script must neither begin nor end a transaction");
}

static enum error set_time(struct db *db, int statement_ms, struct problem *problem)
{
    (void)problem;
    ((struct sqlite_connection *)db->connection)->statement_timeout_ms = statement_ms;
    return ERROR_NONE;
}

static enum error migrating(struct db *db, bool on, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;

    (void)problem;
    connection->busy_timeout_ms = on ? MIGRATION_WAIT_MS : db->options.busy_timeout_ms;
    connection->statement_timeout_ms = on ? 0 : db->options.statement_timeout_ms;
    /* A table is changed by building it anew; dropping the old one must not cascade. */
    sqlite3_db_config(connection->handle, SQLITE_DBCONFIG_ENABLE_FKEY, on ? 0 : 1, NULL);
    return ERROR_NONE;
}

static enum error migration_check(struct db *db, int version, struct problem *problem)
{
    char table[128] = "", sql[64];
    enum error error =
        run(db, "SELECT \"table\" FROM pragma_foreign_key_check", table, sizeof table, problem);

    if (error)
        return error;
    if (table[0])
        return problem_set(problem, ERROR_SYSTEM, "migration_failed",
                           "it leaves rows in %s whose foreign keys point nowhere", table);
    /* The one statement that cannot take its number as a parameter. */
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", version);
    return run(db, sql, NULL, 0, problem);
}

static int64_t file_bytes(const char *path, const char *suffix)
{
    char name[4096];
    struct stat status;

    snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &status) == 0 ? (int64_t)status.st_size : 0;
}

/* At level NORMAL only a checkpoint flushes to the disk. A log that is longer than checkpoints
 * leave it may be one that cannot be copied, though commits still succeed. */
static void probe_checkpoint(struct db *db, struct db_health *health)
{
    struct sqlite_connection *connection = db->connection;
    int code = sqlite_log_is_long(connection)
                   ? sqlite3_wal_checkpoint_v2(connection->handle, NULL, SQLITE_CHECKPOINT_PASSIVE,
                                               NULL, NULL)
                   : SQLITE_OK;

    if (code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED)
        return;
    sqlite_report_checkpoint(connection, code);
    snprintf(health->write_detail, sizeof health->write_detail,
             "the write-ahead log cannot be copied into the file: %s", sqlite3_errstr(code));
}

static void health(struct db *db, struct db_health *health)
{
    const char *path = db->target.path;
    char number[16] = "";
    struct statvfs space;

    if (run(db, "PRAGMA journal_mode", health->journal_mode, sizeof health->journal_mode, NULL))
        snprintf(health->journal_mode, sizeof health->journal_mode, "unknown");
    for (char *byte = health->journal_mode; *byte; byte++) {
        if (*byte >= 'a' && *byte <= 'z')
            *byte = (char)(*byte - 'a' + 'A');
    }
    health->journal_mode_as_configured =
        strcmp(health->journal_mode, db_journal_mode_names[db->options.journal_mode]) == 0;
    if (!run(db, "PRAGMA synchronous", number, sizeof number, NULL) && number[0] >= '0' &&
        number[0] < '0' + DB_SYNCHRONOUS__MAX)
        snprintf(health->synchronous, sizeof health->synchronous, "%s",
                 db_synchronous_names[number[0] - '0']);
    health->size_bytes = file_bytes(path, "") + file_bytes(path, "-wal");
    if (statvfs(db->target.location, &space) == 0)
        health->disk_free_bytes = (int64_t)space.f_bavail * (int64_t)space.f_frsize;
    /* The log may have room for a small row when there is none for anything else. */
    if (health->disk_free_bytes < DISK_FREE_LEAST && strcmp(path, ":memory:") != 0)
        snprintf(health->write_detail, sizeof health->write_detail,
                 "the disk is full: %lld bytes are free", (long long)health->disk_free_bytes);
    if (!health->write_detail[0] && !db_verify(db, NULL))
        probe_checkpoint(db, health);
}

/* `PRAGMA optimize` looks only at what this connection has asked, and that is nothing. Connections
 * that are open read the statistics anew when the schema has changed, and not otherwise: so their
 * table is made anew. */
static enum error analyze(struct db *db, struct problem *problem)
{
    static const char *const steps[] = {"DROP TABLE IF EXISTS sqlite_stat1", "ANALYZE", "COMMIT"};
    enum error error = run(db, "PRAGMA analysis_limit = 1000", NULL, 0, problem);
    struct problem own;

    if (!error)
        error = run(db, "BEGIN IMMEDIATE", NULL, 0, problem);
    if (error)
        return error;
    for (size_t i = 0; !error && i < sizeof steps / sizeof steps[0]; i++)
        error = run(db, steps[i], NULL, 0, problem);
    if (error)
        (void)run(db, "ROLLBACK", NULL, 0, &own);
    return error;
}

static enum error maintain(struct db *db, struct problem *problem)
{
    const struct sqlite_connection *connection = db->connection;
    enum error error = analyze(db, problem);

    /* Readers may hinder it; then the next run does it. */
    sqlite3_wal_checkpoint_v2(connection->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return error;
}

const struct engine sqlite_engine = {
    .name = "sqlite",
    .connect = connect,
    .disconnect = disconnect,
    .rest = rest,
    .alive = alive,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .nest = nest,
    .lock = lock,
    .script = script,
    .verify = sqlite_verify,
    .start = sqlite_start,
    .next = sqlite_next,
    .finish = sqlite_finish,
    .repeat = sqlite_repeat,
    .repeat_end = sqlite_repeat_end,
    .columns = sqlite_columns,
    .column_name = sqlite_column_name,
    .column = sqlite_column,
    .set_time = set_time,
    .migrating = migrating,
    .migration_check = migration_check,
    .health = health,
    .maintain = maintain,
};
