/* Lower case by Unicode's simple mapping. */
#include "test.h"
#include "text/fold.h"

static struct arena *arena;

TEST(letters_of_every_script_are_lowered)
{
    static const struct {
        const char *text, *lower;
    } rows[] = {
        {"", ""},
        {"Larger Button, 2x", "larger button, 2x"},
        {"ÄÖÜ ẞ ÑÇ", "äöü ß ñç"},
        {"КНОПКА Ёлка", "кнопка ёлка"},
        {"ΣΊΣΥΦΟΣ", "σίσυφοσ"},
        {"ǅ Ⅻ Ａ", "ǆ ⅻ ａ"},
        {"\U00010400", "\U00010428"},
        {"日本語 العربية 😀", "日本語 العربية 😀"},
        {"Ⱥ", "ⱥ"}, /* two bytes become three */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(text_lower(arena, rows[i].text), rows[i].lower);
}

TEST(other_bytes_come_back)
{
    CHECK_TEXT(text_lower(arena, "AB\xff"), "AB\xff");
    CHECK_TEXT(text_lower(arena, "A\xc3"), "A\xc3");
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(letters_of_every_script_are_lowered),
        CASE(other_bytes_come_back),
    };
    int status;

    arena = arena_create(1 << 20);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
