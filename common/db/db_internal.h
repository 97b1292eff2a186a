/*
 * What the files of this kit share: the handle, a statement kept prepared, a running query, and
 * what an engine has to offer. sqlite.c and postgres.c know one engine each; all other files know
 * none.
 */
#ifndef ASSAY_DB_DB_INTERNAL_H
#define ASSAY_DB_DB_INTERNAL_H

#include "base/loop.h"
#include "db/db.h"
#include "db/query.h"

#include <sys/types.h>

enum {
    SQL_BYTES_MAX = 64 * 1024,      /* of one statement */
    SCRIPT_BYTES_MAX = 1024 * 1024, /* of one migration */
    TARGET_KEYWORDS_MAX = 32,
    STATEMENT_SLOTS = 1024 /* a power of two above DB_STATEMENTS_MAX */
};

enum value_kind {
    VALUE_NULL,
    VALUE_INTEGER,
    VALUE_NUMBER,
    VALUE_TEXT,
    VALUE_JSON,
    VALUE_BLOB,
    VALUE_DECIMAL, /* read only: an exact number in `bytes` */
    VALUE_OTHER    /* read only: a type this kit has no accessor for */
};

/* A value going in or out. A NULL keeps its kind, which PostgreSQL wants to know. */
struct value {
    enum value_kind kind;
    bool null;
    int64_t integer;
    double number;
    const char *bytes;
    size_t length;
};

/* Where a database is, taken apart. Texts belong to the arena of the handle. */
struct target {
    enum db_engine engine;
    const char *shown;
    const char *location; /* the directory of the file, or host[:port] */
    const char *path;     /* SQLite: absolute, or ":memory:" */
    int keyword_count;
    const char *keywords[TARGET_KEYWORDS_MAX]; /* PostgreSQL: connection parameters */
    const char *values[TARGET_KEYWORDS_MAX];
};

MUST_CHECK enum error target_parse(const char *text, struct arena *arena, struct target *target,
                                   struct problem *problem);

/* One statement as one engine wants it. */
struct translation {
    const char *sql;
    int parameters;
    bool writes;
};

/* A script (a migration) may hold several statements and no parameters; `sql` becomes NULL when it
 * holds nothing at all. Lines stay where they are. */
MUST_CHECK enum error translate_statement(enum db_engine engine, const struct statement *statement,
                                          struct arena *arena, struct translation *translation,
                                          struct problem *problem);
MUST_CHECK enum error translate_script(enum db_engine engine, const char *name, const char *script,
                                       struct arena *arena, const char **sql,
                                       struct problem *problem);

/* A statement of this handle. `engine_statement` and `kinds` belong to the engine. */
struct prepared {
    const struct statement *statement; /* the key; NULL = free slot */
    struct translation translation;
    bool running;
    unsigned generation; /* of the connection it is prepared on; 0 = none */
    void *engine_statement;
    enum value_kind kinds[DB_PARAMETERS_MAX];
};

enum query_state {
    QUERY_FREE,
    QUERY_BINDING, /* not run yet */
    QUERY_RUNNING, /* run; not at a row */
    QUERY_ROW,
    QUERY_DONE,
    QUERY_REPEATING,
    QUERY_FAILED
};

struct query {
    struct db *db;
    struct prepared *prepared;
    enum query_state state;
    bool streaming;        /* through a cursor on PostgreSQL */
    bool owns_transaction; /* begun for the stream alone */
    int bound;
    struct value values[DB_PARAMETERS_MAX];
    int64_t started_at; /* monotonic microseconds, of one outside of transactions; else 0 */
    int64_t changes;
    int64_t rows;
    struct problem problem;
    void *result; /* the engine's, as the four below */
    void *scratch;
    int64_t mark;
    int row;
    int piece;                   /* rows asked for in the next piece of a stream */
    const struct schema *schema; /* of query_read(): the one that `columns` was matched with */
    int column_count;
    short columns[DB_COLUMNS_MAX]; /* the position of each column's field in the schema */
};

struct transaction {
    int depth;
    enum db_intent intent;
    const char *file;
    int line;
    bool doomed;
    struct problem cause; /* of the doom */
    int64_t began;
    int64_t statements;
    bool in_group; /* a member's: a savepoint in the transaction of the group */
    bool of_group; /* that one */
};

/* Parts of a transaction that can be undone alone. */
enum nest { NEST_BEGIN, NEST_KEEP, NEST_UNDO };

struct group_list {
    struct group_member *first, *last;
};

/* group.c */
struct group {
    bool open;                /* its transaction, which is set aside while a member runs */
    struct transaction begun; /* that one */
    unsigned held;            /* by it: of fiber_hold() */
    struct group_list waiting /* for their turn */, written /* and wait for the commit */;
    struct loop_timer timer; /* of the next turn */
};

struct engine {
    const char *name;

    MUST_CHECK enum error (*connect)(struct db *db, struct problem *problem);
    void (*disconnect)(struct db *db);
    /* A request is over; false when the connection should be given up. */
    bool (*rest)(struct db *db);
    /* Is the idle connection still good? Asked before the first statement after idling. */
    bool (*alive)(struct db *db);

    MUST_CHECK enum error (*begin)(struct db *db, enum db_intent intent, struct problem *problem);
    MUST_CHECK enum error (*commit)(struct db *db, struct problem *problem);
    /* False when only dropping the connection will do. */
    bool (*rollback)(struct db *db);
    /* NULL = its transactions do not share commits. Fails when the transaction around is gone. */
    MUST_CHECK enum error (*nest)(struct db *db, enum nest nest, struct problem *problem);
    MUST_CHECK enum error (*lock)(struct db *db, const char *name, struct problem *problem);
    MUST_CHECK enum error (*script)(struct db *db, const char *sql, struct problem *problem);

    /* Binds and runs up to the first row. `row` says whether there is one. */
    MUST_CHECK enum error (*start)(struct query *query, bool *row);
    MUST_CHECK enum error (*next)(struct query *query, bool *row);
    /* Gives everything of the query back; also after a failure, and without a connection. */
    void (*finish)(struct query *query);
    MUST_CHECK enum error (*repeat)(struct query *query, int64_t *changes);
    MUST_CHECK enum error (*repeat_end)(struct query *query);
    int (*columns)(struct query *query);
    const char *(*column_name)(struct query *query, int column);
    void (*column)(struct query *query, int column, struct value *value);

    /* Is this still the database of the record? Asked only where there is one. */
    MUST_CHECK enum error (*verify)(struct db *db, struct problem *problem);

    /* How long a statement may run from now on; 0 = for ever. */
    MUST_CHECK enum error (*set_time)(struct db *db, int statement_ms, struct problem *problem);

    /* Brackets around migrations: longer waits, foreign keys checked at the end. */
    MUST_CHECK enum error (*migrating)(struct db *db, bool on, struct problem *problem);
    MUST_CHECK enum error (*migration_check)(struct db *db, int version, struct problem *problem);

    /* Fills in what the engine knows. A text in health->write_detail means that no write may begin.
     */
    void (*health)(struct db *db, struct db_health *health);
    MUST_CHECK enum error (*maintain)(struct db *db, struct problem *problem);
};

extern const struct engine sqlite_engine;
extern const struct engine postgres_engine;

/* What a statement in the sandbox (sandbox.h) has open, until it ends or a jump leaves the request.
 */
struct db_foreign_statement {
    void (*end)(struct db *db); /* NULL = nothing is open */
    void *held;                 /* the statement or the result of the engine; NULL = none yet */
    int longest;                /* value that the connection took before */
};

struct db {
    const struct engine *engine;
    struct target target;
    struct db_options options;
    struct arena *arena;   /* lives as long as the handle */
    struct arena *scratch; /* while a statement is translated */
    int64_t fail_after;    /* db_fail_after(); 0 = off */
    int64_t die_after;     /* db_die_after(); 0 = off */
    int answer_within_ms;  /* a server that is silent longer counts as gone; 0 = as a statement may
                              take */
    pid_t owner;           /* the process that connected; 0 = none has */
    void *connection;      /* the engine's; NULL = none */
    unsigned generation;  /* counts connections, so that statements know when to be prepared anew */
    bool in_use;          /* something ran since the request began: the connection is known good */
    bool verified;        /* in this request: the database is the right one */
    bool suspect;         /* drop the connection when idle */
    bool damage_reported; /* in the log */
    struct transaction transaction;
    struct group group;
    struct db_foreign_statement foreign;
    struct db_counters counters;
    int64_t retry_at;    /* no connect before this (monotonic) */
    int failed_connects; /* in a row */
    struct pool *pool;
    struct shm_region *write_lock; /* where writers queue; NULL = nowhere */
    struct identity *identity;     /* the record of the right database; NULL = none is kept */
    struct prepared statements[STATEMENT_SLOTS];
    int statement_count;
    struct query queries[DB_OPEN_QUERIES_MAX + 1]; /* the last one only ever fails */
};

/* db.c: connected, alive and in this process; reconnects when idle. Aborts in a child of the
 * process that connected. */
MUST_CHECK enum error db_ready(struct db *db, struct problem *problem);
/* db.c: is this the step that db_fail_after() has chosen? */
bool db_fails_now(struct db *db, struct problem *problem);
/* db.c: checks that this is the right database, unless this request has done so. */
MUST_CHECK enum error db_verify(struct db *db, struct problem *problem);
/* db.c: damage has a log event of its own, `database_corrupt`, once per process of the service. */
void db_report_damage(struct db *db, const char *reason, const char *text);
/* db.c: as OpenTelemetry calls it: "sqlite", "postgresql". */
const char *db_system_name(const struct db *db);
void db_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* transaction.c */
void transaction_doom(struct db *db, const struct problem *cause);
MUST_CHECK enum error transaction_refusal(const struct db *db, struct problem *problem);

/* group.c: commits what is open, unless a member runs; before anything that is not a member's. */
void group_commit(struct db *db);
/* What was written is lost, with this cause. */
void group_lose(struct db *db, const struct problem *cause);
/* Waits for the commit that the ended transaction of a member is part of. */
MUST_CHECK enum error group_wait_for_commit(struct db *db, struct problem *problem);
/* Undoes what the member that runs has written. */
void group_undo_member(struct db *db);

/* db.c: drops the connection. Open queries fail. */
void db_drop_connection(struct db *db);

/* row.c: the value of a column as the engine gives it; a null one after an error. */
void query_value(struct query *query, int column, struct value *value);

/* query.c: makes a query fail with its `problem`, which dooms the transaction it runs in. */
void query_fail(struct query *query, enum error error);

/* Open queries fail (their owners still end them), or are taken from owners that are gone. Both
 * return how many were running. */
int queries_fail_all(struct db *db, const char *why);
int queries_release_all(struct db *db);

/* backfill.c: runs those that have never succeeded. */
struct db_backfill;
MUST_CHECK enum error db_backfill(struct db *db, const struct db_backfill *backfills,
                                  struct problem *problem);

/* pool.c: the connections of all processes of a host, counted by file locks. NULL = no limit. */
struct pool *pool_open(const struct db *db, struct problem *problem);
void pool_close(struct pool *pool);

/* Waits for a free slot, and gives it back. */
MUST_CHECK enum error pool_take(struct pool *pool, int timeout_ms, struct problem *problem);
void pool_give(struct pool *pool);

/* The connection for which the slot was taken stands. */
void pool_connected(const struct pool *pool);

/* The server has refused one more: as many as stand now are tried for a while. How many that is,
 * the size of the pool when the server has refused none. */
void pool_settle(const struct pool *pool);
int pool_limit(const struct pool *pool);
/* Connections of all processes that stand. */
int pool_held(const struct pool *pool);

/* Whether a process waits for a slot. */
bool pool_is_wanted(const struct pool *pool);

#endif
