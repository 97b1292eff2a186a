/* Reversible redaction: what is hidden, that it comes back, and what stays. */
#include "test.h"
#include "text/redaction.h"

#include <string.h>
#include <time.h>

static struct arena *arena;

TEST(values_become_placeholders)
{
    static const struct {
        const char *text, *hidden;
    } rows[] = {
        {"mail jane.doe+x@example.co.uk now", "mail [EMAIL_1] now"},
        {"a@b.co, c@d.org and a@b.co", "[EMAIL_1], [EMAIL_2] and [EMAIL_1]"},
        {"Пишите на иван.петров@почта.рф!", "Пишите на [EMAIL_1]!"},
        {"我的邮箱是foo@example.com谢谢", "我的邮箱是[EMAIL_1]谢谢"},
        {"电话13800138000谢谢", "电话[NUMBER_1]谢谢"},
        {"卡号4111111111111111。", "卡号[CARD_1]。"},
        {"اتصل ٠٥٠١٢٣٤٥٦٧", "اتصل [PASSPORT_1]"},
        {"8 999 123 45 67", "[PHONE_1]"},
        {"+49 30 1234567", "[PHONE_1]"},
        {"+1 (415) 555-2671 or (415) 555-2671", "[PHONE_1] or [PHONE_2]"},
        {"4111\u00a01111\u00a01111\u00a01111", "[CARD_1]"},
        {"ИНН 500100732259", "ИНН [NUMBER_1]"},
        {"nothing to see: 0.123456, lodash@4.17.21, C++ 11, 2 + 5", NULL},
        {"session:ac82345678901ef", NULL},
        {"", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct redaction *redaction = redaction_start(arena);
        const char *hidden = redaction_hide(redaction, rows[i].text);

        CHECK_TEXT(hidden, rows[i].hidden ? rows[i].hidden : rows[i].text);
        CHECK(redaction_hides(redaction) == (rows[i].hidden != NULL));
        CHECK_TEXT(redaction_show(redaction, hidden), rows[i].text);
    }
}

/* Of a person who writes placeholders himself, none is taken for one of ours. */
TEST(typed_placeholders_stay)
{
    struct redaction *redaction = redaction_start(arena);
    const char *text = "What is [EMAIL_1]? Mine is a@b.co. [EMAIL_3] [PHONE_x] [EMAIL_";
    const char *hidden;

    redaction_note_typed(redaction, text);
    hidden = redaction_hide(redaction, text);
    CHECK_TEXT(hidden, "What is [EMAIL_1]? Mine is [EMAIL_4]. [EMAIL_3] [PHONE_x] [EMAIL_");
    CHECK_TEXT(redaction_show(redaction, hidden), text);
    CHECK_TEXT(redaction_show(redaction, "[EMAIL_5] [[EMAIL_4]] [EMAIL_04] [EMAIL_4"),
               "[EMAIL_5] [a@b.co] [EMAIL_04] [EMAIL_4");
}

/* Cut at every place, an answer comes back the same. */
TEST(placeholders_split_over_pieces)
{
    static const char answer[] = "[[EMAIL_1] wrote to [EMAIL_2], [EMAIL_9] [x [PHONE_1";
    static const char *const whole = "[a@b.co wrote to c@d.org, [EMAIL_9] [x [PHONE_1";
    struct redaction *redaction = redaction_start(arena);

    redaction_hide(redaction, "a@b.co c@d.org");
    for (size_t cut = 0; cut < sizeof answer; cut++)
        for (size_t width = 1; width < 5; width++) {
            struct redaction_stream stream = {.redaction = redaction};
            struct text out;

            text_start(&out, arena, 1000);
            redaction_stream_take(&stream, answer, cut, &out);
            for (size_t at = cut; at < strlen(answer); at += width)
                redaction_stream_take(&stream, answer + at,
                                      at + width < strlen(answer) ? width : strlen(answer) - at,
                                      &out);
            redaction_stream_end(&stream, &out);
            CHECK_TEXT(out.bytes, whole);
        }
}

/* What does not begin like a placeholder goes on at once. */
TEST(pieces_wait_no_longer_than_they_must)
{
    struct redaction *redaction = redaction_start(arena);
    struct redaction_stream stream = {.redaction = redaction};
    struct text out;

    redaction_hide(redaction, "a@b.co");
    text_start(&out, arena, 1000);
    redaction_stream_take(&stream, "see [1", 6, &out);
    CHECK_TEXT(out.bytes, "see [1");
    redaction_stream_take(&stream, "] [EM", 5, &out);
    CHECK_TEXT(out.bytes, "see [1] ");
    redaction_stream_take(&stream, "AIL_1]", 6, &out);
    CHECK_TEXT(out.bytes, "see [1] a@b.co");
}

TEST(json_stays_json)
{
    struct redaction *redaction = redaction_start(arena);

    CHECK_TEXT(redaction_hide_json(redaction,
                                   "{\"to\":\"a@b.co\",\"card\":4111111111111111,\"n\":7}", true),
               "{\"to\":\"[EMAIL_1]\",\"card\":\"[CARD_1]\",\"n\":7}");
    CHECK_TEXT(redaction_hide_json(redaction, "{\"maximum\":12345678901}", false),
               "{\"maximum\":12345678901}");
    CHECK_TEXT(redaction_hide_json(redaction, "{\"to\":\"x\\u0040y.co\"}", true),
               "{\"to\":\"[EMAIL_2]\"}");
    CHECK_TEXT(redaction_hide_json(redaction, "no JSON: a@b.co", true), "no JSON: [EMAIL_1]");
    CHECK_TEXT(redaction_hide(redaction, "8 999\n123 45 67"), "[PHONE_1]");
    CHECK_TEXT(redaction_show_json(redaction, "{\"tel\":\"[PHONE_1]\"}"),
               "{\"tel\":\"8 999\\n123 45 67\"}");
}

static double seconds_to_hide(const char *text)
{
    struct redaction *redaction = redaction_start(arena);
    clock_t started = clock();

    redaction_note_typed(redaction, text);
    CHECK_TEXT(redaction_show(redaction, redaction_hide(redaction, text)), text);
    return (double)(clock() - started) / CLOCKS_PER_SEC;
}

/* The process of a long text serves other requests too: work grows with its length, not its square.
 * Each took minutes when it did. */
TEST(long_texts_are_quick)
{
    enum { BYTES = 1 << 20 };
    struct text many, run, dots;

    text_start(&many, arena, 2 * BYTES);
    for (int i = 0; many.length < BYTES; i++)
        text_append_format(&many, "a%d@b.co 4111%012d ", i, i);
    text_start(&run, arena, 2 * BYTES);
    text_start(&dots, arena, 2 * BYTES);
    text_append_string(&dots, "a@");
    while (run.length < BYTES) {
        text_append_string(&run, "0123456789abcdef");
        text_append_string(&dots, "a.1-");
    }
    text_append_string(&run, " c@d.org");
    text_append_string(&dots, " c@d.org");
    CHECK(seconds_to_hide(many.bytes) < 10);
    CHECK(seconds_to_hide(run.bytes) < 10);
    CHECK(seconds_to_hide(dots.bytes) < 10);
    CHECK(strstr(redaction_hide(redaction_start(arena), run.bytes), " [EMAIL_1]") != NULL);
    CHECK(strstr(redaction_hide(redaction_start(arena), dots.bytes), "c@d.org") == NULL);
}

/* A long text is searched in pieces; wherever one ends, no value is cut. */
TEST(no_value_is_lost_between_pieces)
{
    enum { VALUES = 5 };
    static const char *const values[VALUES] = {"ann.lee@example.org", "+7 (912) 345-67-89",
                                               "4111 1111 1111 1111", "45 09 123456",
                                               "415-555-2671"};
    struct redaction *redaction = redaction_start(arena);
    const char *hidden;
    struct text text;
    size_t count = 0, found = 0;

    text_start(&text, arena, 4 << 20);
    while (text.length < 1 << 20) {
        text_append_format(&text, "%.*s%s%s", (int)(count % 7), "x y z w", count % 7 ? " " : "",
                           values[count % VALUES]);
        text_append_string(&text, count % 3 ? " and\n" : ", ");
        count++;
    }
    hidden = redaction_hide(redaction, text.bytes);
    for (const char *at = hidden; (at = strchr(at, '[')) != NULL; at++)
        found++;
    CHECK_INT(found, count);
    CHECK(strpbrk(hidden, "@+") == NULL);
    CHECK_TEXT(redaction_show(redaction, hidden), text.bytes);
}

int main(void)
{
    static const struct test_case all[] = {CASE(values_become_placeholders),
                                           CASE(typed_placeholders_stay),
                                           CASE(placeholders_split_over_pieces),
                                           CASE(pieces_wait_no_longer_than_they_must),
                                           CASE(json_stays_json),
                                           CASE(long_texts_are_quick),
                                           CASE(no_value_is_lost_between_pieces)};
    int failed;

    arena = arena_create((size_t)64 << 20);
    failed = test_run_all(all, sizeof all / sizeof all[0]);
    arena_destroy(arena);
    return failed;
}
