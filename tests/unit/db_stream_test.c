/* Large results, many rows at once, long statements: on both engines without filling memory. */
#include "../db/fixture.h"

static const char things[] = "CREATE TABLE things (id {integer} PRIMARY KEY, number {real},"
                             " name {text}, note {json}, bytes {blob}) {strict};"
                             "CREATE TABLE parts (thing {integer} NOT NULL REFERENCES things (id)"
                             " ON DELETE CASCADE, part {text} NOT NULL UNIQUE) {strict};";

static const struct statement insert_thing = {
    "insert_thing", "INSERT INTO things (id, number, name, note, bytes) VALUES (?, ?, ?, ?, ?)"};
static const struct statement insert_part = {"insert_part",
                                             "INSERT INTO parts (thing, part) VALUES (?, ?)"};
static const struct statement count_things = {"count_things", "SELECT count(*) FROM things"};

static enum error insert(struct store *store, int64_t id, const char *name)
{
    struct query *query = db_query(store->db, &insert_thing);

    query_bind_integer(query, id);
    query_bind_number(query, 0.5);
    query_bind_text(query, name);
    query_bind_json(query, NULL);
    query_bind_blob(query, NULL, 0);
    return query_end(query, &store->problem);
}

/* 30000 rows are more than an ordinary statement may give. */
static const struct statement many_rows = {
    .name = "many_rows",
    .sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)"
           " SELECT i FROM n",
};
static const struct statement row_stream = {
    .name = "row_stream",
    .sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
           " SELECT i, {lower:'PADDING'} FROM n",
    .streams = true,
};

ON_BOTH(large_results_must_stream)
{
    struct query *query = db_query(store->db, &many_rows);
    int64_t rows = 0;

    while (query_next(query))
        rows++;
    CHECK_INT(rows, DB_ROWS_MAX);
    CHECK_FAILS(query_end(query, &store->problem), ERROR_TOO_LARGE, "result_too_large");

    query = db_query(store->db, &row_stream);
    query_bind_integer(query, 30000);
    for (rows = 0; query_next(query); rows++) {
        if (query_integer(query, 0) != rows + 1)
            break;
    }
    CHECK_INT(rows, 30000);
    CHECK_OK(query_end(query, &store->problem));
    CHECK(!fixture_in_transaction(store->db));
}

/* Resident memory of this process in kilobytes. */
static long resident_memory(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0, pages = 0;

    if (!file || fscanf(file, "%ld %ld", &total, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Sanitizers keep what is freed. */
#if defined(__SANITIZE_ADDRESS__)
static const bool memory_is_checked = true;
#elif defined(__has_feature)
static const bool memory_is_checked = __has_feature(address_sanitizer);
#else
static const bool memory_is_checked = false;
#endif

ON_BOTH(streams_do_not_fill_memory)
{
    static const struct statement wide = {
        .name = "wide",
        .sqlite = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
                  " SELECT i, hex(zeroblob(5000)) FROM n",
        .postgres = "SELECT i, repeat('00', 5000) FROM generate_series(1, 20000) AS n (i)",
        .streams = true,
    };
    struct query *query = db_query(store->db, &wide);
    long before = resident_memory(), most = 0;
    int64_t bytes = 0;

    while (query_next(query)) {
        bytes += (int64_t)query_bytes(query, 1).length;
        if (query_integer(query, 0) % 1000 == 0 && resident_memory() > most)
            most = resident_memory();
    }
    CHECK_OK(query_end(query, &store->problem));
    CHECK_INT(bytes, INT64_C(20000) * 10000); /* 200 MB have passed */
    CHECK(most - before < 20 * 1024 || memory_is_checked);
}

ON_BOTH(other_statements_run_while_a_stream_is_read)
{
    static const struct statement other_stream = {
        .name = "other_stream", .sql = "SELECT name FROM things ORDER BY id", .streams = true};
    struct query *outer, *inner;
    int64_t rows = 0, names = 0;

    CHECK_OK(store_script(store, store->db, things));
    CHECK_OK(insert(store, 1, "a"));
    CHECK_OK(insert(store, 2, "b"));
    outer = db_query(store->db, &row_stream);
    query_bind_integer(outer, 300);
    while (query_next(outer)) {
        rows++;
        CHECK_INT(store_integer(store, &count_things), 2);
        if (rows % 100)
            continue;
        inner = db_query(store->db, &other_stream);
        while (query_next(inner))
            names++;
        CHECK_OK(query_end(inner, &store->problem));
    }
    CHECK_OK(query_end(outer, &store->problem));
    CHECK_INT(rows, 300);
    CHECK_INT(names, 6);
    CHECK(!fixture_in_transaction(store->db));
}

ON_BOTH(streams_can_be_left_early_and_do_not_write)
{
    struct query *query = db_query(store->db, &row_stream);

    query_bind_integer(query, 100000000);
    CHECK(query_next(query));
    CHECK(fixture_in_transaction(store->db));
    CHECK_FAILS(store_script(store, store->db, things), ERROR_SYSTEM, "statement_misused");
    CHECK_OK(query_end(query, &store->problem));
    CHECK(!fixture_in_transaction(store->db));
    CHECK_OK(store_script(store, store->db, things));
    query = db_query(store->db, &row_stream);
    query_bind_integer(query, 100000000);
    CHECK(query_next(query));
    CHECK_FAILS(insert(store, 1, "a"), ERROR_SYSTEM, "statement_misused");
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "statement_misused");
    CHECK_OK(insert(store, 1, "a"));
}

ON_BOTH(repeats_are_counted_one_by_one)
{
    static const struct statement add = {
        "add", "INSERT INTO things (id, name) VALUES (?, ?) ON CONFLICT (id) DO NOTHING"};
    static int64_t changes[1000];
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    CHECK_OK(insert(store, 500, "already"));
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    query = db_query(store->db, &add);
    for (int i = 0; i < 1000; i++) {
        query_bind_integer(query, i);
        query_bind_text(query, i % 3 ? "name" : NULL);
        query_repeat(query, &changes[i]);
        if (i == 700) /* another statement in between sees what has been repeated so far */
            CHECK_INT(store_integer(store, &count_things), 701);
    }
    CHECK_OK(query_end(query, &store->problem));
    CHECK_OK(db_commit(store->db, &store->problem));
    for (int i = 0; i < 1000; i++)
        CHECK_INT(changes[i], i != 500);
    CHECK_INT(store_integer(store, &count_things), 1000);
}

ON_BOTH(a_failed_repeat_undoes_the_transaction)
{
    static const struct statement nothing = {"nothing",
                                             "INSERT INTO things (id) VALUES (?) RETURNING id"};
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    for (int place = 0; place < 3; place++) {
        CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
        query = db_query(store->db, &insert_part);
        CHECK_OK(insert(store, 1, "x"));
        for (int i = 0; i < 400; i++) {
            query_bind_integer(query, i == place * 199 ? 77 : 1);
            query_bind_text(query, arena_print(store->arena, "part %d", i));
            query_repeat(query, NULL);
        }
        if (place == 1) /* the failure shows in whatever comes next */
            CHECK_FAILS(store_run(store, &count_things), ERROR_CONFLICT, "foreign_key_violation");
        CHECK_FAILS(query_end(query, &store->problem), ERROR_CONFLICT, "foreign_key_violation");
        CHECK_FAILS(db_commit(store->db, &store->problem), ERROR_CONFLICT, "foreign_key_violation");
        CHECK_INT(store_integer(store, &count_things), 0);
    }
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    query = db_query(store->db, &nothing);
    query_bind_integer(query, 1);
    query_repeat(query, NULL);
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "statement_misused");
    db_rollback(store->db);
    query = db_query(store->db, &insert_part);
    query_bind_integer(query, 1);
    query_bind_text(query, "x");
    query_repeat(query, NULL);
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "statement_misused");
}

ON_BOTH(repeats_learn_types_and_settle_large_values)
{
    static const struct statement add = {"add", "INSERT INTO things (id, name) VALUES (?, ?)"};
    char *text = calloc(1, 100001);
    struct query *query;

    memset(text, 'x', 100000);
    CHECK_OK(store_script(store, store->db, things));
    CHECK_OK(db_begin(store->db, DB_WRITE, &store->problem));
    query = db_query(store->db, &add);
    for (int i = 0; i < 60; i++) {
        query_bind_integer(query, i);
        if (i < 5)
            query_bind_null(query);
        else
            query_bind_text(query, text);
        query_repeat(query, NULL);
    }
    CHECK_OK(query_end(query, &store->problem));
    CHECK_OK(db_commit(store->db, &store->problem));
    CHECK_INT(store_integer(store, &count_things), 60);
    free(text);
}

ON_BOTH(long_statements_are_stopped)
{
    static const struct statement endless = {
        "endless", "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE"
                   " i < 2000000000) SELECT count(*) FROM n"};
    static const struct statement one = {"one", "SELECT 1"};
    struct db_options options = DB_OPTIONS_DEFAULT;
    struct db *db;

    options.statement_timeout_ms = 200;
    db = store_connect(store, &options);
    CHECK_FAILS(query_end(db_query(db, &endless), &store->problem), ERROR_BUSY,
                "statement_timeout");
    CHECK_OK(query_end(db_query(db, &one), &store->problem));
    db_close(db);
}

ON_BOTH(counters_count)
{
    struct db_counters counters;

    CHECK_OK(store_script(store, store->db, things));
    db_counters_reset(store->db);
    CHECK_OK(insert(store, 1, "a"));
    CHECK_FAILS(insert(store, 1, "a"), ERROR_CONFLICT, "unique_violation");
    CHECK_INT(store_integer(store, &count_things), 1);
    counters = db_counters(store->db);
    CHECK_INT(counters.statements, 3);
    CHECK_INT(counters.rows, 1);
    CHECK_INT(counters.failures, 1);
    CHECK_INT(counters.transactions, 0);
    CHECK(counters.microseconds > 0);
}

TEST_MAIN(CASE(large_results_must_stream), CASE(streams_do_not_fill_memory),
          CASE(other_statements_run_while_a_stream_is_read),
          CASE(streams_can_be_left_early_and_do_not_write), CASE(repeats_are_counted_one_by_one),
          CASE(a_failed_repeat_undoes_the_transaction),
          CASE(repeats_learn_types_and_settle_large_values), CASE(long_statements_are_stopped),
          CASE(counters_count))
