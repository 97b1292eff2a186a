/* Cells of a file that spreadsheets open: quoted where RFC 4180 says so, never a formula. */
#include "report/csv.h"
#include "test.h"

static struct arena *arena;

static const struct {
    const char *value;
    const char *cell;
} cells[] = {
    {NULL, ""},
    {"", ""},
    {"plain", "plain"},
    {"two words", "two words"},
    {"\xd0\x81\xd0\xbb\xd0\xba\xd0\xb0", "\xd0\x81\xd0\xbb\xd0\xba\xd0\xb0"},
    {"a,b", "\"a,b\""},
    {"a\"b", "\"a\"\"b\""},
    {"\"", "\"\"\"\""},
    {"a\nb", "\"a\nb\""},
    {"a\r\nb", "\"a\r\nb\""},
    {",", "\",\""},
    /* What a spreadsheet would run. */
    {"=1+1", "'=1+1"},
    {"+1", "'+1"},
    {"-1", "'-1"},
    {"@SUM(A1)", "'@SUM(A1)"},
    {"\tx", "'\tx"},
    {"\rx", "\"'\rx\""},
    {"=a,b", "\"'=a,b\""},
    {"=\"x\"", "\"'=\"\"x\"\"\""},
    {"=", "'="},
    /* What it would not. */
    {"a=1", "a=1"},
    {" =1", " =1"},
    {"'=1", "'=1"},
    {"5-3", "5-3"},
    {"\n=1", "\"\n=1\""},
};

TEST(one_cell)
{
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        struct text out;

        text_start(&out, arena, 1000);
        csv_append_cell(&out, true, cells[i].value);
        CHECK_TEXT(out.bytes, cells[i].cell);
    }
}

TEST(lines)
{
    struct text out;

    text_start(&out, arena, 1000);
    csv_append_cell(&out, true, "a");
    csv_append_cell(&out, false, NULL);
    csv_append_cell(&out, false, "=b");
    csv_end_line(&out);
    csv_append_cell(&out, true, NULL);
    csv_append_cell(&out, false, "c,d");
    csv_end_line(&out);
    CHECK_TEXT(out.bytes, "a,,'=b\r\n,\"c,d\"\r\n");
}

TEST(overflow_is_remembered)
{
    struct text out;

    text_start(&out, arena, 4);
    csv_append_cell(&out, true, "a,b,c");
    CHECK(out.overflowed);
}

int main(void)
{
    static const struct test_case all[] = {CASE(one_cell), CASE(lines),
                                           CASE(overflow_is_remembered)};
    int failed;

    arena = arena_create((size_t)1 << 20);
    failed = test_run_all(all, sizeof all / sizeof all[0]);
    arena_destroy(arena);
    return failed;
}
