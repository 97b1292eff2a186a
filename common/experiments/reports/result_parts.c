/* Composes what stands beside the verdict in the report of a result. */
#include "experiments/reports/result_parts.h"

#include "experiments/analyses/adjusted_analysis.h"

#include <math.h>
#include <string.h>

enum { SEGMENTS_SHOWN = 60 };

static const double percent = 100;
static const char dash[] = "\xE2\x80\x93";

static void add_head(const struct report_context *context, struct report_document *document,
                     const char *const *keys, size_t count)
{
    document_begin(document, BLOCK_TABLE, count);
    for (size_t i = 0; i < count; i++)
        document_add(document, report_label(context, keys[i]));
}

/* An effect with the decimals of its interval. */
static const char *effect_text(const struct report_context *context, bool rate,
                               const struct adjusted_effect *effect)
{
    return report_difference(context, rate, fmax(fabs(effect->ci_lower), fabs(effect->ci_upper)),
                             effect->effect);
}

static void add_adjusted_row(const struct report_context *context, bool rate,
                             const struct adjusted_comparison *one,
                             struct report_document *document)
{
    const struct adjusted_effect *adjusted = one->adjusted;

    document_add(document, report_arm_name(context, one->treatment_index));
    document_add(document, effect_text(context, rate, adjusted));
    document_add(document, report_range(context, rate, adjusted->ci_lower, adjusted->ci_upper));
    document_add(document, report_p_value(context, adjusted->p_value));
    document_add(document, one->unadjusted ? effect_text(context, rate, one->unadjusted) : dash);
    document_add(document, one->variance_reduction_pct.given
                               ? report_percent(context, one->variance_reduction_pct.value)
                               : dash);
}

void result_add_adjusted(const struct report_context *context, const struct live_stats *stats,
                         struct report_document *document)
{
    static const char *const keys[] = {"export.variant",         "export.adjusted_effect",
                                       "export.result_interval", "export.p_value",
                                       "export.plain_effect",    "export.variance_reduction"};
    const struct adjusted_reply *analysis = stats->adjusted->analysis;
    const struct adjusted_comparison *items = analysis ? analysis->comparisons.items : NULL;
    bool begun = false;

    for (size_t i = 0; analysis && i < analysis->comparisons.count; i++) {
        if (!items[i].adjusted)
            continue;
        if (!begun) {
            document_heading(document, 2, report_label(context, "export.adjusted"));
            document_text(document, report_label(context, "export.adjusted_note"));
            add_head(context, document, keys, COUNT_OF(keys));
            begun = true;
        }
        add_adjusted_row(context, strcmp(stats->metric_type, "binary") == 0, &items[i], document);
    }
}

static bool is_rate_of(const struct live_slices *slices, const char *metric)
{
    const struct live_slices_metric *metrics = slices->metrics.items;

    for (size_t i = 0; i < slices->metrics.count; i++)
        if (strcmp(metrics[i].name, metric) == 0)
            return strcmp(metrics[i].unit, "rate") == 0;
    return false;
}

static const char *segment_result(const struct live_slice_effect *effect)
{
    if (strcmp(effect->status, "too_few_users") == 0)
        return "export.segment_few";
    if (!effect->is_discovered)
        return "export.segment_open";
    return effect->is_improvement.given && effect->is_improvement.value ? "export.segment_better"
                                                                        : "export.segment_worse";
}

static void add_segment(const struct report_context *context, bool rate,
                        const struct live_slice_effects *slice,
                        const struct live_slice_effect *effect, struct report_document *document)
{
    double scale = rate ? percent : 1, value = scale * effect->effect.value;
    bool known = effect->ci_lower.given && effect->ci_upper.given;
    double lower = scale * effect->ci_lower.value, upper = scale * effect->ci_upper.value;

    document_add(document, arena_print(context->arena, "%s: %s", slice->dimension, slice->value));
    document_add(document, effect->metric);
    document_add(document, report_arm_name(context, effect->treatment_index));
    document_add(document, print_thousands(context->arena, slice->people));
    document_add(document, effect->effect.given
                               ? report_difference(
                                     context, rate,
                                     known ? fmax(fabs(lower), fabs(upper)) : fabs(value), value)
                               : dash);
    document_add(document, known ? report_range(context, rate, lower, upper) : dash);
    document_add(document, report_label(context, segment_result(effect)));
}

/* Adds the effects that were discovered, or those of the goal that were not; returns the number of
 * rows so far. */
static size_t add_segments_of(const struct report_context *context,
                              const struct live_slices *slices, bool discovered, size_t rows,
                              struct report_document *document)
{
    const struct live_slices_metric *goal = slices->metrics.items;
    const struct live_slice_effects *items = slices->slices.items;

    for (size_t i = 0; i < slices->slices.count; i++) {
        const struct live_slice_effect *effects = items[i].effects.items;

        for (size_t k = 0; k < items[i].effects.count && rows < SEGMENTS_SHOWN; k++) {
            if (effects[k].is_discovered != discovered ||
                (!discovered && strcmp(effects[k].metric, goal->name) != 0))
                continue;
            add_segment(context, is_rate_of(slices, effects[k].metric), &items[i], &effects[k],
                        document);
            rows++;
        }
    }
    return rows;
}

void result_add_segments(const struct report_context *context, const struct live_slices *slices,
                         struct report_document *document)
{
    static const char *const keys[] = {
        "export.segment", "export.result_metric", "export.variant",       "export.users",
        "export.effect",  "export.always_valid",  "export.segment_result"};
    size_t rows;

    if (strcmp(slices->status, "available") != 0 || slices->slices.count == 0)
        return;
    document_heading(document, 1, report_label(context, "export.segments"));
    document_text(
        document,
        locale_format(
            context->locale, context->arena, "export.segments_note",
            TEXT_ARGUMENTS(
                {"share", report_percent(context, percent * slices->false_discovery_rate)})));
    add_head(context, document, keys, COUNT_OF(keys));
    rows = add_segments_of(context, slices, true, 0, document);
    add_segments_of(context, slices, false, rows, document);
}

static const struct {
    const char *code, *key;
} checks[] = {
    {"SAMPLE_RATIO", "export.check_ratio"},     {"USERS_FELL", "export.check_users"},
    {"EVENTS_FELL", "export.check_events"},     {"SILENT_ARM", "export.check_silent"},
    {"SEVERAL_ARMS", "export.check_several"},   {"CONTAMINATED", "export.check_contaminated"},
    {"UNBALANCED", "export.check_balance"},     {"WEEKDAYS_DIFFER", "export.check_weekdays"},
    {"EFFECT_CHANGES", "export.check_novelty"},
};

/* What a check says: of an alarm how severe it is. */
static const char *check_result(const struct live_quality *quality, const char *code)
{
    const struct quality_alarm *alarms = quality->alarms.items;

    for (size_t i = 0; i < quality->alarms.count; i++)
        if (strcmp(alarms[i].code, code) == 0)
            return strcmp(alarms[i].severity, "high") == 0 ? "export.check_high"
                                                           : "export.check_medium";
    return "export.check_fine";
}

void result_add_checks(const struct report_context *context, const struct live_quality *quality,
                       struct report_document *document)
{
    static const char *const keys[] = {"export.check", "export.verdict"};

    document_heading(document, 2, report_label(context, "export.checks"));
    add_head(context, document, keys, COUNT_OF(keys));
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        document_add(document, report_label(context, checks[i].key));
        document_add(document, report_label(context, check_result(quality, checks[i].code)));
    }
}
