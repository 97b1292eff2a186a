/*
 * Decisions from aggregates that are laid down by hand: the table of the policy practical_v1, and
 * that what would change a verdict does.
 */
#include "live_bench.h"

struct decision_case {
    const char *name;
    double baseline, mde;
    int64_t looks;
    size_t arms;
    int64_t n[3], c[3];
    const char *verdict, *confidence;
    const char *codes; /* of all reasons, then of the blockers */
};

static const char *codes_of(struct bench *bench)
{
    const struct object_list *lists[] = {&bench->decision.reasons, &bench->decision.blockers};
    struct text text;

    text_start(&text, bench->arena, 10000);
    for (size_t k = 0; k < 2; k++) {
        const struct decision_reason *reasons = lists[k]->items;

        if (k == 1 && lists[k]->count > 0)
            text_append_string(&text, " |");
        for (size_t i = 0; i < lists[k]->count; i++)
            text_append_format(&text, "%s%s", text.length ? " " : "", reasons[i].code);
    }
    return text.bytes;
}

static void decide(struct bench *bench)
{
    const struct live_results_call call = {locale_get(LANGUAGE_EN), bench->arena, 5000};

    live_results_decision(&call, &bench->view, &bench->decision);
}

#define WIN "significant_win practical_threshold_met bayesian_win"

static const struct decision_case decisions[] = {
    {"D-01", 0.1, 5, 1, 2, {0, 0}, {0, 0}, "keep_running", "low", "no_exposures"},
    {"D-02", 0.1, 5, 1, 2, {1, 1}, {0, 1}, "keep_running", "low", "insufficient_per_arm"},
    {"D-03",
     0.1,
     5,
     1,
     2,
     {40, 1},
     {0, 0},
     "no_ship",
     "low",
     "insufficient_per_arm | srm_mismatch"},
    {"D-04",
     0.1,
     5,
     1,
     2,
     {5000, 3000},
     {500, 360},
     "no_ship",
     "low",
     "blocked_untrustworthy | srm_mismatch"},
    {"D-05", 0.1, 20, 1, 2, {5000, 5000}, {500, 700}, "ship", "high", WIN},
    {"D-06",
     0.1,
     20,
     1,
     2,
     {5000, 5000},
     {500, 600},
     "no_ship",
     "medium",
     "significant_win practical_threshold_uncertain"
     " statistically_positive_but_below_practical_threshold"},
    {"D-07",
     0.1,
     5,
     1,
     2,
     {5000, 5000},
     {500, 600},
     "keep_running",
     "low",
     "fixed_horizon_before_planned_read info_fraction_incomplete"},
    {"D-08",
     0.1,
     5,
     1,
     2,
     {5000, 5000},
     {500, 700},
     "ship",
     "medium",
     WIN " anytime_valid_confirmed"},
    {"D-09",
     0.1,
     5,
     1,
     2,
     {200000, 200000},
     {20000, 20400},
     "no_ship",
     "medium",
     "significant_win below_practical_threshold_proven"},
    {"D-10",
     0.042,
     5,
     1,
     2,
     {2000, 2000},
     {86, 124},
     "keep_running",
     "low",
     "fixed_horizon_before_planned_read info_fraction_incomplete"},
    {"D-11",
     0.1,
     5,
     1,
     2,
     {5000, 5000},
     {650, 500},
     "no_ship",
     "medium",
     "significant_loss anytime_valid_confirmed"},
    {"D-12", 0.1, 20, 1, 2, {5000, 5000}, {600, 400}, "no_ship", "high", "significant_loss"},
    {"D-13",
     0.1,
     20,
     1,
     3,
     {5000, 5000, 5000},
     {500, 700, 350},
     "ship",
     "high",
     WIN " significant_loss"},
    {"D-14",
     0.1,
     20,
     1,
     3,
     {5000, 5000, 5000},
     {500, 350, 505},
     "no_ship",
     "medium",
     "significant_loss inconclusive_ci worthwhile_effect_excluded"},
    {"D-15", 0.1, 20, 3, 2, {3000, 3000}, {300, 420}, "ship", "high", WIN " sequential_crossed"},
    {"D-16",
     0.1,
     20,
     3,
     2,
     {5000, 5000},
     {500, 510},
     "no_ship",
     "medium",
     "inconclusive_ci info_fraction_complete_no_effect"},
    {"D-17",
     0.1,
     5,
     3,
     2,
     {5000, 5000},
     {500, 600},
     "keep_running",
     "low",
     "sequential_not_crossed info_fraction_incomplete"},
    {"at the plan, open",
     0.1,
     20,
     1,
     2,
     {5000, 5000},
     {500, 550},
     "keep_running",
     "low",
     "inconclusive_ci"},
    {"2.7 times the plan",
     0.1,
     20,
     1,
     2,
     {10371, 10371},
     {1037, 1067},
     "no_ship",
     "medium",
     "inconclusive_ci worthwhile_effect_excluded"},
    {"twice the plan, open",
     0.1,
     20,
     1,
     2,
     {7700, 7700},
     {1540, 1609},
     "no_ship",
     "medium",
     "inconclusive_ci inconclusive_at_twice_the_plan"},
};

static void lay_case(struct bench *bench, const struct decision_case *at, bool swapped)
{
    bench_start(bench, METRIC_BINARY, at->baseline, at->mde, at->arms);
    bench->constraints.n_looks = at->looks;
    for (size_t arm = 0; arm < at->arms; arm++) {
        size_t from = swapped ? 1 - arm : arm;

        lay_rate(bench, (int)arm, at->n[from], at->c[from]);
    }
}

TEST(verdicts)
{
    for (size_t i = 0; i < sizeof decisions / sizeof decisions[0]; i++) {
        const struct decision_case *at = &decisions[i];
        int failures = test_failures_here;
        struct bench bench;

        lay_case(&bench, at, false);
        decide(&bench);
        CHECK_TEXT(bench.decision.verdict, at->verdict);
        CHECK_TEXT(bench.decision.confidence, at->confidence);
        CHECK_TEXT(codes_of(&bench), at->codes);
        if (test_failures_here > failures)
            printf("... in %s\n", at->name);
        bench_stop(&bench);
    }
}

/* With two arms, a goal to decrease over swapped arms is the same question. */
TEST(a_decrease_is_decided_as_an_increase_of_swapped_arms)
{
    for (size_t i = 0; i < sizeof decisions / sizeof decisions[0]; i++) {
        const struct decision_case *at = &decisions[i];
        struct bench other;

        if (at->arms != 2)
            continue;
        lay_case(&other, at, true);
        other.metrics.direction = GOAL_DECREASE;
        other.metrics.mde_pct = -at->mde;
        decide(&other);
        CHECK_TEXT(other.decision.verdict, at->verdict);
        CHECK_TEXT(other.decision.confidence, at->confidence);
        CHECK_TEXT(codes_of(&other), at->codes);
        bench_stop(&other);
    }
}

/* Planned looks whose boundaries are not known: no difference is enough. */
TEST(looks_that_cannot_be_sized_decide_nothing)
{
    double fractions[] = {0.5, 1};
    struct payload_looks looks = {.information_fractions = {2, fractions}};
    struct bench bench;

    bench_start(&bench, METRIC_BINARY, 0.1, 20, 2);
    bench.constraints.planned_looks = &looks;
    bench.metrics.power = 0.01;
    lay_rate(&bench, 0, 5000, 500);
    lay_rate(&bench, 1, 5000, 900);
    decide(&bench);
    CHECK_TEXT(read_stats(&bench)[0].status, "ok");
    CHECK_TEXT(bench.stats.sequential->planned_looks->status, "unavailable");
    CHECK_TEXT(bench.decision.verdict, "keep_running");
    bench_stop(&bench);
}

/* Of the looks at .2, .5, .7 and 1 two were not planned; the treatment could never be compared,
 * which the last look ends. */
TEST(looks_that_were_not_planned_and_the_last_one)
{
    double fractions[] = {0.5, 1};
    const struct payload_looks plan = {.information_fractions = {2, fractions}};
    struct live_look taken[] = {{.look = 1, .information_fraction = 0.2},
                                {.look = 2, .information_fraction = 0.5},
                                {.look = 3, .information_fraction = 0.7},
                                {.look = 4, .information_fraction = 1}};
    const struct live_planned_looks *block;
    struct bench bench;

    bench_start(&bench, METRIC_BINARY, 0.1, 20, 2);
    bench.constraints.planned_looks = &plan;
    lay_rate(&bench, 0, 5000, 500);
    lay_rate(&bench, 1, 5000, 520);
    (void)read_stats(&bench);
    for (size_t i = 0; i < 4; i++)
        taken[i].plan = bench.stats.sequential->planned_looks->plan;
    bench.view.looks = (struct live_look_list){.count = 3, .items = taken};
    (void)read_stats(&bench);
    block = bench.stats.sequential->planned_looks;
    CHECK_TEXT(block->status, "running");
    CHECK_INT(block->unplanned_count, 2);
    CHECK_NEAR(block->next_fraction.value, 1, 0);
    bench.view.looks.count = 4;
    (void)read_stats(&bench);
    block = bench.stats.sequential->planned_looks;
    CHECK_INT(block->unplanned_count, 2);
    CHECK_TEXT(block->status, "ended");
    bench_stop(&bench);
}

/* A reading before the end claims what is there now; the test at the end stays, and names its plan.
 */
TEST(hybrid_readings_before_and_at_the_end)
{
    const struct payload_hybrid plan = {.early_share = 0.5, .tuned_fraction = 0.5};
    struct live_look end = {.look = 1, .information_fraction = 1, .effect_count = 1};
    const struct live_hybrid *block;
    const struct live_hybrid_reading *reading;
    struct bench bench;

    bench_start(&bench, METRIC_BINARY, 0.1, 20, 2);
    bench.constraints.hybrid = &plan;
    lay_rate(&bench, 0, 2000, 200);
    lay_rate(&bench, 1, 2000, 340);
    decide(&bench);
    (void)read_stats(&bench);
    block = bench.stats.sequential->hybrid;
    reading = block->comparisons.items;
    CHECK_TEXT(block->status, "running");
    CHECK_TEXT(reading->status, "efficacy");
    CHECK_NEAR(block->end_z.value, 2.0239, 1e-4);
    CHECK(block->early_error.value > 0.012 && block->early_error.value < 0.025);
    CHECK_TEXT(codes_of(&bench),
               "significant_win practical_threshold_met bayesian_win sequential_crossed");
    end.plan = block->plan;
    end.effects[0] = (struct live_look_effect){1, 0.02, 0.01};
    bench.view.looks = (struct live_look_list){.count = 1, .items = &end};
    decide(&bench);
    (void)read_stats(&bench);
    reading = bench.stats.sequential->hybrid->comparisons.items;
    CHECK_TEXT(bench.stats.sequential->hybrid->status, "ended");
    CHECK_TEXT(reading->status, "no_rejection");
    CHECK_NEAR(reading->z.value, 2, 1e-12);
    CHECK(reading->p_value.value > 0.05 && reading->p_value.value < 0.06);
    CHECK_TEXT(bench.decision.verdict, "no_ship");
    end.plan = "another";
    decide(&bench);
    CHECK_TEXT(bench.decision.verdict, "keep_running");
    bench_stop(&bench);
}

/* A bounce rate that falls from 40 % to 30 %. */
TEST(a_falling_bounce_rate_is_better)
{
    const struct decision_reason *reasons;
    const struct live_comparison *comparisons;
    struct bench bench;

    bench_start(&bench, METRIC_BINARY, 0.4, -10, 2);
    bench.metrics.direction = GOAL_DECREASE;
    lay_rate(&bench, 0, 5000, 2000);
    lay_rate(&bench, 1, 5000, 1500);
    decide(&bench);
    CHECK_TEXT(bench.decision.verdict, "ship");
    CHECK_TEXT(codes_of(&bench), WIN);
    reasons = bench.decision.reasons.items;
    CHECK_NEAR(json_number_value(json_object_get(reasons[0].params, "effect_relative")), -25, 0);
    CHECK_TEXT(reasons[1].text,
               "Variant B: even the upper end of the interval, -8.14 percentage points, is a "
               "decrease by the smallest worthwhile effect, 4.00 percentage points, or more.");
    CHECK(bench.decision.policy->minimum_worthwhile_effect.value == 4);
    comparisons = read_stats(&bench);
    CHECK(comparisons[0].probability_treatment_beats_control.value > 0.999);
    CHECK_TEXT(comparisons[0].analysis->verdict,
               "Statistically significant improvement (decrease) at alpha=0.050");
    CHECK_TEXT(comparisons[0].analysis->outcome, "better");
    bench_stop(&bench);
}

/* D-18 and D-19: what is broken by it vetoes a win, what is only endangered does not. */
TEST(guardrails_and_verdicts)
{
    static const struct {
        int64_t before, after;
        const char *verdict, *codes;
    } vetoes[] = {
        {100, 400, "no_ship", "significant_win guardrail_vetoed | guardrail_breach"},
        {250, 265, "ship", WIN},
    };

    for (size_t i = 0; i < sizeof vetoes / sizeof vetoes[0]; i++) {
        struct bench bench;

        bench_start(&bench, METRIC_BINARY, 0.1, 20, 2);
        declare_guardrail(&bench, METRIC_BINARY, 0);
        lay_rate(&bench, 0, 5000, 500);
        lay_rate(&bench, 1, 5000, 700);
        lay(&bench, GUARDRAIL, 0, 0, 5000, vetoes[i].before, (double)vetoes[i].before, 0);
        lay(&bench, GUARDRAIL, 0, 1, 5000, vetoes[i].after, (double)vetoes[i].after, 0);
        decide(&bench);
        CHECK_TEXT(bench.decision.verdict, vetoes[i].verdict);
        CHECK_TEXT(bench.decision.confidence, "high");
        CHECK_TEXT(codes_of(&bench), vetoes[i].codes);
        bench_stop(&bench);
    }
}

/* D-21: a ratio without a baseline to measure its effect by. */
TEST(a_win_without_a_threshold)
{
    struct bench bench;

    bench_start(&bench, METRIC_CONTINUOUS, 0, 5, 2);
    lay(&bench, PRIMARY, 0, 0, 500, 500, 5000, 500);
    lay(&bench, PRIMARY, 0, 1, 500, 500, 5200, 500);
    bench.metrics.std_dev = (struct optional_number){0};
    decide(&bench);
    CHECK_TEXT(bench.decision.verdict, "ship");
    CHECK_TEXT(bench.decision.confidence, "high");
    CHECK_TEXT(codes_of(&bench), "significant_win bayesian_win");
    CHECK(!bench.decision.policy->require_practical_evidence);
    bench_stop(&bench);
}

/* Changing what is named by as much as is named gives the verdict that is named, and by a hair less
 * does not. */
TEST(what_would_change_does_change)
{
    const struct decision_change *changes;
    struct bench bench;
    int checked = 0;

    bench_start(&bench, METRIC_BINARY, 0.1, 20, 2);
    lay_rate(&bench, 0, 5000, 500);
    lay_rate(&bench, 1, 5000, 600);
    decide(&bench);
    changes = bench.decision.what_would_change.items;
    for (size_t i = 0; i < bench.decision.what_would_change.count; i++) {
        struct bench other;
        double rate = 600 + (changes[i].to - changes[i].from) / 100 * 5000;
        int64_t moved = (int64_t)rint(rate);

        if (strcmp(changes[i].change, "effect") != 0)
            continue;
        bench_start(&other, METRIC_BINARY, 0.1, 20, 2);
        lay_rate(&other, 0, 5000, 500);
        lay_rate(&other, 1, 5000, moved);
        decide(&other);
        CHECK_TEXT(other.decision.verdict, changes[i].verdict);
        bench_stop(&other);
        bench_start(&other, METRIC_BINARY, 0.1, 20, 2);
        lay_rate(&other, 0, 5000, 500);
        lay_rate(&other, 1, 5000, moved + (changes[i].to > changes[i].from ? -2 : 2));
        decide(&other);
        CHECK_TEXT(other.decision.verdict, bench.decision.verdict);
        bench_stop(&other);
        checked++;
    }
    CHECK(checked > 0);
    bench_stop(&bench);
}

TEST_MAIN(CASE(verdicts), CASE(looks_that_cannot_be_sized_decide_nothing),
          CASE(looks_that_were_not_planned_and_the_last_one),
          CASE(hybrid_readings_before_and_at_the_end),
          CASE(a_decrease_is_decided_as_an_increase_of_swapped_arms),
          CASE(a_falling_bounce_rate_is_better), CASE(guardrails_and_verdicts),
          CASE(a_win_without_a_threshold), CASE(what_would_change_does_change))
