/* A report document made of a client's JSON: shows the parts that it has. */
#include "base/number.h"
#include "experiments/reports/reports.h"
#include "math/normal.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { CURVE_POWERS = 5, HEAT_ROWS_MAX = 40, HEAT_COLUMNS_MAX = 12, POWER_DECIMALS = 4 };

static const char *text_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) && *json_string_value(value) ? json_string_value(value) : NULL;
}

static struct optional_number number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? GIVEN_NUMBER(json_number_value(value))
                                 : (struct optional_number){0};
}

static const char *figure_of(const struct report_context *context, const json_t *object,
                             const char *key)
{
    struct optional_number number = number_of(object, key);

    return number.given ? report_number(context, number.value) : "-";
}

static const char *small_of(const struct report_context *context, const json_t *object,
                            const char *key)
{
    struct optional_number number = number_of(object, key);

    return number.given ? report_probability(context, number.value) : "-";
}

/* A value as people read it; NULL for what says nothing. */
static const char *shown(const struct report_context *context, const json_t *value)
{
    struct text text;

    if (json_is_number(value))
        return report_number(context, json_number_value(value));
    if (json_is_string(value))
        return *json_string_value(value) ? json_string_value(value) : NULL;
    if (!json_is_array(value) || !json_array_size(value))
        return NULL;
    text_start(&text, context->arena, PAYLOAD_BYTES_MAX);
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *item = shown(context, json_array_get(value, i));

        text_append_string(&text, i ? ", " : "");
        text_append_string(&text, item ? item : "-");
    }
    return text.bytes;
}

/* The texts of an array; objects with a name stand as "name: description". */
static struct string_list texts_of(const struct report_context *context, const json_t *array)
{
    struct string_list texts = {
        .items = ARENA_ARRAY(context->arena, const char *, json_array_size(array) + 1)};

    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        const char *name = text_of(item, "name"), *description = text_of(item, "description");
        const char *text = shown(context, item);

        if (name)
            text = arena_print(context->arena, "%s: %s", name, description ? description : "");
        if (text)
            texts.items[texts.count++] = text;
    }
    return texts;
}

static void add_metrics(const struct report_context *context, const struct report_parts *parts,
                        struct report_document *document)
{
    const json_t *results = json_object_get(parts->calculation, "results");
    const json_t *summary = json_object_get(parts->calculation, "calculation_summary");

    document_heading(document, 1, report_label(context, "export.key_metrics"));
    document_begin(document, BLOCK_CARDS, 2);
    document_fact(document, report_label(context, "export.users_per_variant"),
                  figure_of(context, results, "sample_size_per_variant"));
    document_fact(document, report_label(context, "export.days"),
                  figure_of(context, results, "estimated_duration_days"));
    document_fact(document, report_label(context, "export.total_sample_size"),
                  figure_of(context, results, "total_sample_size"));
    document_fact(document, report_label(context, "export.alpha"),
                  small_of(context, summary, "alpha"));
}

/* Adds to rising values, each once. */
static size_t insert(double *values, size_t count, double value)
{
    size_t at = 0;

    while (at < count && values[at] < value)
        at++;
    if (at < count && values[at] == value)
        return count;
    memmove(values + at + 1, values + at, (count - at) * sizeof *values);
    values[at] = value;
    return count + 1;
}

/* How the size grows with the power, by the normal approximation that any of these tests has. */
static double size_at(double users, double alpha, double power, double wanted)
{
    double z = normal_quantile(1 - alpha / 2);
    double ratio = (z + normal_quantile(wanted)) / (z + normal_quantile(power));

    return fmax(1, nearbyint(users * ratio * ratio));
}

static void add_curve(const struct report_context *context, const struct report_parts *parts,
                      struct report_document *document)
{
    const json_t *summary = json_object_get(parts->calculation, "calculation_summary");
    double users =
        number_of(json_object_get(parts->calculation, "results"), "sample_size_per_variant").value;
    double alpha = number_of(summary, "alpha").value, power = number_of(summary, "power").value;
    double *powers = ARENA_ARRAY(context->arena, double, CURVE_POWERS);
    double *sizes = ARENA_ARRAY(context->arena, double, CURVE_POWERS);
    static const double usual[] = {0.7, 0.8, 0.9, 0.95};
    size_t count = 0;

    if (!(users > 0 && alpha > 0 && alpha < 1 && power > 0 && power < 1))
        return;
    for (size_t i = 0; i < COUNT_OF(usual); i++)
        count = insert(powers, count, usual[i]);
    count = insert(powers, count, number_round(power, POWER_DECIMALS));
    document_heading(document, 1, report_label(context, "export.power_curve"));
    document_begin(document, BLOCK_TABLE, 2);
    document_add(document, report_label(context, "export.power"));
    document_add(document, report_label(context, "export.required_n"));
    for (size_t i = 0; i < count; i++) {
        sizes[i] = size_at(users, alpha, power, powers[i]);
        document_add(document, arena_print(context->arena, "%.4g%%", 100 * powers[i]));
        document_add(document, report_number(context, sizes[i]));
    }
    if (isfinite(sizes[count - 1]))
        document_chart(
            document,
            chart_curve(
                &(struct curve){.title = report_label(context, "export.power_curve"),
                                .x_label = report_label(context, "export.users_per_variant"),
                                .y_label = report_label(context, "export.power"),
                                .x = sizes,
                                .y = powers,
                                .count = count,
                                .marked_x = users},
                context->arena));
}

static void add_design(const struct report_context *context, const struct report_parts *parts,
                       struct report_document *document)
{
    static const struct {
        const char *member;
        const char *key;
    } rows[] = {
        {"randomization_unit", "export.randomization_unit"},
        {"traffic_split", "export.traffic_split"},
        {"target_audience", "export.target_audience"},
        {"inclusion_criteria", "export.inclusion_criteria"},
        {"exclusion_criteria", "export.exclusion_criteria"},
        {"recommended_duration_days", "export.recommended_duration_days"},
    };
    const json_t *inner = json_object_get(parts->design, "experiment_design");
    const json_t *design = json_is_object(inner) ? inner : parts->design;
    struct string_list variants = texts_of(context, json_object_get(design, "variants"));
    struct string_list stops = texts_of(context, json_object_get(design, "stopping_conditions"));

    document_heading(document, 1, report_label(context, "export.design_details"));
    document_begin(document, BLOCK_FACTS, 2);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *text = shown(context, json_object_get(design, rows[i].member));

        document_fact(document, report_label(context, rows[i].key), text ? text : "-");
    }
    report_list(context, document, 2, "export.variants", &variants);
    report_list(context, document, 2, "export.stopping_conditions", &stops);
}

static void add_warnings(const struct report_context *context, const struct report_parts *parts,
                         struct report_document *document)
{
    const json_t *warnings = json_object_get(parts->calculation, "warnings");

    document_heading(document, 1, report_label(context, "export.warnings"));
    if (!json_array_size(warnings))
        document_text(document, report_label(context, "export.no_warnings"));
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const json_t *warning = json_array_get(warnings, i);
        const char *severity = text_of(warning, "severity"), *code = text_of(warning, "code");
        const char *message = text_of(warning, "message");

        document_notice(document, severity ? severity : "none",
                        arena_print(context->arena, "%s%s%s", code ? code : "",
                                    code && message ? ": " : "", message ? message : ""));
    }
}

/* The position of a value among rising ones. */
static size_t find(const double *values, size_t count, double value)
{
    size_t at = 0;

    while (at < count && values[at] != value)
        at++;
    return at;
}

struct axes {
    double rows[HEAT_ROWS_MAX + 1];
    double columns[HEAT_COLUMNS_MAX + 1];
    size_t row_count;
    size_t column_count;
};

static void read_axes(const json_t *cells, struct axes *axes)
{
    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        struct optional_number mde = number_of(cell, "mde"), power = number_of(cell, "power");

        if (mde.given && axes->row_count < HEAT_ROWS_MAX)
            axes->row_count = insert(axes->rows, axes->row_count, mde.value);
        if (power.given && axes->column_count < HEAT_COLUMNS_MAX)
            axes->column_count = insert(axes->columns, axes->column_count, power.value);
    }
}

static void read_cells(const struct report_context *context, const json_t *sensitivity,
                       const struct axes *axes, struct heat_cell *made)
{
    const json_t *cells = json_object_get(sensitivity, "cells");
    struct optional_number mde = number_of(sensitivity, "current_mde");
    struct optional_number power = number_of(sensitivity, "current_power");

    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);
        double row_value = number_of(cell, "mde").value,
               column_value = number_of(cell, "power").value;
        size_t row = find(axes->rows, axes->row_count, row_value);
        size_t column = find(axes->columns, axes->column_count, column_value);
        struct optional_number size = number_of(cell, "sample_size_per_variant");
        struct optional_number days = number_of(cell, "duration_days");

        if (row == axes->row_count || column == axes->column_count)
            continue;
        made[row * axes->column_count + column] = (struct heat_cell){
            .given =
                size.given && days.given && fabs(size.value) < 0x1p53 && fabs(days.value) < 0x1p53,
            .size = size.given && fabs(size.value) < 0x1p53 ? (int64_t)size.value : 0,
            .days = days.value,
            .days_text =
                days.given && fabs(days.value) < 0x1p53 ? report_days(context, days.value) : NULL,
            .current = mde.given && power.given && fabs(row_value - mde.value) < 5e-5 &&
                       fabs(column_value - power.value) < 5e-5};
    }
}

static void add_heat(const struct report_context *context, const struct report_parts *parts,
                     struct report_document *document)
{
    struct axes *axes = ARENA_NEW(context->arena, struct axes);
    struct string_list rows, columns;
    struct heat_cell *cells;

    read_axes(json_object_get(parts->sensitivity, "cells"), axes);
    if (!axes->row_count || !axes->column_count)
        return;
    cells = ARENA_ARRAY(context->arena, struct heat_cell, axes->row_count * axes->column_count);
    read_cells(context, parts->sensitivity, axes, cells);
    rows = (struct string_list){axes->row_count,
                                ARENA_ARRAY(context->arena, const char *, axes->row_count)};
    columns = (struct string_list){axes->column_count,
                                   ARENA_ARRAY(context->arena, const char *, axes->column_count)};
    for (size_t i = 0; i < rows.count; i++)
        rows.items[i] = report_probability(context, axes->rows[i]);
    for (size_t j = 0; j < columns.count; j++)
        columns.items[j] = arena_print(context->arena, "%.4g%%", 100 * axes->columns[j]);
    document_heading(document, 1, report_label(context, "export.sensitivity_analysis"));
    document_chart(
        document,
        chart_heat(&(struct heat){.title = report_label(context, "export.sensitivity_analysis"),
                                  .corner = report_label(context, "export.effect_and_power"),
                                  .missing = report_label(context, "export.not_available"),
                                  .rows = rows,
                                  .columns = columns,
                                  .cells = cells},
                   context->arena));
}

/* "key_risks" reads "Key Risks". */
static const char *title_case(struct arena *arena, const char *key)
{
    char *title = arena_copy_string(arena, key);

    for (char *at = title; *at; at++)
        if (*at == '_')
            *at = ' ';
        else if (at == title || at[-1] == ' ')
            *at = (char)toupper((unsigned char)*at);
    return title;
}

static void add_advice(const struct report_context *context, const struct report_parts *parts,
                       struct report_document *document)
{
    json_t *advice = (json_t *)(uintptr_t)parts->ai_advice; /* iterated, not changed */

    document_heading(document, 1, report_label(context, "export.advice"));
    for (void *at = json_object_iter(advice); at; at = json_object_iter_next(advice, at)) {
        const json_t *value = json_object_iter_value(at);
        const char *text = shown(context, value);

        if (!text)
            continue;
        document_heading(document, 2, title_case(context->arena, json_object_iter_key(at)));
        if (json_is_array(value)) {
            struct string_list texts = texts_of(context, value);

            document_bullets(document, &texts);
        } else {
            document_text(document, text);
        }
    }
}

static void add_results(const struct report_context *context, const json_t *results,
                        struct report_document *document)
{
    struct optional_number lower = number_of(results, "ci_lower");
    struct optional_number upper = number_of(results, "ci_upper");
    struct optional_number effect = number_of(results, "observed_effect");
    const char *type = text_of(results, "metric_type"), *verdict = text_of(results, "verdict");
    const char *meaning = text_of(results, "interpretation");

    document_heading(document, 1, report_label(context, "export.observed_results"));
    document_begin(document, BLOCK_CARDS, 2);
    document_fact(document, report_label(context, "export.effect"),
                  small_of(context, results, "observed_effect"));
    document_fact(document, report_label(context, "export.relative_effect_pct"),
                  small_of(context, results, "observed_effect_relative"));
    document_fact(document, report_label(context, "export.p_value"),
                  small_of(context, results, "p_value"));
    document_fact(document, report_label(context, "export.achieved_power"),
                  small_of(context, results, "power_achieved"));
    document_begin(document, BLOCK_FACTS, 2);
    document_fact(document, report_label(context, "export.metric_type"),
                  type ? report_metric_type(context, type) : "-");
    document_fact(document, report_label(context, "export.control_rate"),
                  small_of(context, results, "control_rate"));
    document_fact(document, report_label(context, "export.treatment_rate"),
                  small_of(context, results, "treatment_rate"));
    document_fact(document, report_label(context, "export.confidence_interval"),
                  arena_print(context->arena, "%s \xE2\x80\xA6 %s",
                              small_of(context, results, "ci_lower"),
                              small_of(context, results, "ci_upper")));
    document_fact(document, report_label(context, "export.verdict"), verdict ? verdict : "-");
    document_fact(document, report_label(context, "export.interpretation"),
                  meaning ? meaning : "-");
    if (lower.given && upper.given && effect.given && lower.value < upper.value) {
        struct interval interval = {report_label(context, "export.effect"), lower.value,
                                    effect.value, upper.value};

        document_chart(document,
                       chart_intervals(report_label(context, "export.confidence_interval"),
                                       &interval, 1, context->arena));
    }
}

void report_of_parts(const struct report_context *context, const struct report_parts *parts,
                     struct report_document *document)
{
    struct string_list assumptions =
        texts_of(context, json_object_get(parts->calculation, "assumptions"));

    report_start(context, document, parts->project_name);
    document->subtitle = arena_print(context->arena, "%s \xC2\xB7 %s",
                                     report_label(context, "export.report_title"), parts->now);
    add_metrics(context, parts, document);
    if (parts->hypothesis && *parts->hypothesis) {
        document_heading(document, 1, report_label(context, "export.hypothesis"));
        document_text(document, parts->hypothesis);
    }
    add_curve(context, parts, document);
    document_heading(document, 1, report_label(context, "export.assumptions"));
    if (!assumptions.count)
        assumptions.items[assumptions.count++] = report_label(context, "export.no_assumptions");
    document_bullets(document, &assumptions);
    add_design(context, parts, document);
    add_warnings(context, parts, document);
    if (parts->sensitivity)
        add_heat(context, parts, document);
    if (parts->ai_advice)
        add_advice(context, parts, document);
    if (parts->results)
        add_results(context, parts->results, document);
}
