/* Verdicts and interpretations: chooses the catalog entry and prints its numbers.
 */
#include "experiments/analyses/report_text.h"

#include "experiments/analyses/report_print.h"

const char *report_alpha(struct arena *arena, const struct test_result *result)
{
    return report_print_fixed(arena, 3, result->alpha);
}

static const char *verdict_key(const struct test_result *result)
{
    if (result->degenerate)
        return "results.verdict.degenerate";
    if (!result->is_significant)
        return "results.verdict.no_difference";
    if (result->effect > 0)
        return result->lower_is_better ? "results.verdict.worse_increase"
                                       : "results.verdict.uplift";
    if (result->effect < 0)
        return result->lower_is_better ? "results.verdict.better_decrease"
                                       : "results.verdict.decline";
    return "results.verdict.significant";
}

const char *report_verdict(const struct locale *locale, struct arena *arena,
                           const struct test_result *result)
{
    return locale_format(locale, arena, verdict_key(result),
                         TEXT_ARGUMENTS({"alpha", report_alpha(arena, result)}));
}

const char *report_degenerate(const struct locale *locale, struct arena *arena)
{
    return locale_format(locale, arena, "results.interpretation.degenerate", NO_TEXT_ARGUMENTS);
}

const char *report_binary_interpretation(const struct locale *locale, struct arena *arena,
                                         const struct test_result *result)
{
    if (result->degenerate)
        return report_degenerate(locale, arena);
    return locale_format(
        locale, arena, "results.interpretation.binary",
        TEXT_ARGUMENTS(
            {"treatment", report_print_fixed(arena, 4, result->treatment_rate_pct.value)},
            {"control", report_print_fixed(arena, 4, result->control_rate_pct.value)},
            {"effect", report_print_signed(arena, 4, result->effect)},
            {"ciLevel", report_print_fixed(arena, 1, 100 * result->ci_level)},
            {"ciLower", report_print_fixed(arena, 4, result->ci_lower)},
            {"ciUpper", report_print_fixed(arena, 4, result->ci_upper)},
            {"pValue", report_print_p_value(arena, result->p_value)},
            {"significance", report_print_significance(locale, arena, result->is_significant)}));
}

const char *report_continuous_interpretation(const struct locale *locale, struct arena *arena,
                                             const struct continuous_observation *observed,
                                             const struct test_result *result)
{
    if (result->degenerate)
        return report_degenerate(locale, arena);
    return locale_format(
        locale, arena, "results.interpretation.continuous",
        TEXT_ARGUMENTS({"treatmentMean", report_print_fixed(arena, 4, observed->treatment_mean)},
                       {"controlMean", report_print_fixed(arena, 4, observed->control_mean)},
                       {"effect", report_print_signed(arena, 4, result->effect)},
                       {"ciLevel", report_print_fixed(arena, 1, 100 * result->ci_level)},
                       {"ciLower", report_print_fixed(arena, 4, result->ci_lower)},
                       {"ciUpper", report_print_fixed(arena, 4, result->ci_upper)},
                       {"pValue", report_print_p_value(arena, result->p_value)}));
}

const char *report_level(struct arena *arena, const struct test_result *result)
{
    return report_print_fixed(arena, 1, 100 * result->ci_level);
}

const char *report_ratio_interpretation(const struct locale *locale, struct arena *arena,
                                        const struct test_result *result)
{
    return locale_format(
        locale, arena, "results.interpretation.ratio",
        TEXT_ARGUMENTS(
            {"treatmentRatio", report_print_fixed(arena, 6, result->treatment_value)},
            {"controlRatio", report_print_fixed(arena, 6, result->control_value)},
            {"effect", report_print_signed(arena, 6, result->effect)},
            {"ciLevel", report_level(arena, result)},
            {"ciLower", report_print_fixed(arena, 6, result->ci_lower)},
            {"ciUpper", report_print_fixed(arena, 6, result->ci_upper)},
            {"pValue", report_print_p_value(arena, result->p_value)},
            {"significance", report_print_significance(locale, arena, result->is_significant)}));
}

const char *report_effect_ratio(const struct locale *locale, struct arena *arena,
                                const struct test_result *result, const char *undefined_key)
{
    if (result->effect_size.given)
        return report_print_fixed(arena, 4, result->effect_size.value);
    return locale_format(locale, arena, undefined_key, NO_TEXT_ARGUMENTS);
}

static const char *odds_ratio_interval_text(const struct locale *locale, struct arena *arena,
                                            const struct test_result *result)
{
    const char *upper = result->effect_size_upper.given
                            ? report_print_fixed(arena, 4, result->effect_size_upper.value)
                            : "∞";

    return locale_format(
        locale, arena, "results.fisher_exact.odds_ratio_midp_ci",
        TEXT_ARGUMENTS({"ciLevel", report_level(arena, result)},
                       {"lower", report_print_fixed(arena, 4, result->effect_size_lower.value)},
                       {"upper", upper}));
}

const char *report_exact_interpretation(const struct locale *locale, struct arena *arena,
                                        const char *key, const struct test_result *result)
{
    const char *ratio =
        report_effect_ratio(locale, arena, result, "results.fisher_exact.odds_ratio_undefined");
    const char *text = locale_format(
        locale, arena, key,
        TEXT_ARGUMENTS(
            {"treatment", report_print_fixed(arena, 4, result->treatment_rate_pct.value)},
            {"control", report_print_fixed(arena, 4, result->control_rate_pct.value)},
            {"effect", report_print_signed(arena, 4, result->effect)}, {"oddsRatio", ratio},
            {"ciLevel", report_level(arena, result)},
            {"ciLower", report_print_fixed(arena, 4, result->ci_lower)},
            {"ciUpper", report_print_fixed(arena, 4, result->ci_upper)},
            {"pValue", report_print_p_value(arena, result->p_value)}));

    if (!result->effect_size_lower.given)
        return text;
    return arena_print(arena, "%s %s", text, odds_ratio_interval_text(locale, arena, result));
}

static const char *const effect_size_keys[EFFECT_SIZE__MAX] = {
    [EFFECT_SIZE_COHENS_D] = "results.effect_size.cohens_d",
    [EFFECT_SIZE_COHENS_DZ] = "results.effect_size.cohens_dz",
    [EFFECT_SIZE_RANK_BISERIAL] = "results.effect_size.rank_biserial",
    [EFFECT_SIZE_ODDS_RATIO] = "results.effect_size.odds_ratio",
    [EFFECT_SIZE_RATE_RATIO] = "results.effect_size.rate_ratio",
};

const char *report_effect_size_label(const struct locale *locale, struct arena *arena,
                                     const struct test_result *result)
{
    const char *key = effect_size_keys[result->effect_size_kind];

    return key ? locale_format(locale, arena, key, NO_TEXT_ARGUMENTS) : NULL;
}

const char *report_srm_verdict(const struct locale *locale, struct arena *arena,
                               const struct srm_result *result)
{
    return locale_format(locale, arena,
                         result->is_srm ? "errors.srm_detected" : "errors.srm_not_detected",
                         NO_TEXT_ARGUMENTS);
}
