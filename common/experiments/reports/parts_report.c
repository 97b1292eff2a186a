/* A document out of JSON that a client has: whatever is there is shown, whatever is missing is left
 * out. */
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

static const char *figure_of(const struct report_desk *desk, const json_t *object, const char *key)
{
    struct optional_number number = number_of(object, key);

    return number.given ? desk_figure(desk, number.value) : "-";
}

static const char *small_of(const struct report_desk *desk, const json_t *object, const char *key)
{
    struct optional_number number = number_of(object, key);

    return number.given ? desk_small(desk, number.value) : "-";
}

/* A value as people read it; NULL for what says nothing. */
static const char *shown(const struct report_desk *desk, const json_t *value)
{
    struct text text;

    if (json_is_number(value))
        return desk_figure(desk, json_number_value(value));
    if (json_is_string(value))
        return *json_string_value(value) ? json_string_value(value) : NULL;
    if (!json_is_array(value) || !json_array_size(value))
        return NULL;
    text_start(&text, desk->arena, PAYLOAD_BYTES_MAX);
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *item = shown(desk, json_array_get(value, i));

        text_append_string(&text, i ? ", " : "");
        text_append_string(&text, item ? item : "-");
    }
    return text.bytes;
}

/* The texts of an array; objects with a name stand as "name: description". */
static struct string_list texts_of(const struct report_desk *desk, const json_t *array)
{
    struct string_list texts = {
        .items = ARENA_ARRAY(desk->arena, const char *, json_array_size(array) + 1)};

    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        const char *name = text_of(item, "name"), *description = text_of(item, "description");
        const char *text = shown(desk, item);

        if (name)
            text = arena_print(desk->arena, "%s: %s", name, description ? description : "");
        if (text)
            texts.items[texts.count++] = text;
    }
    return texts;
}

static void add_metrics(const struct report_desk *desk, const struct report_parts *parts,
                        struct folio *document)
{
    const json_t *results = json_object_get(parts->calculation, "results");
    const json_t *summary = json_object_get(parts->calculation, "calculation_summary");

    folio_heading(document, 1, desk_word(desk, "export.key_metrics"));
    folio_begin(document, BLOCK_CARDS, 2);
    folio_fact(document, desk_word(desk, "export.users_per_variant"),
               figure_of(desk, results, "sample_size_per_variant"));
    folio_fact(document, desk_word(desk, "export.days"),
               figure_of(desk, results, "estimated_duration_days"));
    folio_fact(document, desk_word(desk, "export.total_sample_size"),
               figure_of(desk, results, "total_sample_size"));
    folio_fact(document, desk_word(desk, "export.alpha"), small_of(desk, summary, "alpha"));
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

static void add_curve(const struct report_desk *desk, const struct report_parts *parts,
                      struct folio *document)
{
    const json_t *summary = json_object_get(parts->calculation, "calculation_summary");
    double users =
        number_of(json_object_get(parts->calculation, "results"), "sample_size_per_variant").value;
    double alpha = number_of(summary, "alpha").value, power = number_of(summary, "power").value;
    double *powers = ARENA_ARRAY(desk->arena, double, CURVE_POWERS);
    double *sizes = ARENA_ARRAY(desk->arena, double, CURVE_POWERS);
    static const double usual[] = {0.7, 0.8, 0.9, 0.95};
    size_t count = 0;

    if (!(users > 0 && alpha > 0 && alpha < 1 && power > 0 && power < 1))
        return;
    for (size_t i = 0; i < COUNT_OF(usual); i++)
        count = insert(powers, count, usual[i]);
    count = insert(powers, count, number_round(power, POWER_DECIMALS));
    folio_heading(document, 1, desk_word(desk, "export.power_curve"));
    folio_begin(document, BLOCK_TABLE, 2);
    folio_add(document, desk_word(desk, "export.power"));
    folio_add(document, desk_word(desk, "export.required_n"));
    for (size_t i = 0; i < count; i++) {
        sizes[i] = size_at(users, alpha, power, powers[i]);
        folio_add(document, arena_print(desk->arena, "%.4g%%", 100 * powers[i]));
        folio_add(document, desk_figure(desk, sizes[i]));
    }
    if (isfinite(sizes[count - 1]))
        folio_chart(
            document,
            chart_curve(&(struct curve){.title = desk_word(desk, "export.power_curve"),
                                        .x_label = desk_word(desk, "export.users_per_variant"),
                                        .y_label = desk_word(desk, "export.power"),
                                        .x = sizes,
                                        .y = powers,
                                        .count = count,
                                        .marked_x = users},
                        desk->arena));
}

static void add_design(const struct report_desk *desk, const struct report_parts *parts,
                       struct folio *document)
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
    struct string_list variants = texts_of(desk, json_object_get(design, "variants"));
    struct string_list stops = texts_of(desk, json_object_get(design, "stopping_conditions"));

    folio_heading(document, 1, desk_word(desk, "export.design_details"));
    folio_begin(document, BLOCK_FACTS, 2);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *text = shown(desk, json_object_get(design, rows[i].member));

        folio_fact(document, desk_word(desk, rows[i].key), text ? text : "-");
    }
    desk_list(desk, document, 2, "export.variants", &variants);
    desk_list(desk, document, 2, "export.stopping_conditions", &stops);
}

static void add_warnings(const struct report_desk *desk, const struct report_parts *parts,
                         struct folio *document)
{
    const json_t *warnings = json_object_get(parts->calculation, "warnings");

    folio_heading(document, 1, desk_word(desk, "export.warnings"));
    if (!json_array_size(warnings))
        folio_text(document, desk_word(desk, "export.no_warnings"));
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const json_t *warning = json_array_get(warnings, i);
        const char *severity = text_of(warning, "severity"), *code = text_of(warning, "code");
        const char *message = text_of(warning, "message");

        folio_notice(document, severity ? severity : "none",
                     arena_print(desk->arena, "%s%s%s", code ? code : "",
                                 code && message ? ": " : "", message ? message : ""));
    }
}

/* The place of a value among rising ones. */
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

static void read_cells(const struct report_desk *desk, const json_t *sensitivity,
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
                days.given && fabs(days.value) < 0x1p53 ? desk_days(desk, days.value) : NULL,
            .current = mde.given && power.given && fabs(row_value - mde.value) < 5e-5 &&
                       fabs(column_value - power.value) < 5e-5};
    }
}

static void add_heat(const struct report_desk *desk, const struct report_parts *parts,
                     struct folio *document)
{
    struct axes *axes = ARENA_NEW(desk->arena, struct axes);
    struct string_list rows, columns;
    struct heat_cell *cells;

    read_axes(json_object_get(parts->sensitivity, "cells"), axes);
    if (!axes->row_count || !axes->column_count)
        return;
    cells = ARENA_ARRAY(desk->arena, struct heat_cell, axes->row_count * axes->column_count);
    read_cells(desk, parts->sensitivity, axes, cells);
    rows = (struct string_list){axes->row_count,
                                ARENA_ARRAY(desk->arena, const char *, axes->row_count)};
    columns = (struct string_list){axes->column_count,
                                   ARENA_ARRAY(desk->arena, const char *, axes->column_count)};
    for (size_t i = 0; i < rows.count; i++)
        rows.items[i] = desk_small(desk, axes->rows[i]);
    for (size_t j = 0; j < columns.count; j++)
        columns.items[j] = arena_print(desk->arena, "%.4g%%", 100 * axes->columns[j]);
    folio_heading(document, 1, desk_word(desk, "export.sensitivity_analysis"));
    folio_chart(document,
                chart_heat(&(struct heat){.title = desk_word(desk, "export.sensitivity_analysis"),
                                          .corner = desk_word(desk, "export.effect_and_power"),
                                          .missing = desk_word(desk, "export.not_available"),
                                          .rows = rows,
                                          .columns = columns,
                                          .cells = cells},
                           desk->arena));
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

static void add_advice(const struct report_desk *desk, const struct report_parts *parts,
                       struct folio *document)
{
    json_t *advice = (json_t *)(uintptr_t)parts->ai_advice; /* iterated, not changed */

    folio_heading(document, 1, desk_word(desk, "export.advice"));
    for (void *at = json_object_iter(advice); at; at = json_object_iter_next(advice, at)) {
        const json_t *value = json_object_iter_value(at);
        const char *text = shown(desk, value);

        if (!text)
            continue;
        folio_heading(document, 2, title_case(desk->arena, json_object_iter_key(at)));
        if (json_is_array(value)) {
            struct string_list texts = texts_of(desk, value);

            folio_list(document, &texts);
        } else {
            folio_text(document, text);
        }
    }
}

static void add_results(const struct report_desk *desk, const json_t *results,
                        struct folio *document)
{
    struct optional_number lower = number_of(results, "ci_lower");
    struct optional_number upper = number_of(results, "ci_upper");
    struct optional_number effect = number_of(results, "observed_effect");
    const char *type = text_of(results, "metric_type"), *verdict = text_of(results, "verdict");
    const char *meaning = text_of(results, "interpretation");

    folio_heading(document, 1, desk_word(desk, "export.observed_results"));
    folio_begin(document, BLOCK_CARDS, 2);
    folio_fact(document, desk_word(desk, "export.effect"),
               small_of(desk, results, "observed_effect"));
    folio_fact(document, desk_word(desk, "export.relative_effect_pct"),
               small_of(desk, results, "observed_effect_relative"));
    folio_fact(document, desk_word(desk, "export.p_value"), small_of(desk, results, "p_value"));
    folio_fact(document, desk_word(desk, "export.achieved_power"),
               small_of(desk, results, "power_achieved"));
    folio_begin(document, BLOCK_FACTS, 2);
    folio_fact(document, desk_word(desk, "export.metric_type"),
               type ? desk_metric_type(desk, type) : "-");
    folio_fact(document, desk_word(desk, "export.control_rate"),
               small_of(desk, results, "control_rate"));
    folio_fact(document, desk_word(desk, "export.treatment_rate"),
               small_of(desk, results, "treatment_rate"));
    folio_fact(document, desk_word(desk, "export.confidence_interval"),
               arena_print(desk->arena, "%s \xE2\x80\xA6 %s", small_of(desk, results, "ci_lower"),
                           small_of(desk, results, "ci_upper")));
    folio_fact(document, desk_word(desk, "export.verdict"), verdict ? verdict : "-");
    folio_fact(document, desk_word(desk, "export.interpretation"), meaning ? meaning : "-");
    if (lower.given && upper.given && effect.given && lower.value < upper.value) {
        struct interval interval = {desk_word(desk, "export.effect"), lower.value, effect.value,
                                    upper.value};

        folio_chart(document, chart_intervals(desk_word(desk, "export.confidence_interval"),
                                              &interval, 1, desk->arena));
    }
}

void report_of_parts(const struct report_desk *desk, const struct report_parts *parts,
                     struct folio *document)
{
    struct string_list assumptions =
        texts_of(desk, json_object_get(parts->calculation, "assumptions"));

    desk_start(desk, document, parts->project_name);
    document->subtitle = arena_print(desk->arena, "%s \xC2\xB7 %s",
                                     desk_word(desk, "export.report_title"), parts->now);
    add_metrics(desk, parts, document);
    if (parts->hypothesis && *parts->hypothesis) {
        folio_heading(document, 1, desk_word(desk, "export.hypothesis"));
        folio_text(document, parts->hypothesis);
    }
    add_curve(desk, parts, document);
    folio_heading(document, 1, desk_word(desk, "export.assumptions"));
    if (!assumptions.count)
        assumptions.items[assumptions.count++] = desk_word(desk, "export.no_assumptions");
    folio_list(document, &assumptions);
    add_design(desk, parts, document);
    add_warnings(desk, parts, document);
    if (parts->sensitivity)
        add_heat(desk, parts, document);
    if (parts->ai_advice)
        add_advice(desk, parts, document);
    if (parts->results)
        add_results(desk, parts->results, document);
}
