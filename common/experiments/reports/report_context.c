/* Labels and numbers of reports. */
#include "experiments/reports/report_context.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

enum { SPLIT_BYTES_MAX = 4096 };

#define P_VALUE_LEAST 1e-4

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

static const char *isolated(const struct report_context *context, const char *text)
{
    return report_print_isolated(context->locale, context->arena, text);
}

static const char *with_unit(const struct report_context *context, bool rate, const char *number)
{
    if (!rate)
        return number;
    return locale_format(context->locale, context->arena, "live.points_short",
                         TEXT_ARGUMENTS({"value", number}));
}

static const char *signed_number(const struct report_context *context, double size, double value)
{
    return isolated(context, print_difference(context->arena, true, size, value));
}

const char *report_difference(const struct report_context *context, bool rate, double size,
                              double value)
{
    return with_unit(context, rate, signed_number(context, size, value));
}

const char *report_range(const struct report_context *context, bool rate, double lower,
                         double upper)
{
    double size = fmax(fabs(lower), fabs(upper));

    return locale_format(
        context->locale, context->arena, "live.range",
        TEXT_ARGUMENTS({"lower", signed_number(context, size, lower)},
                       {"upper", with_unit(context, rate, signed_number(context, size, upper))}));
}

const char *report_relative(const struct report_context *context, struct optional_number percent)
{
    if (!percent.given)
        return "-";
    return isolated(context,
                    arena_print(context->arena, "%s%%",
                                report_print_percent(context->arena, true, percent.value)));
}

const char *report_percent(const struct report_context *context, double percent)
{
    return isolated(context, arena_print(context->arena, "%s%%",
                                         report_print_percent(context->arena, false, percent)));
}

const char *report_p_value(const struct report_context *context, double p_value)
{
    return isolated(context, p_value < P_VALUE_LEAST
                                 ? "< 0.0001"
                                 : arena_print(context->arena, "%.2g", p_value));
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

const char *report_arm_name(const struct report_context *context, int64_t arm)
{
    const char *letter = arena_print(context->arena, "%c", (char)('A' + arm));

    return locale_format(context->locale, context->arena,
                         arm == 0 ? "export.arm_control" : "export.arm_variant",
                         TEXT_ARGUMENTS({"letter", letter}));
}
