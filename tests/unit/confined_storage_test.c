/* Both engines and shared memory under confinement: all that a worker stores works in a process
 * that may write below one folder only. */
#include "base/confine.h"
#include "experiments/audit/audit_store.h"
#include "shm/region.h"
#include "storage_fixture.h"

/* More than an engine likes to sort in memory. */
static const struct statement sort_many = {
    "sort", "SELECT count(*) FROM (WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1"
            " FROM numbers WHERE n < 60000) SELECT n FROM numbers"
            " ORDER BY (n * 7919) % 60000 || '-0123456789012345678901234567890123456789-' || n"
            " LIMIT 100000) AS sorted"};

static void store_things(struct bench *bench, const char *folder)
{
    const char *const directories[] = {folder, NULL};
    const struct audit_event event = {.action = "test"};
    struct shm_region *region;
    char path[96];

    CHECK_OK(confine_process(CONFINE_AUTO, directories, &bench->problem));
    CHECK(confine_state()->missing[0] || (confine_state()->files && confine_state()->calls));
    if (bench->engine == DB_SQLITE)
        snprintf(bench->file, sizeof bench->file, "%s/db", folder);
    bench->store = bench_open(bench, &bench->db);
    CHECK_OK(audit_record(bench->db, bench->arena, &bench->actor, &event, &bench->problem));
    CHECK_INT(COUNT_OF_ROWS(bench, "audit_log"), 1);
    CHECK_INT(bench_integer(bench, &sort_many), 60000);
    snprintf(path, sizeof path, "%s/shm", folder);
    CHECK_OK(shm_region_open(path, 1, &region, &bench->problem));
    shm_region_close(region);
    store_close(bench->store);
}

ON_BOTH(everything_is_stored)
{
    static const char *const files[] = {"db", "db-wal", "db-shm", "shm", "shm.lock"};
    char folder[] = "/tmp/assay-confined-XXXXXX", path[64];
    int status = -1;
    pid_t child;

    CHECK(mkdtemp(folder) != NULL);
    db_disconnect(bench->db);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        test_failures_here = 0;
        store_things(bench, folder);
        fflush(stdout);
        _exit(test_failures_here ? 1 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_INT(status, 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    CHECK_INT(rmdir(folder), 0);
}

TEST_MAIN(CASE(everything_is_stored))
