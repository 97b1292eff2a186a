/*
 * PostgreSQL when things go wrong: the server killed, frozen or out of space, connections cut at
 * the worst moment. Whatever was acknowledged is there afterwards, what is not known is said to be
 * unknown, and the same handle works again once the server is back.
 */
#include "../db/fixture.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>

static const char rows_table[] = "CREATE TABLE rows (id {integer} PRIMARY KEY, filling {text})";

static const struct statement add = {"add", "INSERT INTO rows (id, filling) VALUES (?, ?)"};
static const struct statement count_all = {"count_all", "SELECT count(*) FROM rows"};
static const struct statement largest = {"largest", "SELECT coalesce(max(id), 0) FROM rows"};
static const struct statement own_backend = {"own_backend", "SELECT pg_backend_pid()"};
static const struct statement stop_backend = {
    "stop_backend", "SELECT CAST(pg_terminate_backend(CAST(? AS INTEGER)) AS INTEGER)"};

static enum error add_row(struct db *db, int64_t id, const char *filling, struct problem *problem)
{
    struct query *query = db_query(db, &add);

    query_bind_integer(query, id);
    query_bind_text(query, filling);
    return query_end(query, problem);
}

/* tests/db/postgres.py does `what` to the server; false where there is no such server. */
static bool control(const char *what)
{
    const char *program = getenv("ASSAY_TEST_POSTGRES_CONTROL");
    const char *directory = getenv("ASSAY_TEST_POSTGRES_DIRECTORY");
    char *arguments[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)what,
                         (char *)(uintptr_t)directory, NULL};
    int status = -1;
    pid_t child;

    if (!program || !directory) {
        printf("skipped: the server is not ours to %s\n", what);
        return false;
    }
    if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0)
        fixture_fatal(what, NULL);
    return true;
}

static struct db_options quick_options(void)
{
    struct db_options options = DB_OPTIONS_DEFAULT;

    options.reconnect_first_ms = 20;
    options.reconnect_most_ms = 200;
    return options;
}

/* Asks as requests do, until the server answers again. */
static bool comes_back(struct store *store, struct db *db, int timeout_ms)
{
    int64_t give_up = clock_monotonic_microseconds() + (int64_t)timeout_ms * 1000;
    enum error error;

    do {
        error = db_connect(db, &store->problem);
        db_end_of_request(db);
        if (error)
            fixture_pause(10);
    } while (error && clock_monotonic_microseconds() < give_up);
    return !error;
}

ON_ONE(a_killed_server_takes_the_open_transaction_with_it, DB_POSTGRES)
{
    struct db_options options = quick_options();
    struct db *db = store_connect(store, &options);
    int64_t start;

    CHECK_OK(store_script(store, db, rows_table));
    CHECK_OK(add_row(db, 1, "kept", &store->problem));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_OK(add_row(db, 2, "lost", &store->problem));
    if (!control("kill"))
        return;
    CHECK_FAILS(add_row(db, 3, "x", &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK_FAILS(add_row(db, 4, "x", &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK_FAILS(db_commit(db, &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK(!fixture_in_transaction(db));
    /* meanwhile: an answer at once, and no knocking while it pauses */
    start = clock_monotonic_microseconds();
    for (int i = 0; i < 20; i++) {
        CHECK_FAILS(add_row(db, 5, "x", &store->problem), ERROR_UNAVAILABLE,
                    "database_unavailable");
        db_end_of_request(db);
    }
    CHECK(clock_monotonic_microseconds() - start < 4000000);
    CHECK(strstr(store->problem.text, "the next try is in") != NULL);
    CHECK(control("start"));
    CHECK(comes_back(store, db, 10000));
    CHECK_OK(add_row(db, 6, "kept", &store->problem)); /* prepared anew */
    db_end_of_request(store->db);
    CHECK_INT(store_integer(store, &count_all), 2);
    db_close(db);
}

ON_ONE(a_server_that_dies_idle_is_not_noticed_by_the_next_request, DB_POSTGRES)
{
    struct db *db = store_connect(store, NULL);

    CHECK_OK(store_script(store, db, rows_table));
    CHECK_OK(add_row(db, 1, "x", &store->problem));
    CHECK(db_end_of_request(db));
    if (!control("kill"))
        return;
    CHECK(control("start"));
    CHECK_OK(add_row(db, 2, "x", &store->problem));
    CHECK_INT(db_counters(db).connects, 2);
    CHECK_INT(db_counters(db).failures, 0);
    db_close(db);
}

ON_ONE(a_connection_that_is_terminated_fails_its_transaction_only, DB_POSTGRES)
{
    struct db *db = store_connect(store, NULL);
    struct query *query;
    int64_t backend;

    CHECK_OK(store_script(store, db, rows_table));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    query = db_query(db, &own_backend);
    CHECK(query_next(query));
    backend = query_integer(query, 0);
    CHECK_OK(query_end(query, &store->problem));
    CHECK_OK(add_row(db, 1, "lost", &store->problem));
    query = db_query(store->db, &stop_backend);
    query_bind_integer(query, backend);
    CHECK(query_next(query) && query_boolean(query, 0));
    CHECK_OK(query_end(query, &store->problem));
    fixture_pause(50);
    CHECK_FAILS(add_row(db, 2, "x", &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK_FAILS(db_begin(db, DB_WRITE, &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK_INT(db_finish(db, ERROR_UNAVAILABLE, &store->problem), ERROR_UNAVAILABLE);
    CHECK_OK(add_row(db, 3, "kept", &store->problem));
    CHECK_INT(store_integer(store, &count_all), 1);
    db_close(db);
}

/* Commits one row after the other, tells each acknowledged number, and goes on through outages. */
static int write_and_tell(struct store *store, int pipe_end)
{
    struct db_options options = quick_options();
    struct db *db = store_connect(store, &options);
    int64_t id = 1;

    for (;;) {
        bool together = id % 2;
        enum error error = together ? db_begin(db, DB_WRITE, &store->problem) : ERROR_NONE;

        if (!error || !together)
            error = add_row(db, id, "x", &store->problem);
        if (together && fixture_in_transaction(db))
            error = db_finish(db, error, &store->problem);
        db_end_of_request(db);
        if (!error && write(pipe_end, &id, sizeof id) != (ssize_t)sizeof id)
            return 2;
        if (error && error != ERROR_UNAVAILABLE && error != ERROR_BUSY)
            return 3;
        if (error)
            fixture_pause(2);
        id++; /* a row whose fate is unknown is not written again */
    }
}

ON_ONE(no_acknowledged_write_is_lost_when_the_server_is_killed, DB_POSTGRES)
{
    static const struct statement is_there = {"is_there", "SELECT count(*) FROM rows WHERE id = ?"};
    static int64_t acknowledged[200000];
    int64_t count = 0, lost = 0;
    pid_t child;
    int ends[2];

    CHECK_OK(store_script(store, store->db, rows_table));
    db_disconnect(store->db);
    if (!getenv("ASSAY_TEST_POSTGRES_CONTROL")) {
        printf("skipped: the server is not ours to kill\n");
        return;
    }
    CHECK(pipe(ends) == 0);
    child = fixture_fork(write_and_tell, store, ends[1]);
    close(ends[1]);
    for (int round = 0; round < 3; round++) {
        struct pollfd ready = {.fd = ends[0], .events = POLLIN};
        int64_t until = clock_monotonic_microseconds() + 300000;

        /* wait for writes to flow again, then strike in the middle of them */
        while (clock_monotonic_microseconds() < until && count < 150000) {
            if (poll(&ready, 1, 100) > 0 &&
                read(ends[0], &acknowledged[count], sizeof acknowledged[0]) == 8)
                count++;
        }
        CHECK(control("kill"));
        CHECK(control("start"));
    }
    kill(child, SIGKILL);
    CHECK_INT(fixture_wait(child), 128 + SIGKILL);
    while (count < 200000 && read(ends[0], &acknowledged[count], sizeof acknowledged[0]) == 8)
        count++;
    close(ends[0]);
    CHECK(comes_back(store, store->db, 10000));
    CHECK_OK(db_begin(store->db, DB_READ, &store->problem));
    for (int64_t i = 0; i < count; i++) {
        struct query *query = db_query(store->db, &is_there);

        query_bind_integer(query, acknowledged[i]);
        lost += query_next(query) ? query_integer(query, 0) == 0 : 1;
        CHECK_OK(query_end(query, &store->problem));
    }
    CHECK_OK(db_commit(store->db, &store->problem));
    CHECK(count > 30);
    CHECK_INT(lost, 0);
}

/* What the proxy does when a message of the client holds its trigger. */
enum cut { CUT_BEFORE, CUT_AFTER };

static struct proxy {
    int listener;
    int upstream_port;
    const char *trigger;
    enum cut cut;
} proxy;

static int dial(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int end = socket(AF_INET, SOCK_STREAM, 0);

    if (end < 0 || connect(end, (struct sockaddr *)&address, sizeof address) != 0)
        fixture_fatal("reach the server", NULL);
    return end;
}

/* Passes bytes both ways; false when the connection is over. */
static bool relay(int client, int server)
{
    struct pollfd ready[2] = {{.fd = client, .events = POLLIN}, {.fd = server, .events = POLLIN}};
    char bytes[65536];

    if (poll(ready, 2, -1) < 0)
        return false;
    for (int side = 0; side < 2; side++) {
        ssize_t length;
        bool hit;

        if (!ready[side].revents)
            continue;
        length = read(side ? server : client, bytes, sizeof bytes);
        if (length <= 0)
            return false;
        hit = side == 0 && memmem(bytes, (size_t)length, proxy.trigger, strlen(proxy.trigger));
        if (hit && proxy.cut == CUT_BEFORE)
            return false;
        if (write(side ? client : server, bytes, (size_t)length) != length)
            return false;
        if (hit) /* the server does it, and its answer is lost */
            return read(server, bytes, sizeof bytes) < 0;
    }
    return true;
}

static int serve_proxy(struct store *store, int number)
{
    (void)store, (void)number;
    for (;;) {
        int client = accept(proxy.listener, NULL, NULL), server;

        if (client < 0)
            return 1;
        server = dial(proxy.upstream_port);
        while (relay(client, server))
            ;
        close(client);
        close(server);
    }
}

/* A child that stands between us and the server; the URL through it goes to `url`. */
static pid_t start_proxy(struct store *store, const char *trigger, enum cut cut, char url[256])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const char *at = strstr(fixture_postgres(), "127.0.0.1:");
    pid_t child;

    proxy = (struct proxy){.trigger = trigger, .cut = cut};
    proxy.listener = socket(AF_INET, SOCK_STREAM, 0);
    if (!at || bind(proxy.listener, (struct sockaddr *)&address, sizeof address) ||
        listen(proxy.listener, 4) ||
        getsockname(proxy.listener, (struct sockaddr *)&address, &length))
        fixture_fatal("set up a proxy", NULL);
    at += strlen("127.0.0.1:");
    proxy.upstream_port = (int)strtol(at, NULL, 10);
    snprintf(url, 256, "%.*s%d%s", (int)(at - fixture_postgres()), fixture_postgres(),
             ntohs(address.sin_port), strchr(at, '/'));
    child = fixture_fork(serve_proxy, store, 0);
    close(proxy.listener);
    return child;
}

/* The same loss of an answer, whether or not the server had acted: both must be called unknown. */
static void check_unknown(struct store *store, const char *trigger, enum cut cut, bool together)
{
    static const struct statement clear = {"clear", "DELETE FROM rows"};
    char url[256];
    pid_t between = start_proxy(store, trigger, cut, url);
    struct store through = {.engine = DB_POSTGRES, .target = url};
    struct db_options options = quick_options();
    struct db *db = store_connect(&through, &options);

    CHECK_OK(db_connect(db, &store->problem));
    if (together) {
        CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
        CHECK_OK(add_row(db, 1, "x", &store->problem));
        CHECK_OK(add_row(db, 2, "x", &store->problem));
        CHECK_FAILS(db_commit(db, &store->problem), ERROR_UNAVAILABLE, "commit_unknown");
        CHECK(strstr(store->problem.text, "db_postgres_failure_test.c:") != NULL);
    } else {
        CHECK_FAILS(add_row(db, 1, "LOSE ME", &store->problem), ERROR_UNAVAILABLE,
                    "commit_unknown");
    }
    CHECK(!fixture_in_transaction(db));
    db_end_of_request(db);
    fixture_pause(50);
    CHECK_INT(store_integer(store, &count_all), cut == CUT_BEFORE ? 0 : together ? 2 : 1);
    CHECK_OK(db_connect(db, &store->problem));
    CHECK_OK(add_row(db, 3, "x", &store->problem));
    CHECK_OK(store_run(store, &clear));
    db_close(db);
    kill(between, SIGKILL);
    fixture_wait(between);
}

ON_ONE(an_answer_that_is_lost_is_called_unknown, DB_POSTGRES)
{
    CHECK_OK(store_script(store, store->db, rows_table));
    check_unknown(store, "COMMIT", CUT_AFTER, true);
    check_unknown(store, "COMMIT", CUT_BEFORE, true);
    check_unknown(store, "LOSE ME", CUT_AFTER, false);
    check_unknown(store, "LOSE ME", CUT_BEFORE, false);
}

ON_ONE(a_read_that_is_lost_is_only_unavailable, DB_POSTGRES)
{
    char url[256];
    pid_t between = start_proxy(store, "max(id)", CUT_BEFORE, url);
    struct store through = {.engine = DB_POSTGRES, .target = url};
    struct db_options options = quick_options();
    struct db *db = store_connect(&through, &options);

    CHECK_OK(store_script(store, store->db, rows_table));
    CHECK_FAILS(query_end(db_query(db, &largest), &store->problem), ERROR_UNAVAILABLE,
                "database_unavailable");
    CHECK(!strstr(store->problem.text, "p@ss") && !strstr(store->problem.text, "p%40ss"));
    db_close(db);
    kill(between, SIGKILL);
    fixture_wait(between);
}

/* A batch is cut between its parts; what was sent before the cut does not count either. */
ON_ONE(a_batch_that_is_cut_fails_as_a_whole, DB_POSTGRES)
{
    char url[256];
    pid_t between = start_proxy(store, "LOSE ME", CUT_BEFORE, url);
    struct store through = {.engine = DB_POSTGRES, .target = url};
    struct db_options options = quick_options();
    struct db *db = store_connect(&through, &options);
    struct query *query;

    CHECK_OK(store_script(store, store->db, rows_table));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    query = db_query(db, &add);
    for (int i = 0; i < 600; i++) {
        query_bind_integer(query, i);
        query_bind_text(query, i == 500 ? "LOSE ME" : "x");
        query_repeat(query, NULL);
    }
    CHECK_FAILS(query_end(query, &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK_FAILS(db_commit(db, &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK_INT(store_integer(store, &count_all), 0);
    CHECK_OK(add_row(db, 1, "x", &store->problem));
    db_close(db);
    kill(between, SIGKILL);
    fixture_wait(between);
}

/* The process number that tells the server to stop listening but not its kernel. */
static pid_t postmaster(void)
{
    const char *directory = getenv("ASSAY_TEST_POSTGRES_DIRECTORY");
    char path[512];
    FILE *file;
    int number = 0;

    if (!directory)
        return 0;
    snprintf(path, sizeof path, "%s/data/postmaster.pid", directory);
    file = fopen(path, "r");
    if (!file || fscanf(file, "%d", &number) != 1)
        number = 0;
    if (file)
        fclose(file);
    return number;
}

ON_ONE(a_frozen_server_is_given_up, DB_POSTGRES)
{
    struct db_options options = quick_options();
    struct db *db, *working;
    struct query *query;
    pid_t backend;
    int64_t start;

    options.connect_timeout_ms = 300;
    options.statement_timeout_ms = 100;
    db = store_connect(store, &options);
    working = store_connect(store, &options);
    CHECK_OK(store_script(store, working, rows_table));
    query = db_query(working, &own_backend);
    CHECK(query_next(query));
    backend = (pid_t)query_integer(query, 0);
    CHECK_OK(query_end(query, &store->problem));
    CHECK(backend > 0); /* kill(0) would freeze this process and all its relatives */
    if (backend > 0 && (!postmaster() || kill(postmaster(), SIGSTOP) != 0)) {
        printf("skipped: the server is not ours to freeze\n");
    } else if (backend > 0) {
        start = clock_monotonic_microseconds();
        CHECK_FAILS(db_connect(db, &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
        CHECK(clock_monotonic_microseconds() - start < 4000000);
        kill(backend, SIGSTOP);
        start = clock_monotonic_microseconds();
        CHECK_FAILS(add_row(working, 1, "x", &store->problem), ERROR_UNAVAILABLE, "commit_unknown");
        CHECK(clock_monotonic_microseconds() - start < 15000000);
        kill(backend, SIGCONT);
        kill(postmaster(), SIGCONT);
        CHECK(comes_back(store, working, 10000));
        CHECK(comes_back(store, db, 10000));
    }
    db_close(db);
    db_close(working);
}

ON_ONE(a_full_tablespace_is_told, DB_POSTGRES)
{
    static const char small_table[] =
        "CREATE TABLE rows (id BIGINT, filling TEXT) TABLESPACE small";
    char filling[2001];
    int64_t acknowledged = 0;
    enum error error = ERROR_NONE;

    if (!getenv("ASSAY_TEST_POSTGRES_TABLESPACE")) {
        printf("skipped: a small file system could not be mounted\n");
        return;
    }
    memset(filling, 'x', 2000);
    filling[2000] = '\0';
    CHECK_OK(store_script(store, store->db, small_table));
    while (!error && acknowledged < 100000) {
        error = add_row(store->db, acknowledged + 1, filling, &store->problem);
        acknowledged += !error;
    }
    CHECK_FAILS(error, ERROR_UNAVAILABLE, "disk_full");
    CHECK(acknowledged > 100);
    CHECK_INT(store_integer(store, &count_all), acknowledged);
    CHECK_OK(store_script(store, store->db, "DROP TABLE rows"));
    CHECK_OK(store_script(store, store->db, small_table));
    CHECK_OK(add_row(store->db, 1, filling, &store->problem));
    CHECK_INT(store_integer(store, &count_all), 1);
}

ON_ONE(values_the_server_refuses_are_not_repeated_in_the_text, DB_POSTGRES)
{
    static const struct statement cast = {"cast", "SELECT CAST(CAST(? AS TEXT) AS BIGINT)"};
    static const struct statement json = {"json", "SELECT CAST(? AS JSONB)"};
    static const struct statement unique = {"unique", "INSERT INTO rows (id) VALUES (?)"};
    struct query *query = db_query(store->db, &cast);

    query_bind_text(query, "hush");
    CHECK_FAILS(query_end(query, &store->problem), ERROR_INVALID, "value_rejected");
    CHECK(!strstr(store->problem.text, "hush"));
    query = db_query(store->db, &json);
    query_bind_json(query, "{hush");
    CHECK_FAILS(query_end(query, &store->problem), ERROR_INVALID, "value_rejected");
    CHECK(!strstr(store->problem.text, "hush"));
    CHECK_OK(store_script(store, store->db, rows_table));
    for (int i = 0; i < 2; i++) {
        query = db_query(store->db, &unique);
        query_bind_integer(query, 424242);
        CHECK_INT(query_end(query, &store->problem), i ? ERROR_CONFLICT : ERROR_NONE);
    }
    CHECK(!strstr(store->problem.text, "424242"));
}

ON_ONE(a_wrong_password_is_told_without_it, DB_POSTGRES)
{
    const char *at = strstr(fixture_postgres(), "127.0.0.1:");
    char url[256];
    struct db *db;

    snprintf(url, sizeof url, "postgresql://assay:not the p@ss word@%s", at);
    store->target = url;
    db = store_connect(store, NULL);
    CHECK_FAILS(db_connect(db, &store->problem), ERROR_UNAVAILABLE, "database_unavailable");
    CHECK(strstr(store->problem.text, "authentication failed") != NULL);
    CHECK(!strstr(store->problem.text, "not the"));
    db_close(db);
}

TEST_MAIN(CASE(a_killed_server_takes_the_open_transaction_with_it),
          CASE(a_server_that_dies_idle_is_not_noticed_by_the_next_request),
          CASE(a_connection_that_is_terminated_fails_its_transaction_only),
          CASE(no_acknowledged_write_is_lost_when_the_server_is_killed),
          CASE(an_answer_that_is_lost_is_called_unknown),
          CASE(a_read_that_is_lost_is_only_unavailable), CASE(a_batch_that_is_cut_fails_as_a_whole),
          CASE(a_frozen_server_is_given_up), CASE(a_full_tablespace_is_told),
          CASE(values_the_server_refuses_are_not_repeated_in_the_text),
          CASE(a_wrong_password_is_told_without_it))
