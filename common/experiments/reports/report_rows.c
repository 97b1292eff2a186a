/* The rows that CSV and workbook share. */
#include "base/number.h"
#include "base/string_list.h"
#include "experiments/reports/reports.h"
#include "math/sort.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_BYTES_MAX = 16 * 1024 * 1024 };

#define LOWER_POWER 0.8
#define UPPER_POWER 0.9

const char *report_slug(struct arena *arena, const char *name)
{
    struct text slug;

    text_start(&slug, arena, 200);
    for (; *name; name++) {
        char letter = (char)tolower((unsigned char)*name);

        if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9'))
            text_append_byte(&slug, letter);
        else if (slug.length && slug.bytes[slug.length - 1] != '-')
            text_append_byte(&slug, '-');
    }
    if (slug.length && slug.bytes[slug.length - 1] == '-')
        text_cut(&slug, slug.length - 1);
    return slug.length ? slug.bytes : "ab-test-report";
}

const char *report_moment(struct arena *arena, const char *stored)
{
    if (strlen(stored) < 16)
        return stored;
    return arena_print(arena, "%.10s %.5s UTC", stored, stored + 11);
}

size_t report_effects(double mde_pct, double effects[REPORT_EFFECTS_MAX])
{
    const double size = fabs(mde_pct);
    const double candidates[REPORT_EFFECTS_MAX] = {fmax(1, 0.5 * size), size, 1.5 * size, 2 * size};
    double sorted[REPORT_EFFECTS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < REPORT_EFFECTS_MAX; i++)
        sorted[i] = number_round(candidates[i], 2);
    sort_few(sorted, REPORT_EFFECTS_MAX);
    for (size_t i = 0; i < REPORT_EFFECTS_MAX; i++)
        if (sorted[i] > 0 && (count == 0 || sorted[i] > effects[count - 1]))
            effects[count++] = sorted[i];
    return count;
}

struct report_size report_size_of(const struct project_snapshot *snapshot, double mde_pct,
                                  double power)
{
    struct sizing_request design;
    struct sizing_plan plan;
    struct problem problem;

    payload_to_sizing(snapshot->payload, &design);
    design.mde_pct = mde_pct;
    design.power = power;
    design.alpha = snapshot->run.analysis->calculations->calculation_summary->alpha;
    design.planned_test = -1;
    design.n_looks = 1;
    if (sizing_plan_design(&design, &plan, &problem))
        return (struct report_size){0};
    return (struct report_size){GIVEN_INTEGER(plan.sample_size_per_variant),
                                GIVEN_INTEGER(plan.estimated_duration_days)};
}

static void head(const struct report_context *context, struct worksheet *sheet,
                 const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        worksheet_head(sheet, report_label(context, keys[i]));
    worksheet_end_row(sheet);
}

const char *report_variant_name(const struct report_context *context,
                                const struct report_variant *variant, size_t number)
{
    if (variant->name && *variant->name)
        return variant->name;
    return locale_format(
        context->locale, context->arena, "export.variant_number",
        TEXT_ARGUMENTS({"number", arena_print(context->arena, "%zu", number + 1)}));
}

static void add_samples(const struct report_context *context,
                        const struct project_snapshot *snapshot, struct worksheet *sheet)
{
    static const char *const keys[] = {"export.variant", "export.required_n",
                                       "export.daily_traffic", "export.duration_days",
                                       "export.traffic_split_pct"};
    const struct report_design *design = snapshot->run.analysis->report->experiment_design;
    const struct calculation_results *results = snapshot->run.analysis->calculations->results;
    const struct report_variant *variants = design->variants.items;

    head(context, sheet, keys, COUNT_OF(keys));
    for (size_t i = 0; i < design->variants.count; i++) {
        worksheet_text(sheet, report_variant_name(context, &variants[i], i));
        worksheet_number(sheet, (double)results->sample_size_per_variant);
        worksheet_number(sheet, results->effective_daily_traffic);
        worksheet_number(sheet, (double)results->estimated_duration_days);
        if (i < design->traffic_split.count)
            worksheet_number(sheet, design->traffic_split.items[i]);
        else
            worksheet_empty(sheet);
        worksheet_end_row(sheet);
    }
}

static void add_integer(struct worksheet *sheet, struct optional_integer value)
{
    if (value.given)
        worksheet_number(sheet, (double)value.value);
    else
        worksheet_empty(sheet);
}

static const char *at_power(const struct report_context *context, const char *key, double power)
{
    return locale_format(
        context->locale, context->arena, key,
        TEXT_ARGUMENTS({"power", arena_print(context->arena, "%.0f", 100 * power)}));
}

static void add_sensitivity(const struct report_context *context,
                            const struct project_snapshot *snapshot, struct worksheet *sheet)
{
    static const double powers[] = {LOWER_POWER, UPPER_POWER};
    double effects[REPORT_EFFECTS_MAX];
    size_t count =
        report_effects(snapshot->run.analysis->calculations->calculation_summary->mde_pct, effects);

    worksheet_head(sheet, report_label(context, "export.effect_size"));
    for (size_t j = 0; j < COUNT_OF(powers); j++) {
        worksheet_head(sheet, at_power(context, "export.required_n_at", powers[j]));
        worksheet_head(sheet, at_power(context, "export.duration_at", powers[j]));
    }
    worksheet_end_row(sheet);
    for (size_t i = 0; i < count; i++) {
        worksheet_number(sheet, effects[i]);
        for (size_t j = 0; j < COUNT_OF(powers); j++) {
            struct report_size size = report_size_of(snapshot, effects[i], powers[j]);

            add_integer(sheet, size.users);
            add_integer(sheet, size.days);
        }
        worksheet_end_row(sheet);
    }
}

static void add_guardrails(const struct report_context *context,
                           const struct project_snapshot *snapshot, struct worksheet *sheet)
{
    static const char *const keys[] = {"export.metric_name", "export.metric_type",
                                       "export.detectable_mde", "export.note"};
    const struct object_list *list = &snapshot->run.analysis->report->guardrail_metrics;
    const struct report_guardrail *guardrails = list->items;

    head(context, sheet, keys, COUNT_OF(keys));
    for (size_t i = 0; i < list->count; i++) {
        const struct report_guardrail *guardrail = &guardrails[i];
        struct optional_number mde = guardrail->detectable_mde_pp.given
                                         ? guardrail->detectable_mde_pp
                                         : guardrail->detectable_mde_absolute;

        worksheet_text(sheet, guardrail->name);
        worksheet_text(sheet, report_metric_type(context, guardrail->metric_type));
        if (mde.given)
            worksheet_number(sheet, mde.value);
        else
            worksheet_empty(sheet);
        worksheet_text(sheet, guardrail->note);
        worksheet_end_row(sheet);
    }
}

static const char *json_text(struct arena *arena, const json_t *value)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, arena, INPUT_BYTES_MAX);
    writer_start(&writer, &text);
    writer_value(&writer, value);
    return text.bytes;
}

/* Keys in order at each level, joined by dots. */
static void add_input(struct worksheet *sheet, const char *path, const json_t *value)
{
    json_t *object = (json_t *)(uintptr_t)value; /* iterated, not changed */
    size_t count = 0;
    const char **keys;

    if (!json_is_object(value)) {
        worksheet_text(sheet, path);
        if (json_is_number(value))
            worksheet_number(sheet, json_number_value(value));
        else if (json_is_string(value))
            worksheet_text(sheet, json_string_value(value));
        else
            worksheet_text(sheet, json_is_null(value) ? NULL : json_text(sheet->arena, value));
        worksheet_end_row(sheet);
        return;
    }
    keys = ARENA_ARRAY(sheet->arena, const char *, json_object_size(value) + 1);
    for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
        keys[count++] = json_object_iter_key(at);
    qsort(keys, count, sizeof keys[0], string_list_order);
    for (size_t i = 0; i < count; i++)
        add_input(sheet, *path ? arena_print(sheet->arena, "%s.%s", path, keys[i]) : keys[i],
                  json_object_get(value, keys[i]));
}

static void add_inputs(const struct report_context *context,
                       const struct project_snapshot *snapshot, struct worksheet *sheet)
{
    const char *document = payload_to_json(snapshot->payload, context->arena);
    struct json_fault fault;
    json_t *json;

    worksheet_head(sheet, report_label(context, "export.field"));
    worksheet_head(sheet, report_label(context, "export.value"));
    worksheet_end_row(sheet);
    if (json_read(context->arena, document, strlen(document), JSON_DEPTH_LIMIT, &json, &fault) ==
        ERROR_NONE)
        add_input(sheet, "", json);
}

void report_sheets(const struct report_context *context, const struct project_snapshot *snapshot,
                   struct worksheet sheets[REPORT_SHEETS])
{
    static const char *const names[REPORT_SHEETS] = {
        "export.summary_sheet", "export.sensitivity_sheet", "export.guardrails_sheet",
        "export.raw_inputs_sheet"};

    for (size_t i = 0; i < REPORT_SHEETS; i++)
        worksheet_start(&sheets[i], context->arena, report_label(context, names[i]));
    worksheet_head(&sheets[0], report_label(context, "export.project_name"));
    worksheet_text(&sheets[0], snapshot->project.project_name);
    worksheet_end_row(&sheets[0]);
    worksheet_head(&sheets[0], report_label(context, "export.created_at"));
    worksheet_text(&sheets[0], snapshot->project.created_at);
    worksheet_end_row(&sheets[0]);
    worksheet_end_row(&sheets[0]);
    add_samples(context, snapshot, &sheets[0]);
    add_sensitivity(context, snapshot, &sheets[1]);
    add_guardrails(context, snapshot, &sheets[2]);
    add_inputs(context, snapshot, &sheets[3]);
}

void report_csv(const struct report_context *context, const struct project_snapshot *snapshot,
                struct text *out)
{
    static const struct {
        const char *title;
        void (*add)(const struct report_context *context, const struct project_snapshot *snapshot,
                    struct worksheet *sheet);
    } parts[] = {{"export.sample_size_results", add_samples},
                 {"export.sensitivity_analysis", add_sensitivity},
                 {"export.guardrail_metrics", add_guardrails}};

    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct worksheet sheet;

        worksheet_start(&sheet, context->arena, "");
        worksheet_text(&sheet,
                       arena_print(context->arena, "# %s", report_label(context, parts[i].title)));
        worksheet_end_row(&sheet);
        parts[i].add(context, snapshot, &sheet);
        if (i + 1 < COUNT_OF(parts))
            worksheet_end_row(&sheet);
        worksheet_write_csv(&sheet, out);
    }
}
