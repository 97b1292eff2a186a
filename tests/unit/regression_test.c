/* Regression runs: drawing cases, expectations, phrases, the paired test and what it can see. */
#include "math/random.h"
#include "support/curated/expectations.h"
#include "support/curated/phrases.h"
#include "support/regression/draw.h"
#include "support/regression/paired.h"
#include "test.h"

#include <math.h>
#include <string.h>

static struct arena *arena;

static const char *listed(const struct string_list *list)
{
    struct text text;

    text_start(&text, arena, 65536);
    for (size_t i = 0; i < list->count; i++)
        text_append_format(&text, "%s%s", i ? "|" : "", list->items[i]);
    return text.bytes;
}

/* The numbers are those of CPython's random.seed(n).sample(range(of), count). */
TEST(cases_are_drawn_as_in_published_runs)
{
    static const struct {
        int64_t of, count, seed, drawn[10];
    } draws[] = {{10, 4, 42, {1, 0, 4, 9}},
                 {35, 10, 42, {7, 1, 17, 15, 34, 4, 23, 3, 21, 28}},
                 {35, 3, 1, {8, 4, 16}},
                 {200, 6, 42, {163, 28, 6, 189, 70, 62}},
                 {100, 20, 42, {81, 14, 3, 94, 35, 31}}};
    uint32_t words[3];

    for (size_t i = 0; i < sizeof draws / sizeof draws[0]; i++) {
        const int64_t *drawn = draw_sample(arena, draws[i].of, draws[i].count, draws[i].seed);

        for (int64_t j = 0; j < draws[i].count && j < 10; j++)
            if (j < 6 || i == 1)
                CHECK_INT(drawn[j], draws[i].drawn[j]);
    }
    draw_words(42, words, 3);
    CHECK_INT(words[0], 2746317213);
    CHECK_INT(words[1], 478163327);
    CHECK_INT(words[2], 107420369);
}

TEST(phrases_of_answers_and_marks_of_reviewers)
{
    static const struct {
        const char *answer, *phrases;
    } answers[] = {{"Reset your password from account settings using the password reset form.",
                    "reset your password|your password from|password from account|"
                    "from account settings|account settings using"},
                   {"Open billing page", "open billing page|open billing|billing page"},
                   {"Yes.", ""},
                   {"It is on the list", "on the list|the list"},
                   {"Die Gewährleistung läuft.",
                    "die gewährleistung läuft|die gewährleistung|gewährleistung läuft"}};
    struct phrase_marks marks =
        phrase_marks_of(arena, "include: reset | password; exclude: refund");

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const struct string_list phrases = phrases_of(arena, answers[i].answer);

        CHECK_TEXT(listed(&phrases), answers[i].phrases);
    }
    CHECK_TEXT(listed(&marks.contains), "reset|password");
    CHECK_TEXT(listed(&marks.contains_not), "refund");
    marks = phrase_marks_of(arena, "all fine\n Must_Include : a; b\ninclude: c");
    CHECK_TEXT(listed(&marks.contains), "a|b");
    CHECK_INT((int)marks.contains_not.count, 0);
}

static struct string_list texts(const char *const *items, size_t count)
{
    return (struct string_list){count, (const char **)items};
}

TEST(every_expectation_that_fails_is_told_in_order)
{
    static const char *const reset[] = {"reset"}, *const unknown[] = {"unknown"},
                             *const either[] = {"service", "support"},
                             *const joined[] = {"settings using"};
    struct string_list group = texts(either, 2);
    struct curated_expected expected = {.contains = texts(reset, 1),
                                        .contains_not = texts(unknown, 1),
                                        .route = "auto",
                                        .min_quality = {true, 80},
                                        .min_factuality = {true, 90},
                                        .citations_least = {true, 1}};
    struct execution execution = {.answer = "Contact support.",
                                  .quality_score = 40,
                                  .factuality_score = 50,
                                  .route = "human"};
    struct string_list failed = expectations_failed(arena, &expected, &execution);

    CHECK_TEXT(listed(&failed),
               "route expected 'auto' but got 'human'|quality 40 below minimum 80|"
               "factuality 50 below minimum 90|citations 0 below minimum 1|answer missing 'reset'");
    execution = (struct execution){.answer = "Keep the receipt.", .route = ""};
    expected = (struct curated_expected){.any = &group, .any_count = 1};
    failed = expectations_failed(arena, &expected, &execution);
    CHECK_TEXT(listed(&failed), "answer missing one of ['service', 'support']");
    execution.answer = "Ask Support.";
    CHECK_INT((int)expectations_failed(arena, &expected, &execution).count, 0);
    expected = (struct curated_expected){.contains = texts(joined, 1)};
    execution.answer = "Open settings, using the menu.";
    CHECK_INT((int)expectations_failed(arena, &expected, &execution).count, 0);
    execution.answer = "[PROVIDER_UNAVAILABLE] x";
    CHECK(execution_is_infrastructure(arena, &execution));
    execution.answer = "text [model_mismatch] y";
    CHECK(execution_is_infrastructure(arena, &execution));
    execution.answer = "";
    CHECK(!execution_is_infrastructure(arena, &execution));
}

/* With equal severities P(K >= b) of a fair coin thrown b + c times. */
TEST(the_paired_test_is_exact_and_counts_severities)
{
    struct paired_case cases[8] = {{0, false, false}};

    CHECK_NEAR(paired_p_value(cases, 0), 1, 1e-15);
    for (int i = 0; i < 6; i++)
        cases[i] = (struct paired_case){1, true, false};
    cases[6] = (struct paired_case){1, false, true};
    cases[7] = (struct paired_case){1, true, true};
    CHECK_NEAR(paired_p_value(cases, 8), 8.0 / 128, 1e-15);
    /* a loss of 5 against gains of 1 and 1: only both coins of the sums 5, 6 and 7 reach it */
    cases[0] = (struct paired_case){5, true, false};
    cases[1] = cases[2] = (struct paired_case){1, false, true};
    CHECK_NEAR(paired_p_value(cases, 3), 0.5, 1e-15);
}

static bool is_shown(struct random *random, int count, double lost, double won, double alpha)
{
    struct paired_case cases[400];

    for (int i = 0; i < count; i++) {
        double drawn = random_uniform(random);

        cases[i] = (struct paired_case){1, drawn < lost || drawn >= lost + won, drawn >= lost};
    }
    return paired_p_value(cases, (size_t)count) <= alpha;
}

/* 2 000 pairs of baseline and candidate each: what the gate says of itself is what happens. Six
 * standard errors of a share at 0.8 are 0.054. */
TEST(what_the_gate_says_it_could_see_it_sees)
{
    struct random random = random_start(7, 1);
    const double won[] = {0.01, 0.03}, alpha = 0.05;

    for (int i = 0; i < 2; i++) {
        struct paired_reach reach = paired_reach(200, won[i], alpha, 0.8, 0.05);
        int shown = 0, wrong = 0, needed = 0;

        CHECK(reach.drop > 0.02 && reach.drop < 0.2);
        CHECK(reach.needed > 0 && reach.needed <= 400);
        for (int run = 0; run < 2000; run++) {
            shown += is_shown(&random, 200, won[i] + reach.drop, won[i], alpha);
            wrong += is_shown(&random, 200, won[i], won[i], alpha);
            needed += is_shown(&random, (int)reach.needed, won[i] + 0.05, won[i], alpha);
        }
        CHECK_NEAR(shown / 2000.0, 0.8, 0.054);
        CHECK_NEAR(needed / 2000.0, paired_power(reach.needed, won[i] + 0.05, won[i], alpha),
                   0.054);
        CHECK(wrong / 2000.0 <= alpha + 0.03);
    }
    CHECK(paired_reach(4, 0.1, alpha, 0.8, 0.05).drop > 1); /* four cases show nothing */
}

int main(void)
{
    static const struct test_case cases[] = {CASE(cases_are_drawn_as_in_published_runs),
                                             CASE(phrases_of_answers_and_marks_of_reviewers),
                                             CASE(every_expectation_that_fails_is_told_in_order),
                                             CASE(the_paired_test_is_exact_and_counts_severities),
                                             CASE(what_the_gate_says_it_could_see_it_sees)};
    int failed;

    arena = arena_create((size_t)64 << 20);
    failed = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return failed;
}
