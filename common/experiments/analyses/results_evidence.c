/* One small function per block of the answer. */
#include "experiments/analyses/results_evidence.h"

#include "base/number.h"
#include "experiments/analyses/report_print.h"
#include "experiments/design/rules.h"

#include <math.h>

enum { RATIO_DECIMALS = 4 };

static const struct results_conventions *conventions_of(const struct evidence *evidence)
{
    struct results_conventions *conventions =
        ARENA_NEW(evidence->arena, struct results_conventions);

    *conventions = evidence->analyzer->conventions;
    if (evidence->finding->p_value_convention)
        conventions->p_value = evidence->finding->p_value_convention;
    return conventions;
}

static const struct {
    const char *method, *reason;
} lifts[RELATIVE__MAX] = {
    [RELATIVE_NOT_COMPUTED] = {NULL, "not_for_this_analyzer"},
    [RELATIVE_DELTA] = {"delta", NULL},
    [RELATIVE_FIELLER] = {"fieller", NULL},
    [RELATIVE_LOG_DELTA] = {"log_delta", NULL},
    [RELATIVE_SCORE] = {"koopman_score", NULL},
    [RELATIVE_CONDITIONAL] = {"conditional_exact", NULL},
    [RELATIVE_OF_ZERO] = {NULL, "control_is_zero"},
    [RELATIVE_UNBOUNDED] = {NULL, "control_not_away_from_zero"},
    [RELATIVE_TOO_LARGE] = {NULL, "too_large"},
};

/* If the control value is not 0, the relative effect is a number, even without an interval. */
const struct results_lift *results_lift_of(const struct test_result *test, struct arena *arena)
{
    const struct relative_lift *lift = &test->relative_lift;
    struct results_lift *answer = ARENA_NEW(arena, struct results_lift);

    *answer = (struct results_lift){.method = lifts[lift->interval].method,
                                    .reason = lifts[lift->interval].reason};
    if (test->degenerate) {
        answer->reason = "degenerate";
        return answer;
    }
    answer->value_pct = results_relative_effect(test);
    if (test->control_is_zero)
        answer->reason = lifts[RELATIVE_OF_ZERO].reason;
    if (answer->method) {
        answer->ci_lower_pct = GIVEN_NUMBER(lift->lower_pct);
        answer->ci_upper_pct = GIVEN_NUMBER(lift->upper_pct);
    }
    return answer;
}

static const struct {
    const char *of, *method, *name_key;
    double no_effect;
} intervals[TEST_INTERVAL__MAX] = {
    [TEST_INTERVAL_EFFECT] = {"difference", "same_as_ci", "results.interval.difference", 0},
    [TEST_INTERVAL_SCORE] = {"difference", "mee_score", "results.interval.difference_pp", 0},
    [TEST_INTERVAL_RANKS] = {"shift", "inverted_rank_sum", "results.interval.shift", 0},
    [TEST_INTERVAL_PERMUTATION] = {"shift", "inverted_permutation", "results.interval.shift", 0},
    [TEST_INTERVAL_ODDS_RATIO] = {"odds_ratio", "conditional_exact", "results.interval.odds_ratio",
                                  1},
    [TEST_INTERVAL_RATE_RATIO] = {"rate_ratio", "conditional_exact", "results.interval.rate_ratio",
                                  1},
};

static bool leaves_out(double lower, double upper, double value)
{
    return value < lower || value > upper;
}

static bool interval_agrees(const struct evidence *evidence)
{
    const struct test_result *test = &evidence->finding->test;

    if (test->degenerate)
        return true;
    if (evidence->analyzer->interval_agrees)
        return evidence->analyzer->interval_agrees(evidence->observed, test);
    return leaves_out(test->ci_lower, test->ci_upper, 0) == test->is_significant;
}

static bool test_interval_agrees(const struct evidence *evidence)
{
    const struct test_interval *interval = &evidence->finding->test.test_interval;
    double lower = interval->lower.given ? interval->lower.value : -INFINITY;
    double upper = interval->upper.given ? interval->upper.value : INFINITY;

    if (interval->kind == TEST_INTERVAL_EFFECT)
        return interval_agrees(evidence);
    return leaves_out(lower, upper, intervals[interval->kind].no_effect) ==
           evidence->finding->test.is_significant;
}

static bool is_ratio(const struct test_interval *interval)
{
    return intervals[interval->kind].no_effect != 0;
}

static int decimals_of(const struct evidence *evidence)
{
    return is_ratio(&evidence->finding->test.test_interval) ? RATIO_DECIMALS
                                                            : evidence->analyzer->decimals;
}

static struct optional_number rounded_end(struct optional_number end, int decimals)
{
    return end.given ? GIVEN_NUMBER(number_round_figure(end.value, decimals)) : end;
}

static const struct results_test_interval *test_interval_of(const struct evidence *evidence)
{
    const struct test_interval *interval = &evidence->finding->test.test_interval;
    struct results_test_interval *answer = ARENA_NEW(evidence->arena, struct results_test_interval);

    if (interval->kind == TEST_INTERVAL_NONE) {
        answer->reason = evidence->finding->test.degenerate ? "degenerate" : "not_inverted";
        return answer;
    }
    *answer = (struct results_test_interval){
        .of = intervals[interval->kind].of,
        .lower = rounded_end(interval->lower, decimals_of(evidence)),
        .upper = rounded_end(interval->upper, decimals_of(evidence)),
        .no_effect = GIVEN_NUMBER(intervals[interval->kind].no_effect),
        .method = intervals[interval->kind].method,
        .agrees = {.given = true, .value = test_interval_agrees(evidence)}};
    return answer;
}

static const char *print_end(const struct evidence *evidence, struct optional_number end,
                             const char *unbounded)
{
    return end.given ? report_print_fixed(evidence->arena, decimals_of(evidence), end.value)
                     : unbounded;
}

/* The sentence for a significant result whose displayed interval contains no effect. */
static const char *explain(const struct evidence *evidence)
{
    const struct test_interval *interval = &evidence->finding->test.test_interval;
    const char *key = "results.interval.agrees";

    if (interval->kind == TEST_INTERVAL_NONE || interval->kind == TEST_INTERVAL_EFFECT)
        return locale_format(evidence->locale, evidence->arena, "results.interval.not_inverted",
                             NO_TEXT_ARGUMENTS);
    if (!test_interval_agrees(evidence))
        key = interval->kind == TEST_INTERVAL_RANKS ? "results.interval.ends_at_zero"
                                                    : "results.interval.differs";
    return locale_format(
        evidence->locale, evidence->arena, key,
        TEXT_ARGUMENTS(
            {"quantity", locale_format(evidence->locale, evidence->arena,
                                       intervals[interval->kind].name_key, NO_TEXT_ARGUMENTS)},
            {"lower", print_end(evidence, interval->lower, is_ratio(interval) ? "0" : "-∞")},
            {"upper", print_end(evidence, interval->upper, "∞")}));
}

static struct object_list warn(const struct evidence *evidence)
{
    struct warning *warning = ARENA_NEW(evidence->arena, struct warning);
    const char *key = evidence->finding->test.degenerate ? NULL : evidence->finding->small_counts;

    if (key)
        *warning = (struct warning){
            .code = "SMALL_COUNTS",
            .severity = "medium",
            .message = locale_format(evidence->locale, evidence->arena, key, NO_TEXT_ARGUMENTS),
            .source = "rules_engine"};
    return (struct object_list){key != NULL, warning};
}

void evidence_add(const struct evidence *evidence, struct results_reply *answer)
{
    bool agrees = interval_agrees(evidence);

    answer->relative_lift = results_lift_of(&evidence->finding->test, evidence->arena);
    answer->conventions = conventions_of(evidence);
    answer->test_interval = test_interval_of(evidence);
    answer->interval_agrees = (struct optional_boolean){.given = true, .value = agrees};
    answer->warnings = warn(evidence);
    if (!agrees)
        answer->interpretation =
            arena_print(evidence->arena, "%s %s", answer->interpretation, explain(evidence));
}
