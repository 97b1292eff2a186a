/* Rows read by schema: columns find their fields by name, and values that do not fit are errors. */
#include "../db/fixture.h"

#include "base/schema.h"

struct part {
    const char *name;
    int64_t count;
};

struct record {
    const char *id;
    int kind;
    int64_t size;
    struct optional_integer limit;
    double weight;
    struct optional_number price;
    bool open;
    struct optional_boolean checked;
    int64_t made_at;
    struct optional_integer ended_at;
    struct string_list tags;
    struct part *first;
    OBJECT_LIST(struct part, parts);
    const char *details;
    int64_t version;
};

static const char *const kinds[] = {"small", "large"};

#define OWNER struct part
static const struct field part_fields[] = {STRING(OWNER, name), INTEGER(OWNER, count)};
#undef OWNER
static SCHEMA(part_schema, struct part, "Part", part_fields);

#define OWNER struct record
static const struct field record_fields[] = {
    STRING(OWNER, id),
    CHOICE(OWNER, kind, kinds, .choice_count = COUNT_OF(kinds)),
    INTEGER(OWNER, size),
    NULLABLE_INTEGER(OWNER, limit),
    NUMBER(OWNER, weight),
    NULLABLE_NUMBER(OWNER, price),
    BOOLEAN(OWNER, open),
    NULLABLE_BOOLEAN(OWNER, checked),
    TIME(OWNER, made_at, .time = TIME_Z),
    MOMENT(OWNER, ended_at),
    STRINGS(OWNER, tags),
    OBJECT(OWNER, first, part_schema, .omit_if_null = true),
    OBJECTS(OWNER, parts, part_schema),
    WRITTEN_JSON(OWNER, details, .nullable = true),
    INTEGER(OWNER, version, .internal = true),
};
#undef OWNER
static SCHEMA(record_schema, struct record, "Record", record_fields);

static const char table[] =
    "CREATE TABLE records (id {text} NOT NULL, kind {text}, size {integer}, \"limit\" {integer},"
    " weight {real}, price {real}, open {integer}, checked {integer}, made_at {integer},"
    " ended_at {text}, tags {json}, first {json}, parts {json}, details {json},"
    " version {integer}) {strict};";

static const struct statement insert_full = {
    "insert_full",
    "INSERT INTO records VALUES ('a', 'large', 5, 7, 2.5, 9.5, 1, 0, 1780000000000000,"
    " '2026-07-30T12:00:00.5Z', '[\"p\",\"q\"]', '{\"name\":\"bolt\",\"count\":2}',"
    " '[{\"name\":\"nut\",\"count\":3}]', '{\"any\":1}', 4)"};
static const struct statement insert_bare = {
    "insert_bare", "INSERT INTO records VALUES ('b', 'small', 0, NULL, 1, NULL, 0, NULL, 0, NULL,"
                   " '[]', NULL, '[]', NULL, 1)"};
static const struct statement all_records = {
    "all_records", "SELECT version, kind, id, size, \"limit\", weight, price, open, checked,"
                   " made_at, ended_at, tags, first, parts, details FROM records ORDER BY id"};

static const char *written(struct store *store, const struct record *record)
{
    struct json_writer writer;
    struct text out;

    text_start(&out, store->arena, 1 << 16);
    writer_start(&writer, &out);
    schema_write(&writer, &record_schema, record);
    return out.bytes;
}

ON_BOTH(a_row_becomes_a_struct_and_json)
{
    struct record records[2] = {{.id = NULL}};
    struct query *query;

    CHECK_OK(store_script(store, store->db, table));
    CHECK_OK(query_end(db_query(store->db, &insert_full), &store->problem));
    CHECK_OK(query_end(db_query(store->db, &insert_bare), &store->problem));
    query = db_query(store->db, &all_records);
    for (int i = 0; i < 2 && query_next(query); i++)
        query_read(query, &record_schema, &records[i], store->arena);
    CHECK(!query_next(query));
    CHECK_OK(query_end(query, &store->problem));
    CHECK_INT(records[0].version, 4);
    CHECK_INT(((struct part *)records[0].parts.items)[0].count, 3);
    CHECK_INT(records[0].ended_at.value, 1785412800500000);
    CHECK_TEXT(written(store, &records[1]),
               "{\"id\":\"b\",\"kind\":\"small\",\"size\":0,\"limit\":null,\"weight\":1.0,"
               "\"price\":null,\"open\":false,\"checked\":null,\"made_at\":null,"
               "\"ended_at\":null,\"tags\":[],\"parts\":[],\"details\":null}");
    records[0].details = NULL; /* PostgreSQL writes its own blanks */
    CHECK_TEXT(written(store, &records[0]),
               "{\"id\":\"a\",\"kind\":\"large\",\"size\":5,\"limit\":7,\"weight\":2.5,"
               "\"price\":9.5,\"open\":true,\"checked\":false,"
               "\"made_at\":\"2026-05-28T20:26:40Z\","
               "\"ended_at\":\"2026-07-30T12:00:00.500000+00:00\",\"tags\":[\"p\",\"q\"],"
               "\"first\":{\"name\":\"bolt\",\"count\":2},"
               "\"parts\":[{\"name\":\"nut\",\"count\":3}],\"details\":null}");
}

ON_BOTH(what_does_not_fit_is_an_error)
{
    static const struct {
        struct statement statement;
        const char *reason;
    } cases[] = {
        {{"unknown_name", "SELECT 1 AS size, 2 AS colour"}, "column_type"},
        {{"null_integer", "SELECT size FROM records"}, "unexpected_null"},
        {{"null_choice", "SELECT kind FROM records"}, "column_type"},
        {{"unknown_choice", "SELECT 'medium' AS kind"}, "column_type"},
        {{"text_for_integer", "SELECT 'five' AS size"}, "column_type"},
        {{"no_time", "SELECT 'noon' AS made_at"}, "column_type"},
        {{"no_json", "SELECT '{' AS tags"}, "column_type"},
        {{"other_json", "SELECT '[1]' AS tags"}, "column_type"},
        {{"null_list", "SELECT tags FROM records"}, "column_type"},
        {{"other_object", "SELECT '[{\"name\":7}]' AS parts"}, "column_type"},
    };
    static const struct statement insert_null = {"insert_null",
                                                 "INSERT INTO records (id) VALUES ('c')"};

    CHECK_OK(store_script(store, store->db, table));
    CHECK_OK(query_end(db_query(store->db, &insert_null), &store->problem));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct record record = {.id = NULL};
        struct query *query = db_query(store->db, &cases[i].statement);

        CHECK(query_next(query));
        query_read(query, &record_schema, &record, store->arena);
        CHECK_FAILS(query_end(query, &store->problem), ERROR_SYSTEM, cases[i].reason);
    }
}

static enum error decoded(struct store *store, const char *json, struct record *record)
{
    struct json_fault fault;
    struct schema_errors errors;
    json_t *document;

    if (json_read(store->arena, json, strlen(json), 8, &document, &fault))
        return ERROR_SYSTEM;
    return schema_decode_request(&record_schema, document, "body", record, &errors, store->arena);
}

ON_BOTH(internal_members_are_no_members_of_json)
{
    struct record record = {.version = 3};
    struct json_writer writer;
    struct text out;

    text_start(&out, store->arena, 1 << 16);
    CHECK_INT(decoded(store, "{\"id\":\"a\",\"size\":1}", &record), ERROR_NONE);
    CHECK_INT(record.version, 3);
    CHECK_INT(decoded(store, "{\"id\":\"a\",\"version\":1}", &record), ERROR_MALFORMED);
    writer_start(&writer, &out);
    schema_describe(&writer, &record_schema, true);
    CHECK(strstr(out.bytes, "version") == NULL);
}

TEST_MAIN(CASE(a_row_becomes_a_struct_and_json), CASE(what_does_not_fit_is_an_error),
          CASE(internal_members_are_no_members_of_json))
