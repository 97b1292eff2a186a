/* Adds up the days and runs the analysis of the live statistics at the end of each. */
#include "experiments/live_results/course.h"

#include "base/number.h"
#include "base/timestamp.h"
#include "experiments/live_results/live_results_internal.h"

#include <math.h>
#include <string.h>

enum { DATE_LENGTH = 10, RATIO_DECIMALS = 6, USUAL_DECIMALS = 4 };

static const double points = 100; /* percentage points of a rate */
static const int64_t day_length = INT64_C(86400) * 1000000;

#define OWNER struct course_comparison
static const struct field comparison_fields[] = {
    INTEGER(OWNER, treatment_index),
    NULLABLE_NUMBER(OWNER, effect,
                    .help = "As analysis.observed_effect of the live statistics; null while an arm "
                            "has too little, and for adaptive shares."),
    NULLABLE_NUMBER(OWNER, ci_lower),
    NULLABLE_NUMBER(OWNER, ci_upper),
    NULLABLE_NUMBER(OWNER, always_valid_lower,
                    .help = "The always-valid interval, in the unit of the effect."),
    NULLABLE_NUMBER(OWNER, always_valid_upper),
};
#undef OWNER
static SCHEMA(comparison_schema, struct course_comparison, "LiveCourseComparison",
              comparison_fields, .help = "The difference to the control at the end of the day.");

#define OWNER struct course_day
static const struct field day_fields[] = {
    STRING(OWNER, date, .help = "UTC; the first of step_days days."),
    INTEGERS(OWNER, people, .help = "Per arm: exposed for the first time."),
    INTEGERS(OWNER, converted, .help = "Per arm: with the first event that counts."),
    OBJECTS(OWNER, comparisons, comparison_schema),
};
#undef OWNER
static SCHEMA(day_schema, struct course_day, "LiveCourseDay", day_fields);

#define OWNER struct course
static const struct field course_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, status,
           .help = "ok, or pending: so many people that it is computed within ten "
                   "minutes, not in a request."),
    STRING(OWNER, metric_type),
    STRING(OWNER, primary_metric_name),
    STRING(OWNER, computed_at, .nullable = true),
    BOOLEAN(OWNER, is_current, .help = "False: events have come in since computed_at."),
    INTEGER(OWNER, step_days),
    OBJECTS(OWNER, days, day_schema, .help = "Days on which nothing changed are left out."),
};
#undef OWNER
SCHEMA(course_schema, struct course, "LiveCourse", course_fields,
       .help = "People per day, and the effect with its intervals over time.");

/* The sums of one arm up to a day. */
struct total {
    int64_t people, converted, huge;
    struct sum value, value_squares, other, other_squares, products;
};

static void add_day(struct total *total, const struct live_day *day)
{
    total->people += day->people;
    total->converted += day->converted;
    total->huge += day->huge;
    sum_add(&total->value, day->value_sum);
    sum_add(&total->value_squares, day->value_squares);
    sum_add(&total->other, day->other_sum);
    sum_add(&total->other_squares, day->other_squares);
    sum_add(&total->products, day->products);
}

static double about_means(const struct sum *products, const struct sum *x, const struct sum *y,
                          double count)
{
    return count > 0 ? sum_about_means(products, x, y, count) : 0;
}

static struct live_results_arm arm_of(const struct live_results *results, const struct total *total,
                                      int arm)
{
    double count = (double)total->people;
    double squares = about_means(&total->value_squares, &total->value, &total->value, count);
    struct live_results_arm result = {.index = arm,
                                      .n = total->people,
                                      .converted = total->converted,
                                      .defined = total->huge == 0};

    if (total->people > 0)
        result.mean = sum_value(&total->value) / count;
    /* What rounding leaves of values that are all the same. */
    if (squares < 0x1p-46 * sum_value(&total->value_squares))
        squares = 0;
    if (total->people > 1)
        result.deviation = sqrt(squares / (count - 1));
    if (results->design->metric_type != METRIC_RATIO || total->people == 0)
        return result;
    result.ratio = (struct ratio_moments){
        .n = total->people,
        .denominator_mean = sum_value(&total->other) / count,
        .numerator_mean = result.mean,
        .denominator_squares =
            fmax(about_means(&total->other_squares, &total->other, &total->other, count), 0),
        .numerator_squares = fmax(squares, 0),
        .products = about_means(&total->products, &total->other, &total->value, count)};
    return result;
}

static struct optional_number rounded(const struct live_results *results, double value)
{
    bool ratio = results->design->metric_type == METRIC_RATIO;

    return isfinite(value)
               ? GIVEN_NUMBER(number_round_figure(value, ratio ? RATIO_DECIMALS : USUAL_DECIMALS))
               : (struct optional_number){0};
}

static void compare(const struct live_results *results, const struct total *totals, size_t arm,
                    struct course_comparison *shown)
{
    const struct live_results_arm control = arm_of(results, &totals[CONTROL_ARM], CONTROL_ARM);
    const struct live_results_arm treatment = arm_of(results, &totals[arm], (int)arm);
    double scale = results->design->metric_type == METRIC_BINARY ? points : 1;
    struct live_comparison comparison = {0};
    struct live_results alone = *results;
    const struct live_always_valid *always;

    *shown = (struct course_comparison){.treatment_index = (int64_t)arm};
    if (results->view->adaptive.found) /* days pool rounds whose shares differ */
        return;
    alone.clustered = false; /* days have no clusters: their effect has no error */
    live_results_compare(&alone, &control, &treatment, &comparison);
    if (strcmp(comparison.status, "ok") != 0)
        return;
    shown->effect = rounded(results, comparison.test.effect);
    if (results->clustered)
        return;
    shown->ci_lower = rounded(results, comparison.test.ci_lower);
    shown->ci_upper = rounded(results, comparison.test.ci_upper);
    always = comparison.always_valid;
    if (!always || !always->ci_sequence_lower.given)
        return;
    shown->always_valid_lower = rounded(results, scale * always->ci_sequence_lower.value);
    shown->always_valid_upper = rounded(results, scale * always->ci_sequence_upper.value);
}

static const char *date_of(struct arena *arena, int64_t day)
{
    char text[CLOCK_TEXT_MAX];

    timestamp_to_z(day * day_length, false, text);
    return arena_copy(arena, text, DATE_LENGTH);
}

static struct integer_list counts(const struct live_results *results)
{
    return (struct integer_list){results->arms,
                                 ARENA_ARRAY(results->call->arena, int64_t, results->arms)};
}

/* Takes the rows of one day from `rows` and returns their number. */
static size_t take_day(const struct live_results *results, const struct live_day *rows,
                       size_t count, struct total *totals, struct course_day *shown)
{
    struct arena *arena = results->call->arena;
    size_t taken = 0, treatments = results->arms > 0 ? results->arms - 1 : 0;
    struct course_comparison *comparisons =
        ARENA_ARRAY(arena, struct course_comparison, treatments);

    *shown = (struct course_day){.date = date_of(arena, rows->day),
                                 .people = counts(results),
                                 .converted = counts(results),
                                 .comparisons = {treatments, comparisons}};
    for (; taken < count && rows[taken].day == rows->day; taken++) {
        size_t arm = (size_t)rows[taken].arm;

        if (arm >= results->arms)
            continue;
        add_day(&totals[arm], &rows[taken]);
        shown->people.items[arm] = rows[taken].people;
        shown->converted.items[arm] = rows[taken].converted;
    }
    for (size_t i = 0; i < treatments; i++)
        compare(results, totals, i + 1, &comparisons[i]);
    return taken;
}

void live_results_course(const struct live_results_call *call, const struct live_view *view,
                         const struct live_series *series, struct course *course)
{
    const struct live_day *rows = series->days.items;
    struct course_day *days = ARENA_ARRAY(call->arena, struct course_day, series->days.count);
    struct total totals[LIVE_ARMS_MAX] = {0};
    struct live_results results;
    size_t count = 0;

    live_results_start(&results, call, view);
    results.rough = true;
    for (size_t i = 0; i < series->days.count; count++)
        i += take_day(&results, &rows[i], series->days.count - i, totals, &days[count]);
    *course = (struct course){.experiment_id = view->experiment.id,
                              .status = series->known ? "ok" : "pending",
                              .metric_type = metric_type_names[results.design->metric_type],
                              .primary_metric_name = results.design->primary_metric_name,
                              .is_current = series->current,
                              .step_days = series->step,
                              .days = {count, days}};
    if (series->computed_at) {
        char text[CLOCK_TEXT_MAX];

        timestamp_to_z(series->computed_at, false, text);
        course->computed_at = arena_copy(call->arena, text, strlen(text));
    }
}
