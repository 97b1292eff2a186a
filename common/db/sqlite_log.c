/* SQLite: the queue of writers, and when the write-ahead log is copied into the file (checkpoint).
 */
#include "db/sqlite.h"

#include "base/clock.h"
#include "base/log.h"
#include "shm/write_lock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    LOG_PAGES = 1000,     /* in the log, before the end of a request runs a checkpoint, and again */
    LOG_KIB_LONG = 16000, /* the log's size, before it does so with the other writers waiting */
    LOG_KIB_MOST = 64000, /* the same, before a commit does, for writers that outrun the disk */
    CHECKPOINT_PASSES = 3, /* before that: each leaves less to fold while the others wait */
    WRITERS_MS = 1000,     /* the longest wait for the others to be done */
    READERS_MS = 20,       /* the longest that they then wait for who reads the log */
    BUSY_WAIT_MS = 1000    /* the longest that they wait at LOG_KIB_MOST for who folds it */
};

void sqlite_take_write_lock(struct db *db)
{
    struct sqlite_connection *connection = db->connection;
    int64_t start = clock_monotonic_microseconds();

    if (!db->write_lock || connection->write_lock)
        return;
    if (shm_write_lock_take(db->write_lock, connection->busy_timeout_ms))
        connection->write_lock = db->write_lock;
    connection->waited = clock_monotonic_microseconds() - start;
}

void sqlite_give_write_lock(struct db *db)
{
    struct sqlite_connection *connection = db->connection;

    if (connection->write_lock)
        shm_write_lock_give(connection->write_lock);
    connection->write_lock = NULL;
}

static int kib_of(const struct sqlite_connection *connection, int pages)
{
    return (int)((int64_t)pages * connection->page_bytes / 1024);
}

/* A log shorter than before has begun anew. */
static int note_log_pages(void *context, sqlite3 *handle, const char *name, int pages)
{
    struct sqlite_connection *connection = context;

    (void)handle;
    (void)name;
    if (kib_of(connection, pages) < connection->log_kib)
        connection->checkpoint_at = kib_of(connection, LOG_PAGES);
    connection->log_kib = kib_of(connection, pages);
    return SQLITE_OK;
}

bool sqlite_log_is_long(const struct sqlite_connection *connection)
{
    return connection->log_kib >= kib_of(connection, LOG_PAGES);
}

void sqlite_watch_log(struct sqlite_connection *connection)
{
    connection->checkpoint_at = kib_of(connection, LOG_PAGES);
    sqlite3_wal_hook(connection->handle, note_log_pages, connection);
}

/* Runs a complete checkpoint while the writers wait, so that the next writer restarts the log.
 * Another process may run a checkpoint, which ends soon, or read the log, which may take long. */
static void restart_log(struct db *db, int wait_ms)
{
    static const struct timespec pause = {0, 500000};
    struct sqlite_connection *connection = db->connection;
    int usual = connection->busy_timeout_ms, code, pages;
    int64_t start;

    if (!db->write_lock || !shm_write_lock_take(db->write_lock, WRITERS_MS))
        return;
    start = clock_monotonic_microseconds();
    connection->busy_timeout_ms = 0;
    for (;;) {
        int64_t waited = clock_monotonic_microseconds() - start;

        pages = -1; /* stays so while another process runs a checkpoint */
        code = sqlite3_wal_checkpoint_v2(connection->handle, NULL, SQLITE_CHECKPOINT_RESTART,
                                         &pages, NULL);
        if (code != SQLITE_BUSY || waited > (pages < 0 ? wait_ms : READERS_MS) * 1000)
            break;
        nanosleep(&pause, NULL);
    }
    connection->busy_timeout_ms = usual;
    shm_write_lock_give(db->write_lock);
}

/* Nobody's commit fails with it, but the log grows until one succeeds. */
void sqlite_report_checkpoint(const struct sqlite_connection *connection, int code)
{
    const char *path = sqlite3_db_filename(connection->handle, "main");
    int system = sqlite3_system_errno(connection->handle);
    char text[512];

    snprintf(text, sizeof text,
             "%.300s: the write-ahead log cannot be copied into the file: %s%s%s", path ? path : "",
             sqlite3_errstr(code), system ? ", " : "", system ? strerror(system) : "");
    log_event(LOG_ERROR, "checkpoint_failed", text);
}

/* A checkpoint needs no writer's lock, so other processes write on meanwhile. But SQLite restarts a
 * log only after a complete checkpoint: under constant writing the log would grow without end. */
void sqlite_checkpoint(struct db *db, bool at_rest)
{
    struct sqlite_connection *connection = db->connection;
    int kib = connection->log_kib, pages = 0, passes = 0, code;

    if (kib < connection->checkpoint_at || (!at_rest && kib < LOG_KIB_MOST) ||
        !sqlite3_get_autocommit(connection->handle))
        return;
    if (at_rest && db_verify(db, NULL)) /* not into a file that is somebody else's */
        return;
    do
        code = sqlite3_wal_checkpoint_v2(connection->handle, NULL, SQLITE_CHECKPOINT_PASSIVE,
                                         &pages, NULL);
    while (at_rest && code == SQLITE_OK && kib_of(connection, pages) >= LOG_KIB_LONG &&
           ++passes < CHECKPOINT_PASSES);
    if (code != SQLITE_OK && code != SQLITE_BUSY)
        sqlite_report_checkpoint(connection, code);
    if (!at_rest)
        restart_log(db, BUSY_WAIT_MS);
    else if (code == SQLITE_OK && kib_of(connection, pages) >= LOG_KIB_LONG)
        restart_log(db, READERS_MS);
    connection->checkpoint_at = kib + kib_of(connection, LOG_PAGES);
}
