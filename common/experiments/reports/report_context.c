/* Labels and numbers of reports. */
#include "experiments/reports/report_context.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

enum { SPLIT_BYTES_MAX = 4096 };

const char *report_label(const struct report_context *context, const char *key)
{
    return locale_format(context->locale, context->arena, key, NO_TEXT_ARGUMENTS);
}

const char *report_metric_type(const struct report_context *context, const char *type)
{
    static const struct {
        const char *type, *key;
    } words[] = {{"binary", "export.metric_binary"},
                 {"continuous", "export.metric_continuous"},
                 {"ratio", "export.metric_ratio"},
                 {"count", "export.metric_count"}};

    for (size_t i = 0; type && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].type, type) == 0)
            return report_label(context, words[i].key);
    return type;
}

const char *report_days(const struct report_context *context, double days)
{
    return locale_format(
        context->locale, context->arena, "export.days_short",
        TEXT_ARGUMENTS({"days", print_thousands(context->arena, (int64_t)ceil(days))}));
}

const char *report_number(const struct report_context *context, double value)
{
    double whole = trunc(value);

    if (!isfinite(value) || fabs(value) >= 0x1p53)
        return arena_print(context->arena, "%.6g", value);
    if (whole == value)
        return print_thousands(context->arena, (int64_t)whole);
    if (fabs(value) < 1000)
        return report_print_fixed(context->arena, 2, value);
    value = number_round(value, 2);
    return arena_print(context->arena, "%s%s",
                       print_thousands(context->arena, (int64_t)trunc(value)),
                       arena_print(context->arena, "%.2f", fabs(value - trunc(value))) + 1);
}

const char *report_probability(const struct report_context *context, double value)
{
    return arena_print(context->arena, "%.4g", value + 0.0);
}

const char *report_split(const struct report_context *context, const struct number_list *split)
{
    struct text text;

    text_start(&text, context->arena, SPLIT_BYTES_MAX);
    text_append_byte(&text, '[');
    for (size_t i = 0; i < split->count; i++)
        text_append_format(&text, i ? ", %.10g" : "%.10g", split->items[i]);
    text_append_byte(&text, ']');
    return text.bytes;
}

void report_start(const struct report_context *context, struct report_document *document,
                  const char *title)
{
    enum language language = locale_language(context->locale);

    document_start(document, context->arena);
    document->language = language_tag(language);
    document->right_to_left = locale_is_right_to_left(context->locale);
    document->title = title && *title ? title : report_label(context, "export.report_title");
    document->mark = "Assay";
    document->none = report_label(context, "export.none");
    document->contents = report_label(context, "export.contents");
}

void report_list(const struct report_context *context, struct report_document *document, int level,
                 const char *key, const struct string_list *texts)
{
    document_heading(document, level, report_label(context, key));
    document_bullets(document, texts);
}
