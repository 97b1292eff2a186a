/* Numbers inside sentences. */
#include "experiments/documents/report_print.h"

#include <string.h>

static bool prints_as_zero(const char *text)
{
    return strpbrk(text, "123456789") == NULL;
}

const char *report_print_fixed(struct arena *arena, int decimals, double value)
{
    const char *text = arena_print(arena, "%.*f", decimals, value);

    return text[0] == '-' && prints_as_zero(text) ? text + 1 : text;
}

const char *report_print_signed(struct arena *arena, int decimals, double value)
{
    char *text = arena_print(arena, "%+.*f", decimals, value);

    if (prints_as_zero(text))
        text[0] = '+';
    return text;
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
