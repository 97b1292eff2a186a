/* Private to common/db: what the files of the SQLite engine share. */
#ifndef ASSAY_DB_SQLITE_H
#define ASSAY_DB_SQLITE_H

#include "db/db_internal.h"

#include <sqlite3.h>

/* Statements of the engine itself that run for every transaction. */
enum sqlite_fixed {
    SQLITE_BEGIN_READ,
    SQLITE_BEGIN_WRITE,
    SQLITE_COMMIT_IT,
    SQLITE_NEST,
    SQLITE_NEST_KEEP,
    SQLITE_NEST_UNDO,
    SQLITE_FIXED__MAX
};

struct sqlite_connection {
    sqlite3 *handle;
    sqlite3_stmt *fixed[SQLITE_FIXED__MAX]; /* prepared on first use */
    int busy_timeout_ms;                    /* the one in force; longer while migrating */
    int64_t busy_since;
    int64_t waited; /* for the write lock, before the file's was tried; microseconds */
    struct shm_region *write_lock; /* the one that is held; NULL = none */
    bool confirmed;                /* the file that was opened is the one of the record */
    int page_bytes;                /* of the file that was opened */
    int log_kib;                   /* in the write-ahead log after the last commit */
    int checkpoint_at;             /* so many, before the next checkpoint between requests */
    int statement_timeout_ms;
    int64_t deadline; /* of the running step, monotonic; 0 = none */
};

/* The last failure of `connection` in the words of this kit; a connection that may be unfit
 * afterwards is marked suspect. */
enum error sqlite_problem(struct db *db, struct sqlite_connection *connection, int code,
                          struct problem *problem);

/* The same before there is a connection. `system` is errno or 0. */
enum error sqlite_problem_without(int code, int system, const char *text, struct problem *problem);

/* Makes the directories above the file, for nobody but this user. */
bool sqlite_make_directories(const char *path);

/* Writers of this host queue here; what waits in vain still tries for the file's lock, once. */
void sqlite_take_write_lock(struct db *db);
void sqlite_give_write_lock(struct db *db);

/* Runs a checkpoint of the write-ahead log between two requests (`at_rest`), and after a commit
 * only when the log has become long. Does nothing inside a transaction. */
void sqlite_watch_log(struct sqlite_connection *connection);
void sqlite_checkpoint(struct db *db, bool at_rest);

/* Whether the log had, after the last commit of the connection, more pages than a checkpoint at
 * rest waits for. */
bool sqlite_log_is_long(const struct sqlite_connection *connection);

/* Logs that a checkpoint ended with `code`. */
void sqlite_report_checkpoint(const struct sqlite_connection *connection, int code);

enum error sqlite_start(struct query *query, bool *row);
enum error sqlite_next(struct query *query, bool *row);
enum error sqlite_repeat(struct query *query, int64_t *changes);
enum error sqlite_repeat_end(struct query *query);
void sqlite_finish(struct query *query);
int sqlite_columns(struct query *query);
const char *sqlite_column_name(struct query *query, int column);
void sqlite_column(struct query *query, int column, struct value *value);

#endif
