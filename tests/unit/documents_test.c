/* Readers of documents: markup that would cost its parser quadratic time. */
#include "documents/markup_limits.h"
#include "documents/reader.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

enum { MEGABYTE = 1 << 20, SECONDS = 5 };

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
    error = reader_read(arena, path, file_type_of(name), &limits, directory, result, &problem);
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

int main(void)
{
    static const struct test_case cases[] = {CASE(ordinary_html_is_left_as_it_is),
                                             CASE(what_is_nested_too_deep_keeps_its_text),
                                             CASE(attributes_are_counted)};
    int failed;

    if (!mkdtemp(directory))
        return 2;
    arena = arena_create((size_t)1 << 30);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    rmdir(directory);
    return failed;
}
