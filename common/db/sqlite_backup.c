/*
 * Backups of an SQLite file. The pages are copied out of one snapshot, so that writers neither wait
 * nor set the copying back; where the journal gives no snapshot, a copy that writers keep setting
 * back is finished in one step while they wait.
 */
#include "db/backup_engine.h"
#include "db/record.h"
#include "db/sqlite.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    STEP_PAGES = 2000,
    RESTARTS_MAX = 3,         /* then all in one step */
    BUSY_MOST_MS = 60 * 1000, /* how long a step waits for writers */
    BUSY_PAUSE_MS = 10,
    COPY_BYTES = 1 << 20
};

static const char *const log_suffixes[] = {"-wal", "-shm", "-journal"};

static const char blank_identity[] = "PRAGMA journal_mode = DELETE;"
                                     "UPDATE assay_identity SET id = '', session = '';";

static const struct statement see_something = {.name = "backup_snapshot",
                                               .sqlite = "SELECT count(*) FROM sqlite_master",
                                               .postgres = "SELECT 1"};

/* A damaged file says so in words, wherever the damage was met; others name the system's reason. */
static enum error failed(struct problem *problem, sqlite3 *handle, const char *path)
{
    int code = sqlite3_extended_errcode(handle);

    if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB)
        return problem_set(problem, ERROR_UNAVAILABLE, "database_corrupt",
                           "%.300s is damaged: %.280s", path, sqlite3_errmsg(handle));
    return sqlite_problem_without(code, sqlite3_system_errno(handle), path, problem);
}

/* The first column of the first row of a statement without parameters. */
static enum error read_text(sqlite3 *handle, const char *sql, char *text, size_t size,
                            const char *path, struct problem *problem)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(handle, sql, -1, &statement, NULL);
    enum error error = ERROR_NONE;

    *text = '\0';
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW && sqlite3_column_text(statement, 0))
        snprintf(text, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        error = failed(problem, handle, path);
    sqlite3_finalize(statement);
    return error;
}

static enum error check_whole(sqlite3 *handle, const char *path, struct problem *problem)
{
    char found[300];
    enum error error =
        read_text(handle, "PRAGMA integrity_check(1)", found, sizeof found, path, problem);

    if (error || strcmp(found, "ok") == 0)
        return error;
    return problem_set(problem, ERROR_UNAVAILABLE, "database_corrupt", "%.300s is damaged: %.280s",
                       path, found);
}

static enum error open_copy(const char *path, sqlite3 **copy, struct problem *problem)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    *copy = NULL;
    if (file < 0)
        return problem_set(problem, ERROR_SYSTEM, "backup_failed", "%s: %s", path, strerror(errno));
    close(file);
    if (sqlite3_open_v2(path, copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK)
        return ERROR_NONE;
    return failed(problem, *copy, path);
}

/* One step; waits for writers that hold the lock. */
static int step(sqlite3_backup *backup, int pages)
{
    int64_t give_up = clock_monotonic_microseconds() + (int64_t)BUSY_MOST_MS * 1000;
    int code;

    for (;;) {
        code = sqlite3_backup_step(backup, pages);
        if ((code != SQLITE_BUSY && code != SQLITE_LOCKED) ||
            clock_monotonic_microseconds() > give_up)
            return code;
        sqlite3_sleep(BUSY_PAUSE_MS);
    }
}

static enum error copy_pages(struct db *db, sqlite3 *copy, const char *path,
                             const struct db_backup_watch *watch, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    sqlite3_backup *backup = sqlite3_backup_init(copy, "main", connection->handle, "main");
    int code, left, before = INT_MAX, restarts = 0;

    if (!backup)
        return failed(problem, copy, path);
    do {
        code = step(backup, restarts > RESTARTS_MAX ? -1 : STEP_PAGES);
        left = sqlite3_backup_remaining(backup);
        restarts += left > before;
        before = left;
        if (watch && watch->report)
            watch->report(watch->context, sqlite3_backup_pagecount(backup) - left,
                          sqlite3_backup_pagecount(backup));
    } while (code == SQLITE_OK);
    code = sqlite3_backup_finish(backup);
    if (code == SQLITE_OK)
        return ERROR_NONE;
    return sqlite_problem_without(code, sqlite3_system_errno(copy), path, problem);
}

static enum error copy_snapshot(struct db *db, sqlite3 *copy, const char *path,
                                const struct db_backup_watch *watch, struct problem *problem)
{
    enum error error = db_begin(db, DB_READ, problem);
    struct query *query;

    if (error)
        return error;
    query = db_query(db, &see_something);
    query_next(query);
    error = query_end(query, problem);
    if (!error)
        error = copy_pages(db, copy, path, watch, problem);
    return db_finish(db, error, problem);
}

enum error sqlite_backup(struct db *db, const char *path, const struct db_backup_watch *watch,
                         struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    char mode[16];
    sqlite3 *copy;
    enum error error = open_copy(path, &copy, problem);

    if (!error)
        error = read_text(connection->handle, "PRAGMA journal_mode", mode, sizeof mode,
                          db->target.path, problem);
    if (!error)
        error = strcmp(mode, "wal") == 0 ? copy_snapshot(db, copy, path, watch, problem)
                                         : copy_pages(db, copy, path, watch, problem);
    if (!error && sqlite3_exec(copy, blank_identity, NULL, NULL, NULL) != SQLITE_OK)
        error = failed(problem, copy, path);
    if (!error)
        error = check_whole(copy, path, problem);
    sqlite3_close(copy);
    return error;
}

enum error sqlite_backup_verify(const char *path, const char *service, struct problem *problem)
{
    char whose[RECORD_SERVICE];
    struct problem own;
    sqlite3 *handle = NULL;
    enum error error = ERROR_NONE;

    if (sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        error = failed(&own, handle, path);
    if (!error)
        error = check_whole(handle, path, &own);
    if (!error)
        error = read_text(handle, "SELECT service FROM assay_identity", whose, sizeof whose, path,
                          &own);
    if (!error && strcmp(whose, service) != 0)
        error = problem_set(&own, ERROR_CONFLICT, "backup_refused",
                            "%.300s is a backup of the service \"%s\"", path, whose);
    sqlite3_close(handle);
    return error ? problem_set(problem, ERROR_CONFLICT, "backup_refused", "%s", own.text)
                 : ERROR_NONE;
}

static enum error cannot(struct problem *problem, const char *path)
{
    return problem_set(problem, ERROR_SYSTEM, "restore_failed", "%s: %s", path, strerror(errno));
}

static bool copy_bytes(int from, int to)
{
    char *bytes = malloc(COPY_BYTES);
    ssize_t got = 0;
    bool fine = bytes != NULL;

    while (fine && (got = read(from, bytes, COPY_BYTES)) > 0)
        for (ssize_t at = 0, done; fine && at < got; at += done) {
            done = write(to, bytes + at, (size_t)(got - at));
            fine = done > 0;
        }
    free(bytes);
    return fine && got == 0 && fsync(to) == 0;
}

static enum error copy_file(const char *from, const char *to, struct problem *problem)
{
    int source = open(from, O_RDONLY | O_CLOEXEC);
    int fresh = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    enum error error = ERROR_NONE;

    if (source < 0 || fresh < 0 || !copy_bytes(source, fresh))
        error = cannot(problem, source < 0 ? from : to);
    if (source >= 0)
        close(source);
    if (fresh >= 0)
        close(fresh);
    if (error)
        unlink(to);
    return error;
}

/* The file and its logs together, so that what is kept opens as it was. */
static bool move_all(const char *from, const char *to)
{
    char source[BACKUP_PATH_MAX + 16], target[BACKUP_PATH_MAX + 16];

    for (size_t i = 0; i < sizeof log_suffixes / sizeof log_suffixes[0]; i++) {
        snprintf(source, sizeof source, "%s%s", from, log_suffixes[i]);
        snprintf(target, sizeof target, "%s%s", to, log_suffixes[i]);
        if (rename(source, target) != 0 && errno != ENOENT)
            return false;
    }
    return rename(from, to) == 0 || errno == ENOENT;
}

/* Where a link leads, the file is. */
static void find_place(const struct db *db, struct replacement *replacement)
{
    char *followed = realpath(db->target.path, NULL);

    snprintf(replacement->place, sizeof replacement->place, "%s",
             followed ? followed : db->target.path);
    free(followed);
}

enum error sqlite_replace(struct db *db, struct replacement *replacement, struct problem *problem)
{
    char fresh[BACKUP_PATH_MAX + 16];
    struct stat status;
    enum error error;

    find_place(db, replacement);
    if (!sqlite_make_directories(replacement->place))
        return cannot(problem, replacement->place);
    snprintf(fresh, sizeof fresh, "%s.restored", replacement->place);
    error = copy_file(replacement->file, fresh, problem);
    if (error)
        return error;
    if (lstat(replacement->place, &status) == 0)
        snprintf(replacement->aside, sizeof replacement->aside, "%.4100s.before-%s",
                 replacement->place, replacement->when);
    if (replacement->aside[0] && !move_all(replacement->place, replacement->aside))
        error = cannot(problem, replacement->aside);
    else if (rename(fresh, replacement->place) != 0)
        error = cannot(problem, replacement->place);
    else
        replacement->done = true;
    if (error)
        unlink(fresh);
    return error;
}

void sqlite_replace_undo(struct db *db, struct replacement *replacement)
{
    char log[BACKUP_PATH_MAX + 16];

    db_disconnect(db);
    for (size_t i = 0; replacement->done && i < sizeof log_suffixes / sizeof log_suffixes[0]; i++) {
        snprintf(log, sizeof log, "%s%s", replacement->place, log_suffixes[i]);
        unlink(log);
    }
    if (replacement->done)
        unlink(replacement->place);
    if (replacement->aside[0] && !move_all(replacement->aside, replacement->place))
        db_warn("%s could not be put back: %s", replacement->aside, strerror(errno));
}
