/* Many processes on one database: nothing lost, nobody starved, no more connections than allowed.
 */
#include "../db/fixture.h"

#include "base/clock.h"
#include "shm/region.h"

enum {
    PROCESSES = 8,
    ROUNDS = 60,
    LOG_WRITERS = 3,
    LOG_ROUNDS = 700,
    LOG_BYTES = 200 * 1024,            /* a commit */
    LOG_BYTES_MOST = 180 * 1024 * 1024 /* LOG_WRITERS * LOG_ROUNDS * LOG_BYTES are 430 million */
};

static const char counters_table[] =
    "CREATE TABLE counters (id {integer} PRIMARY KEY, hits {integer} NOT NULL) {strict};"
    "CREATE TABLE revisions (counter {integer} NOT NULL, number {integer} NOT NULL,"
    " PRIMARY KEY (counter, number)) {strict};";

static const struct statement add_counter = {"add_counter",
                                             "INSERT INTO counters (id, hits) VALUES (?, 0)"};
static const struct statement read_counter = {
    "read_counter", "SELECT hits FROM counters WHERE id = ? {for_update}"};
static const struct statement write_counter = {"write_counter",
                                               "UPDATE counters SET hits = ? WHERE id = ?"};
static const struct statement add_revision = {
    "add_revision", "INSERT INTO revisions (counter, number) VALUES (?, ?)"};
static const struct statement sum_hits = {"sum_hits", "SELECT sum(hits) FROM counters"};
static const struct statement gaps = {
    "gaps", "SELECT count(*) FROM (SELECT counter, max(number) AS most, count(*) AS written"
            " FROM revisions GROUP BY counter) AS per_counter WHERE most <> written"};
static const struct statement connections = {"connections",
                                             .postgres = "SELECT count(*) FROM pg_stat_activity"
                                                         " WHERE application_name = 'pool test'"};
static const struct statement work = {"work", .postgres = "SELECT count(*) FROM counters,"
                                                          " (SELECT pg_sleep(0.002)) AS pause"};

/* Reads, adds one, writes and records the new number, as editing a document with revisions does. */
static enum error increment(struct db *db, int64_t id, struct problem *problem)
{
    struct query *query;
    int64_t hits;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    query = db_query(db, &read_counter);
    query_bind_integer(query, id);
    hits = query_next(query) ? query_integer(query, 0) + 1 : 0;
    error = query_end(query, problem);
    query = db_query(db, &write_counter);
    query_bind_integer(query, hits);
    query_bind_integer(query, id);
    if (!error)
        error = query_end(query, problem);
    query = db_query(db, &add_revision);
    query_bind_integer(query, id);
    query_bind_integer(query, hits);
    if (!error)
        error = query_end(query, problem);
    return db_finish(db, error, problem);
}

/* Every other round on the row all fight for, the rest on a row of one's own. */
static int increment_in_child(struct store *store, int number)
{
    struct db *db = store_connect(store, NULL);
    int failures = 0;

    for (int i = 0; i < ROUNDS; i++) {
        if (increment(db, i % 2 ? 0 : number, &store->problem)) {
            printf("process %d: %s: %s\n", number, store->problem.reason, store->problem.text);
            failures++;
        }
        db_end_of_request(db);
    }
    db_close(db);
    return failures;
}

ON_BOTH(eight_writers_lose_nothing)
{
    pid_t children[PROCESSES];

    CHECK_OK(store_script(store, store->db, counters_table));
    for (int i = 0; i <= PROCESSES; i++) {
        struct query *query = db_query(store->db, &add_counter);

        query_bind_integer(query, i);
        CHECK_OK(query_end(query, &store->problem));
    }
    db_disconnect(store->db);
    for (int i = 0; i < PROCESSES; i++)
        children[i] = fixture_fork(increment_in_child, store, i + 1);
    for (int i = 0; i < PROCESSES; i++)
        CHECK_INT(fixture_wait(children[i]), 0);
    CHECK_INT(store_integer(store, &sum_hits), PROCESSES * ROUNDS);
    CHECK_INT(store_integer(store, &gaps), 0);
}

static int open_in_child(struct store *store, int number)
{
    struct db_options options = DB_OPTIONS_DEFAULT;
    enum error error;
    struct db *db;

    (void)number;
    db = store_connect(store, &options);
    error = db_connect(db, &store->problem);
    if (!error)
        error = store_script(store, db, "CREATE TABLE IF NOT EXISTS made (id {integer})");
    if (error)
        printf("process %d: %s: %s\n", number, store->problem.reason, store->problem.text);
    db_close(db);
    return error ? 1 : 0;
}

/* The first openers also turn a new file into a WAL database together. */
ON_ONE(many_processes_make_one_file, DB_SQLITE)
{
    char path[256];

    for (int round = 0; round < 10; round++) {
        pid_t children[PROCESSES];

        for (int i = 0; i < PROCESSES; i++)
            children[i] = fixture_fork(open_in_child, store, i);
        for (int i = 0; i < PROCESSES; i++)
            CHECK_INT(fixture_wait(children[i]), 0);
        for (const char *const *suffix = (const char *const[]){"", "-wal", "-shm", NULL}; *suffix;
             suffix++) {
            snprintf(path, sizeof path, "%s%s", store->target, *suffix);
            unlink(path);
        }
    }
}

static const struct statement write_much = {
    "write_much", .sqlite = "UPDATE much SET data = zeroblob(?) WHERE id = ?"};

static struct shm_region *queue;

static int write_without_pause(struct store *store, int number)
{
    struct db *db = store_connect(store, NULL);
    char path[256];
    struct stat log;
    int failures = 0;

    db_queue_writers(db, queue);
    snprintf(path, sizeof path, "%s-wal", store->target);
    for (int i = 0; !failures && i < LOG_ROUNDS; i++) {
        enum error error = db_begin(db, DB_WRITE, &store->problem);
        struct query *query = db_query(db, &write_much);

        query_bind_integer(query, LOG_BYTES + i % 2);
        query_bind_integer(query, number);
        error = error ? error : query_end(query, &store->problem);
        if (db_finish(db, error, &store->problem)) {
            printf("process %d: %s: %s\n", number, store->problem.reason, store->problem.text);
            failures++;
        }
        db_end_of_request(db);
        if (stat(path, &log) == 0 && log.st_size > LOG_BYTES_MOST) {
            printf("the log has %lld bytes\n", (long long)log.st_size);
            failures++;
        }
    }
    db_close(db);
    return failures;
}

/* It can only begin anew when nobody has written to it since it was folded, which never happens by
 * itself here. */
ON_ONE(the_log_of_writers_without_pause_stays_short, DB_SQLITE)
{
    pid_t children[LOG_WRITERS];

    CHECK_OK(shm_region_open_anonymous(&queue, &store->problem));
    CHECK_OK(store_script(store, store->db,
                          "CREATE TABLE much (id INTEGER PRIMARY KEY, data BLOB) STRICT;"
                          "INSERT INTO much (id) VALUES (0), (1), (2);"));
    db_disconnect(store->db);
    for (int i = 0; i < LOG_WRITERS; i++)
        children[i] = fixture_fork(write_without_pause, store, i);
    for (int i = 0; i < LOG_WRITERS; i++)
        CHECK_INT(fixture_wait(children[i]), 0);
    shm_region_close(queue);
}

static struct db_options pool_options(const struct store *store, int size, int timeout)
{
    struct db_options options = DB_OPTIONS_DEFAULT;

    options.application_name = "pool test";
    options.pool_directory = store->directory;
    options.pool_size = size;
    options.pool_timeout_ms = timeout;
    return options;
}

/* Forty requests; the exit code is the largest number of connections seen, or 100 for an error. */
static int request_in_child(struct store *store, int number)
{
    struct db_options options = pool_options(store, 2, 20000);
    struct db *db = store_connect(store, &options);
    int most = 0;

    (void)number;
    for (int i = 0; i < 40; i++) {
        struct query *query = db_query(db, &connections);
        int seen = query_next(query) ? (int)query_integer(query, 0) : 100;

        most = seen > most ? seen : most;
        if (query_end(query, &store->problem) || query_end(db_query(db, &work), &store->problem)) {
            printf("process %d: %s\n", number, store->problem.text);
            most = 100;
        }
        db_end_of_request(db);
    }
    db_close(db);
    return most;
}

/* A dying backend may still be listed while its slot has a new owner, hence one more. */
ON_ONE(workers_share_fewer_connections, DB_POSTGRES)
{
    pid_t children[6];
    int most = 0;

    CHECK_OK(store_script(store, store->db, counters_table));
    db_disconnect(store->db);
    for (int i = 0; i < 6; i++)
        children[i] = fixture_fork(request_in_child, store, i);
    for (int i = 0; i < 6; i++) {
        int seen = fixture_wait(children[i]);

        most = seen > most ? seen : most;
    }
    CHECK(most >= 1 && most <= 2 + 1);
}

ON_ONE(a_connection_is_kept_while_there_are_enough, DB_POSTGRES)
{
    struct db_options options = pool_options(store, 2, 1000);
    struct db *first = store_connect(store, &options), *second = store_connect(store, &options);

    for (int i = 0; i < 5; i++) {
        CHECK_OK(db_connect(first, &store->problem));
        CHECK_OK(db_connect(second, &store->problem));
        CHECK(db_end_of_request(first));
        CHECK(db_end_of_request(second));
    }
    CHECK_INT(db_counters(first).connects, 1);
    CHECK_INT(db_counters(second).connects, 1);
    db_close(first);
    db_close(second);
}

ON_ONE(a_worker_waits_for_its_turn_and_then_says_so, DB_POSTGRES)
{
    struct db_options options = pool_options(store, 1, 100);
    struct db *first = store_connect(store, &options), *second = store_connect(store, &options);
    int64_t start;

    CHECK_OK(db_connect(first, &store->problem));
    start = clock_monotonic_microseconds();
    CHECK_FAILS(db_connect(second, &store->problem), ERROR_BUSY, "pool_exhausted");
    CHECK(clock_monotonic_microseconds() - start >= 100000);
    CHECK(db_end_of_request(first)); /* nobody waits, so it keeps its connection */
    CHECK_FAILS(db_connect(second, &store->problem), ERROR_BUSY, "pool_exhausted");
    db_release(first);
    CHECK_OK(db_connect(second, &store->problem));
    CHECK_FAILS(db_connect(first, &store->problem), ERROR_BUSY, "pool_exhausted");
    db_close(second);
    CHECK_OK(db_connect(first, &store->problem));
    CHECK(db_end_of_request(first));
    CHECK_OK(db_connect(first, &store->problem));
    CHECK_INT(db_counters(first).connects, 2); /* alone, it keeps what it has */
    db_close(first);
}

/* Holds the only connection during a request of a fifth of a second, and wants it again afterwards.
 */
static int finish_in_child(struct store *store, int number)
{
    struct db_options options = pool_options(store, 1, 5000);
    struct db *db = store_connect(store, &options);
    char byte;

    if (db_connect(db, &store->problem))
        return 1;
    fixture_pause(200);
    if (!db_end_of_request(db))
        return 2;
    if (read(number, &byte, 1) != 1)
        return 3;
    if (db_connect(db, &store->problem))
        return 4;
    return db_counters(db).connects == 2 ? 0 : 5;
}

ON_ONE(a_worker_hands_its_connection_over_at_the_end_of_a_request, DB_POSTGRES)
{
    struct db_options options = pool_options(store, 1, 5000);
    struct db *db = store_connect(store, &options);
    int ends[2];
    pid_t child;

    CHECK(pipe(ends) == 0);
    child = fixture_fork(finish_in_child, store, ends[0]);
    while (store_integer(store, &connections) < 1)
        fixture_pause(10);
    CHECK_OK(db_connect(db, &store->problem));
    CHECK(db_end_of_request(db));
    CHECK(write(ends[1], "x", 1) == 1);
    fixture_pause(50);
    db_release(db); /* as an idle worker does */
    CHECK_INT(fixture_wait(child), 0);
    close(ends[0]);
    close(ends[1]);
    db_close(db);
}

static int hold_in_child(struct store *store, int number)
{
    struct db_options options = pool_options(store, 1, 1000);
    struct db *db = store_connect(store, &options);

    (void)number;
    if (db_begin(db, DB_WRITE, &store->problem))
        return 1;
    raise(SIGSTOP);
    return 2;
}

ON_ONE(a_killed_worker_frees_its_connection, DB_POSTGRES)
{
    struct db_options options = pool_options(store, 1, 5000);
    struct db *db = store_connect(store, &options);
    pid_t child = fixture_fork(hold_in_child, store, 0);
    int status;

    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    kill(child, SIGKILL);
    CHECK_INT(fixture_wait(child), 128 + SIGKILL);
    CHECK_OK(db_connect(db, &store->problem));
    db_close(db);
}

ON_ONE(a_pool_needs_its_directory, DB_POSTGRES)
{
    struct db_options options = pool_options(store, 1, 100);
    struct db *db;

    options.pool_directory = "/no/such/directory";
    db = store_connect(store, &options);
    CHECK_FAILS(db_connect(db, &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK(strstr(store->problem.text, "/no/such/directory") != NULL);
    db_close(db);
}

TEST_MAIN(CASE(eight_writers_lose_nothing), CASE(many_processes_make_one_file),
          CASE(the_log_of_writers_without_pause_stays_short), CASE(workers_share_fewer_connections),
          CASE(a_connection_is_kept_while_there_are_enough),
          CASE(a_worker_waits_for_its_turn_and_then_says_so),
          CASE(a_worker_hands_its_connection_over_at_the_end_of_a_request),
          CASE(a_killed_worker_frees_its_connection), CASE(a_pool_needs_its_directory))
