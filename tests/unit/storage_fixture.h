/*
 * For tests of the experiments service's storage: ON_BOTH(name) defines a body that runs once on a
 * fresh SQLite file and once on an emptied PostgreSQL database, the schema in place. PostgreSQL
 * comes from ASSAY_TEST_POSTGRES_URL (tests/db/run sets it, for every test that includes a
 * fixture); without it that half is skipped and said so.
 */
#ifndef ASSAY_STORAGE_FIXTURE_H
#define ASSAY_STORAGE_FIXTURE_H

#include "bench.h"

#include "crypto/crypto.h"
#include "db/query.h"
#include "experiments/audit/audit_store.h"
#include "experiments/payloads/payload.h"
#include "experiments/storage/store.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct bench {
    enum db_engine engine;
    struct arena *arena;
    struct store *store;
    struct db *db;
    struct actor actor;
    struct problem problem;
    char file[64]; /* of SQLite */
};

/* What experiments_settings_load() is told; one bench at a time. */
static const char *bench_url, *bench_file;

static inline const char *bench_setting(const char *name)
{
    if (strcmp(name, "AB_DATABASE_URL") == 0)
        return bench_url;
    if (strcmp(name, "ASSAY_STATE_DIR") == 0)
        return ""; /* no record: what a bench finds is right */
    return strcmp(name, "AB_DB_PATH") == 0 ? bench_file : NULL;
}

/* One more handle on the same database, with a statement cache and a connection of its own. */
static inline struct store *bench_open(struct bench *bench, struct db **db)
{
    struct experiments_settings settings = {0};
    struct store *store = NULL;
    enum error error;

    bench_url = bench->engine == DB_POSTGRES ? getenv("ASSAY_TEST_POSTGRES_URL") : NULL;
    bench_file = bench->file;
    error = experiments_settings_load(&settings, bench->arena, bench_setting, &bench->problem);
    if (!error)
        error = experiments_store_open(bench->arena, &settings, NULL, &store, &bench->problem);
    if (!error)
        error = store_prepare(store, db, &bench->problem);
    if (error)
        bench_fatal("open the store", &bench->problem);
    return store;
}

static inline void bench_make(struct bench *bench, enum db_engine engine)
{
    int file;

    *bench = (struct bench){.engine = engine,
                            .arena = arena_create((size_t)1 << 30),
                            .actor = {"tester", NULL, "request-1", "192.0.2.1"},
                            .file = "/tmp/assay-storage-XXXXXX"};
    file = mkstemp(bench->file);
    if (file < 0 || crypto_start(&bench->problem))
        bench_fatal("begin", &bench->problem);
    close(file);
    if (engine == DB_POSTGRES)
        bench_empty_server(getenv("ASSAY_TEST_POSTGRES_URL"));
    bench->store = bench_open(bench, &bench->db);
}

static inline void bench_drop(struct bench *bench)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char path[sizeof bench->file + 8];

    store_close(bench->store);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(path, sizeof path, "%s%s", bench->file, endings[i]);
        unlink(path);
    }
    arena_destroy(bench->arena);
}

static inline void bench_run(void (*body)(struct bench *bench), enum db_engine engine,
                             const char *name)
{
    static bool said;
    int before = test_failures_here;
    struct bench bench;

    if (engine == DB_POSTGRES && !getenv("ASSAY_TEST_POSTGRES_URL")) {
        if (!said)
            printf(
                "skipped on PostgreSQL: ASSAY_TEST_POSTGRES_URL is not set (see tests/db/run)\n");
        said = true;
        return;
    }
    bench_make(&bench, engine);
    body(&bench);
    if (test_failures_here > before)
        printf("... in %s on %s\n", name, engine == DB_POSTGRES ? "PostgreSQL" : "SQLite");
    bench_drop(&bench);
}

#define ON_BOTH(name)                                                                              \
    static void body_##name(struct bench *bench);                                                  \
    TEST(name)                                                                                     \
    {                                                                                              \
        bench_run(body_##name, DB_SQLITE, #name);                                                  \
        bench_run(body_##name, DB_POSTGRES, #name);                                                \
    }                                                                                              \
    static void body_##name(struct bench *bench)

/* The integer that a statement without values gives. */
static inline int64_t bench_integer(struct bench *bench, const struct statement *statement)
{
    struct query *query = db_query(bench->db, statement);
    int64_t value = query_next(query) ? query_integer(query, 0) : -1;

    CHECK_OK(query_end(query, &bench->problem));
    return value;
}

#define COUNT_OF_ROWS(bench, from)                                                                 \
    ({                                                                                             \
        static const struct statement count_ = {"count", "SELECT count(*) FROM " from};            \
        bench_integer((bench), &count_);                                                           \
    })

/* Runs a statement without values and rows. */
#define RUN(bench, text)                                                                           \
    do {                                                                                           \
        static const struct statement run_ = {"run", text};                                        \
        CHECK_OK(query_end(db_query((bench)->db, &run_), &(bench)->problem));                      \
    } while (0)

/* The example of the API document, with another name and metric. */
static inline struct experiment_payload *bench_payload(struct arena *arena, const char *name,
                                                       int metric_type)
{
    struct experiment_payload *payload = ARENA_NEW(arena, struct experiment_payload);
    struct payload_project *project = ARENA_NEW(arena, struct payload_project);
    struct payload_metrics *metrics = ARENA_NEW(arena, struct payload_metrics);
    struct schema_errors errors = {0};
    struct json_fault fault;
    json_t *json;

    if (json_read(arena, payload_schema.example, strlen(payload_schema.example), JSON_DEPTH_LIMIT,
                  &json, &fault) ||
        schema_decode(&payload_schema, json, "body", payload, &errors, arena))
        abort();
    *project = *payload->project;
    project->project_name = name;
    payload->project = project;
    *metrics = *payload->metrics;
    metrics->metric_type = metric_type;
    metrics->std_dev = (struct optional_number){true, 1};
    metrics->numerator_metric_name = "clicks";
    metrics->denominator_metric_name = "views";
    payload->metrics = metrics;
    return payload;
}

/* Every counting table against what it counts. */
static inline void bench_check_totals(struct bench *bench)
{
    static const struct statement differences = {
        "differences",
        "SELECT CAST((SELECT count(*) FROM (SELECT archived, metric_type, sum(projects) AS n"
        " FROM project_totals GROUP BY archived, metric_type HAVING sum(projects) <> 0"
        " EXCEPT SELECT archived, metric_type, count(*) FROM projects"
        " GROUP BY archived, metric_type) AS a)"
        " + (SELECT abs((SELECT coalesce(sum(projects), 0) FROM project_totals)"
        " - (SELECT count(*) FROM projects)))"
        " + (SELECT count(*) FROM (SELECT value, sum(entries) AS n FROM audit_totals"
        " WHERE dimension = 'action' GROUP BY value HAVING sum(entries) <> 0"
        " EXCEPT SELECT action, count(*) FROM audit_log GROUP BY action) AS b)"
        " + (SELECT count(*) FROM (SELECT value, sum(entries) AS n FROM audit_totals"
        " WHERE dimension = 'project' GROUP BY value HAVING sum(entries) <> 0"
        " EXCEPT SELECT coalesce(project_id, ''), count(*) FROM audit_log"
        " GROUP BY coalesce(project_id, '')) AS c)"
        " + (SELECT count(*) FROM (SELECT value, sum(entries) AS n FROM audit_totals"
        " WHERE dimension = 'key' GROUP BY value HAVING sum(entries) <> 0"
        " EXCEPT SELECT coalesce(key_id, ''), count(*) FROM audit_log"
        " GROUP BY coalesce(key_id, '')) AS d)"
        " + (SELECT count(*) FROM (SELECT value, sum(entries) AS n FROM audit_totals"
        " WHERE dimension = 'key action' GROUP BY value HAVING sum(entries) <> 0"
        " EXCEPT SELECT key_id || ' ' || action, count(*) FROM audit_log WHERE key_id IS NOT NULL"
        " GROUP BY key_id || ' ' || action) AS e) AS BIGINT)"};

    CHECK_INT(bench_integer(bench, &differences), 0);
}

#endif
