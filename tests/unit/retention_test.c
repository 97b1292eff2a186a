/* Taking away old audit entries, on both engines: those strictly older than the window, with their
 * counts, whole or not at all. */
#include "base/clock.h"
#include "experiments/audit/audit_store.h"
#include "experiments/storage/retention.h"
#include "storage_fixture.h"

static const int64_t day = (int64_t)24 * 3600 * 1000000;

static const struct statement age_entry = {
    "age", "UPDATE audit_log SET ts = ? WHERE id = (SELECT max(id) FROM audit_log)"};

/* An entry of this age, counted as the service counts. */
static void add_entry(struct bench *bench, int64_t microseconds_old, const char *key_id,
                      const char *project_id)
{
    const struct audit_event event = {
        .action = "project.update", .project_id = project_id, .key_id = key_id};
    struct query *query;
    char ts[CLOCK_TEXT_MAX];

    CHECK_OK(audit_record(bench->db, bench->arena, &bench->actor, &event, &bench->problem));
    clock_format(clock_unix_microseconds() - microseconds_old, ts);
    query = db_query(bench->db, &age_entry);
    query_bind_text(query, ts);
    CHECK_OK(query_end(query, &bench->problem));
}

static enum error try_purge(struct bench *bench, int64_t days, bool dry_run, int64_t *count)
{
    const struct retention_call call = {bench->db, bench->arena, &bench->actor, &bench->problem};
    const struct retention_windows windows = {.audit_days = days};
    struct retention_counts counts = {.audit_log = -1};
    enum error error = retention_purge(&call, &windows, dry_run, &counts);

    *count = counts.audit_log;
    return error;
}

static int64_t purge(struct bench *bench, int64_t days, bool dry_run)
{
    int64_t count;

    CHECK_OK(try_purge(bench, days, dry_run, &count));
    return count;
}

/* All entries but those of the purges themselves. */
#define ENTRIES(bench) COUNT_OF_ROWS(bench, "audit_log WHERE action <> 'retention.purge'")
#define PURGES(bench) COUNT_OF_ROWS(bench, "audit_log WHERE action = 'retention.purge'")

/* Ages a second on either side of whole days. */
static void fill(struct bench *bench)
{
    static const int days[] = {0, 1, 2, 30, 400};

    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
        add_entry(bench, days[i] * day + 2000000, i % 2 ? "k" : NULL, i % 3 ? "p" : NULL);
        add_entry(bench, days[i] * day - 60000000, NULL, "q");
    }
}

static const struct {
    int64_t days;
    int64_t old;
} windows[] = {{0, 0},  {-1, 0}, {-100000, 0}, {1, 7},   {2, 5},    {3, 4},
               {30, 3}, {31, 2}, {400, 1},     {401, 0}, {36500, 0}};

ON_BOTH(what_is_older_than_the_window)
{
    fill(bench);
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
        CHECK_INT(purge(bench, windows[i].days, true), windows[i].old);
    CHECK_INT(COUNT_OF_ROWS(bench, "audit_log"), 10);
    for (size_t i = sizeof windows / sizeof windows[0]; i-- > 0;) {
        int64_t before = ENTRIES(bench), told = PURGES(bench);
        int64_t taken = purge(bench, windows[i].days, false);

        CHECK_INT(before - taken, ENTRIES(bench));
        CHECK_INT(PURGES(bench) - told, taken > 0);
        CHECK_INT(purge(bench, windows[i].days, true), 0);
        bench_check_totals(bench);
    }
    CHECK_INT(ENTRIES(bench), 3);
}

ON_BOTH(a_purge_is_recorded)
{
    fill(bench);
    CHECK_INT(purge(bench, 2, true), 5);
    CHECK_INT(PURGES(bench), 0);
    CHECK_INT(purge(bench, 2, false), 5);
    CHECK_INT(COUNT_OF_ROWS(
                  bench,
                  "audit_log WHERE action = 'retention.purge' AND actor = 'tester'"
                  " AND request_id = 'request-1' AND ip_address = '192.0.2.1'"
                  " AND replace(CAST(payload_diff AS TEXT), ' ', '') LIKE '%\"audit_log\":[5,0]%'"),
              1);
    CHECK_INT(purge(bench, 2, false), 0);
    CHECK_INT(PURGES(bench), 1);
}

ON_BOTH(counts_in_several_shards)
{
    fill(bench);
    RUN(bench, "UPDATE audit_totals SET shard = CASE dimension WHEN 'action' THEN 3 ELSE 7 END");
    fill(bench);
    CHECK_INT(purge(bench, 2, false), 10);
    bench_check_totals(bench);
    CHECK_INT(purge(bench, 1, false), 4);
    bench_check_totals(bench);
}

/* The n-th step fails, for every n: then nothing has gone, and nothing is counted off. */
ON_BOTH(whole_or_not_at_all)
{
    enum error error = ERROR_UNAVAILABLE;
    int64_t count;
    int step;

    fill(bench);
    for (step = 1; error && step < 40; step++) {
        db_fail_after(bench->db, step);
        error = try_purge(bench, 2, false, &count);
        db_fail_after(bench->db, 0);
        CHECK_INT(ENTRIES(bench), error ? 10 : 5);
        CHECK_INT(PURGES(bench), error ? 0 : 1);
        bench_check_totals(bench);
    }
    CHECK(step > 6 && step < 40);
}

/* Two processes at once: what one has taken the other has not. */
ON_BOTH(two_at_once_take_nothing_twice)
{
    pid_t children[3];
    int status, taken = 0;

    for (int i = 0; i < 8; i++)
        fill(bench);
    db_disconnect(bench->db);
    fflush(stdout);
    for (int i = 0; i < 3; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            struct store *store = bench_open(bench, &bench->db);
            int64_t count = purge(bench, 2, false);

            store_close(store);
            _exit((int)count);
        }
    }
    for (int i = 0; i < 3; i++) {
        waitpid(children[i], &status, 0);
        CHECK(WIFEXITED(status));
        taken += WEXITSTATUS(status);
    }
    CHECK_INT(taken, 40);
    CHECK_INT(ENTRIES(bench), 40);
    bench_check_totals(bench);
}

TEST_MAIN(CASE(what_is_older_than_the_window), CASE(a_purge_is_recorded),
          CASE(counts_in_several_shards), CASE(whole_or_not_at_all),
          CASE(two_at_once_take_nothing_twice))
