/* Statements on both engines: what goes in comes out, of the type it went in, or is refused. */
#include "../db/fixture.h"

#include <float.h>
#include <math.h>

static const char things[] = "CREATE TABLE things (id {integer} PRIMARY KEY, number {real},"
                             " name {text}, note {json}, bytes {blob}) {strict};"
                             "CREATE TABLE parts (thing {integer} NOT NULL REFERENCES things (id)"
                             " ON DELETE CASCADE, part {text} NOT NULL UNIQUE) {strict};";

static const struct statement insert_thing = {
    "insert_thing", "INSERT INTO things (id, number, name, note, bytes) VALUES (?, ?, ?, ?, ?)"};
static const struct statement thing_by_id = {
    "thing_by_id", "SELECT id, number, name, note, bytes FROM things WHERE id = ?"};
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

ON_BOTH(values_come_back_as_they_went_in)
{
    static const unsigned char bytes[] = {0, 1, '\\', 'x', 0xff, '\''};
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    query = db_query(store->db, &insert_thing);
    query_bind_integer(query, 7);
    query_bind_number(query, 0.1);
    query_bind_text(query, "näme 😀 '\"\\");
    query_bind_json(query, "{\"a\": [1, \"two\"]}");
    query_bind_blob(query, bytes, sizeof bytes);
    CHECK_INT(query_changes(query), 1);
    CHECK_OK(query_end(query, &store->problem));

    query = db_query(store->db, &thing_by_id);
    query_bind_integer(query, 7);
    CHECK(query_next(query));
    CHECK_INT(query_integer(query, 0), 7);
    CHECK(query_number(query, 1) == 0.1);
    CHECK(query_number(query, 0) == 7.0);
    CHECK_TEXT(query_text(query, 2, store->arena), "näme 😀 '\"\\");
    CHECK_TEXT(query_json(query, 3, store->arena), "{\"a\": [1, \"two\"]}");
    CHECK_INT(query_bytes(query, 4).length, sizeof bytes);
    CHECK(memcmp(query_bytes(query, 4).bytes, bytes, sizeof bytes) == 0);
    CHECK_INT(query_bytes(query, 2).length, strlen("näme 😀 '\"\\"));
    CHECK(!query_is_null(query, 4));
    CHECK(!query_next(query));
    CHECK(!query_next(query));
    CHECK_OK(query_end(query, &store->problem));
}

ON_BOTH(nulls_are_told)
{
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    query = db_query(store->db, &insert_thing);
    query_bind_integer(query, 1);
    query_bind_optional_number(query, (struct optional_number){0});
    query_bind_text(query, NULL);
    query_bind_json(query, NULL);
    query_bind_null(query);
    CHECK_OK(query_end(query, &store->problem));

    query = db_query(store->db, &thing_by_id);
    query_bind_optional_integer(query, GIVEN_INTEGER(1));
    CHECK(query_next(query));
    CHECK(!query_optional_number(query, 1).given);
    CHECK(!query_optional_integer(query, 1).given);
    CHECK(query_text_or_null(query, 2, store->arena) == NULL);
    CHECK(query_json_or_null(query, 3, store->arena) == NULL);
    CHECK(query_bytes(query, 4).bytes == NULL);
    CHECK(query_is_null(query, 4));
    CHECK_OK(query_end(query, &store->problem));

    for (int column = 1; column <= 3; column++) {
        query = db_query(store->db, &thing_by_id);
        query_bind_integer(query, 1);
        CHECK(query_next(query));
        if (column == 1)
            CHECK(query_number(query, column) == 0.0);
        else if (column == 2)
            CHECK_TEXT(query_text(query, column, store->arena), "");
        else
            CHECK_TEXT(query_json(query, column, store->arena), "");
        CHECK(!query_next(query));
        CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "unexpected_null");
    }
}

ON_BOTH(integers_have_64_bits)
{
    static const int64_t values[] = {0,
                                     1,
                                     -1,
                                     INT32_MAX,
                                     (int64_t)INT32_MAX + 1,
                                     INT64_MAX,
                                     INT64_MIN,
                                     INT64_C(9007199254740993)};
    static const struct statement echo = {"echo", "SELECT CAST(? AS BIGINT)"};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct query *query = db_query(store->db, &echo);

        query_bind_integer(query, values[i]);
        CHECK(query_next(query));
        CHECK_INT(query_integer(query, 0), values[i]);
        CHECK_OK(query_end(query, &store->problem));
    }
}

ON_BOTH(numbers_come_back_exactly)
{
    static const double values[] = {0.1,
                                    1.0 / 3,
                                    DBL_MAX,
                                    DBL_MIN,
                                    DBL_EPSILON,
                                    5e-324,
                                    -1e300,
                                    0.1 + 0.2,
                                    1e15,
                                    1e16,
                                    2.5e-7,
                                    -0.0,
                                    123456789.0,
                                    M_PI,
                                    5.0,
                                    1e22,
                                    9007199254740993.0,
                                    -DBL_MAX,
                                    4.35,
                                    2.2250738585072011e-308};

    CHECK_OK(store_script(store, store->db, things));
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct query *query = db_query(store->db, &insert_thing);

        query_bind_integer(query, (int64_t)i);
        query_bind_number(query, values[i]);
        query_bind_text(query, NULL);
        query_bind_json(query, NULL);
        query_bind_blob(query, NULL, 0);
        CHECK_OK(query_end(query, &store->problem));
        query = db_query(store->db, &thing_by_id);
        query_bind_integer(query, (int64_t)i);
        CHECK(query_next(query));
        CHECK(query_number(query, 1) == values[i]);
        CHECK(values[i] != 0 || !signbit(query_number(query, 1)));
        CHECK_OK(query_end(query, &store->problem));
    }
}

ON_BOTH(texts_that_look_like_something_else_stay_texts)
{
    static const char *const texts[] = {"{\"a\":1}", "[]",         "5",  "null", "true",
                                        "1e5",       "",           " ",  "0x10", "\\x41",
                                        "NULL",      "2026-01-01", "''", "?",    "$1"};

    CHECK_OK(store_script(store, store->db, things));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct query *query;

        CHECK_OK(insert(store, (int64_t)i, texts[i]));
        query = db_query(store->db, &thing_by_id);
        query_bind_integer(query, (int64_t)i);
        CHECK(query_next(query));
        CHECK_TEXT(query_text(query, 2, store->arena), texts[i]);
        CHECK_OK(query_end(query, &store->problem));
    }
}

ON_BOTH(huge_texts_pass)
{
    size_t length = 20 * 1024 * 1024;
    char *text = malloc(length + 1);
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    for (size_t i = 0; i < length; i++)
        text[i] = (char)('a' + i % 26);
    text[length] = '\0';
    CHECK_OK(insert(store, 1, text));
    query = db_query(store->db, &thing_by_id);
    query_bind_integer(query, 1);
    CHECK(query_next(query));
    CHECK_INT(query_bytes(query, 2).length, length);
    CHECK(strcmp(query_text(query, 2, store->arena), text) == 0);
    CHECK_OK(query_end(query, &store->problem));
    free(text);
}

ON_BOTH(values_no_engine_should_keep_are_refused)
{
    static const struct {
        const char *text;
        size_t length;
        bool json;
        const char *reason;
    } cases[] = {
        {"a\0b", 3, false, "embedded_nul"},       {"\0", 1, false, "embedded_nul"},
        {"\"\\u0000\"", 8, true, "embedded_nul"}, {"\"\\\\\\u0000\"", 10, true, "embedded_nul"},
        {"\xff", 1, false, "malformed_text"},     {"\xed\xa0\x80", 3, false, "malformed_text"},
        {"\xc0\x80", 2, false, "malformed_text"}, {"ab\xe2\x82", 4, false, "malformed_text"},
        {"\"\\\\u0000\"", 9, true, NULL},         {"\xf4\x8f\xbf\xbf", 4, false, NULL},
    };
    static const double numbers[] = {INFINITY, -INFINITY, NAN};

    CHECK_OK(store_script(store, store->db, things));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct query *query = db_query(store->db, &insert_thing);

        query_bind_integer(query, (int64_t)i);
        query_bind_number(query, 1);
        query_bind_bytes(query, cases[i].json ? NULL : cases[i].text, cases[i].length);
        query_bind_json(query, cases[i].json ? cases[i].text : NULL);
        query_bind_blob(query, NULL, 0);
        if (cases[i].reason)
            CHECK_FAILS(query_end(query, &store->problem), ERROR_INVALID, cases[i].reason);
        else
            CHECK_OK(query_end(query, &store->problem));
    }
    for (size_t i = 0; i < 3; i++) {
        struct query *query = db_query(store->db, &insert_thing);

        query_bind_integer(query, 100);
        query_bind_number(query, numbers[i]);
        query_bind_text(query, "the first error stays");
        CHECK_FAILS(query_end(query, &store->problem), ERROR_INVALID, "not_finite");
        CHECK_TEXT(store->problem.text, "insert_thing: value 2 is not a finite number");
    }
    CHECK_INT(store_integer(store, &count_things), 2);
}

ON_BOTH(columns_have_the_type_they_have)
{
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    CHECK_OK(insert(store, 1, "text"));
    for (int i = 0; i < 6; i++) {
        query = db_query(store->db, &thing_by_id);
        query_bind_integer(query, 1);
        CHECK(query_next(query));
        if (i == 0)
            CHECK_INT(query_integer(query, 2), 0);
        else if (i == 1)
            CHECK_INT(query_integer(query, 1), 0); /* 0.5 */
        else if (i == 2)
            CHECK_TEXT(query_text(query, 0, store->arena), "");
        else if (i == 3)
            CHECK(query_number(query, 2) == 0.0);
        else if (i == 4)
            CHECK_INT(query_integer(query, 5), 0);
        else
            CHECK(!query_is_null(query, -1));
        CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "column_type");
    }
    query = db_query(store->db, &thing_by_id);
    query_bind_integer(query, 1);
    CHECK_TEXT(query_text(query, 2, store->arena), "");
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "statement_misused");
}

ON_BOTH(booleans_are_small_integers)
{
    static const struct statement comparison = {
        "comparison", "SELECT CAST(? AS INTEGER) = 1, 2, CAST(? AS INTEGER)"};
    struct query *query = db_query(store->db, &comparison);

    query_bind_boolean(query, true);
    query_bind_boolean(query, false);
    CHECK(query_next(query));
    CHECK(query_boolean(query, 0));
    CHECK_INT(query_integer(query, 0), 1);
    CHECK(!query_boolean(query, 2));
    CHECK_OK(query_end(query, &store->problem));
    query = db_query(store->db, &comparison);
    query_bind_boolean(query, true);
    query_bind_boolean(query, false);
    CHECK(query_next(query));
    CHECK(!query_boolean(query, 1));
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "column_type");
}

ON_BOTH(sums_are_read_as_integers_and_numbers)
{
    static const struct statement sums = {
        "sums", "SELECT sum(id), avg(id * 1.0), sum(number), max(number), count(*) FROM things"};
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    CHECK_OK(insert(store, 1, "a"));
    CHECK_OK(insert(store, 2, "b"));
    query = db_query(store->db, &sums);
    CHECK(query_next(query));
    CHECK_INT(query_integer(query, 0), 3);
    CHECK(query_number(query, 1) == 1.5);
    CHECK(query_number(query, 2) == 1.0);
    CHECK(query_number(query, 3) == 0.5);
    CHECK_INT(query_integer(query, 4), 2);
    CHECK_OK(query_end(query, &store->problem));
}

ON_BOTH(conflicts_are_told_apart)
{
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    CHECK_OK(insert(store, 1, "a"));
    CHECK_FAILS(insert(store, 1, "b"), ERROR_CONFLICT, "unique_violation");
    CHECK(strstr(store->problem.text, "insert_thing: ") == store->problem.text);
    for (int i = 0; i < 2; i++) {
        query = db_query(store->db, &insert_part);
        query_bind_integer(query, 1);
        query_bind_text(query, "wheel");
        if (i == 0)
            CHECK_OK(query_end(query, &store->problem));
        else
            CHECK_FAILS(query_end(query, &store->problem), ERROR_CONFLICT, "unique_violation");
    }
    query = db_query(store->db, &insert_part);
    query_bind_integer(query, 99);
    query_bind_text(query, "hub");
    CHECK_FAILS(query_end(query, &store->problem), ERROR_CONFLICT, "foreign_key_violation");
    query = db_query(store->db, &insert_part);
    query_bind_integer(query, 1);
    query_bind_text(query, NULL);
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "constraint_violation");
    CHECK(!strstr(store->problem.text, "wheel"));
    CHECK_INT(store_integer(store, &count_things), 1);
}

ON_BOTH(changes_are_counted_without_cascades)
{
    static const struct statement delete_all = {"delete_all", "DELETE FROM things"};
    static const struct statement create = {"create", "CREATE TABLE more (id INTEGER)"};
    static const struct statement upsert = {
        "upsert", "INSERT INTO things (id, name) VALUES (?, ?)"
                  " ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING name"};
    static const struct statement ignore = {
        "ignore", "INSERT INTO things (id, name) VALUES (?, ?) ON CONFLICT (id) DO NOTHING"};
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    for (int round = 0; round < 2; round++) {
        query = db_query(store->db, &upsert);
        query_bind_integer(query, 1);
        query_bind_text(query, round ? "second" : "first");
        CHECK(query_next(query));
        CHECK_TEXT(query_text(query, 0, store->arena), round ? "second" : "first");
        CHECK_INT(query_changes(query), 1);
        CHECK_OK(query_end(query, &store->problem));
    }
    query = db_query(store->db, &ignore);
    query_bind_integer(query, 1);
    query_bind_text(query, "third");
    CHECK_INT(query_changes(query), 0);
    CHECK_OK(query_end(query, &store->problem));
    query = db_query(store->db, &insert_part);
    query_bind_integer(query, 1);
    query_bind_text(query, "wheel");
    CHECK_OK(query_end(query, &store->problem));
    query = db_query(store->db, &delete_all);
    CHECK_INT(query_changes(query), 1);
    CHECK_OK(query_end(query, &store->problem));
    query = db_query(store->db, &count_things);
    CHECK_INT(query_changes(query), 0);
    CHECK_OK(query_end(query, &store->problem));
    query = db_query(store->db, &create);
    CHECK_INT(query_changes(query), 0);
    CHECK_OK(query_end(query, &store->problem));
}

ON_BOTH(wrong_use_is_told)
{
    static const struct statement broken = {"broken", "SELEC 1"};
    static const struct statement absent = {"absent", "SELECT a FROM nowhere"};
    static const struct statement two = {"two", "SELECT 1; SELECT 2"};
    static const struct statement one = {"one", "SELECT CAST(? AS BIGINT)"};
    static const struct statement quoted = {"quoted", "SELECT \"no such column\""};
    struct query *query, *again;

    CHECK_FAILS(store_run(store, &broken), ERROR_SYSTEM, "statement_failed");
    CHECK_FAILS(store_run(store, &absent), ERROR_SYSTEM, "statement_failed");
    CHECK_FAILS(store_run(store, &quoted), ERROR_SYSTEM, "statement_failed");
    CHECK_FAILS(store_run(store, &two), ERROR_SYSTEM, "statement_misused");
    CHECK_FAILS(store_run(store, &one), ERROR_SYSTEM, "statement_misused");
    CHECK_TEXT(store->problem.text, "one: 0 values for 1 parameters");
    query = db_query(store->db, &one);
    query_bind_integer(query, 1);
    query_bind_integer(query, 2);
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "statement_misused");
    query = db_query(store->db, &one);
    query_bind_integer(query, 1);
    CHECK(query_next(query));
    query_bind_integer(query, 2);
    CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, "statement_misused");
    query = db_query(store->db, &one);
    again = db_query(store->db, &one);
    query_bind_integer(query, 5);
    CHECK_FAILS(query_end(again, &store->problem), ERROR_SYSTEM, "statement_misused");
    CHECK(query_next(query));
    CHECK_INT(query_integer(query, 0), 5);
    CHECK_OK(query_end(query, &store->problem));
}

ON_BOTH(too_many_open_queries_are_refused)
{
    static struct statement statements[DB_OPEN_QUERIES_MAX + 1];
    struct query *queries[DB_OPEN_QUERIES_MAX + 1];

    for (int i = 0; i <= DB_OPEN_QUERIES_MAX; i++) {
        statements[i] = (struct statement){"one", "SELECT CAST(1 AS BIGINT)"};
        queries[i] = db_query(store->db, &statements[i]);
        CHECK_INT(query_next(queries[i]), i < DB_OPEN_QUERIES_MAX);
    }
    CHECK_FAILS(query_end(queries[DB_OPEN_QUERIES_MAX], &store->problem), ERROR_SYSTEM,
                "statement_misused");
    for (int i = 0; i < DB_OPEN_QUERIES_MAX; i++)
        CHECK_OK(query_end(queries[i], &store->problem));
}

ON_BOTH(many_different_statements_are_kept_up_to_a_limit)
{
    static struct statement statements[DB_STATEMENTS_MAX + 1];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < DB_STATEMENTS_MAX; i++) {
            statements[i] = (struct statement){"one", "SELECT CAST(1 AS BIGINT)"};
            CHECK_INT(store_integer(store, &statements[i]), 1);
        }
    }
    statements[DB_STATEMENTS_MAX] = statements[0];
    CHECK_FAILS(store_run(store, &statements[DB_STATEMENTS_MAX]), ERROR_SYSTEM,
                "statement_misused");
}

ON_BOTH(a_type_that_was_unknown_is_learnt)
{
    static const struct statement insert_name = {"insert_name",
                                                 "INSERT INTO things (id, name) VALUES (?, ?)"};
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    for (int i = 0; i < 4; i++) {
        query = db_query(store->db, &insert_name);
        query_bind_integer(query, i);
        if (i % 2)
            query_bind_text(query, "x");
        else
            query_bind_null(query);
        CHECK_OK(query_end(query, &store->problem));
    }
    CHECK_INT(store_integer(store, &count_things), 4);
}

ON_BOTH(statements_survive_changes_of_the_table)
{
    static const struct statement all = {"all", "SELECT * FROM things"};
    struct query *query;

    CHECK_OK(store_script(store, store->db, things));
    CHECK_OK(insert(store, 1, "a"));
    CHECK_INT(store_integer(store, &all), 1);
    CHECK_OK(store_script(store, store->db, "ALTER TABLE things ADD COLUMN colour {text}"));
    query = db_query(store->db, &all);
    CHECK(query_next(query));
    CHECK(query_text_or_null(query, 5, store->arena) == NULL);
    CHECK_OK(query_end(query, &store->problem));
}

TEST_MAIN(CASE(values_come_back_as_they_went_in), CASE(nulls_are_told), CASE(integers_have_64_bits),
          CASE(numbers_come_back_exactly), CASE(texts_that_look_like_something_else_stay_texts),
          CASE(huge_texts_pass), CASE(values_no_engine_should_keep_are_refused),
          CASE(columns_have_the_type_they_have), CASE(booleans_are_small_integers),
          CASE(sums_are_read_as_integers_and_numbers), CASE(conflicts_are_told_apart),
          CASE(changes_are_counted_without_cascades), CASE(wrong_use_is_told),
          CASE(too_many_open_queries_are_refused),
          CASE(many_different_statements_are_kept_up_to_a_limit),
          CASE(a_type_that_was_unknown_is_learnt), CASE(statements_survive_changes_of_the_table))
