/*
 * One interface over SQLite and PostgreSQL: handles, transactions, errors. query.h runs statements,
 * migrate.h brings a schema up to date. SQL is written once, in the subset both engines share, with
 * `?` for values and `{words}` for what they spell differently; docs/develop/database.md lists
 * both.
 *
 * A handle belongs to one process and one thread. db_open() only reads the target; the connection
 * is made by the first statement, so a handle may be opened before fork() but must not have been
 * used before it.
 *
 * Reasons in `struct problem` (see docs/develop/database.md for what each means to a caller):
 *   ERROR_CONFLICT     unique_violation, foreign_key_violation
 *   ERROR_BUSY         database_busy, statement_timeout, pool_exhausted
 *   ERROR_UNAVAILABLE  database_unavailable, commit_unknown, disk_full, database_read_only,
 *                      database_io, database_corrupt, database_replaced, schema_newer
 *   ERROR_INVALID      embedded_nul, malformed_text, not_finite, value_rejected,
 *                      database_target, database_option
 *   ERROR_TOO_LARGE    result_too_large, value_too_large
 *   ERROR_SYSTEM       transaction_doomed, statement_failed, statement_misused, column_type,
 *                      unexpected_null, constraint_violation, migration_failed, out_of_memory
 */
#ifndef ASSAY_DB_DB_H
#define ASSAY_DB_DB_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct db;
struct shm_region;

enum db_engine { DB_SQLITE, DB_POSTGRES, DB_ENGINE__MAX };

/* The positions in the name lists, which are NULL-terminated and fit a settings table. */
enum db_journal_mode {
    DB_JOURNAL_DELETE,
    DB_JOURNAL_TRUNCATE,
    DB_JOURNAL_PERSIST,
    DB_JOURNAL_MEMORY,
    DB_JOURNAL_WAL,
    DB_JOURNAL_OFF,
    DB_JOURNAL__MAX
};
enum db_synchronous {
    DB_SYNCHRONOUS_OFF,
    DB_SYNCHRONOUS_NORMAL,
    DB_SYNCHRONOUS_FULL,
    DB_SYNCHRONOUS_EXTRA,
    DB_SYNCHRONOUS__MAX
};
extern const char *const db_journal_mode_names[DB_JOURNAL__MAX + 1];
extern const char *const db_synchronous_names[DB_SYNCHRONOUS__MAX + 1];

/* Times in milliseconds. Start from DB_OPTIONS_DEFAULT and change what a setting says. */
struct db_options {
    int busy_timeout_ms;      /* how long a statement waits for a lock another process holds */
    int statement_timeout_ms; /* how long one statement may run; 0 = for ever */
    int slow_transaction_ms;  /* a transaction open longer is logged with its place; 0 = never */
    enum db_journal_mode journal_mode;
    enum db_synchronous synchronous;
    int cache_kib;                /* SQLite: pages that the handle keeps; 0 = 2 MB as it comes */
    int page_bytes;               /* SQLite: of a file that is made; 0 = 4096 as it comes */
    int connect_timeout_ms;       /* PostgreSQL only, as all below */
    int reconnect_first_ms;       /* pause after the first failed connect; doubles each time */
    int reconnect_most_ms;        /* up to this; meanwhile statements fail at once */
    int pool_size;                /* connections of all processes with this `pool_directory`, */
    const char *pool_directory;   /* where they are counted; NULL = not limited */
    int pool_timeout_ms;          /* how long a worker waits for its turn */
    const char *application_name; /* how the server lists the connection */
    const char *identity_file;    /* the record of the right database (identity.h); NULL = whatever
                                     is at the target is right, and a file is made where none is */
    bool keep_log;                /* SQLite: the last one to leave leaves the log; always so with a
                                     record */
};

#define DB_OPTIONS_DEFAULT                                                                         \
    {                                                                                              \
        .busy_timeout_ms = 5000, .statement_timeout_ms = 30000, .slow_transaction_ms = 2000,       \
        .journal_mode = DB_JOURNAL_WAL, .synchronous = DB_SYNCHRONOUS_NORMAL,                      \
        .connect_timeout_ms = 5000, .reconnect_first_ms = 100, .reconnect_most_ms = 1000,          \
        .pool_size = 10, .pool_directory = NULL, .pool_timeout_ms = 5000,                          \
        .application_name = "assay"                                                                \
    }

/*
 * A handle on `target`: `sqlite:///absolute/path`, `postgres://…`, `postgresql://…`, or (without
 * "://") the path of an SQLite file; `:memory:` is a private SQLite database, for tests. Connects
 * to nothing. `options` NULL means the defaults; its strings are copied. ERROR_INVALID for another
 * scheme, a relative path in a URL or an option out of bounds; the text never holds a credential.
 */
MUST_CHECK enum error db_open(const char *target, const struct db_options *options, struct db **db,
                              struct problem *problem);

/* Rolls back what is open, disconnects and frees the handle. NULL is allowed. */
void db_close(struct db *db);

/* Gives up the connection and keeps the handle; the next statement connects again. */
void db_disconnect(struct db *db);

/* The same where connections are few, that is on a server; an open file is kept. */
void db_release(struct db *db);

/* The same before a wait for others. Nothing where requests are served side by side: they share the
 * connection, and a worker that idles gives it up. */
void db_release_before_wait(struct db *db);

/* Connects if need be: for start-up checks. Statements do it by themselves. */
MUST_CHECK enum error db_connect(struct db *db, struct problem *problem);

/* From now on writing transactions on SQLite queue for the write lock of the region
 * (shm/write_lock.h) before they try for the file's lock. The region must outlive the handle's use;
 * NULL = nobody queues. */
void db_queue_writers(struct db *db, struct shm_region *region);

enum db_engine db_engine(const struct db *db);

/* For people: the file's path, or the URL without credentials. */
const char *db_shown_target(const struct db *db);

/* The directory of the file, or `host[:port]`. */
const char *db_location(const struct db *db);

/* `url` with everything before the host replaced by three stars and `@`, and with password
 * parameters masked. What cannot be taken apart and holds an `@` becomes three stars. `shown` is
 * always NUL-terminated; longer text is cut. */
void db_redact_url(const char *url, char *shown, size_t size);

/* Free text with every `scheme://user:password@` and `password=…` in it masked. */
void db_redact_text(const char *text, char *shown, size_t size);

/*
 * Transactions nest by counting: an inner begin joins the outer one, an inner rollback dooms it.
 * A failed statement dooms the transaction it ran in, on both engines; what should survive a
 * conflict uses ON CONFLICT. A doomed transaction refuses every further statement, and its commit
 * rolls back and reports why.
 *
 * DB_WRITE takes SQLite's write lock at once, and is READ COMMITTED on PostgreSQL, where rows are
 * locked with {for_update}. DB_READ sees one snapshot throughout and refuses to write; a DB_WRITE
 * cannot begin inside it.
 */
enum db_intent { DB_READ, DB_WRITE };

#define db_begin(db, intent, problem) db_begin_at((db), (intent), __FILE__, __LINE__, (problem))

MUST_CHECK enum error db_begin_at(struct db *db, enum db_intent intent, const char *file, int line,
                                  struct problem *problem);

/*
 * As db_begin(DB_WRITE). On SQLite, outermost transactions of fibers that begin so share a commit:
 * other fibers run before this returns, and before db_commit() returns, which it does after the
 * commit. One that is rolled back leaves the others; when the commit fails, it fails for all.
 */
#define db_begin_together(db, problem) db_begin_together_at((db), __FILE__, __LINE__, (problem))

MUST_CHECK enum error db_begin_together_at(struct db *db, const char *file, int line,
                                           struct problem *problem);

/*
 * ERROR_UNAVAILABLE with reason commit_unknown: the connection was lost before the answer, and the
 * transaction may or may not have been kept. After any other error nothing was kept. Queries that
 * are still open end here.
 */
MUST_CHECK enum error db_commit(struct db *db, struct problem *problem);

/* Cannot fail: a connection that refuses is dropped, which rolls back. */
void db_rollback(struct db *db);

/* The end of most transactions: commits after ERROR_NONE, otherwise rolls back and hands `error`
 * through, leaving `problem` as it is. */
MUST_CHECK enum error db_finish(struct db *db, enum error error, struct problem *problem);

/*
 * Holds the lock called `name` until the transaction ends; needs a DB_WRITE transaction. On
 * PostgreSQL an advisory lock that all hosts see, on SQLite nothing more to do: the writer is
 * alone already.
 */
MUST_CHECK enum error db_lock(struct db *db, const char *name, struct problem *problem);

/* From true to false statements may run as long as they need: for work on whole tables, like making
 * an index. Outside transactions, after a query: on a connection that is made anew the usual limit
 * is back. */
MUST_CHECK enum error db_take_time(struct db *db, bool on, struct problem *problem);

/*
 * To be called when a request or a job step is over, however it ended (also after a jump out of
 * the arena): closes queries that were left open, rolls back what was not committed and logs
 * where it began, and gives the connection to another worker when there are more workers than
 * connections. Returns false when something had been left open.
 */
bool db_end_of_request(struct db *db);

/* The n-th step from now fails with ERROR_UNAVAILABLE, database_io, before it is done; steps are
 * statements, begins and commits of outermost transactions. 0 = off. For tests of error paths. */
void db_fail_after(struct db *db, int64_t steps);
/* The same, but the process is killed there. */
void db_die_after(struct db *db, int64_t steps);

/* What the handle has done since the last reset. Microseconds include waiting for locks. */
struct db_counters {
    int64_t statements;
    int64_t rows;
    int64_t transactions;
    int64_t failures;
    int64_t connects;
    int64_t microseconds;
};
struct db_counters db_counters(const struct db *db);
void db_counters_reset(struct db *db);

/* The state of the store for readiness checks. Details are for people and hold no credentials. */
/* Connections of all processes of this host to a server; all 0 where they are not counted. */
struct db_pool_figures {
    int size;  /* that are wanted */
    int limit; /* and that the server allows, as far as is known */
    int held;  /* and that are held now */
};

/* Without asking the server. */
void db_pool_read(const struct db *db, struct db_pool_figures *figures);

struct db_health {
    bool reachable;
    char detail[256];
    char journal_mode[16]; /* upper case; POSTGRES on the server */
    bool journal_mode_as_configured;
    char synchronous[24]; /* OFF NORMAL FULL EXTRA; READ COMMITTED on the server */
    bool writable;        /* a row was written and kept, and the disk has room for more */
    char write_detail[256];
    int64_t size_bytes;      /* of the database; -1 when unknown */
    int64_t disk_free_bytes; /* 0 on the server */
    struct db_pool_figures pool;
};

/* Looks, and writes the one row that is there for it; must not be called inside a transaction. */
void db_health(struct db *db, struct db_health *health);

/* Housekeeping for a scheduled program: refreshes the planner's statistics, on PostgreSQL those of
 * tables that have changed; and on SQLite empties the write-ahead log as far as readers allow.
 * Connections of other processes plan by the new statistics from then on. Outside transactions. */
MUST_CHECK enum error db_maintain(struct db *db, struct problem *problem);
/* For programs that stay: true at the first call, and when so many seconds have passed since it was
 * true last. `done_at` is the caller's, 0 at first. */
bool db_maintain_is_due(double seconds, int64_t *done_at);

/* The pattern for `LIKE ? ESCAPE '\'` that finds `text` literally, anywhere. */
char *db_like_contains(struct arena *arena, const char *text);

#endif
