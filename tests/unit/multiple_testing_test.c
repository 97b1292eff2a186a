/* Adjusted p-values: the example of Benjamini and Hochberg 1995, ties and edges. */
#include "stats/multiple_testing.h"
#include "test.h"

static struct arena *arena;
static struct adjusted_test tests[128];

static struct multiple_testing_result adjust(enum multiple_testing_method method, size_t count,
                                             const double *p_values, double level)
{
    return multiple_testing_adjust(method, p_values, count, level, arena, tests);
}

/* The 15 p-values of section 4.1 of Benjamini and Hochberg 1995. */
TEST(the_paper)
{
    static const double p[] = {.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                               .0459, .324,  .4262, .5719, .6528, .759,  1};
    struct multiple_testing_result result = adjust(MULTIPLE_TESTING_BH, 15, p, .05);

    CHECK_INT(result.rejected_count, 4);
    CHECK(result.critical_value == .0095);
    CHECK_NEAR(tests[3].adjusted_p_value, .035625, 1e-15);
    CHECK_NEAR(tests[5].adjusted_p_value, .063857, 5e-7);
    CHECK(tests[5].adjusted_p_value == tests[6].adjusted_p_value);
    result = adjust(MULTIPLE_TESTING_HOLM, 15, p, .05);
    CHECK_INT(result.rejected_count, 3);
    CHECK_NEAR(tests[3].adjusted_p_value, .114, 1e-15);
}

TEST(order_of_the_caller_is_kept)
{
    static const double p[] = {.6, .001, .04, .012}, adjusted[] = {.6, .004, .16 / 3, .024};

    adjust(MULTIPLE_TESTING_BH, 4, p, .05);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(tests[i].adjusted_p_value, adjusted[i], 1e-15);
    CHECK(!tests[0].rejected && tests[1].rejected && !tests[2].rejected && tests[3].rejected);
}

TEST(comparisons_include_equality)
{
    static const double one = .05, two[] = {.05, .05}, three[] = {.025, .05};

    CHECK_INT(adjust(MULTIPLE_TESTING_BH, 1, &one, .05).rejected_count, 1);
    CHECK_INT(adjust(MULTIPLE_TESTING_HOLM, 1, &one, .05).rejected_count, 1);
    CHECK_INT(adjust(MULTIPLE_TESTING_BH, 2, two, .05).rejected_count, 2);
    CHECK_INT(adjust(MULTIPLE_TESTING_HOLM, 2, two, .05).rejected_count, 0);
    CHECK_INT(adjust(MULTIPLE_TESTING_HOLM, 2, three, .05).rejected_count, 2);
}

/* A step-down test does not come back to later hypotheses; a step-up test does. */
TEST(holm_stops_and_bh_does_not)
{
    static const double p[] = {.03, .03, .03, .03};

    CHECK_INT(adjust(MULTIPLE_TESTING_HOLM, 4, p, .05).rejected_count, 0);
    CHECK_INT(adjust(MULTIPLE_TESTING_BH, 4, p, .05).rejected_count, 4);
    CHECK(tests[0].adjusted_p_value == .03);
}

TEST(edges)
{
    static const double zeros[] = {0, 0, 0}, ones[] = {1, 1, 1};
    struct multiple_testing_result result;

    for (int method = 0; method < MULTIPLE_TESTING__MAX; method++) {
        result = adjust((enum multiple_testing_method)method, 3, zeros, .05);
        CHECK(result.rejected_count == 3 && result.critical_value == 0);
        CHECK(tests[2].adjusted_p_value == 0 && tests[2].rejected);
        result = adjust((enum multiple_testing_method)method, 3, ones, .05);
        CHECK(result.rejected_count == 0 && result.critical_value == 0);
        CHECK(tests[0].adjusted_p_value == 1 && !tests[0].rejected);
    }
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(the_paper),
        CASE(order_of_the_caller_is_kept),
        CASE(comparisons_include_equality),
        CASE(holm_stops_and_bh_does_not),
        CASE(edges),
    };
    int status;

    arena = arena_create(1 << 20);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
