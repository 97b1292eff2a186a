/* Survival: risk sets and what cannot be tested. Numbers are checked in tests/oracle. */
#include "stats/survival/survival.h"
#include "test.h"

static struct arena *arena;

/* An arm written as times, a negative one being censored there. */
static struct survival_arm arm_of(const double *times, size_t count)
{
    struct survival_arm arm = {.durations = {count, ARENA_ARRAY(arena, double, count)},
                               .events_observed = {count, ARENA_ARRAY(arena, bool, count)}};

    for (size_t i = 0; i < count; i++) {
        arm.durations.items[i] = fabs(times[i]);
        arm.events_observed.items[i] = !signbit(times[i]);
    }
    return arm;
}

#define ARM(...)                                                                                   \
    arm_of((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static struct survival_table table_of(const struct survival_arm *arms, size_t count)
{
    struct survival_table table;

    survival_table_build(arms, count, arena, &table);
    return table;
}

#define TABLE(...)                                                                                 \
    table_of((const struct survival_arm[]){__VA_ARGS__},                                           \
             sizeof((const struct survival_arm[]){__VA_ARGS__}) / sizeof(struct survival_arm))

/* Remission of leukaemia in weeks (Freireich and others 1963; Cox 1972): placebo, 6-MP; and a third
 * arm made up. */
static struct survival_arm placebo(void)
{
    return ARM(1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23);
}

static struct survival_arm mercaptopurine(void)
{
    return ARM(6, 6, 6, -6, 7, -9, 10, -10, -11, 13, 16, -17, -19, -20, 22, 23, -25, -32, -32, -34,
               -35);
}

TEST(risk_sets)
{
    struct survival_table table = TABLE(ARM(3, 1, -2, 3, -0.0), ARM(-3, 2, 7, -9));
    static const double times[] = {1, 2, 3, 7};
    static const int64_t at_risk[] = {4, 4, 3, 4, 2, 3, 0, 2}, events[] = {1, 0, 0, 1, 2, 0, 0, 1};

    CHECK_INT(table.time_count, 4);
    for (size_t i = 0; i < 4; i++)
        CHECK_NEAR(table.times[i], times[i], 0);
    for (size_t i = 0; i < 8; i++) {
        CHECK_INT(table.at_risk[i], at_risk[i]);
        CHECK_INT(table.events[i], events[i]);
    }
    CHECK_INT(table.subjects[0], 5);
    CHECK_INT(table.observed[0], 3);
    CHECK_INT(table.observed[1], 2);
    CHECK(!signbit(TABLE(ARM(0.0), ARM(1)).times[0]));
}

/* Closed form: one event of each arm, the other's risk sets being n0 to m0 and n1 to m1, gives
 * ratio^2 = n0 n1 / (m0 m1). */
TEST(cox_of_two_events)
{
    struct survival_table table = TABLE(ARM(1, -5, -5, -5), ARM(-2, -2, 3, -4));
    struct cox_result result;

    CHECK(cox_fit(&table, &result)); /* 4 : 4 at time 1, 3 : 2 at time 3 */
    CHECK_NEAR(result.log_hazard_ratio, 0.5 * log(4.0 * 3.0 / (4.0 * 2.0)), 1e-12);
}

/* The likelihood rises for ever exactly when one arm has no event while the other is at risk. */
TEST(cox_of_separated_arms)
{
    struct survival_table tables[] = {
        TABLE(ARM(1, 2, 3), ARM(-10, -11)),
        TABLE(ARM(-10, -11), ARM(1, 2, 3)),
        TABLE(ARM(1, 2, 3), ARM(4, 5, 6)),
        TABLE(ARM(1), ARM(2)),
        TABLE(ARM(-1), ARM(-2)),
        TABLE(ARM(1, 1), ARM(-0.5)),
    };
    struct survival_table together = TABLE(ARM(1), ARM(1));
    struct cox_result result;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        CHECK(!cox_fit(&tables[i], &result));
    CHECK(cox_fit(&together, &result));
    CHECK_NEAR(result.log_hazard_ratio, 0, 1e-12);
}

TEST(nothing_to_test)
{
    struct survival_table tables[] = {
        TABLE(ARM(-1, -2), ARM(-3)),            /* no events */
        TABLE(ARM(5, 6), ARM(-1, -2)),          /* nobody of an arm at risk */
        TABLE(ARM(3), ARM(3)),                  /* everybody at once: no variance */
        TABLE(ARM(1, 4), ARM(2, 5), ARM(-0.5)), /* a third arm that left in time */
    };
    struct survival_table first_only = TABLE(ARM(1, -2), ARM(-3, -4));
    struct log_rank_result result;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        CHECK(!log_rank_test(&tables[i], 0, 0, &result));
        CHECK_NEAR(result.statistic, 0, 0);
        CHECK_NEAR(result.p_value, 1, 0);
    }
    /* gamma > 0 gives the first time no weight, and here there is no other */
    CHECK(log_rank_test(&first_only, 0, 0, &result));
    CHECK(!log_rank_test(&first_only, 0, 1, &result));
}

TEST(arms_that_are_alike_do_not_differ)
{
    struct survival_table table = TABLE(placebo(), placebo(), placebo());
    struct log_rank_result result;

    CHECK(log_rank_test(&table, 0, 0, &result));
    CHECK_NEAR(result.statistic, 0, 0);
    CHECK_NEAR(result.p_value, 1, 0);
}

/* Only the order of times matters, and only what is in an arm, not in which order. */
TEST(units_and_order_do_not_matter)
{
    struct survival_arm arms[2] = {placebo(), mercaptopurine()}, turned[2];
    struct log_rank_result plain, scaled;
    struct survival_table table = table_of(arms, 2);

    for (size_t arm = 0; arm < 2; arm++) {
        size_t count = arms[arm].durations.count;

        turned[arm] = arm_of(arms[arm].durations.items, count);
        for (size_t i = 0; i < count; i++) {
            turned[arm].durations.items[i] = 1e9 * arms[arm].durations.items[count - 1 - i];
            turned[arm].events_observed.items[i] = arms[arm].events_observed.items[count - 1 - i];
        }
    }
    CHECK(log_rank_test(&table, 0.5, 0.5, &plain));
    table = table_of(turned, 2);
    CHECK(log_rank_test(&table, 0.5, 0.5, &scaled));
    CHECK_NEAR(plain.statistic, scaled.statistic, 0);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(risk_sets),
        CASE(cox_of_two_events),
        CASE(cox_of_separated_arms),
        CASE(nothing_to_test),
        CASE(arms_that_are_alike_do_not_differ),
        CASE(units_and_order_do_not_matter),
    };
    int status;

    arena = arena_create(1 << 24);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
