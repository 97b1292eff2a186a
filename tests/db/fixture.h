/*
 * For tests that must hold on both engines: ON_BOTH(name) defines a body that runs once on a fresh
 * SQLite file and once on an emptied PostgreSQL database, with the same checks. PostgreSQL comes
 * from ASSAY_TEST_POSTGRES_URL (tests/db/run sets it); without it that half is skipped and said so.
 */
#ifndef ASSAY_FIXTURE_H
#define ASSAY_FIXTURE_H

#include "../unit/test.h"

#include "db/db_internal.h"
#include "db/migrate.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct store {
    enum db_engine engine;
    const char *target;
    char directory[64]; /* its own, removed afterwards */
    struct db *db;
    struct arena *arena;
    struct problem problem;
};

static inline const char *fixture_postgres(void)
{
    return getenv("ASSAY_TEST_POSTGRES_URL");
}

#define CHECK_OK(expression)                                                                       \
    do {                                                                                           \
        enum error error_ = (expression);                                                          \
        if (error_) {                                                                              \
            printf("%s:%d: %s gave error %d, %s: %s\n", __FILE__, __LINE__, #expression,           \
                   (int)error_, store->problem.reason, store->problem.text);                       \
            test_failures_here++;                                                                  \
        }                                                                                          \
    } while (0)

/* The expression fails with this code and reason. */
#define CHECK_FAILS(expression, code, why)                                                         \
    do {                                                                                           \
        enum error error_ = (expression);                                                          \
        if (error_ != (code) || strcmp(store->problem.reason, (why)) != 0) {                       \
            printf("%s:%d: %s gave error %d, %s, expected %d, %s: %s\n", __FILE__, __LINE__,       \
                   #expression, (int)error_, error_ ? store->problem.reason : "-", (int)(code),    \
                   (why), error_ ? store->problem.text : "");                                      \
            test_failures_here++;                                                                  \
        }                                                                                          \
    } while (0)

static inline int fixture_remove_one(const char *path, const struct stat *status, int type,
                                     struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static inline void fixture_remove(const char *directory)
{
    nftw(directory, fixture_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void fixture_fatal(const char *what, const struct problem *problem)
{
    printf("cannot %s: %s\n", what, problem ? problem->text : strerror(errno));
    exit(2);
}

/* A handle on the store with other options. */
static inline struct db *store_connect(struct store *store, const struct db_options *options)
{
    struct db *db;

    if (db_open(store->target, options, &db, &store->problem))
        fixture_fatal("open", &store->problem);
    return db;
}

static inline bool fixture_in_transaction(const struct db *db)
{
    return db->transaction.depth > 0;
}

/* Statements without parameters, {words} allowed, in a transaction of their own. */
static inline enum error store_script(struct store *store, struct db *db, const char *script)
{
    const char *sql;
    enum error error =
        translate_script(store->engine, "script", script, store->arena, &sql, &store->problem);

    if (!error)
        error = db_begin(db, DB_WRITE, &store->problem);
    if (error)
        return error;
    error = db->engine->script(db, sql, &store->problem);
    return db_finish(db, error, &store->problem);
}

/* The tables of a part of a kit: "jobs_1" is sql/kits/jobs_1.sql. */
static inline void store_kit(struct store *store, const char *name)
{
    char script[8192] = "";
    FILE *file = fopen(arena_print(store->arena, "sql/kits/%s.sql", name), "r");

    if (!file || !fread(script, 1, sizeof script - 1, file))
        fixture_fatal("read the tables of the kit", NULL);
    fclose(file);
    if (store_script(store, store->db, script))
        fixture_fatal("make the tables of the kit", &store->problem);
}

/* What answers for Citus: on PostgreSQL. */
static inline void store_stand_in(struct store *store)
{
    char script[8192] = "";
    FILE *file = fopen("tests/db/citus_stand_in.sql", "r");

    if (!file || !fread(script, 1, sizeof script - 1, file))
        fixture_fatal("read the stand-in", NULL);
    fclose(file);
    if (db_begin(store->db, DB_WRITE, &store->problem) ||
        db_finish(store->db, store->db->engine->script(store->db, script, &store->problem),
                  &store->problem))
        fixture_fatal("make the stand-in", &store->problem);
}

static inline void store_make(struct store *store, enum db_engine engine)
{
    static const struct db_options options = DB_OPTIONS_DEFAULT;

    *store = (struct store){.engine = engine, .arena = arena_create((size_t)1 << 30)};
    snprintf(store->directory, sizeof store->directory, "/tmp/assay-db-test-XXXXXX");
    if (!mkdtemp(store->directory))
        fixture_fatal("make a directory", NULL);
    store->target = engine == DB_POSTGRES
                        ? fixture_postgres()
                        : arena_print(store->arena, "%s/test.sqlite3", store->directory);
    store->db = store_connect(store, &options);
    if (engine == DB_POSTGRES &&
        store_script(store, store->db, "DROP SCHEMA public CASCADE; CREATE SCHEMA public"))
        fixture_fatal("empty the database", &store->problem);
}

static inline void store_drop(struct store *store)
{
    db_close(store->db);
    fixture_remove(store->directory);
    arena_destroy(store->arena);
}

static inline void fixture_run(void (*body)(struct store *store), enum db_engine engine,
                               const char *name)
{
    static bool said;
    int before = test_failures_here;
    struct store store;

    if (engine == DB_POSTGRES && !fixture_postgres()) {
        if (!said)
            printf(
                "skipped on PostgreSQL: ASSAY_TEST_POSTGRES_URL is not set (see tests/db/run)\n");
        said = true;
        return;
    }
    store_make(&store, engine);
    body(&store);
    if (test_failures_here > before)
        printf("... in %s on %s\n", name, engine == DB_POSTGRES ? "PostgreSQL" : "SQLite");
    store_drop(&store);
}

#define ON_ONE(name, engine)                                                                       \
    static void body_##name(struct store *store);                                                  \
    TEST(name)                                                                                     \
    {                                                                                              \
        fixture_run(body_##name, engine, #name);                                                   \
    }                                                                                              \
    static void body_##name(struct store *store)

#define ON_BOTH(name)                                                                              \
    static void body_##name(struct store *store);                                                  \
    TEST(name)                                                                                     \
    {                                                                                              \
        fixture_run(body_##name, DB_SQLITE, #name);                                                \
        fixture_run(body_##name, DB_POSTGRES, #name);                                              \
    }                                                                                              \
    static void body_##name(struct store *store)

/* A statement without values and rows that anybody cares for. */
static inline enum error store_run(struct store *store, const struct statement *statement)
{
    return query_end(db_query(store->db, statement), &store->problem);
}

/* The integer a statement without values gives; -1 with a failed check when there is none. */
static inline int64_t store_integer(struct store *store, const struct statement *statement)
{
    struct query *query = db_query(store->db, statement);
    int64_t value = query_next(query) ? query_integer(query, 0) : -1;

    CHECK_OK(query_end(query, &store->problem));
    return value;
}

/* Runs `work` in a process of its own, which ends with its return value. */
static inline pid_t fixture_fork(int (*work)(struct store *store, int number), struct store *store,
                                 int number)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        int result = work(store, number);

        fflush(stdout);
        _exit(result);
    }
    if (child < 0)
        fixture_fatal("fork", NULL);
    return child;
}

/* How the process ended: its exit code, or 128 and the signal. */
static inline int fixture_wait(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void fixture_pause(int milliseconds)
{
    usleep((useconds_t)milliseconds * 1000);
}

#endif
