/* Numbers, units and model names in the one form that an index and its questions have. */
#include "base/text.h"
#include "test.h"
#include "text/exact_words.h"

#include <string.h>

static struct arena *arena;

/* The words of a text with `|` between them. */
static const char *words_of(const char *source)
{
    struct word_reader reader;
    struct word word;
    struct text text;

    text_start(&text, arena, 4096);
    word_reader_start(&reader, source, strlen(source));
    while (exact_word_next(&reader, &word)) {
        CHECK_INT(strlen(word.text), word.length);
        CHECK(word.start < word.end && word.end <= strlen(source));
        text_append_format(&text, "%s%s", text.length ? "|" : "", word.text);
    }
    return text.bytes;
}

TEST(one_form_for_each_number_unit_and_name)
{
    static const char *const rows[][2] = {
        {"18V", "18|v"},
        {"18 V", "18|v"},
        {"2.5kg", "2.5|kg"},
        {"2,50 kg", "2.5|kg"},
        {"1299", "1299"},
        {"1,299.00", "1299"},
        {"1.299,00 EUR", "1299|eur"},
        {"1 299", "1299"},
        {"1\u00a0299,50", "1299.5"},
        {"1'299'000", "1299000"},
        {"12 900 руб.", "12900|руб"},
        {"36В 2,5кг", "36|в|2.5|кг"},
        {"XR-500, XR500, XR 500", "xr|500|xr|500|xr|500"},
        {"E20", "e20"},
        {"31.12.2025", "31|12|2025"},
        {"1.2.3", "1|2|3"},
        {"10:45", "10|45"},
        {"1. Take 2", "1|take|2"},
        {"20, 100", "20|100"},
        {"| 20 | 100 |", "20|100"},
        {"by 2025 300", "by|2025|300"},
        {"555 123 4567", "555123|4567"},
        {"٢٤ شهرا", "24|شهرا"},
        {"24个月", "24|个月"},
        {"1,299元", "1299|元"},
        {"ราคา 1,500บาท", "รา|าค|คา|1500|บา|าท"},
        {"0.5", "0.5"},
        {"007", "007"},
        {"1,", "1"},
        {"1,299,", "1299"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_TEXT(words_of(rows[i][0]), rows[i][1]);
    arena_reset(arena);
}

/* Whatever stands beside a number: the words lie in the text, one after the other. */
TEST(words_follow_each_other_within_the_text)
{
    static const char *const pieces[] = {"1", "299", ",", ".",  " ", "V", "kg", "XR",  "-",
                                         "'", "元",  "٢", "\n", "0", "№", "½",  "\xff"};
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    uint32_t draw = 11;

    for (int round = 0; round < 20000; round++) {
        struct word_reader reader;
        struct word word;
        struct text text;
        size_t end = 0, count = 0;

        text_start(&text, arena, 4096);
        for (int i = 0; i < 8; i++) {
            draw = draw * 1664525 + 1013904223;
            text_append_string(&text, pieces[draw / 65536 % PIECES]);
        }
        word_reader_start(&reader, text.bytes, text.length);
        while (exact_word_next(&reader, &word)) {
            CHECK(word.pair || word.start >= end);
            CHECK(word.end <= text.length && word.length == strlen(word.text));
            end = word.end;
            count++;
        }
        CHECK(count <= words_most(text.length));
        arena_reset(arena);
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(one_form_for_each_number_unit_and_name),
        CASE(words_follow_each_other_within_the_text),
    };
    int failed;

    arena = arena_create(1 << 22);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
