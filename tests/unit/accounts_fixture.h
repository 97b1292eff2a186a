/*
 * For tests of the account store: ON_BOTH(name) defines a body that runs once on a fresh SQLite
 * file and once on an emptied PostgreSQL database (ASSAY_TEST_POSTGRES_URL, which tests/db/run
 * sets).
 */
#ifndef ASSAY_ACCOUNTS_FIXTURE_H
#define ASSAY_ACCOUNTS_FIXTURE_H

#include "bench.h"

#include "accounts/people.h"
#include "crypto/crypto.h"
#include "db/query.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct bench {
    enum db_engine engine;
    struct arena *arena;
    struct accounts *accounts;
    struct accounts_call call;
    struct problem problem;
    char directory[64]; /* of the SQLite file, and of what workers share */
};

/* One more handle on the same store; `shares` = with what workers of a host share. */
static inline struct accounts *bench_open(struct bench *bench, bool shares)
{
    const struct accounts_settings settings = {
        .database_url = bench->engine == DB_POSTGRES
                            ? getenv("ASSAY_TEST_POSTGRES_URL")
                            : arena_print(bench->arena, "%s/accounts.db", bench->directory),
        .db_pool_size = 10};
    struct accounts *accounts = NULL;
    enum error error = accounts_open(bench->arena, &settings, "sql", "",
                                     shares ? bench->directory : NULL, &accounts, &bench->problem);

    if (!error)
        error = accounts_prepare(accounts, &bench->problem);
    if (error)
        bench_fatal("open the store", &bench->problem);
    return accounts;
}

static inline int bench_remove_one(const char *path, const struct stat *status, int type,
                                   struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static inline void bench_run(void (*body)(struct bench *bench), enum db_engine engine,
                             const char *name)
{
    static bool said;
    int before = test_failures_here;
    struct bench bench = {.engine = engine,
                          .arena = arena_create((size_t)1 << 28),
                          .directory = "/tmp/assay-accounts-XXXXXX"};

    if (engine == DB_POSTGRES && !getenv("ASSAY_TEST_POSTGRES_URL")) {
        if (!said)
            printf(
                "skipped on PostgreSQL: ASSAY_TEST_POSTGRES_URL is not set (see tests/db/run)\n");
        said = true;
        return;
    }
    if (!mkdtemp(bench.directory) || crypto_start(&bench.problem))
        bench_fatal("begin", &bench.problem);
    if (engine == DB_POSTGRES)
        bench_empty_server(getenv("ASSAY_TEST_POSTGRES_URL"));
    bench.accounts = bench_open(&bench, true);
    if (accounts_begin(bench.accounts, bench.arena, &bench.problem, &bench.call))
        bench_fatal("begin", &bench.problem);
    body(&bench);
    if (test_failures_here > before)
        printf("... in %s on %s\n", name, engine == DB_POSTGRES ? "PostgreSQL" : "SQLite");
    accounts_close(bench.accounts);
    nftw(bench.directory, bench_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    arena_destroy(bench.arena);
}

#define ON_BOTH(name)                                                                              \
    static void body_##name(struct bench *bench);                                                  \
    TEST(name)                                                                                     \
    {                                                                                              \
        bench_run(body_##name, DB_SQLITE, #name);                                                  \
        bench_run(body_##name, DB_POSTGRES, #name);                                                \
    }                                                                                              \
    static void body_##name(struct bench *bench)

/* Runs a statement without values and rows. */
#define RUN(bench, text)                                                                           \
    do {                                                                                           \
        static const struct statement run_ = {"run", text};                                        \
        CHECK_OK(query_end(db_query((bench)->call.db, &run_), &(bench)->problem));                 \
    } while (0)

static inline void bench_take(void *context, struct person *person)
{
    *person = *(const struct person *)context;
}

/* Makes the stored person what `person` is. */
static inline enum error bench_replace(struct bench *bench, const struct person *person)
{
    struct person wanted = *person, changed;

    return person_edit(&bench->call, person->id, bench_take, &wanted, &changed);
}

static inline void bench_count(void *context, struct person *person)
{
    struct arena *arena = context;

    person->name =
        arena_print(arena, "%ld", person->name ? strtol(person->name, NULL, 10) + 1 : 1L);
}

/* Another process, with a handle of its own, makes the name of the person a number and counts it up
 * `rounds` times, each in one change. */
static inline pid_t bench_count_elsewhere(struct bench *bench, const char *person_id, int rounds)
{
    pid_t child = fork();

    if (child == 0) {
        struct accounts_call call;
        struct person person;
        enum error error =
            accounts_begin(bench_open(bench, false), bench->arena, &bench->problem, &call);

        for (int i = 0; i < rounds && !error; i++)
            error = person_edit(&call, person_id, bench_count, bench->arena, &person);
        _exit(error ? 1 : 0);
    }
    return child;
}

static inline bool bench_join(pid_t child)
{
    int status = -1;

    return waitpid(child, &status, 0) == child && status == 0;
}

/* A new password of the person, who keeps the session `kept` (NULL = none). */
static inline enum error bench_set_password(struct bench *bench, const char *id,
                                            const char *password, const char *kept)
{
    int64_t ended;

    return person_set_password(
        &bench->call,
        &(struct password_setting){.person_id = id, .password = password, .kept_session = kept},
        &ended);
}

/* A person with these roles ("support=agent"). */
static inline struct person bench_person(struct bench *bench, const char *username,
                                         const char *roles)
{
    struct new_person wanted = {
        .username = username, .source = "local", .roles = PERSON_ROLES_NONE};
    struct person person = {0};

    CHECK_OK(roles_read(roles, &wanted.roles, &bench->problem));
    CHECK_OK(person_add(&bench->call, &wanted, &person));
    return person;
}

#endif
