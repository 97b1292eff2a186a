/* Readers of documents: markup that would cost its parser quadratic time. */
#include "documents/charset.h"
#include "documents/markup_limits.h"
#include "documents/reader.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

enum { MEGABYTE = 1 << 20, SECONDS = 30 };

static char directory[] = "/tmp/assay-documents-XXXXXX";
static struct arena *arena;
static struct problem problem;

/* What is read of a file of that name. */
static enum error read_file(const char *name, const char *bytes, size_t length,
                            struct reading_result *result)
{
    static const struct reader_limits limits = {1 << 30, SECONDS, 64 << 20};
    const char *path = arena_print(arena, "%s/%s", directory, name);
    FILE *file = fopen(path, "wbe");
    enum error error;

    CHECK(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    error =
        reader_read(arena, path, file_type_of(name), &limits, directory, NULL, result, &problem);
    unlink(path);
    return error;
}

static const char *limited(const char *html)
{
    char *copy = arena_copy_string(arena, html);

    copy[html_limit(copy, strlen(copy))] = '\0';
    return copy;
}

/* So many times `piece`, and then `end`. */
static char *many(const char *piece, size_t count, const char *end, size_t *length)
{
    size_t size = strlen(piece);
    char *text = malloc(size * count + strlen(end) + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(text + i * size, piece, size);
    memcpy(text + size * count, end, strlen(end) + 1);
    *length = size * count + strlen(end);
    return text;
}

TEST(ordinary_html_is_left_as_it_is)
{
    static const char *const pages[] = {
        "<!doctype html><title>a<b</title><p title='x > y' a=1>One <b>two</b>, 1 < 2<br/>three",
        "<script>if (a<b) '</p>'</script><style>a>b{}</style><!-- <div> --><ul><li>a<li>b</ul>",
        "<svg viewBox=\"0 0 9 9\"><path d='M0 0'/><path d='M1 1'/></svg><table><tr><td>c<td>d",
        "<b><p>one</b></p>two</div><",
        "<a href=x>",
        "text <",
        "<p",
        "<!-- never ended",
        ""};

    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        if (i != 3)
            CHECK_TEXT(limited(pages[i]), pages[i]);
    CHECK_TEXT(limited(pages[3]), "<b><p>one</b></p>two <"); /* ends what nothing began */
}

TEST(what_is_nested_too_deep_keeps_its_text)
{
    static const char *const pieces[] = {
        "<div>",        "<a><b><i><font>",   "<div></x>",       "<div><table></div>",
        "<b><div></b>", "<ul><li>",          "<table><tr><td>", "<y></x>",
        "<body a=1>",   "<font size=1><p>x", "<select><div>"};
    struct reading_result result;

    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t length;
        char *html =
            many(pieces[i], (size_t)(2 * MEGABYTE) / strlen(pieces[i]), "Zanzibar", &length);

        CHECK_INT(read_file("deep.html", html, length, &result), ERROR_NONE);
        CHECK(result.count == 1 && strstr(result.pages[0].text, "Zanzibar"));
        free(html);
        arena_reset(arena);
    }
}

/* Cells that span rows or columns stand in each, heads of several rows are one line. */
TEST(tables_of_html_can_be_read_row_by_row)
{
    static const struct {
        const char *html, *text;
    } rows[] = {
        {"<table><tr><th>Plan<th>Month<tr><td>Basic<td>5 EUR<tr><td>Pro<td>9 EUR</table>",
         "| Plan | Month |\n|---|---|\n| Basic | 5 EUR |\n| Pro | 9 EUR |"},
        {"<table><tr><th>Region<th>Plan<th>EUR<tr><td rowspan=2>North<td>A<td>1<tr><td>B<td>2"
         "<tr><td>South<td>A<td>3</table>",
         "| Region | Plan | EUR |\n|---|---|---|\n| North | A | 1 |\n| North | B | 2 |\n"
         "| South | A | 3 |"},
        {"<table><thead><tr><th rowspan=2>Plan<th colspan=2>2024<tr><th>Q1<th>Q2</thead>"
         "<tr><td>A<td>1<td>2</table>",
         "| Plan | 2024 Q1 | 2024 Q2 |\n|---|---|---|\n| A | 1 | 2 |"},
        {"<table><caption>Prices</caption><tr><th>P<th>E<tr><th colspan=2>Families<tr><td>A<td>1"
         "</table><p>after",
         "Prices\n\n| P | E |\n|---|---|\n| Families: A | 1 |\n\nafter"},
        {"<table><tr><th>Weight<td>3 kg<tr><th>Height<td>20 cm</table>",
         "- Weight: 3 kg\n- Height: 20 cm"},
        {"<table><tr><td>one<tr><td>two</table>", "one\n\ntwo"},
        {"<table><tr><td><h2>Page</h2><p>Text<td>Side</table>", "## Page\n\nText\n\nSide"},
        {"<table><tr><td rowspan=999999999 colspan=999999999>x<td>y<tr><td>z</table>", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct reading_result result;

        CHECK_INT(read_file("table.html", rows[i].html, strlen(rows[i].html), &result), ERROR_NONE);
        CHECK_INT(result.count, 1);
        if (rows[i].text && result.count)
            CHECK_TEXT(result.pages[0].text, rows[i].text);
    }
}

TEST(attributes_are_counted)
{
    size_t length;
    char *many_of = many(" a=1", MARKUP_ATTRIBUTES_MAX, ">Zanzibar</p>", &length);
    const char *few = arena_print(arena, "<p%s", many_of);
    const char *more = arena_print(arena, "<p b='x>y'%s", many_of);
    const char *text = arena_print(arena, "<p>a '= \"%s", many_of);

    CHECK(xml_has_few_attributes(few, strlen(few)));
    CHECK(!xml_has_few_attributes(more, strlen(more)));
    CHECK(xml_has_few_attributes(text, strlen(text)));
    CHECK_TEXT(limited(few), few);
    CHECK_INT(strlen(limited(more)), strlen(more) - 4);
    CHECK(strstr(limited(more), "a=1>Zanzibar</p>"));
    free(many_of);
}

/* Letters of these sets wait for a mark that may follow: the last one too is written. */
TEST(the_last_letter_of_a_set_with_marks_stays)
{
    static const struct {
        const char *set, *bytes, *text;
    } rows[] = {
        {"WINDOWS-1258",
         "xin ch\xe0o c\xe1"
         "c b\xf3n",
         "xin chào các bón"},
        {"WINDOWS-1258", "\xe1\xe1\xe1 a\xec", "ááá á"},
        {"TCVN",
         "xin ch\xb5o c\xb8"
         "c b\xb9n",
         "xin chào các bạn"},
        {"WINDOWS-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct charset_text text = {"", 0};

        CHECK_INT(charset_decode(arena, rows[i].bytes, strlen(rows[i].bytes), rows[i].set, &text),
                  CHARSET_DECODED);
        CHECK_TEXT(arena_copy(arena, text.bytes, text.length), rows[i].text);
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(ordinary_html_is_left_as_it_is), CASE(tables_of_html_can_be_read_row_by_row),
        CASE(what_is_nested_too_deep_keeps_its_text), CASE(attributes_are_counted),
        CASE(the_last_letter_of_a_set_with_marks_stays)};
    int failed;

    if (!mkdtemp(directory))
        return 2;
    arena = arena_create((size_t)1 << 30);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    rmdir(directory);
    return failed;
}
