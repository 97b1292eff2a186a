/* Strict reading and safe writing of JSON. */
#include "base/json.h"
#include "test.h"

#include <stdlib.h>

static struct arena *arena;

static enum error read_text(const char *bytes, json_t **document, struct json_fault *fault)
{
    return json_read(arena, bytes, strlen(bytes), JSON_DEPTH_LIMIT, document, fault);
}

static const char *written(const json_t *value, bool ascii)
{
    struct text *out = ARENA_NEW(arena, struct text);
    struct json_writer writer;

    text_start(out, arena, 1 << 20);
    writer_start(&writer, out);
    writer.ascii = ascii;
    writer_value(&writer, value);
    return out->bytes;
}

TEST(what_is_not_json_is_refused)
{
    static const struct {
        const char *text;
        size_t offset; /* where the fault is reported, 999 = any */
    } cases[] = {
        {"", 999},
        {"{", 999},
        {"NaN", 999},
        {"Infinity", 999},
        {"-Infinity", 999},
        {"{'a':1}", 999},
        {"{\"a\":1,}", 999},
        {"[1,]", 999},
        {"1 2", 999},
        {"{} x", 999},
        {"01", 999},
        {"1.", 999},
        {".5", 999},
        {"1e400", 999},
        {"-1e400", 999},
        {"+1", 999},
        {"\"\xff\"", 1},
        {"\"\xed\xa0\x80\"", 1},
        {"\"\xc0\x80\"", 1},
        {"\"\\ud800\"", 999},
        {"\"\\u0000\"", 999},
        {"\"a\nb\"", 999},
        {"{\"a\":1,\"a\":2}", 999},
        {"// x\n1", 999},
        {"tru", 999},
        {"\xef\xbb\xbf{}", 999},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct json_fault fault = {0};
        json_t *document;

        CHECK_INT(read_text(cases[i].text, &document, &fault), ERROR_MALFORMED);
        CHECK(fault.text[0] != '\0');
        CHECK(fault.offset <= strlen(cases[i].text));
        if (cases[i].offset != 999)
            CHECK_INT(fault.offset, cases[i].offset);
    }
}

TEST(documents_survive_the_round_trip)
{
    static const char *const cases[] = {
        "{}",
        "[]",
        "null",
        "[true,false,null]",
        "{\"b\":1,\"a\":[1,2.5,{\"x\":\"y\"}]}",
        "\"\\\"\\\\\\n\\t\\u0001\xc3\xa9\xf0\x9f\x98\x80\"",
        "[9223372036854775807,-9223372036854775808]",
        "[1e+300,5.0,1e-07]",
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct json_fault fault;
        json_t *document;

        CHECK_INT(read_text(cases[i], &document, &fault), ERROR_NONE);
        CHECK_TEXT(written(document, false), cases[i]);
    }
}

TEST(integers_beyond_64_bits_become_reals)
{
    struct json_fault fault;
    json_t *document;

    CHECK_INT(read_text("[99999999999999999999]", &document, &fault), ERROR_NONE);
    CHECK(json_real_value(json_array_get(document, 0)) == 1e20);
}

TEST(depth_is_limited)
{
    char deep[2 * JSON_DEPTH_LIMIT + 3] = "";
    struct json_fault fault;
    json_t *document;

    memset(deep, '[', JSON_DEPTH_LIMIT);
    memset(deep + JSON_DEPTH_LIMIT, ']', JSON_DEPTH_LIMIT);
    CHECK_INT(read_text(deep, &document, &fault), ERROR_NONE);
    memset(deep, '[', JSON_DEPTH_LIMIT + 1);
    memset(deep + JSON_DEPTH_LIMIT + 1, ']', JSON_DEPTH_LIMIT + 1);
    CHECK_INT(read_text(deep, &document, &fault), ERROR_MALFORMED);
    CHECK_INT(fault.offset, JSON_DEPTH_LIMIT);
    CHECK_INT(
        read_text("\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"",
                  &document, &fault),
        ERROR_NONE);
}

TEST(ascii_form_escapes_everything_else)
{
    struct json_fault fault;
    json_t *document;

    CHECK_INT(
        read_text("\"\xc3\xa9\xe2\x80\xa8\x7f/\xf0\x9f\x98\x80\\n\\u0001\"", &document, &fault),
        ERROR_NONE);
    CHECK_TEXT(written(document, true), "\"\\u00e9\\u2028\\u007f/\\ud83d\\ude00\\n\\u0001\"");
}

TEST(indented_form)
{
    struct json_writer writer;
    struct json_fault fault;
    struct text out;
    json_t *value;
    const char *compact = "{\"a\":[1,{}],\"b\":{\"c\":null},\"d\":[]}";

    CHECK_INT(json_read(arena, compact, strlen(compact), 8, &value, &fault), ERROR_NONE);
    text_start(&out, arena, 1000);
    writer_start(&writer, &out);
    writer.indent = 2;
    writer_value(&writer, value);
    CHECK_TEXT(out.bytes, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": null\n  },\n"
                          "  \"d\": []\n}");
}

TEST(sorted_values_have_one_form)
{
    struct json_writer writer;
    struct json_fault fault;
    struct text out;
    json_t *value;
    const char *text = "{\"b\":[{\"z\":1,\"\xc3\xa9\":2,\"Z\":{}}],\"a\":null,\"\":[]}";

    CHECK_INT(json_read(arena, text, strlen(text), 8, &value, &fault), ERROR_NONE);
    text_start(&out, arena, 1000);
    writer_start(&writer, &out);
    writer_value_sorted(&writer, value);
    CHECK_TEXT(out.bytes, "{\"\":[],\"a\":null,\"b\":[{\"Z\":{},\"z\":1,\"\xc3\xa9\":2}]}");
}

/* jansson refuses such text, but headers that are echoed do not come through it. */
TEST(bytes_that_are_no_utf8_are_replaced)
{
    static const char bytes[] = "a\xff\xc3\xa9\xed\xa0\x80\"\xf0\x9f\x98";
    struct text out;
    struct json_writer writer;

    for (int ascii = 0; ascii < 2; ascii++) {
        text_start(&out, arena, 200);
        writer_start(&writer, &out);
        writer.ascii = ascii;
        writer_string(&writer, bytes);
        CHECK_TEXT(out.bytes,
                   ascii ? "\"a\\ufffd\\u00e9\\ufffd\\ufffd\\ufffd\\\"\\ufffd\\ufffd\\ufffd\""
                         : "\"a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\\""
                           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
    }
}

TEST(numbers_that_json_cannot_say_become_null)
{
    struct text out;
    struct json_writer writer;

    text_start(&out, arena, 1000);
    writer_start(&writer, &out);
    writer_open_array(&writer);
    writer_number(&writer, NAN);
    writer_number(&writer, INFINITY);
    writer_string(&writer, NULL);
    writer_close_array(&writer);
    CHECK_TEXT(out.bytes, "[null,null,null]");
}

TEST(text_stops_at_its_maximum)
{
    struct text out;

    text_start(&out, arena, 10);
    text_append_string(&out, "12345678");
    text_append_string(&out, "abc");
    CHECK(out.overflowed);
    CHECK_TEXT(out.bytes, "12345678");
    text_append_string(&out, "a");
    CHECK_TEXT(out.bytes, "12345678");
    text_cut(&out, 4);
    text_append_format(&out, "%d", 567890);
    CHECK_TEXT(out.bytes, "1234567890");
    CHECK(!out.overflowed);
}

/* A good document is never called malformed for want of memory. */
TEST(memory_running_out_jumps_to_the_recovery_point)
{
    for (volatile size_t n = 1; n < 12; n++) {
        struct arena *volatile small = arena_create(1 << 20);
        struct json_fault fault;
        json_t *document;
        jmp_buf recovery;

        if (setjmp(recovery) == 0) {
            arena_on_exhausted(small, &recovery);
            arena_fail_after(small, n);
            CHECK_INT(json_read(small, "{\"a\":[1,2,{\"b\":\"c\"}]}", 21, 64, &document, &fault),
                      ERROR_NONE);
            CHECK(!"reached");
        }
        arena_destroy(small);
    }
}

TEST(a_value_is_found_again_by_its_line)
{
    static const char document[] = "\n{\n \"a\": [1, {\"b\\\"]}\": \"]},\\\"\",\n\"b\": 2}\n,\n"
                                   "[],\n{}],\n\"ab\":\n{\"a\"\n:\n\"x\"}, \"c\": -1e5\n}\n";
    static const struct {
        const char *path;
        size_t line;
    } cases[] = {{"", 2},        {"a", 3},     {"a[0]", 3},       {"a[1]", 3},    {"a[1].b", 4},
                 {"a[2]", 6},    {"a[3]", 7},  {"a[4]", 3},       {"a[2][0]", 6}, {"a[3].x", 7},
                 {"ab", 9},      {"ab.a", 11}, {"ab.nothing", 9}, {"c", 11},      {"c.d", 11},
                 {"nothing", 2}, {"[0]", 2},   {"a.b", 3},        {"ab[0]", 9},   {"a[9].b", 3}};
    json_t *value;
    struct json_fault fault;

    CHECK_INT(read_text(document, &value, &fault), ERROR_NONE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_INT(json_line_of(document, sizeof document - 1, cases[i].path), cases[i].line);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(what_is_not_json_is_refused),
        CASE(documents_survive_the_round_trip),
        CASE(integers_beyond_64_bits_become_reals),
        CASE(depth_is_limited),
        CASE(ascii_form_escapes_everything_else),
        CASE(indented_form),
        CASE(sorted_values_have_one_form),
        CASE(bytes_that_are_no_utf8_are_replaced),
        CASE(numbers_that_json_cannot_say_become_null),
        CASE(text_stops_at_its_maximum),
        CASE(memory_running_out_jumps_to_the_recovery_point),
        CASE(a_value_is_found_again_by_its_line),
    };
    int status;

    arena = arena_create(1 << 24);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
