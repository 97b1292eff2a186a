/* Transactions on both engines: nesting, dooming, snapshots, what is left open, locks, dialect. */
#include "../db/fixture.h"

#include <setjmp.h>
#include <time.h>

static const char tally[] = "CREATE TABLE tally (id {integer} PRIMARY KEY, name {text},"
                            " hits {integer} NOT NULL DEFAULT 0) {strict};";

static const struct statement add = {"add", "INSERT INTO tally (id, name) VALUES (?, ?)"};
static const struct statement count_all = {"count_all", "SELECT count(*) FROM tally"};
static const struct statement hit = {"hit", "UPDATE tally SET hits = hits + 1 WHERE id = ?"};

static enum error add_row(struct db *db, int64_t id, struct problem *problem)
{
    struct query *query = db_query(db, &add);

    query_bind_integer(query, id);
    query_bind_text(query, "x");
    return query_end(query, problem);
}

static int64_t count_rows(struct store *store, struct db *db)
{
    struct query *query = db_query(db, &count_all);
    int64_t rows = query_next(query) ? query_integer(query, 0) : -1;

    CHECK_OK(query_end(query, &store->problem));
    return rows;
}

ON_BOTH(inner_transactions_join_the_outer_one)
{
    struct db *db = store->db, *other = store_connect(store, NULL);

    CHECK_OK(store_script(store, db, tally));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_OK(add_row(db, 1, &store->problem));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_OK(db_begin(db, DB_READ, &store->problem));
    CHECK_OK(add_row(db, 2, &store->problem));
    CHECK_OK(db_commit(db, &store->problem));
    CHECK_OK(db_commit(db, &store->problem));
    CHECK(fixture_in_transaction(db));
    CHECK_INT(count_rows(store, other), 0);
    CHECK_OK(db_finish(db, ERROR_NONE, &store->problem));
    CHECK(!fixture_in_transaction(db));
    CHECK_INT(count_rows(store, other), 2);
    db_close(other);
}

ON_BOTH(an_inner_rollback_dooms_the_outer_transaction)
{
    struct db *db = store->db;

    CHECK_OK(store_script(store, db, tally));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_OK(add_row(db, 1, &store->problem));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_INT(db_finish(db, ERROR_NOT_FOUND, &store->problem), ERROR_NOT_FOUND);
    CHECK_FAILS(add_row(db, 2, &store->problem), ERROR_SYSTEM, "transaction_doomed");
    CHECK_FAILS(db_begin(db, DB_WRITE, &store->problem), ERROR_SYSTEM, "transaction_doomed");
    CHECK_FAILS(db_lock(db, "x", &store->problem), ERROR_SYSTEM, "transaction_doomed");
    CHECK_FAILS(db_commit(db, &store->problem), ERROR_SYSTEM, "transaction_doomed");
    CHECK(strstr(store->problem.text, "db_transaction_test.c:"));
    CHECK(!fixture_in_transaction(db));
    CHECK_INT(count_rows(store, db), 0);
}

ON_BOTH(a_failed_statement_dooms_its_transaction)
{
    struct db *db = store->db;

    CHECK_OK(store_script(store, db, tally));
    CHECK_OK(add_row(db, 1, &store->problem));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_OK(add_row(db, 2, &store->problem));
    CHECK_FAILS(add_row(db, 1, &store->problem), ERROR_CONFLICT, "unique_violation");
    CHECK_FAILS(add_row(db, 3, &store->problem), ERROR_CONFLICT, "unique_violation");
    CHECK_FAILS(db_commit(db, &store->problem), ERROR_CONFLICT, "unique_violation");
    CHECK_INT(count_rows(store, db), 1);
    /* the next one is none the worse for it */
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_OK(add_row(db, 2, &store->problem));
    CHECK_OK(db_commit(db, &store->problem));
    CHECK_INT(count_rows(store, db), 2);
}

ON_BOTH(reading_transactions_do_not_write)
{
    struct db *db = store->db;

    CHECK_OK(store_script(store, db, tally));
    CHECK_OK(db_begin(db, DB_READ, &store->problem));
    CHECK_FAILS(db_begin(db, DB_WRITE, &store->problem), ERROR_SYSTEM, "statement_misused");
    CHECK_INT(count_rows(store, db), 0);
    CHECK_FAILS(add_row(db, 1, &store->problem), ERROR_SYSTEM, "statement_misused");
    CHECK_FAILS(db_commit(db, &store->problem), ERROR_SYSTEM, "statement_misused");
    CHECK_FAILS(db_commit(db, &store->problem), ERROR_SYSTEM, "statement_misused");
    CHECK_FAILS(db_lock(db, "x", &store->problem), ERROR_SYSTEM, "statement_misused");
    db_rollback(db);
    CHECK_OK(add_row(db, 1, &store->problem));
}

ON_BOTH(a_reading_transaction_sees_one_snapshot)
{
    struct db *db = store->db, *other = store_connect(store, NULL);

    CHECK_OK(store_script(store, db, tally));
    CHECK_OK(db_begin(db, DB_READ, &store->problem));
    CHECK_INT(count_rows(store, db), 0);
    CHECK_OK(add_row(other, 1, &store->problem));
    CHECK_INT(count_rows(store, other), 1);
    CHECK_INT(count_rows(store, db), 0);
    CHECK_OK(db_commit(db, &store->problem));
    CHECK_INT(count_rows(store, db), 1);
    db_close(other);
}

/* Whichever step of a transaction fails, nothing of it stays. */
ON_BOTH(every_step_can_be_made_to_fail)
{
    struct db *db = store->db;
    int64_t steps = 1;

    CHECK_OK(store_script(store, db, tally));
    for (;; steps++) {
        enum error error;

        db_fail_after(db, steps);
        error = db_begin(db, DB_WRITE, &store->problem);
        if (!error) {
            error = add_row(db, 1, &store->problem);
            if (!error)
                error = add_row(db, 2, &store->problem);
            error = db_finish(db, error, &store->problem);
        }
        db_fail_after(db, 0);
        if (!error)
            break;
        CHECK_FAILS(error, ERROR_UNAVAILABLE, "database_io");
        CHECK(!fixture_in_transaction(db));
        CHECK_INT(count_rows(store, db), 0);
    }
    CHECK_INT(steps, 5); /* begin, two statements and commit have failed */
    CHECK_INT(count_rows(store, db), 2);
}

ON_BOTH(what_a_jump_leaves_open_is_cleaned_up)
{
    struct db *db = store->db;
    static const struct statement names = {"names", "SELECT name FROM tally"};
    struct arena *small = arena_create(2000);
    jmp_buf recovery;

    CHECK_OK(store_script(store, db, tally));
    CHECK_OK(add_row(db, 1, &store->problem));
    CHECK(db_end_of_request(db));
    if (setjmp(recovery) == 0) {
        struct query *query;

        arena_on_exhausted(small, &recovery);
        if (db_begin(db, DB_WRITE, &store->problem) || add_row(db, 2, &store->problem) ||
            db_begin(db, DB_WRITE, &store->problem))
            CHECK(!"the transaction began");
        query = db_query(db, &names);
        while (query_next(query)) {
            for (;;)
                query_text(query, 0, small);
        }
        CHECK(!"the arena was exhausted");
    }
    CHECK(fixture_in_transaction(db));
    CHECK(!db_end_of_request(db));
    CHECK(!fixture_in_transaction(db));
    CHECK(db_end_of_request(db));
    CHECK_INT(count_rows(store, db), 1);
    CHECK_OK(add_row(db, 2, &store->problem));
    CHECK_INT(count_rows(store, db), 2);
    arena_destroy(small);
}

ON_BOTH(queries_left_open_end_with_the_transaction)
{
    static const struct statement rows = {"rows", "SELECT id FROM tally ORDER BY id"};
    struct db *db = store->db;
    struct query *query;

    CHECK_OK(store_script(store, db, tally));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_OK(add_row(db, 1, &store->problem));
    CHECK_OK(add_row(db, 2, &store->problem));
    query = db_query(db, &rows);
    CHECK(query_next(query));
    CHECK_OK(db_commit(db, &store->problem));
    CHECK(!query_next(query));
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "statement_misused");
    CHECK_INT(count_rows(store, db), 2);
    query = db_query(db, &rows);
    CHECK(query_next(query));
    db_disconnect(db);
    CHECK_INT(count_rows(store, db), 2);
}

/* A writer that others wait for longer than they may. */
ON_BOTH(a_locked_row_is_busy)
{
    struct db_options options = DB_OPTIONS_DEFAULT;
    struct db *db = store->db, *other;
    struct query *query;

    options.busy_timeout_ms = 100;
    other = store_connect(store, &options);
    CHECK_OK(store_script(store, db, tally));
    CHECK_OK(add_row(db, 1, &store->problem));
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    query = db_query(db, &hit);
    query_bind_integer(query, 1);
    CHECK_OK(query_end(query, &store->problem));
    query = db_query(other, &hit);
    query_bind_integer(query, 1);
    CHECK_FAILS(query_end(query, &store->problem), ERROR_BUSY, "database_busy");
    CHECK_INT(count_rows(store, other), 1); /* readers are not kept waiting */
    CHECK_OK(db_commit(db, &store->problem));
    query = db_query(other, &hit);
    query_bind_integer(query, 1);
    CHECK_INT(query_changes(query), 1);
    CHECK_OK(query_end(query, &store->problem));
    db_close(other);
}

/* A busy transaction names the line that wanted to begin. */
ON_BOTH(named_locks_keep_others_out)
{
    struct db_options options = DB_OPTIONS_DEFAULT;
    struct db *db = store->db, *other;
    enum error error;

    options.busy_timeout_ms = 100;
    other = store_connect(store, &options);
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    CHECK_OK(db_lock(db, "the one", &store->problem));
    CHECK_OK(db_lock(db, "the one", &store->problem));
    error = db_begin(other, DB_WRITE, &store->problem);
    if (!error) {
        error = db_lock(other, "the one", &store->problem);
        CHECK_FAILS(db_commit(other, &store->problem), ERROR_BUSY, "database_busy");
    }
    CHECK_INT(error, ERROR_BUSY);
    CHECK_TEXT(store->problem.reason, "database_busy");
    CHECK(strstr(store->problem.text, "db_transaction_test.c:"));
    CHECK_OK(db_commit(db, &store->problem));
    CHECK_OK(db_begin(other, DB_WRITE, &store->problem));
    CHECK_OK(db_lock(other, "the one", &store->problem));
    CHECK_OK(db_commit(other, &store->problem));
    db_close(other);
}

ON_BOTH(slow_transactions_are_logged_with_their_place)
{
    struct db_options options = DB_OPTIONS_DEFAULT;
    int saved = dup(2), ends[2];
    char logged[2000] = "";
    struct db *db;

    options.slow_transaction_ms = 20;
    db = store_connect(store, &options);
    CHECK(pipe(ends) == 0 && dup2(ends[1], 2) == 2);
    CHECK_OK(db_begin(db, DB_WRITE, &store->problem));
    fixture_pause(30);
    CHECK_OK(db_commit(db, &store->problem));
    CHECK(dup2(saved, 2) == 2);
    close(ends[1]);
    CHECK(read(ends[0], logged, sizeof logged - 1) > 0);
    CHECK(strstr(logged, "db_transaction_test.c:") != NULL);
    CHECK(strstr(logged, "was open for") != NULL);
    close(ends[0]);
    close(saved);
    db_close(db);
}

static int use_in_child(struct store *store, int number)
{
    (void)number;
    if (!freopen("/dev/null", "w", stderr))
        return 1;
    return db_connect(store->db, &store->problem) ? 2 : 3;
}

ON_BOTH(a_connection_does_not_survive_a_fork)
{
    CHECK_OK(db_connect(store->db, &store->problem));
    CHECK_INT(fixture_wait(fixture_fork(use_in_child, store, 0)), 128 + SIGABRT);
    CHECK_OK(store_script(store, store->db, tally));
    db_disconnect(store->db);
    CHECK_INT(fixture_wait(fixture_fork(use_in_child, store, 0)), 3);
}

/* Text order is the order of bytes, LIKE looks at case, patterns find what they quote. */
ON_BOTH(texts_compare_as_bytes)
{
    static const char *const names[] = {"B", "a", "_", "Ä", "a%b", "aXb", "A", "a\\b", "ab"};
    static const struct statement ordered = {"ordered",
                                             "SELECT name FROM tally WHERE name > ? ORDER BY name"};
    static const struct statement alike = {
        "alike", "SELECT count(*) FROM tally WHERE name LIKE ? ESCAPE '\\'"};
    static const struct statement folded = {
        "folded", "SELECT count(*) FROM tally WHERE {lower:name} = {lower:?}"};
    static const char *const expected[] = {"A", "B", "_", "a", "a%b", "aXb", "a\\b", "ab", "Ä"};
    static const struct {
        const char *text;
        int found;
    } patterns[] = {{"a%b", 1}, {"a", 5}, {"_", 1}, {"\\", 1}, {"", 9},
                    {"B", 1},   {"%", 1}, {"Ä", 1}, {"a\\", 1}};
    struct query *query;
    int rows = 0;

    CHECK_OK(store_script(store, store->db, tally));
    for (int i = 0; i < 9; i++) {
        query = db_query(store->db, &add);
        query_bind_integer(query, i);
        query_bind_text(query, names[i]);
        CHECK_OK(query_end(query, &store->problem));
    }
    query = db_query(store->db, &ordered);
    query_bind_text(query, "");
    while (query_next(query) && rows < 9) {
        CHECK_TEXT(query_text(query, 0, store->arena), expected[rows]);
        rows++;
    }
    CHECK_INT(rows, 9);
    CHECK_OK(query_end(query, &store->problem));
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        query = db_query(store->db, &alike);
        query_bind_text(query, db_like_contains(store->arena, patterns[i].text));
        CHECK(query_next(query));
        CHECK_INT(query_integer(query, 0), patterns[i].found);
        CHECK_OK(query_end(query, &store->problem));
    }
    query = db_query(store->db, &folded);
    query_bind_text(query, "A");
    CHECK(query_next(query));
    CHECK_INT(query_integer(query, 0), 2);
    CHECK_OK(query_end(query, &store->problem));
}

/* Every word that gives a value gives the same one on both engines. */
ON_BOTH(words_mean_the_same)
{
    static const struct statement clock = {
        "clock", "SELECT {now}, {now_plus:?}, {now_plus:?}, {now_microseconds}"};
    static const struct statement rows = {
        "rows", "SELECT CAST(value ->> 'id' AS BIGINT), value ->> 'name',"
                " CAST(value ->> 'x' AS DOUBLE PRECISION), value -> 'list' ->> 'a'"
                " FROM {json_rows:?} ORDER BY 1"};
    static const struct statement texts = {
        "texts", "SELECT {join_text}(value, ','), count(*) FROM {json_text_rows:?}"};
    static const struct statement more = {
        "more", "SELECT {least}(CAST(? AS BIGINT), 3), {greatest}(CAST(? AS BIGINT), 3),"
                " {json_length:?}"};
    struct query *query = db_query(store->db, &clock);
    const char *now, *later, *earlier;

    query_bind_number(query, 90.5);
    query_bind_integer(query, -3600);
    CHECK(query_next(query));
    now = query_text(query, 0, store->arena);
    later = query_text(query, 1, store->arena);
    earlier = query_text(query, 2, store->arena);
    CHECK_INT(strlen(now), 32);
    CHECK_TEXT(now + 26, "+00:00");
    CHECK_INT(strlen(later), 32);
    CHECK(strcmp(earlier, now) < 0 && strcmp(now, later) < 0);
    CHECK(llabs(query_integer(query, 3) / 1000000 - (int64_t)time(NULL)) < 5);
    CHECK_OK(query_end(query, &store->problem));

    query = db_query(store->db, &rows);
    query_bind_json(query, "[{\"id\":2,\"name\":\"5\",\"x\":0.1,\"list\":{\"a\":\"deep\"}},"
                           "{\"id\":1,\"name\":\"é\",\"x\":2}]");
    CHECK(query_next(query));
    CHECK_INT(query_integer(query, 0), 1);
    CHECK_TEXT(query_text(query, 1, store->arena), "é");
    CHECK(query_number(query, 2) == 2.0);
    CHECK(query_is_null(query, 3));
    CHECK(query_next(query));
    CHECK_TEXT(query_text(query, 1, store->arena), "5");
    CHECK(query_number(query, 2) == 0.1);
    CHECK_TEXT(query_text(query, 3, store->arena), "deep");
    CHECK(!query_next(query));
    CHECK_OK(query_end(query, &store->problem));

    query = db_query(store->db, &texts);
    query_bind_json(query, "[\"a\", \"b\"]");
    CHECK(query_next(query));
    CHECK_TEXT(query_text(query, 0, store->arena), "a,b");
    CHECK_INT(query_integer(query, 1), 2);
    CHECK_OK(query_end(query, &store->problem));

    query = db_query(store->db, &more);
    query_bind_integer(query, 2);
    query_bind_integer(query, 2);
    query_bind_json(query, "[1,2,3]");
    CHECK(query_next(query));
    CHECK_INT(query_integer(query, 0), 2);
    CHECK_INT(query_integer(query, 1), 3);
    CHECK_INT(query_integer(query, 2), 3);
    CHECK_OK(query_end(query, &store->problem));
}

/* Two workers take jobs at the same time; nobody takes one twice. */
ON_BOTH(claims_do_not_overlap)
{
    static const struct statement claim = {
        "claim", "UPDATE tally SET hits = hits + 1 WHERE id IN (SELECT id FROM tally"
                 " WHERE hits = 0 ORDER BY id LIMIT 2 {for_update_skip_locked}) RETURNING id"};
    struct db *db = store->db, *other = store_connect(store, NULL);
    int64_t sum = 0;

    CHECK_OK(store_script(store, db, tally));
    for (int i = 1; i <= 4; i++)
        CHECK_OK(add_row(db, i, &store->problem));
    for (int turn = 0; turn < 2; turn++) {
        struct db *worker = turn ? other : db;
        struct query *query;

        /* on PostgreSQL the first is still open when the second comes */
        CHECK_OK(db_begin(worker, DB_WRITE, &store->problem));
        query = db_query(worker, &claim);
        while (query_next(query))
            sum += query_integer(query, 0);
        CHECK_OK(query_end(query, &store->problem));
        if (store->engine == DB_SQLITE)
            CHECK_OK(db_commit(worker, &store->problem));
    }
    CHECK_INT(sum, 1 + 2 + 3 + 4);
    if (store->engine == DB_POSTGRES) {
        CHECK_OK(db_commit(db, &store->problem));
        CHECK_OK(db_commit(other, &store->problem));
    }
    db_close(other);
}

ON_BOTH(health_tells_the_truth)
{
    struct db_health health;

    db_health(store->db, &health);
    CHECK(health.reachable && health.writable && health.journal_mode_as_configured);
    CHECK(health.size_bytes >= 0);
    if (store->engine == DB_SQLITE) {
        CHECK_TEXT(health.journal_mode, "WAL");
        CHECK_TEXT(health.synchronous, "NORMAL");
        CHECK_TEXT(health.write_detail, "BEGIN IMMEDIATE succeeded");
        CHECK(health.disk_free_bytes > 0);
        CHECK_TEXT(db_shown_target(store->db), store->target);
        CHECK_TEXT(db_location(store->db), store->directory);
    } else {
        CHECK_TEXT(health.journal_mode, "POSTGRES");
        CHECK_TEXT(health.synchronous, "READ COMMITTED");
        CHECK_TEXT(health.write_detail, "BEGIN succeeded");
        CHECK(strstr(db_shown_target(store->db), "postgresql://***@127.0.0.1:") != NULL);
        CHECK(strstr(db_location(store->db), "127.0.0.1:") == db_location(store->db));
    }
    CHECK(!fixture_in_transaction(store->db));
    CHECK_OK(db_maintain(store->db, &store->problem));
}

/* Another connection that is open plans by the new statistics: the planner of SQLite is asked for
 * its plan, that of PostgreSQL what it thinks the table holds. */
ON_BOTH(upkeep_gives_open_connections_new_statistics)
{
    static const struct statement look = {"test_look", "SELECT count(*) FROM planned WHERE a = 2"},
                                  plan = {.name = "test_plan",
                                          .sqlite = "EXPLAIN QUERY PLAN SELECT c FROM planned"
                                                    " WHERE a = 1 AND b = 5",
                                          .postgres = "SELECT 0, 0, 0, CASE WHEN reltuples > 10000"
                                                      " THEN 'planned_b' ELSE 'scan' END"
                                                      " FROM pg_class WHERE relname = 'planned'"};
    struct db *other = store_connect(store, NULL);
    struct query *query;

    CHECK_OK(store_script(store, store->db,
                          "CREATE TABLE planned (a BIGINT, b BIGINT, c BIGINT);"
                          "CREATE INDEX planned_a ON planned (a);"
                          "CREATE INDEX planned_b ON planned (b);"
                          "INSERT INTO planned VALUES (1, 1, 1)"));
    CHECK_OK(db_maintain(other, &store->problem));
    CHECK_OK(store_script(store, store->db,
                          "INSERT INTO planned WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
                          " SELECT i + 1 FROM n WHERE i < 20000) SELECT 1, i, i FROM n"));
    fixture_pause(1500); /* PostgreSQL counts changes of an idle session within a second */
    query = db_query(store->db, &look);
    CHECK(query_next(query));
    CHECK_OK(query_end(query, &store->problem));
    CHECK_OK(db_maintain(other, &store->problem));
    query = db_query(store->db, &look);
    CHECK(query_next(query));
    CHECK_OK(query_end(query, &store->problem));
    query = db_query(store->db, &plan);
    CHECK(query_next(query));
    CHECK(strstr(query_text(query, 3, store->arena), "planned_b") != NULL);
    CHECK_OK(query_end(query, &store->problem));
    db_close(other);
}

ON_ONE(a_server_that_only_reads_is_not_writable, DB_POSTGRES)
{
    static const struct statement standby = {"standby",
                                             .postgres = "SET default_transaction_read_only = on"};
    struct db_health health;

    CHECK_OK(store_script(store, store->db, tally));
    CHECK_OK(store_run(store, &standby));
    db_health(store->db, &health);
    CHECK(health.reachable && !health.writable);
    CHECK_TEXT(health.write_detail, "the server takes reading transactions only");
    CHECK_FAILS(add_row(store->db, 1, &store->problem), ERROR_UNAVAILABLE, "database_read_only");
}

TEST_MAIN(CASE(inner_transactions_join_the_outer_one),
          CASE(an_inner_rollback_dooms_the_outer_transaction),
          CASE(a_failed_statement_dooms_its_transaction), CASE(reading_transactions_do_not_write),
          CASE(a_reading_transaction_sees_one_snapshot), CASE(every_step_can_be_made_to_fail),
          CASE(what_a_jump_leaves_open_is_cleaned_up),
          CASE(queries_left_open_end_with_the_transaction), CASE(a_locked_row_is_busy),
          CASE(named_locks_keep_others_out), CASE(slow_transactions_are_logged_with_their_place),
          CASE(a_connection_does_not_survive_a_fork), CASE(texts_compare_as_bytes),
          CASE(words_mean_the_same), CASE(claims_do_not_overlap), CASE(health_tells_the_truth),
          CASE(upkeep_gives_open_connections_new_statistics),
          CASE(a_server_that_only_reads_is_not_writable))
