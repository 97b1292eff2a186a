/*
 * Is the open SQLite database still the one of the record? Asked before every transaction and after
 * every write, so it costs a few microseconds: three stat() calls, and one read of a short text in
 * the file. SQLite itself would go on with a file that was renamed, removed, or written over.
 */
#include "db/record.h"
#include "db/sqlite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SAVE_TRIES = 50, SAVE_PAUSE_NS = 10000000 };

static const char *const file_words[RECORD_FILE__MAX] = {
    "the database file", "the write-ahead log of the database (-wal)",
    "the index of the write-ahead log (-shm)"};

/* What is not there because the folder cannot be looked into has not been lost. */
static bool is_gone(int number)
{
    return number == ENOENT || number == ENOTDIR;
}

enum error sqlite_files_unchanged(struct db *db, struct problem *problem)
{
    const char *path = db->target.path;
    struct identity *identity = db->identity;

    if (strcmp(path, identity->record.target) != 0) /* no reason to stop those who use that one */
        return identity_mismatch(problem, "the settings name another file than at the start");
    for (int i = 0; i < RECORD_FILE__MAX; i++) {
        const struct file_id *expected = &identity->record.files[i];
        struct file_id found;

        if (!expected->inode)
            continue;
        if (!file_id_of(path, (enum record_file)i, &found)) {
            if (is_gone(errno))
                return identity_lose(identity, problem, "%s %s is gone", file_words[i], path);
            return sqlite_problem_without(SQLITE_CANTOPEN, errno, path, problem);
        }
        if (!file_id_equal(expected, &found))
            return identity_lose(identity, problem, "%s %s is not the one it was at the start",
                                 file_words[i], path);
    }
    return ERROR_NONE;
}

/* Past SQLite's cache: what the file itself holds where the start has left its mark. */
static enum error check_session(struct db *db, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    const struct record *record = &db->identity->record;
    char found[IDENTITY_TEXT] = "";
    sqlite3_file *file = NULL;
    size_t length = strlen(record->session);
    int code;

    if (record->session_at < 0 || !length)
        return ERROR_NONE;
    if (sqlite3_file_control(connection->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
            SQLITE_OK ||
        !file || !file->pMethods)
        return ERROR_NONE;
    code = file->pMethods->xRead(file, found, (int)length, record->session_at);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) /* says nothing about the content */
        return sqlite_problem_without(code, 0, "the database file cannot be read now", problem);
    if (code == SQLITE_OK && memcmp(found, record->session, length) == 0)
        return ERROR_NONE;
    return identity_lose(db->identity, problem,
                         "the database file %s was written over by something else",
                         db->target.path);
}

/* Once per connection: the file that was opened lies at its place, and carries the id. */
static enum error check_opened(struct db *db, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    const struct record *record = &db->identity->record;
    sqlite3_stmt *statement = NULL;
    bool right = false;
    int moved = 0, code;

    if (sqlite3_file_control(connection->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
            SQLITE_OK &&
        moved) {
        enum error error =
            sqlite_files_unchanged(db, problem); /* a stat() that failed is no move */

        return error ? error
                     : identity_lose(db->identity, problem, "the database file %s was exchanged",
                                     db->target.path);
    }
    code = sqlite3_prepare_v2(connection->handle, "SELECT id FROM assay_identity", -1, &statement,
                              NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        right = strcmp((const char *)sqlite3_column_text(statement, 0), record->id) == 0;
    else if (code != SQLITE_DONE && code != SQLITE_ERROR)
        sqlite_problem(db, connection, code, problem);
    sqlite3_finalize(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE && code != SQLITE_ERROR)
        return problem->error;
    if (!right)
        return identity_lose(db->identity, problem, "%s holds another database", db->target.path);
    connection->confirmed = true;
    return ERROR_NONE;
}

/* A reader that has begun while the log was empty or completely copied hinders the checkpoint until
 * it ends. */
void sqlite_save_log(struct db *db)
{
    static const struct timespec pause = {0, SAVE_PAUSE_NS};
    const struct sqlite_connection *connection = db->connection;
    struct file_id found;
    int pages = 0, copied = 0, code;

    if (!sqlite3_get_autocommit(connection->handle) ||
        !file_id_of(db->target.path, RECORD_MAIN, &found) ||
        !file_id_equal(&found, &db->identity->record.files[RECORD_MAIN]) || check_session(db, NULL))
        return;
    for (int tries = 0; tries < SAVE_TRIES; tries++) {
        code = sqlite3_wal_checkpoint_v2(connection->handle, NULL, SQLITE_CHECKPOINT_PASSIVE,
                                         &pages, &copied);
        if (code == SQLITE_OK ? copied >= pages : code != SQLITE_BUSY)
            return;
        nanosleep(&pause, NULL);
    }
}

enum error sqlite_verify(struct db *db, struct problem *problem)
{
    struct sqlite_connection *connection = db->connection;
    enum error error;

    if (db->target.path[0] != '/')
        return ERROR_NONE;
    error = identity_refusal(db->identity, problem);
    if (!error)
        error = sqlite_files_unchanged(db, problem);
    if (!error)
        error = check_session(db, problem);
    if (!error && !connection->confirmed)
        error = check_opened(db, problem);
    if (!error)
        return ERROR_NONE;
    sqlite_save_log(db); /* nobody will find the log again */
    /* The last one to close must not fold its log into a file that is somebody else's. */
    sqlite3_db_config(connection->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return error;
}

/* A path as SQLite's URLs want it. False when it does not fit. */
static bool escape_path(const char *path, char *escaped, size_t size)
{
    size_t length = 0;

    for (; *path && length + 4 < size; path++)
        length += (size_t)snprintf(escaped + length, size - length,
                                   strchr("%?#", *path) ? "%%%02x" : "%c", (unsigned char)*path);
    return *path == '\0';
}

bool sqlite_read_identity(const char *path, char *id, char *service)
{
    char escaped[3 * 4200], url[sizeof escaped + 32];
    sqlite3_stmt *statement = NULL;
    sqlite3 *handle = NULL;
    bool found;

    if (!escape_path(path, escaped, sizeof escaped))
        return false;
    snprintf(url, sizeof url, "file:%s?immutable=1", escaped);
    found =
        sqlite3_open_v2(url, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                        NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(handle, "SELECT id, service FROM assay_identity", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW;
    if (found) {
        snprintf(id, IDENTITY_TEXT, "%s", (const char *)sqlite3_column_text(statement, 0));
        snprintf(service, RECORD_SERVICE, "%s", (const char *)sqlite3_column_text(statement, 1));
    }
    sqlite3_finalize(statement);
    sqlite3_close(handle);
    return found;
}
