/* The looks of each treatment as a request to the monitor of group sequential tests, and the
 * boundary of now. */
#include "experiments/live_results/live_results_internal.h"

#include "experiments/sequential/sequential_monitor.h"

#include <math.h>
#include <string.h>

/* What rounding may take from a fraction of the plan. */
#define FRACTION_ROUNDING 1e-9

struct looks_reading {
    const struct live_results *results;
    struct live_planned_looks *block;
    struct sequential_plan plan;
    double now; /* the fraction */
};

const struct payload_looks *live_results_looks(const struct live_view *view)
{
    if (view->design->metrics->goals || view->rounds.count > 0 ||
        view->experiment.cluster_plan.kept)
        return NULL;
    return view->design->constraints->planned_looks;
}

void live_results_plan_looks(const struct payload_metrics *design,
                             const struct payload_looks *looks, double alpha,
                             struct sequential_plan *plan)
{
    bool one_sided = looks->futility != FUTILITY_NONE;

    *plan = (struct sequential_plan){.sides = one_sided ? 1 : 2,
                                     .direction = design->direction,
                                     .alpha = one_sided ? alpha / 2 : alpha,
                                     .power = design->power,
                                     .alpha_spending = looks->alpha_spending,
                                     .alpha_parameter = looks->alpha_parameter,
                                     .futility = looks->futility,
                                     .beta_spending = looks->beta_spending,
                                     .beta_parameter = looks->beta_parameter,
                                     .information_fractions = looks->information_fractions};
}

/* Which values of users a metric has. */
static const char *describe_metric(const struct payload_metrics *metrics, const char *name,
                                   struct arena *arena)
{
    static const struct metric_rule no_rule;
    const struct metric_rule *rule = payload_find_rule(&metrics->metric_rules, name);
    struct optional_number days;
    int window = payload_window(metrics, name, &days);

    rule = rule ? rule : &no_rule;
    return arena_print(arena, "%s\n%d %d %.17g %d %.17g %d %.17g\n", name, window, days.given,
                       days.value, rule->lower_cap.given, rule->lower_cap.value,
                       rule->upper_cap.given, rule->upper_cap.value);
}

/* Looks at one goal say nothing about another one. */
const char *live_results_describe_goal(const struct payload_metrics *metrics, struct arena *arena)
{
    if (metrics->metric_type != METRIC_RATIO)
        return arena_print(arena, "%d\n%s", metrics->metric_type,
                           describe_metric(metrics, metrics->primary_metric_name, arena));
    return arena_print(arena, "%d\n%s%s", metrics->metric_type,
                       describe_metric(metrics, metrics->numerator_metric_name, arena),
                       describe_metric(metrics, metrics->denominator_metric_name, arena));
}

static uint64_t hash_test(const struct looks_reading *reading)
{
    struct arena *arena = reading->results->call->arena;
    const struct number_list *fractions = &reading->plan.information_fractions;
    const char *text = live_results_describe_goal(reading->results->design, arena);

    for (size_t i = 0; i < fractions->count; i++)
        text = arena_print(arena, "%s %.17g", text, fractions->items[i]);
    return live_hash(text);
}

/* Fractions are shares of the planned size, so a plan of another size is another plan. */
static const char *name_plan(const struct looks_reading *reading)
{
    const struct sequential_plan *plan = &reading->plan;

    return arena_print(
        reading->results->call->arena, "%lld %d %.17g %.17g %d %.17g %d %d %.17g %lld %016llx",
        (long long)plan->sides, plan->direction, plan->alpha, plan->power, plan->alpha_spending,
        plan->alpha_parameter.value, plan->futility, plan->beta_spending,
        plan->beta_parameter.value, (long long)reading->results->plan.sequential_size,
        (unsigned long long)hash_test(reading));
}

/* Looks that were kept before plans were named with a hash have the numbers alone. */
static bool is_of_plan(const struct live_look *look, const char *plan)
{
    size_t length = strlen(look->plan);

    return strncmp(look->plan, plan, length) == 0 && (!plan[length] || plan[length] == ' ');
}

static double last_fraction(const struct live_look_list *looks)
{
    return looks->count ? looks->items[looks->count - 1].information_fraction : 0;
}

/* The first planned fraction after that of a look; infinite after the last. */
static double next_planned(const struct looks_reading *reading, double last)
{
    const struct number_list *planned = &reading->block->planned_fractions;

    for (size_t i = 0; i < planned->count; i++)
        if (planned->items[i] >= last + GROUP_SEQUENTIAL_STEP_MIN)
            return planned->items[i];
    return INFINITY;
}

static size_t count_unplanned(const struct looks_reading *reading)
{
    const struct live_look_list *looks = &reading->results->view->looks;
    double last = 0;
    size_t count = 0;

    for (size_t i = 0; i < looks->count; i++) {
        double fraction = looks->items[i].information_fraction;

        count += fraction < next_planned(reading, last) - FRACTION_ROUNDING;
        last = fraction;
    }
    return count;
}

static void list_taken(const struct looks_reading *reading)
{
    const struct live_look_list *looks = &reading->results->view->looks;
    struct live_look_taken *taken =
        ARENA_ARRAY(reading->results->call->arena, struct live_look_taken, looks->count);

    for (size_t i = 0; i < looks->count; i++) {
        const struct live_look *look = &looks->items[i];

        taken[i] = (struct live_look_taken){look->look, look->information_fraction, look->users,
                                            look->taken_at, look->actor};
    }
    reading->block->looks = (struct object_list){looks->count, taken};
    reading->block->unplanned_count = count_unplanned(reading);
}

static bool plan_has_changed(const struct looks_reading *reading)
{
    const struct live_look_list *looks = &reading->results->view->looks;

    for (size_t i = 0; i < looks->count; i++)
        if (!is_of_plan(&looks->items[i], reading->block->plan))
            return true;
    return false;
}

/* The next planned look is the first one after the last that was taken. */
static void find_next(const struct looks_reading *reading)
{
    double last = last_fraction(&reading->results->view->looks);
    double next = next_planned(reading, last);

    if (last < 1 && isfinite(next))
        reading->block->next_fraction = GIVEN_NUMBER(next);
    reading->block->look_due =
        reading->block->next_fraction.given &&
        reading->now >= reading->block->next_fraction.value - FRACTION_ROUNDING;
}

/* The looks at which this treatment could be compared. */
static struct object_list seen_looks(const struct looks_reading *reading, int64_t treatment)
{
    const struct live_look_list *looks = &reading->results->view->looks;
    struct observed_look *seen =
        ARENA_ARRAY(reading->results->call->arena, struct observed_look, looks->count);
    size_t count = 0;

    for (size_t i = 0; i < looks->count; i++)
        for (size_t k = 0; k < looks->items[i].effect_count; k++) {
            const struct live_look_effect *effect = &looks->items[i].effects[k];

            if (effect->treatment_index == treatment)
                seen[count++] = (struct observed_look){
                    .information_fraction = looks->items[i].information_fraction,
                    .estimate = GIVEN_NUMBER(effect->estimate),
                    .standard_error = GIVEN_NUMBER(effect->standard_error)};
        }
    return (struct object_list){count, seen};
}

static bool read_monitor(const struct looks_reading *reading, struct object_list seen,
                         struct sequential_monitor_reply *reply)
{
    const struct live_results_call *call = reading->results->call;
    const struct sequential_monitor_request request = {.plan = &reading->plan, .looks = seen};
    struct problem problem = {0};

    return !sequential_monitor(&(struct sequential_call){call->locale, call->arena, &problem},
                               &request, reply);
}

/* The look at which binding futility ended the test, 0 = none: later ones do not count. */
static size_t futile_look(const struct looks_reading *reading,
                          const struct sequential_monitor_reply *reply)
{
    const struct monitored_look *looks = reply->looks.items;

    for (size_t i = 0; reading->plan.futility == FUTILITY_BINDING && i < reply->looks.count; i++)
        if (strcmp(looks[i].decision, "futility") == 0)
            return i + 1;
    return 0;
}

/* What policy and texts decide by, in units of the analysis. */
static void keep_adjusted(const struct looks_reading *reading, struct live_look_reading *result)
{
    const struct sequential_adjusted *adjusted = result->reading->adjusted;
    double unit = live_results_unit(reading->results->design);

    if (!adjusted)
        return;
    result->adjusted = true;
    result->is_significant = adjusted->is_significant && strcmp(result->status, "efficacy") == 0;
    result->p_value = adjusted->p_value;
    result->estimate = unit * adjusted->estimate;
    result->lower = unit * adjusted->ci_lower;
    result->upper = unit * adjusted->ci_upper;
}

static void read_looks(const struct looks_reading *reading, struct live_look_reading *result)
{
    struct sequential_monitor_reply *reply =
        ARENA_NEW(reading->results->call->arena, struct sequential_monitor_reply);
    struct object_list seen = seen_looks(reading, result->treatment_index);
    size_t futile;

    result->status = "no_look";
    /* Also without a comparison at the last look. */
    result->ended = last_fraction(&reading->results->view->looks) > 1 - GROUP_SEQUENTIAL_STEP_MIN;
    if (seen.count == 0)
        return;
    result->status = "not_evaluable";
    if (!read_monitor(reading, seen, reply))
        return;
    futile = futile_look(reading, reply);
    if (futile > 0 && futile < seen.count) {
        seen.count = futile;
        if (!read_monitor(reading, seen, reply))
            return;
    }
    result->ended = result->ended || futile > 0;
    result->status = reply->status;
    result->reading = reply;
    keep_adjusted(reading, result);
}

/* The boundaries of a look now, after those that were taken. */
static bool bounds_now(const struct looks_reading *reading, struct group_sequential_bounds *bounds)
{
    const struct live_look_list *taken = &reading->results->view->looks;
    struct arena *arena = reading->results->call->arena;
    struct group_sequential_looks *looks = ARENA_NEW(arena, struct group_sequential_looks);
    struct group_sequential_plan plan = sequential_plan_of(&reading->plan);
    double fractions[LIVE_LOOKS_MAX + 1];

    if (taken->count > LIVE_LOOKS_MAX || last_fraction(taken) >= 1 ||
        !(reading->now >= last_fraction(taken) + GROUP_SEQUENTIAL_STEP_MIN))
        return false;
    for (size_t i = 0; i < taken->count; i++)
        fractions[i] = taken->items[i].information_fraction;
    fractions[taken->count] = reading->now;
    if (!group_sequential_solve(&plan, fractions, (int)taken->count + 1, false,
                                reading->results->plan.drift, arena, looks))
        return false;
    *bounds = looks->at[taken->count];
    return true;
}

static struct optional_number when_finite(double value)
{
    return isfinite(value) ? GIVEN_NUMBER(value) : (struct optional_number){0};
}

static void show_now(const struct looks_reading *reading,
                     const struct group_sequential_bounds *bounds,
                     const struct live_comparison *comparison, struct live_look_reading *result)
{
    double sign = reading->plan.sides == 1 ? goal_sign(reading->results->design) : 1;
    double unit = live_results_unit(reading->results->design);
    double effect = comparison->test.effect / unit, error = sqrt(comparison->variance);
    double reach = bounds->upper * error;
    bool two = reading->plan.sides == 2;

    if (strcmp(comparison->status, "ok") != 0 || !(error > 0))
        return;
    result->effect = GIVEN_NUMBER(effect);
    result->z = GIVEN_NUMBER(effect / error);
    result->efficacy_z = when_finite(sign * bounds->upper);
    if (reading->plan.futility != FUTILITY_NONE)
        result->futility_z = when_finite(sign * bounds->lower);
    if (two || sign > 0)
        result->ci_lower = when_finite(effect - reach);
    if (two || sign < 0)
        result->ci_upper = when_finite(effect + reach);
}

static void read_comparisons(struct looks_reading *reading, struct live_stats *stats,
                             struct live_sequential *sequential)
{
    struct live_comparison *comparisons = stats->comparisons.items;
    struct live_look_reading *results = ARENA_ARRAY(
        reading->results->call->arena, struct live_look_reading, stats->comparisons.count);
    struct group_sequential_bounds bounds = {0};
    bool known = bounds_now(reading, &bounds), all_ended = stats->comparisons.count > 0;

    for (size_t i = 0; i < stats->comparisons.count; i++) {
        results[i] = (struct live_look_reading){.treatment_index = comparisons[i].treatment_index};
        read_looks(reading, &results[i]);
        all_ended = all_ended && results[i].ended;
        if (known && !results[i].ended && strcmp(results[i].status, "efficacy") != 0)
            show_now(reading, &bounds, &comparisons[i], &results[i]);
        comparisons[i].planned = &results[i];
        comparisons[i].sequential_significant = (struct optional_boolean){
            strcmp(comparisons[i].status, "ok") == 0, results[i].is_significant};
    }
    reading->block->comparisons = (struct object_list){stats->comparisons.count, results};
    if (known && !all_ended)
        sequential->current_boundary_z = when_finite(bounds.upper);
    if (all_ended) {
        reading->block->status = "ended";
        reading->block->look_due = false;
        reading->block->next_fraction = (struct optional_number){0};
    }
}

void live_results_planned_looks(const struct live_results *results, struct live_stats *stats,
                                struct live_sequential *sequential)
{
    const struct payload_looks *looks = live_results_looks(results->view);
    struct live_planned_looks *block = ARENA_NEW(results->call->arena, struct live_planned_looks);
    struct looks_reading reading = {.results = results, .block = block, .now = sequential->plans};

    live_results_plan_looks(results->design, looks, results->alpha, &reading.plan);
    *block = (struct live_planned_looks){.status = "unavailable",
                                         .sides = reading.plan.sides,
                                         .alpha = reading.plan.alpha,
                                         .alpha_spending = spending_names[looks->alpha_spending],
                                         .futility = futility_names[looks->futility],
                                         .planned_fractions = looks->information_fractions};
    sequential->planned_looks = block;
    list_taken(&reading);
    if (!results->plan.sequential_known)
        return;
    block->plan = name_plan(&reading);
    block->status = plan_has_changed(&reading) ? "plan_changed" : "running";
    if (strcmp(block->status, "plan_changed") == 0)
        return;
    find_next(&reading);
    read_comparisons(&reading, stats, sequential);
}
