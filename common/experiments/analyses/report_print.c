/* Numbers inside sentences. */
#include "experiments/analyses/report_print.h"

#include "base/number.h"

#include <math.h>

enum { TEXT_DIGITS = 3, P_VALUE_DECIMALS = 6, P_VALUE_DIGITS = 2 };

#define P_VALUE_LEAST 1e-4

/* What a text may be off, of its number, and still show three digits of it. */
#define TEXT_ERROR_MAX 5e-4

static bool shows(const char *text, double value)
{
    double read;

    return number_parse(text, &read) && fabs(read - value) <= TEXT_ERROR_MAX * fabs(value);
}

/* 0 and -0 read alike. */
static const char *print_figure(struct arena *arena, bool sign, int decimals, int digits,
                                double value)
{
    const char *text;

    value += 0.0;
    text = arena_print(arena, sign ? "%+.*f" : "%.*f", decimals, value);
    if (!number_is_coarse(value, decimals) || shows(text, value))
        return text;
    return arena_print(arena, sign ? "%+.*g" : "%.*g", digits, value);
}

const char *report_print_fixed(struct arena *arena, int decimals, double value)
{
    return print_figure(arena, false, decimals, TEXT_DIGITS, value);
}

const char *report_print_signed(struct arena *arena, int decimals, double value)
{
    return print_figure(arena, true, decimals, TEXT_DIGITS, value);
}

const char *report_print_p_value(struct arena *arena, double p_value)
{
    if (p_value == 0)
        return "<1e-307";
    return print_figure(arena, false, P_VALUE_DECIMALS, P_VALUE_DIGITS, p_value);
}

const char *report_print_percent(struct arena *arena, bool sign, double percent)
{
    if (fabs(percent) < 1)
        return arena_print(arena, sign ? "%+.2g" : "%.2g", percent + 0.0);
    return arena_print(arena, sign ? "%+.1f" : "%.1f", percent);
}

const char *report_print_p_relation(struct arena *arena, double p_value)
{
    return p_value < P_VALUE_LEAST ? "< 0.0001" : arena_print(arena, "= %.2g", p_value);
}

const char *report_print_isolated(const struct locale *locale, struct arena *arena,
                                  const char *text)
{
    return locale_is_right_to_left(locale) ? arena_print(arena, "\u2066%s\u2069", text) : text;
}

const char *report_print_count(struct arena *arena, int64_t count)
{
    return arena_print(arena, "%lld", (long long)count);
}

const char *report_print_significance(const struct locale *locale, struct arena *arena,
                                      bool significant)
{
    const char *key =
        significant ? "results.significance.significant" : "results.significance.not_significant";

    return locale_format(locale, arena, key, NO_TEXT_ARGUMENTS);
}
