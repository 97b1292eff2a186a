/* Estimates every slice, then judges all of them together. */
#include "experiments/live_results/slices.h"

#include "experiments/live_results/live_results_internal.h"
#include "stats/e_values.h"

#include <math.h>
#include <string.h>

/* exp() of more is not finite. */
static const double log_value_max = 690;

#define OWNER struct live_slice_effect
static const struct field effect_fields[] = {
    STRING(OWNER, metric),
    INTEGER(OWNER, treatment_index),
    STRING(OWNER, status, .help = "ok, too_few_users, values_too_large, or zero_variance."),
    NULLABLE_NUMBER(OWNER, control_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, treatment_value, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, effect, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, effect_relative, ROUNDED(2), .help = "Percent of the control value."),
    NULLABLE_NUMBER(OWNER, ci_lower, ROUNDED(6),
                    .help = "Always-valid, at confidence_level: without 0 where is_discovered."),
    NULLABLE_NUMBER(OWNER, ci_upper, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, e_value, ROUNDED(6), .help = "Evidence against no effect."),
    BOOLEAN(OWNER, is_discovered, .help = "By e-BH over all slices, metrics and treatments."),
    NULLABLE_BOOLEAN(OWNER, is_improvement),
    NULLABLE_NUMBER(OWNER, difference, ROUNDED(6),
                    .help = "This effect less the effect among all other users."),
    NULLABLE_NUMBER(OWNER, difference_lower, ROUNDED(6),
                    .help = "Always-valid, at difference_confidence_level."),
    NULLABLE_NUMBER(OWNER, difference_upper, ROUNDED(6)),
    NULLABLE_NUMBER(OWNER, difference_e_value, ROUNDED(6)),
    BOOLEAN(OWNER, differs, .help = "By e-BH over all differences."),
};
#undef OWNER
static SCHEMA(effect_schema, struct live_slice_effect, "LiveSliceEffect", effect_fields);

#define OWNER struct live_slice_effects
static const struct field slice_fields[] = {
    STRING(OWNER, dimension),
    STRING(OWNER, value),
    INTEGER(OWNER, people),
    OBJECTS(OWNER, effects, effect_schema),
};
#undef OWNER
static SCHEMA(slice_schema, struct live_slice_effects, "LiveSliceEffects", slice_fields);

#define OWNER struct live_slices_metric
static const struct field metric_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, role, .help = "goal, guardrail or secondary."),
    STRING(OWNER, unit, .help = "rate or mean."),
    STRING(OWNER, direction),
};
#undef OWNER
static SCHEMA(metric_schema, struct live_slices_metric, "LiveSlicesMetric", metric_fields);

#define OWNER struct live_slices_dimension
static const struct field dimension_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, status,
           .help = "available, no_values, or too_many_values: named after the data."),
    INTEGER(OWNER, places, .help = "Values that can have results, \"other\" included."),
    INTEGER(OWNER, values, .help = "That were sent."),
};
#undef OWNER
static SCHEMA(dimension_schema, struct live_slices_dimension, "LiveSlicesDimension",
              dimension_fields);

#define OWNER struct live_slices
static const struct field slices_fields[] = {
    STRING(OWNER, experiment_id),
    STRING(OWNER, status,
           .help = "available, no_dimensions (the design names none), no_metrics, clusters (users "
                   "do not come alone) or adaptive (slices would pool the rounds)."),
    NUMBER(OWNER, false_discovery_rate, .help = "The alpha of the design."),
    INTEGER(OWNER, users_needed, .help = "Per arm and slice, for an e-value."),
    INTEGER(OWNER, hypotheses, .help = "Places of all dimensions x metrics x treatments."),
    INTEGER(OWNER, discoveries),
    NUMBER(OWNER, confidence_level),
    INTEGER(OWNER, differences),
    NUMBER(OWNER, difference_confidence_level),
    OBJECTS(OWNER, dimensions, dimension_schema),
    OBJECTS(OWNER, metrics, metric_schema,
            .help = "Robust metrics and ratios are not kept by slice."),
    OBJECTS(OWNER, slices, slice_schema),
};
#undef OWNER
SCHEMA(live_slices_schema, struct live_slices, "LiveSlices", slices_fields,
       .help = "Results by the dimensions of the design.");

struct measure {
    const char *name, *role;
    int64_t number;
    int direction; /* enum goal_direction */
    bool rate, primary;
};

/* A family of hypotheses: effects, or differences. */
struct family {
    struct e_estimate *estimates;
    double *log_values;
    bool *found;
    size_t found_count;
    double log_limit;
};

/* All hypotheses in one order: by slice, metric and treatment. */
struct reading {
    const struct live_results *results;
    size_t measure_count;
    struct measure *measures;
    size_t slice_count;
    const struct live_name **names;
    struct family effects, differences;
    struct live_slice_effect *shown;
};

static void add_measure(struct reading *reading, const struct measure *measure)
{
    struct measure *added = &reading->measures[reading->measure_count++];

    *added = *measure;
    added->number = live_view_metric(reading->results->view, measure->name);
}

static void collect_goals(struct reading *reading, const struct payload_goals *goals)
{
    const struct payload_goal *further = goals->further.items;

    for (size_t i = 0; i < goals->further.count; i++)
        add_measure(reading, &(struct measure){.name = further[i].name,
                                               .role = "goal",
                                               .direction = further[i].direction,
                                               .rate = further[i].metric_type == METRIC_BINARY});
}

static void collect_measures(struct reading *reading)
{
    const struct payload_metrics *design = reading->results->design;
    const struct guardrail_metric *guardrails = design->guardrail_metrics.items;

    reading->measures = ARENA_ARRAY(reading->results->call->arena, struct measure,
                                    1 + PAYLOAD_GOALS_MAX + design->guardrail_metrics.count +
                                        design->secondary_metrics.count);
    if (design->metric_type != METRIC_RATIO)
        add_measure(reading, &(struct measure){.name = design->primary_metric_name,
                                               .role = "goal",
                                               .direction = design->direction,
                                               .rate = design->metric_type == METRIC_BINARY,
                                               .primary = true});
    if (design->goals)
        collect_goals(reading, design->goals);
    for (size_t i = 0; i < design->guardrail_metrics.count; i++)
        add_measure(reading, &(struct measure){.name = guardrails[i].name,
                                               .role = "guardrail",
                                               .direction = guardrails[i].direction ==
                                                                    GUARDRAIL_INCREASE_IS_BAD
                                                                ? GOAL_DECREASE
                                                                : GOAL_INCREASE,
                                               .rate = guardrails[i].metric_type == METRIC_BINARY});
    for (size_t i = 0; i < design->secondary_metrics.count; i++) {
        const char *name = design->secondary_metrics.items[i];

        add_measure(reading,
                    &(struct measure){.name = name,
                                      .role = "secondary",
                                      .direction = payload_secondary_direction(design, name)});
    }
}

static bool has_place(const struct payload_dimension *dimension, const char *value)
{
    return dimension->values.count == 0 || strcmp(value, PAYLOAD_OTHER) == 0 ||
           payload_dimension_has(dimension, value);
}

/* Values that came before the design named its own are not among the hypotheses. */
static void collect_slices(struct reading *reading, const struct payload_dimension *dimension,
                           struct live_slices_dimension *shown)
{
    const struct live_name_list *names = &reading->results->view->slices;
    size_t before = reading->slice_count;

    *shown = (struct live_slices_dimension){.name = dimension->name,
                                            .status = "available",
                                            .places = payload_dimension_places(dimension)};
    for (size_t i = 0; i < names->count; i++) {
        const struct live_name *name = &names->items[i];

        if (strcmp(name->dimension, dimension->name) != 0)
            continue;
        shown->values++;
        if (has_place(dimension, name->name))
            reading->names[reading->slice_count++] = name;
    }
    if (shown->values == 0)
        shown->status = "no_values";
    if ((int64_t)(reading->slice_count - before) <= shown->places &&
        shown->values <= LIVE_SLICES_MAX)
        return;
    shown->status = "too_many_values";
    reading->slice_count = before;
}

/* All users but those of a slice. */
static struct live_moments without(const struct live_moments *all, const struct live_moments *part)
{
    struct live_moments rest = {.n = all->n - part->n,
                                .converted = all->converted - part->converted,
                                .sum = all->sum - part->sum,
                                .defined = all->defined};
    double share;

    if (rest.n <= 0)
        return rest;
    share = (double)part->n * (double)rest.n / (double)all->n;
    rest.mean = rest.sum / (double)rest.n;
    rest.squares = fmax(all->squares - part->squares - share * pow(part->mean - rest.mean, 2), 0);
    return rest;
}

/* A rate of 0 or 1 has a variance too: as if two more users had been seen, one with an event. */
static double variance_of(const struct live_moments *arm, bool rate)
{
    double n = (double)arm->n, share = ((double)arm->converted + 1) / (n + 2);

    return rate ? share * (1 - share) / (n + 2) : arm->squares / (n - 1) / n;
}

static double value_of(const struct live_moments *arm, bool rate)
{
    return rate ? (double)arm->converted / (double)arm->n : arm->mean;
}

/* Tuned for the effect that the design cares about; a metric without one for the error that so many
 * users would leave. */
static double mixture_of(const struct live_results *results, const struct measure *measure,
                         const struct live_moments arms[2], double variance)
{
    double pairs = (double)arms[0].n * (double)arms[1].n / (double)(arms[0].n + arms[1].n);

    if (measure->primary && results->mixture > 0)
        return results->mixture;
    return variance * pairs * 2 / (double)results->call->mixture_users;
}

static struct e_estimate estimate_of(const struct live_moments arms[2], bool rate)
{
    return (struct e_estimate){.effect = value_of(&arms[1], rate) - value_of(&arms[0], rate),
                               .variance =
                                   variance_of(&arms[0], rate) + variance_of(&arms[1], rate),
                               .freedom = fmin((double)arms[0].n, (double)arms[1].n) - 1};
}

static bool are_enough(const struct live_moments arms[2])
{
    return arms[0].n >= SLICE_USERS_MIN && arms[1].n >= SLICE_USERS_MIN;
}

static void compare(struct reading *reading, size_t at, const struct measure *measure,
                    const struct live_moments arms[2])
{
    struct e_estimate estimate = estimate_of(arms, measure->rate);
    struct live_slice_effect *shown = &reading->shown[at];
    double before = value_of(&arms[0], measure->rate);

    shown->control_value = GIVEN_NUMBER(before);
    shown->treatment_value = GIVEN_NUMBER(value_of(&arms[1], measure->rate));
    shown->effect = GIVEN_NUMBER(estimate.effect);
    if (before != 0)
        shown->effect_relative = GIVEN_NUMBER(100 * estimate.effect / fabs(before));
    if (estimate.effect != 0)
        shown->is_improvement =
            GIVEN_BOOLEAN((estimate.effect < 0) == (measure->direction == GOAL_DECREASE));
    estimate.mixture = mixture_of(reading->results, measure, arms, estimate.variance);
    reading->effects.estimates[at] = estimate;
    if (!e_log_value(&estimate, &reading->effects.log_values[at]))
        shown->status = "zero_variance";
}

/* The effect of the slice against that of everybody else. */
static void contrast(struct reading *reading, size_t at, const struct measure *measure,
                     const struct live_moments rest[2])
{
    const struct e_estimate *slice = &reading->effects.estimates[at];
    struct e_estimate other = estimate_of(rest, measure->rate), difference = *slice;

    difference.effect -= other.effect;
    difference.variance += other.variance;
    difference.freedom = fmin(difference.freedom, other.freedom);
    reading->differences.estimates[at] = difference;
    reading->shown[at].difference = GIVEN_NUMBER(difference.effect);
    (void)e_log_value(&difference, &reading->differences.log_values[at]);
}

static void read_hypothesis(struct reading *reading, size_t at, const struct measure *measure,
                            int64_t slice, int arm)
{
    const struct live_view *view = reading->results->view;
    struct live_slice_effect *shown = &reading->shown[at];
    struct live_moments arms[2], rest[2];

    *shown = (struct live_slice_effect){
        .metric = measure->name, .treatment_index = arm, .status = "too_few_users"};
    reading->effects.log_values[at] = reading->differences.log_values[at] = -INFINITY;
    for (int i = 0; i < 2; i++) {
        int side = i ? arm : CONTROL_ARM;
        struct live_moments all = live_view_moments(view, measure->number, LIVE_EVERYBODY, side);

        arms[i] = live_view_moments(view, measure->number, slice, side);
        rest[i] = without(&all, &arms[i]);
    }
    if (!are_enough(arms))
        return;
    shown->status = "ok";
    if (!arms[0].defined || !arms[1].defined)
        shown->status = "values_too_large";
    else
        compare(reading, at, measure, arms);
    if (strcmp(shown->status, "ok") == 0 && are_enough(rest) && rest[0].defined && rest[1].defined)
        contrast(reading, at, measure, rest);
}

static void start_family(struct family *family, size_t count, struct arena *arena)
{
    family->estimates = ARENA_ARRAY(arena, struct e_estimate, count);
    family->log_values = ARENA_ARRAY(arena, double, count);
    family->found = ARENA_ARRAY(arena, bool, count);
}

static void judge(struct family *family, size_t count, int64_t hypotheses, double level,
                  struct arena *arena)
{
    family->found_count =
        e_discover(family->log_values, count, (double)hypotheses, level, arena, family->found);
    family->log_limit = e_log_limit((double)hypotheses, family->found_count, level);
}

/* False where there is no e-value. */
static bool show_evidence(const struct family *family, size_t at, struct optional_number *e_value,
                          struct optional_number *lower, struct optional_number *upper)
{
    double radius;

    if (!isfinite(family->log_values[at]))
        return false;
    radius = e_radius(&family->estimates[at], family->log_limit);
    *e_value = GIVEN_NUMBER(exp(fmin(family->log_values[at], log_value_max)));
    *lower = live_results_number(true, family->estimates[at].effect - radius);
    *upper = live_results_number(true, family->estimates[at].effect + radius);
    return true;
}

static void show(struct reading *reading, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        struct live_slice_effect *shown = &reading->shown[at];

        if (show_evidence(&reading->effects, at, &shown->e_value, &shown->ci_lower,
                          &shown->ci_upper))
            shown->is_discovered = reading->effects.found[at];
        if (show_evidence(&reading->differences, at, &shown->difference_e_value,
                          &shown->difference_lower, &shown->difference_upper))
            shown->differs = reading->differences.found[at];
    }
}

static void read_slice(struct reading *reading, size_t slice, struct live_slice_effects *shown)
{
    const struct live_results *results = reading->results;
    const struct live_name *name = reading->names[slice];
    size_t each = reading->measure_count * (results->arms - 1), at = slice * each;

    *shown = (struct live_slice_effects){
        .dimension = name->dimension, .value = name->name, .effects = {each, reading->shown + at}};
    for (size_t arm = 0; arm < results->arms; arm++)
        shown->people += live_view_moments(results->view, 0, name->number, (int)arm).n;
    for (size_t i = 0; i < reading->measure_count; i++)
        for (size_t arm = 1; arm < results->arms; arm++)
            read_hypothesis(reading, at++, &reading->measures[i], name->number, (int)arm);
}

static void show_metrics(const struct reading *reading, struct live_slices *slices)
{
    struct live_slices_metric *metrics = ARENA_ARRAY(
        reading->results->call->arena, struct live_slices_metric, reading->measure_count);

    for (size_t i = 0; i < reading->measure_count; i++) {
        const struct measure *measure = &reading->measures[i];

        metrics[i] =
            (struct live_slices_metric){.name = measure->name,
                                        .role = measure->role,
                                        .unit = measure->rate ? "rate" : "mean",
                                        .direction = goal_direction_names[measure->direction]};
    }
    slices->metrics = (struct object_list){reading->measure_count, metrics};
}

/* The number of places is that of hypotheses per metric and treatment. */
static int64_t show_dimensions(struct reading *reading, struct live_slices *slices)
{
    const struct object_list *declared = &reading->results->view->design->setup->dimensions;
    struct arena *arena = reading->results->call->arena;
    struct live_slices_dimension *dimensions =
        ARENA_ARRAY(arena, struct live_slices_dimension, declared->count);
    int64_t places = 0;

    reading->names =
        ARENA_ARRAY(arena, const struct live_name *, reading->results->view->slices.count);
    for (size_t i = 0; i < declared->count; i++) {
        collect_slices(reading, (const struct payload_dimension *)declared->items + i,
                       &dimensions[i]);
        places += dimensions[i].places;
    }
    slices->dimensions = (struct object_list){declared->count, dimensions};
    return places;
}

static void read_all(struct reading *reading, struct live_slices *slices)
{
    struct arena *arena = reading->results->call->arena;
    size_t count = reading->slice_count * reading->measure_count * (reading->results->arms - 1);
    struct live_slice_effects *shown =
        ARENA_ARRAY(arena, struct live_slice_effects, reading->slice_count);

    reading->shown = ARENA_ARRAY(arena, struct live_slice_effect, count);
    start_family(&reading->effects, count, arena);
    start_family(&reading->differences, count, arena);
    for (size_t i = 0; i < reading->slice_count; i++)
        read_slice(reading, i, &shown[i]);
    judge(&reading->effects, count, slices->hypotheses, slices->false_discovery_rate, arena);
    judge(&reading->differences, count, slices->hypotheses, slices->false_discovery_rate, arena);
    show(reading, count);
    slices->discoveries = (int64_t)reading->effects.found_count;
    slices->confidence_level = 1 - exp(-reading->effects.log_limit);
    slices->differences = (int64_t)reading->differences.found_count;
    slices->difference_confidence_level = 1 - exp(-reading->differences.log_limit);
    slices->slices = (struct object_list){reading->slice_count, shown};
}

void live_results_slices(const struct live_results_call *call, const struct live_view *view,
                         struct live_slices *slices)
{
    struct live_results results;
    struct reading reading = {.results = &results};

    live_results_start(&results, call, view);
    *slices = (struct live_slices){.experiment_id = view->experiment.id,
                                   .status = "available",
                                   .false_discovery_rate = results.design->alpha,
                                   .users_needed = SLICE_USERS_MIN};
    collect_measures(&reading);
    show_metrics(&reading, slices);
    slices->hypotheses = show_dimensions(&reading, slices) * (int64_t)reading.measure_count *
                         ((int64_t)results.arms - 1);
    if (view->design->setup->dimensions.count == 0)
        slices->status = "no_dimensions";
    else if (results.clustered)
        slices->status = "clusters";
    else if (view->adaptive.found)
        slices->status = "adaptive";
    else if (reading.measure_count == 0)
        slices->status = "no_metrics";
    else
        read_all(&reading, slices);
}
