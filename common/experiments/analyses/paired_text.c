/* Interpretations of tests on pairs: chooses the catalog entry and prints its arguments. */
#include "experiments/analyses/paired_text.h"

#include "experiments/analyses/report_print.h"

static const char *const effect_keys[PAIRED_TEST__MAX] = {
    [PAIRED_TEST_T] = "results.paired.effect.mean_difference",
    [PAIRED_TEST_WILCOXON] = "results.paired.effect.pseudomedian",
    [PAIRED_TEST_MCNEMAR] = "results.paired.effect.proportion_difference",
};

const char *paired_effect_label(const struct locale *locale, struct arena *arena,
                                enum paired_test test)
{
    return locale_format(locale, arena, effect_keys[test], NO_TEXT_ARGUMENTS);
}

static const char *word_t(const struct locale *locale, struct arena *arena,
                          const struct paired_result *result)
{
    const struct test_result *test = &result->test;

    return locale_format(
        locale, arena, "results.interpretation.paired_t",
        TEXT_ARGUMENTS({"treatmentMean", report_print_fixed(arena, 4, test->treatment_value)},
                       {"controlMean", report_print_fixed(arena, 4, test->control_value)},
                       {"meanDiff", report_print_signed(arena, 4, test->effect)},
                       {"ciLevel", report_print_fixed(arena, 1, 100 * test->ci_level)},
                       {"ciLower", report_print_fixed(arena, 4, test->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, 4, test->ci_upper)},
                       {"tStat", report_print_fixed(arena, 4, test->statistic)},
                       {"df", report_print_count(arena, (int64_t)test->degrees_of_freedom)},
                       {"cohenDz", report_print_fixed(arena, 4, test->effect_size.value)},
                       {"pValue", report_print_p_value(arena, test->p_value)}));
}

static const char *word_wilcoxon(const struct locale *locale, struct arena *arena,
                                 const struct paired_result *result)
{
    const struct test_result *test = &result->test;
    int64_t ranked = result->pairs - result->zero_differences;

    return locale_format(
        locale, arena, "results.interpretation.wilcoxon",
        TEXT_ARGUMENTS({"pseudomedian", report_print_signed(arena, 4, test->effect)},
                       {"ciLevel", report_print_fixed(arena, 1, 100 * test->ci_level)},
                       {"ciLower", report_print_fixed(arena, 4, test->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, 4, test->ci_upper)},
                       {"wStat", report_print_fixed(arena, 1, test->statistic)},
                       {"nNonzero", report_print_count(arena, ranked)},
                       {"nZero", report_print_count(arena, result->zero_differences)},
                       {"rankBiserial", report_print_fixed(arena, 4, test->effect_size.value)},
                       {"pValue", report_print_p_value(arena, test->p_value)}));
}

static const char *word_odds_ratio(const struct locale *locale, struct arena *arena,
                                   const struct test_result *test)
{
    if (test->effect_size.given)
        return report_print_fixed(arena, 4, test->effect_size.value);
    return locale_format(locale, arena, "results.mcnemar.odds_ratio_undefined", NO_TEXT_ARGUMENTS);
}

static const char *word_mcnemar(const struct locale *locale, struct arena *arena,
                                const struct paired_result *result)
{
    const struct test_result *test = &result->test;
    const char *method =
        result->exact ? "results.mcnemar.method_exact" : "results.mcnemar.method_chi_square";

    return locale_format(
        locale, arena, "results.interpretation.mcnemar",
        TEXT_ARGUMENTS(
            {"b", report_print_count(arena, result->positive)},
            {"c", report_print_count(arena, result->negative)},
            {"nDiscordant", report_print_count(arena, result->positive + result->negative)},
            {"proportionDiff", report_print_signed(arena, 4, 100 * test->effect)},
            {"ciLevel", report_print_fixed(arena, 1, 100 * test->ci_level)},
            {"ciLower", report_print_fixed(arena, 4, 100 * test->ci_lower)},
            {"ciUpper", report_print_fixed(arena, 4, 100 * test->ci_upper)},
            {"oddsRatio", word_odds_ratio(locale, arena, test)},
            {"method", locale_format(locale, arena, method, NO_TEXT_ARGUMENTS)},
            {"pValue", report_print_p_value(arena, test->p_value)}));
}

const char *paired_interpretation(const struct locale *locale, struct arena *arena,
                                  enum paired_test test, const struct paired_result *result)
{
    static const char *(*const words[PAIRED_TEST__MAX])(const struct locale *, struct arena *,
                                                        const struct paired_result *) = {
        [PAIRED_TEST_T] = word_t,
        [PAIRED_TEST_WILCOXON] = word_wilcoxon,
        [PAIRED_TEST_MCNEMAR] = word_mcnemar,
    };

    return words[test](locale, arena, result);
}
