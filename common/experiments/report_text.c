/* Verdicts and interpretations: picks the catalogue entry and prints the numbers that go into it.
 */
#include "experiments/report_text.h"

#include <string.h>

/* A result that rounds to nothing shows no minus sign. */
static bool prints_as_zero(const char *text)
{
    return strpbrk(text, "123456789") == NULL;
}

static const char *print_fixed(struct arena *arena, int decimals, double value)
{
    const char *text = arena_print(arena, "%.*f", decimals, value);

    return text[0] == '-' && prints_as_zero(text) ? text + 1 : text;
}

static const char *print_signed(struct arena *arena, int decimals, double value)
{
    char *text = arena_print(arena, "%+.*f", decimals, value);

    if (prints_as_zero(text))
        text[0] = '+';
    return text;
}

static const char *print_alpha(struct arena *arena, const struct test_result *result)
{
    return print_fixed(arena, 3, result->alpha);
}

static const char *verdict_key(const struct test_result *result)
{
    if (result->degenerate)
        return "results.verdict.degenerate";
    if (!result->is_significant)
        return "results.verdict.no_difference";
    if (result->effect > 0)
        return "results.verdict.uplift";
    if (result->effect < 0)
        return "results.verdict.decline";
    return "results.verdict.significant";
}

const char *report_verdict(const struct locale *locale, struct arena *arena,
                           const struct test_result *result)
{
    return locale_format(locale, arena, verdict_key(result),
                         TEXT_ARGUMENTS({"alpha", print_alpha(arena, result)}));
}

static const char *significance(const struct locale *locale, struct arena *arena,
                                const struct test_result *result)
{
    const char *key = result->is_significant ? "results.significance.significant"
                                             : "results.significance.not_significant";

    return locale_format(locale, arena, key, NO_TEXT_ARGUMENTS);
}

static const char *degenerate_interpretation(const struct locale *locale, struct arena *arena)
{
    return locale_format(locale, arena, "results.interpretation.degenerate", NO_TEXT_ARGUMENTS);
}

const char *report_binary_interpretation(const struct locale *locale, struct arena *arena,
                                         const struct test_result *result)
{
    if (result->degenerate)
        return degenerate_interpretation(locale, arena);
    return locale_format(
        locale, arena, "results.interpretation.binary",
        TEXT_ARGUMENTS({"treatment", print_fixed(arena, 4, result->treatment_rate_pct.value)},
                       {"control", print_fixed(arena, 4, result->control_rate_pct.value)},
                       {"effect", print_signed(arena, 4, result->effect)},
                       {"ciLevel", print_fixed(arena, 1, 100 * result->ci_level)},
                       {"ciLower", print_fixed(arena, 4, result->ci_lower)},
                       {"ciUpper", print_fixed(arena, 4, result->ci_upper)},
                       {"pValue", print_fixed(arena, 6, result->p_value)},
                       {"significance", significance(locale, arena, result)}));
}

const char *report_continuous_interpretation(const struct locale *locale, struct arena *arena,
                                             const struct continuous_observation *observed,
                                             const struct test_result *result)
{
    if (result->degenerate)
        return degenerate_interpretation(locale, arena);
    return locale_format(
        locale, arena, "results.interpretation.continuous",
        TEXT_ARGUMENTS({"treatmentMean", print_fixed(arena, 4, observed->treatment_mean)},
                       {"controlMean", print_fixed(arena, 4, observed->control_mean)},
                       {"effect", print_signed(arena, 4, result->effect)},
                       {"ciLevel", print_fixed(arena, 1, 100 * result->ci_level)},
                       {"ciLower", print_fixed(arena, 4, result->ci_lower)},
                       {"ciUpper", print_fixed(arena, 4, result->ci_upper)},
                       {"pValue", print_fixed(arena, 6, result->p_value)}));
}

const char *report_srm_verdict(const struct locale *locale, struct arena *arena,
                               const struct srm_result *result)
{
    return locale_format(locale, arena,
                         result->is_srm ? "errors.srm_detected" : "errors.srm_not_detected",
                         NO_TEXT_ARGUMENTS);
}
