/*
 * Verdicts with several goals from aggregates that are laid down by hand: a rate and a mean, read
 * at the planned end, where every number of users tells.
 */
#include "live_bench.h"

enum { FURTHER = 10, PLANNED = 4000 };

struct goals_case {
    const char *name;
    int requires, correction;
    double worthwhile; /* of the mean; 0 = not given */
    int64_t n, before, after;
    double gain; /* of the mean, whose deviation is 1 */
    const char *verdict, *headline, *codes;
};

static const struct goals_case goal_cases[] = {
    {"nothing yet", GOALS_ANY, GOALS_HOLM, 0, 100, 10, 10, 0, "keep_running", "keep_running",
     "goals_not_proven info_fraction_incomplete"},
    {"the mean", GOALS_ANY, GOALS_HOLM, 0, PLANNED, 400, 404, .2, "ship", "ship", "goal_proven"},
    {"the mean, in order", GOALS_ANY, GOALS_IN_ORDER, 0, PLANNED, 400, 404, .2, "no_ship",
     "no_effect", "goals_not_proven info_fraction_complete_no_effect"},
    {"both", GOALS_ALL, GOALS_HOLM, 0, PLANNED, 400, 700, .2, "ship", "ship",
     "goal_proven goal_proven"},
    {"one of both", GOALS_ALL, GOALS_HOLM, 0, PLANNED, 400, 440, .2, "no_ship", "no_effect",
     "goals_not_proven info_fraction_complete_no_effect"},
    {"too small", GOALS_ANY, GOALS_HOLM, .5, PLANNED, 400, 404, .2, "no_ship", "gain_too_small",
     "goal_proven goals_below_threshold_proven"},
    {"perhaps too small", GOALS_ANY, GOALS_HOLM, .2, PLANNED, 400, 404, .2, "no_ship",
     "gain_not_proven",
     "goal_proven goals_threshold_uncertain "
     "statistically_positive_but_below_practical_threshold"},
    {"excluded", GOALS_ANY, GOALS_HOLM, .5, 40 * PLANNED, 16000, 16000, 0, "no_ship",
     "no_worthwhile_effect", "goals_worthwhile_effect_excluded"},
    {"worse", GOALS_ANY, GOALS_HOLM, 0, PLANNED, 400, 404, -.2, "no_ship", "worse", "goal_worse"},
    {"better and worse", GOALS_ANY, GOALS_HOLM, 0, PLANNED, 400, 700, -.2, "no_ship", "worse",
     "goal_proven goal_worse"},
};

static void lay_mean(struct bench *bench, int arm, int64_t n, double mean)
{
    lay(bench, FURTHER, LIVE_EVERYBODY, arm, n, n, mean * (double)n, (double)(n - 1));
}

static const char *codes_of(const struct bench *bench)
{
    const struct decision_reason *reasons = bench->decision.reasons.items;
    struct text text;

    text_start(&text, bench->arena, 10000);
    for (size_t i = 0; i < bench->decision.reasons.count; i++)
        text_append_format(&text, "%s%s", i ? " " : "", reasons[i].code);
    return text.bytes;
}

static void decide(struct bench *bench, const struct goals_case *at, int sign)
{
    struct payload_goal mean = {.name = "revenue",
                                .metric_type = METRIC_CONTINUOUS,
                                .direction = sign < 0 ? GOAL_DECREASE : GOAL_INCREASE,
                                .worthwhile_effect = {at->worthwhile > 0, at->worthwhile}};
    struct payload_goals goals = {.further = {1, &mean},
                                  .requires = at->requires,
                                  .correction = at->correction,
                                  .reading = GOALS_PLANNED_END};
    struct live_results_call call;

    bench_start(bench, METRIC_BINARY, 0.1, 20, 2);
    call = (struct live_results_call){locale_get(LANGUAGE_EN), bench->arena, 5000};
    bench->metrics.goals = &goals;
    live_name_entry(bench->arena, &bench->view.metrics, "", "revenue")->number = FURTHER;
    lay_rate(bench, 0, at->n, at->before);
    lay_rate(bench, 1, at->n, at->after);
    lay_mean(bench, 0, at->n, 10);
    lay_mean(bench, 1, at->n, 10 + sign * at->gain);
    live_results_decision(&call, &bench->view, &bench->decision);
}

TEST(verdicts_with_two_goals)
{
    for (size_t i = 0; i < sizeof goal_cases / sizeof goal_cases[0]; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            struct bench bench;

            decide(&bench, &goal_cases[i], sign);
            printf("%s\n", goal_cases[i].name);
            CHECK_TEXT(bench.decision.verdict, goal_cases[i].verdict);
            CHECK_TEXT(bench.decision.headline, goal_cases[i].headline);
            CHECK_TEXT(codes_of(&bench), goal_cases[i].codes);
            bench_stop(&bench);
        }
    }
}

TEST(what_the_policy_of_goals_is_called)
{
    struct bench bench;

    decide(&bench, &goal_cases[1], 1);
    CHECK_TEXT(bench.decision.policy->version, "practical_goals_v1");
    CHECK(bench.decision.what_would_change.count == 0);
    bench_stop(&bench);
}

/* Data that cannot be trusted come before the goals. */
TEST(a_mismatch_outweighs_goals)
{
    const struct decision_reason *blockers;
    struct payload_goal mean = {.name = "revenue", .metric_type = METRIC_CONTINUOUS};
    struct payload_goals goals = {.further = {1, &mean}};
    struct live_results_call call;
    struct bench bench;

    bench_start(&bench, METRIC_BINARY, 0.1, 20, 2);
    call = (struct live_results_call){locale_get(LANGUAGE_EN), bench.arena, 5000};
    bench.metrics.goals = &goals;
    live_name_entry(bench.arena, &bench.view.metrics, "", "revenue")->number = FURTHER;
    lay_rate(&bench, 0, PLANNED, 400);
    lay_rate(&bench, 1, PLANNED / 2, 400);
    lay_mean(&bench, 0, PLANNED, 10);
    lay_mean(&bench, 1, PLANNED / 2, 11);
    live_results_decision(&call, &bench.view, &bench.decision);
    CHECK_TEXT(bench.decision.verdict, "no_ship");
    blockers = bench.decision.blockers.items;
    CHECK(bench.decision.blockers.count == 1);
    CHECK_TEXT(blockers[0].code, "srm_mismatch");
    CHECK_TEXT(bench.decision.headline, "untrustworthy");
    bench_stop(&bench);
}

TEST_MAIN(CASE(verdicts_with_two_goals), CASE(what_the_policy_of_goals_is_called),
          CASE(a_mismatch_outweighs_goals))
