/* One small function per block. */
#include "experiments/analyses/results_evidence.h"

#include "base/number.h"
#include "experiments/analyses/report_print.h"
#include "experiments/design/rules.h"

#include <math.h>

enum { RATIO_DECIMALS = 4 };

static const struct results_conventions conventions[ANALYZER__MAX] = {
    [ANALYZER_BINARY] = {"treatment_minus_control", "percentage_points", "two_proportion_z",
                         "pooled", "two_sided_normal", "wald_unpooled", NULL},
    [ANALYZER_CONTINUOUS] = {"treatment_minus_control", "metric_unit", "welch_t", "unpooled",
                             "two_sided_t", "welch_t", NULL},
    [ANALYZER_EQUIVALENCE] = {"treatment_minus_control", "metric_unit", "two_one_sided_welch_t",
                              "unpooled", "larger_of_two_one_sided_t", "welch_t_1_minus_2_alpha",
                              "treatment_minus_control"},
    [ANALYZER_MANN_WHITNEY] = {"treatment_minus_control", "metric_unit", "mann_whitney_u", NULL,
                               "two_sided_normal_continuity_corrected", "hodges_lehmann_normal",
                               "treatment_minus_control"},
    [ANALYZER_BOOTSTRAP] = {"treatment_minus_control", "metric_unit", "permutation_of_means", NULL,
                            "two_sided_permutation", "bootstrap_percentile",
                            "treatment_minus_control"},
    [ANALYZER_QUANTILE] = {"treatment_minus_control", "metric_unit", "permutation_of_quantiles",
                           NULL, "two_sided_permutation", "bootstrap_percentile", NULL},
    [ANALYZER_TRIMMED_T] = {"treatment_minus_control", "metric_unit", "yuen_welch_t", "winsorised",
                            "two_sided_t", "yuen_welch_t", NULL},
    [ANALYZER_FISHER_EXACT] = {"treatment_minus_control", "percentage_points", "fisher_exact", NULL,
                               "exact_no_likelier_tables", "newcombe_score",
                               "control_over_treatment"},
    [ANALYZER_BOSCHLOO_EXACT] = {"treatment_minus_control", "percentage_points", "boschloo_exact",
                                 NULL, "exact_twice_smaller_side", "newcombe_score",
                                 "control_over_treatment"},
    [ANALYZER_BARNARD_EXACT] = {"treatment_minus_control", "percentage_points", "barnard_exact",
                                "pooled", "exact_two_sided", "newcombe_score",
                                "control_over_treatment"},
    [ANALYZER_COUNT] = {"treatment_minus_control", "events_per_exposure", "conditional_binomial",
                        NULL, "exact_no_likelier_outcomes", "wald_unpooled",
                        "treatment_over_control"},
};

static const struct results_conventions ratio_conventions = {
    "treatment_minus_control", "metric_unit", "delta_method_z", "unpooled", "two_sided_normal",
    "delta_method_z",          NULL};

static bool is_analyzer(const struct evidence *evidence, enum analyzer analyzer)
{
    return evidence->observed && evidence->observed->metric_type == (int)analyzer;
}

static const struct results_conventions *follow(const struct evidence *evidence)
{
    struct results_conventions *told;

    if (!evidence->observed)
        return &ratio_conventions;
    told = ARENA_NEW(evidence->arena, struct results_conventions);
    *told = conventions[evidence->observed->metric_type];
    if (evidence->exact_ranks)
        told->p_value = "exact_twice_smaller_tail";
    return told;
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

/* Without a control value of 0 the relative effect is a number, also where its interval is none. */
const struct results_lift *results_lift_of(const struct test_result *test, struct arena *arena)
{
    const struct relative_lift *lift = &test->relative_lift;
    struct results_lift *told = ARENA_NEW(arena, struct results_lift);

    *told = (struct results_lift){.method = lifts[lift->interval].method,
                                  .reason = lifts[lift->interval].reason};
    if (test->degenerate) {
        told->reason = "degenerate";
        return told;
    }
    told->value_pct = results_relative_effect(test);
    if (test->control_is_zero)
        told->reason = lifts[RELATIVE_OF_ZERO].reason;
    if (told->method) {
        told->ci_lower_pct = GIVEN_NUMBER(lift->lower_pct);
        told->ci_upper_pct = GIVEN_NUMBER(lift->upper_pct);
    }
    return told;
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

/* Equivalence asks the other way round: inside the margin is significant. */
static bool interval_agrees(const struct evidence *evidence)
{
    const struct test_result *test = evidence->test;

    if (test->degenerate)
        return true;
    if (is_analyzer(evidence, ANALYZER_EQUIVALENCE)) {
        double margin = evidence->observed->continuous->equivalence_margin.value;

        return (test->ci_lower > -margin && test->ci_upper < margin) == test->is_significant;
    }
    return leaves_out(test->ci_lower, test->ci_upper, 0) == test->is_significant;
}

static bool test_interval_agrees(const struct evidence *evidence)
{
    const struct test_interval *interval = &evidence->test->test_interval;
    double lower = interval->lower.given ? interval->lower.value : -INFINITY;
    double upper = interval->upper.given ? interval->upper.value : INFINITY;

    if (interval->kind == TEST_INTERVAL_EFFECT)
        return interval_agrees(evidence);
    return leaves_out(lower, upper, intervals[interval->kind].no_effect) ==
           evidence->test->is_significant;
}

static bool is_ratio(const struct test_interval *interval)
{
    return intervals[interval->kind].no_effect != 0;
}

static int decimals_of(const struct evidence *evidence)
{
    return is_ratio(&evidence->test->test_interval) ? RATIO_DECIMALS : evidence->decimals;
}

static struct optional_number rounded_end(struct optional_number end, int decimals)
{
    return end.given ? GIVEN_NUMBER(number_round_figure(end.value, decimals)) : end;
}

static const struct results_test_interval *test_interval_of(const struct evidence *evidence)
{
    const struct test_interval *interval = &evidence->test->test_interval;
    struct results_test_interval *told = ARENA_NEW(evidence->arena, struct results_test_interval);

    if (interval->kind == TEST_INTERVAL_NONE) {
        told->reason = evidence->test->degenerate ? "degenerate" : "not_inverted";
        return told;
    }
    *told = (struct results_test_interval){
        .of = intervals[interval->kind].of,
        .lower = rounded_end(interval->lower, decimals_of(evidence)),
        .upper = rounded_end(interval->upper, decimals_of(evidence)),
        .no_effect = GIVEN_NUMBER(intervals[interval->kind].no_effect),
        .method = intervals[interval->kind].method,
        .agrees = {.given = true, .value = test_interval_agrees(evidence)}};
    return told;
}

static const char *print_end(const struct evidence *evidence, struct optional_number end,
                             const char *unbounded)
{
    return end.given ? report_print_fixed(evidence->arena, decimals_of(evidence), end.value)
                     : unbounded;
}

/* What a reader of "significant" beside an interval with no effect in it is to make of it. */
static const char *explain(const struct evidence *evidence)
{
    const struct test_interval *interval = &evidence->test->test_interval;
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

/* Expected under one common rate; the smallest of the four cells. */
static double expected_least(const struct binary_observation *observed)
{
    double n1 = (double)observed->control_users, n2 = (double)observed->treatment_users;
    double with = (double)observed->control_conversions + (double)observed->treatment_conversions;

    return fmin(with, n1 + n2 - with) * (fmin(n1, n2) / (n1 + n2));
}

static const char *small_tables(const struct evidence *evidence)
{
    return expected_least(evidence->observed->binary) < EVIDENCE_EXPECTED_MIN
               ? "results.small_counts.conversions"
               : NULL;
}

static const char *small_means(const struct evidence *evidence)
{
    const struct continuous_observation *observed = evidence->observed->continuous;

    return observed->control_n < EVIDENCE_VALUES_MIN || observed->treatment_n < EVIDENCE_VALUES_MIN
               ? "results.small_counts.values"
               : NULL;
}

static double smaller_arm(const struct evidence *evidence)
{
    const struct ranked_observation *observed = evidence->observed->ranked;

    return fmin((double)observed->control_values.count, (double)observed->treatment_values.count);
}

static const char *small_ranks(const struct evidence *evidence)
{
    return !evidence->exact_ranks && smaller_arm(evidence) < EVIDENCE_RANKS_MIN
               ? "results.small_counts.ranks"
               : NULL;
}

static const char *small_resamples(const struct evidence *evidence)
{
    return smaller_arm(evidence) < EVIDENCE_RESAMPLED_MIN ? "results.small_counts.resamples" : NULL;
}

static const char *small_tails(const struct evidence *evidence)
{
    double quantile = evidence->observed->ranked->quantile;
    double beyond = smaller_arm(evidence) * fmin(quantile, 1 - quantile);

    return beyond < EVIDENCE_EXPECTED_MIN ? "results.small_counts.resamples"
                                          : small_resamples(evidence);
}

static const char *small_trimmed(const struct evidence *evidence)
{
    return evidence->smallest_effective < EVIDENCE_VALUES_MIN ? "results.small_counts.values"
                                                              : NULL;
}

static const char *small_events(const struct evidence *evidence)
{
    const struct count_observation *observed = evidence->observed->count;

    return observed->control_events < EVIDENCE_EVENTS_MIN ||
                   observed->treatment_events < EVIDENCE_EVENTS_MIN
               ? "results.small_counts.events"
               : NULL;
}

/* The key of the text, or NULL. Exact tests take any counts. */
static const char *(*const small[ANALYZER__MAX])(const struct evidence *) = {
    [ANALYZER_BINARY] = small_tables,       [ANALYZER_CONTINUOUS] = small_means,
    [ANALYZER_EQUIVALENCE] = small_means,   [ANALYZER_MANN_WHITNEY] = small_ranks,
    [ANALYZER_BOOTSTRAP] = small_resamples, [ANALYZER_QUANTILE] = small_tails,
    [ANALYZER_TRIMMED_T] = small_trimmed,   [ANALYZER_COUNT] = small_events,
};

static struct object_list warn(const struct evidence *evidence)
{
    struct warning *warning = ARENA_NEW(evidence->arena, struct warning);
    const char *key = NULL;

    if (!evidence->test->degenerate && evidence->observed && small[evidence->observed->metric_type])
        key = small[evidence->observed->metric_type](evidence);
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

    answer->relative_lift = results_lift_of(evidence->test, evidence->arena);
    answer->conventions = follow(evidence);
    answer->test_interval = test_interval_of(evidence);
    answer->interval_agrees = (struct optional_boolean){.given = true, .value = agrees};
    answer->warnings = warn(evidence);
    if (!agrees)
        answer->interpretation =
            arena_print(evidence->arena, "%s %s", answer->interpretation, explain(evidence));
}
