/* Words and figures of reports. */
#include "experiments/reports/desk.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

enum { SPLIT_BYTES_MAX = 4096 };

const char *desk_word(const struct report_desk *desk, const char *key)
{
    return locale_format(desk->locale, desk->arena, key, NO_TEXT_ARGUMENTS);
}

const char *desk_metric_type(const struct report_desk *desk, const char *type)
{
    static const struct {
        const char *type, *key;
    } words[] = {{"binary", "export.metric_binary"},
                 {"continuous", "export.metric_continuous"},
                 {"ratio", "export.metric_ratio"},
                 {"count", "export.metric_count"}};

    for (size_t i = 0; type && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].type, type) == 0)
            return desk_word(desk, words[i].key);
    return type;
}

const char *desk_days(const struct report_desk *desk, double days)
{
    return locale_format(
        desk->locale, desk->arena, "export.days_short",
        TEXT_ARGUMENTS({"days", print_thousands(desk->arena, (int64_t)ceil(days))}));
}

const char *desk_figure(const struct report_desk *desk, double value)
{
    double whole = trunc(value);

    if (!isfinite(value) || fabs(value) >= 0x1p53)
        return arena_print(desk->arena, "%.6g", value);
    if (whole == value)
        return print_thousands(desk->arena, (int64_t)whole);
    if (fabs(value) < 1000)
        return report_print_fixed(desk->arena, 2, value);
    value = number_round(value, 2);
    return arena_print(desk->arena, "%s%s", print_thousands(desk->arena, (int64_t)trunc(value)),
                       arena_print(desk->arena, "%.2f", fabs(value - trunc(value))) + 1);
}

const char *desk_small(const struct report_desk *desk, double value)
{
    return arena_print(desk->arena, "%.4g", value + 0.0);
}

const char *desk_split(const struct report_desk *desk, const struct number_list *split)
{
    struct text text;

    text_start(&text, desk->arena, SPLIT_BYTES_MAX);
    text_append_byte(&text, '[');
    for (size_t i = 0; i < split->count; i++)
        text_append_format(&text, i ? ", %.10g" : "%.10g", split->items[i]);
    text_append_byte(&text, ']');
    return text.bytes;
}

void desk_start(const struct report_desk *desk, struct folio *document, const char *title)
{
    enum language language = locale_language(desk->locale);

    folio_start(document, desk->arena);
    document->language = language_tags[language];
    document->right_to_left = language == LANGUAGE_AR;
    document->title = title && *title ? title : desk_word(desk, "export.report_title");
    document->mark = "Assay";
    document->none = desk_word(desk, "export.none");
    document->contents = desk_word(desk, "export.contents");
}

void desk_list(const struct report_desk *desk, struct folio *document, int level, const char *key,
               const struct string_list *texts)
{
    folio_heading(document, level, desk_word(desk, key));
    folio_list(document, texts);
}
