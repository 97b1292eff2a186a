/* All metrics of a design, each in its role: the goal as in the comparisons, guardrails by their
 * type, secondary metrics as means per subject. */
#include "experiments/live_results/clusters.h"

#include "stats/multiple_testing.h"

#include <math.h>
#include <string.h>

static double deviation(const struct live_moments *moments)
{
    return moments->n > 1 ? sqrt(moments->squares / (double)(moments->n - 1)) : 0;
}

bool live_results_test_metric(const struct live_results *results, const char *name, int64_t slice,
                              bool rate, int arm, struct test_result *test)
{
    int64_t number = live_view_metric(results->view, name);
    struct live_moments before = live_view_moments(results->view, number, slice, CONTROL_ARM);
    struct live_moments after = live_view_moments(results->view, number, slice, arm);
    const struct binary_observation rates = {before.converted, before.n, after.converted, after.n,
                                             results->alpha};
    const struct continuous_observation means = {.control_mean = before.mean,
                                                 .control_std = deviation(&before),
                                                 .control_n = before.n,
                                                 .treatment_mean = after.mean,
                                                 .treatment_std = deviation(&after),
                                                 .treatment_n = after.n,
                                                 .alpha = results->alpha};

    if (results->clustered)
        return slice == LIVE_EVERYBODY && live_clusters_test_metric(results, name, rate, arm, test);
    if (before.n < SUBJECTS_MIN || after.n < SUBJECTS_MIN || !before.defined || !after.defined)
        return false;
    if (rate)
        two_sample_binary(&rates, test);
    else
        two_sample_continuous(&means, test);
    return !test->degenerate;
}

/* Rates are shares here, not percentage points. */
void live_results_fill_metric(const struct test_result *test, bool rate,
                              struct live_metric_comparison *result)
{
    double scale = rate ? 100 : 1;

    result->status = "ok";
    result->control_value =
        GIVEN_NUMBER(rate ? test->control_rate_pct.value / 100 : test->control_value);
    result->treatment_value =
        GIVEN_NUMBER(rate ? test->treatment_rate_pct.value / 100 : test->treatment_value);
    result->effect = GIVEN_NUMBER(test->effect / scale);
    result->effect_relative = results_relative_effect(test);
    result->ci_lower = GIVEN_NUMBER(test->ci_lower / scale);
    result->ci_upper = GIVEN_NUMBER(test->ci_upper / scale);
    result->p_value = GIVEN_NUMBER(test->p_value);
    result->is_significant = (struct optional_boolean){true, test->is_significant};
}

void live_results_mark_improvements(const struct object_list *comparisons, int direction)
{
    struct live_metric_comparison *items = comparisons->items;

    for (size_t i = 0; i < comparisons->count; i++)
        if (items[i].effect.given && items[i].effect.value != 0)
            items[i].is_improvement = (struct optional_boolean){
                true, (items[i].effect.value < 0) == (direction == GOAL_DECREASE)};
}

static struct live_metric read_metric(const struct live_results *results, const char *name,
                                      const char *role, int direction, bool rate)
{
    size_t count = results->arms - 1;
    struct live_metric_comparison *comparisons =
        ARENA_ARRAY(results->call->arena, struct live_metric_comparison, count);
    struct live_metric metric = {.name = name,
                                 .role = role,
                                 .unit = rate ? "rate" : "mean",
                                 .direction = goal_direction_names[direction],
                                 .comparisons = {count, comparisons}};

    for (size_t i = 0; i < count; i++) {
        struct test_result test;

        comparisons[i] = (struct live_metric_comparison){.treatment_index = (int64_t)i + 1,
                                                         .status = "insufficient_data"};
        if (live_results_test_metric(results, name, LIVE_EVERYBODY, rate, (int)i + 1, &test))
            live_results_fill_metric(&test, rate, &comparisons[i]);
    }
    live_results_mark_improvements(&metric.comparisons, direction);
    return metric;
}

/* The goal is what the comparisons show already. */
static struct live_metric read_goal(const struct live_results *results,
                                    const struct live_stats *stats)
{
    static const char *const units[METRIC__MAX] = {"rate", "mean", "ratio", "mean"};
    int type = results->design->metric_type;
    const struct live_comparison *shown = stats->comparisons.items;
    struct live_metric_comparison *comparisons =
        ARENA_ARRAY(results->call->arena, struct live_metric_comparison, stats->comparisons.count);
    struct live_metric goal;

    for (size_t i = 0; i < stats->comparisons.count; i++) {
        comparisons[i] = (struct live_metric_comparison){.treatment_index = (int64_t)i + 1,
                                                         .status = "insufficient_data"};
        if (strcmp(shown[i].status, "ok") == 0)
            live_results_fill_metric(&shown[i].test, type == METRIC_BINARY, &comparisons[i]);
    }
    goal = (struct live_metric){.name = results->design->primary_metric_name,
                                .role = "goal",
                                .unit = units[type],
                                .direction = stats->direction,
                                .comparisons = {stats->comparisons.count, comparisons}};
    live_results_mark_improvements(&goal.comparisons, results->design->direction);
    return goal;
}

/* Holm over all comparisons of several lists together, at the design's alpha. */
static void adjust(const struct live_results *results, const struct object_list *const *lists,
                   size_t count)
{
    struct arena *arena = results->call->arena;
    size_t most = count * results->arms, tested = 0;
    double *p_values = ARENA_ARRAY(arena, double, most);
    struct live_metric_comparison **targets =
        ARENA_ARRAY(arena, struct live_metric_comparison *, most);
    struct adjusted_test *tests = ARENA_ARRAY(arena, struct adjusted_test, most);

    for (size_t i = 0; i < count; i++) {
        struct live_metric_comparison *comparisons = lists[i]->items;

        for (size_t k = 0; k < lists[i]->count; k++) {
            if (!comparisons[k].p_value.given)
                continue;
            p_values[tested] = comparisons[k].p_value.value;
            targets[tested++] = &comparisons[k];
        }
    }
    if (tested == 0)
        return;
    (void)multiple_testing_adjust(MULTIPLE_TESTING_HOLM, p_values, tested, results->design->alpha,
                                  arena, tests);
    for (size_t i = 0; i < tested; i++) {
        targets[i]->p_value_adjusted = GIVEN_NUMBER(tests[i].adjusted_p_value);
        targets[i]->is_significant = (struct optional_boolean){true, tests[i].rejected};
    }
}

/* The primary metric among the subjects of a slice. */
static struct live_slice read_slice(const struct live_results *results,
                                    const struct live_name *name)
{
    bool rate = results->design->metric_type == METRIC_BINARY;
    size_t count = results->arms - 1;
    struct live_metric_comparison *comparisons =
        ARENA_ARRAY(results->call->arena, struct live_metric_comparison, count);
    struct live_slice slice = {.value = name->name, .comparisons = {count, comparisons}};

    for (size_t arm = 0; arm < results->arms; arm++)
        slice.people += live_view_moments(results->view, 0, name->number, (int)arm).n;
    for (size_t i = 0; i < count; i++) {
        struct test_result test;

        comparisons[i] = (struct live_metric_comparison){.treatment_index = (int64_t)i + 1,
                                                         .status = "insufficient_data"};
        if (live_results_test_metric(results, results->design->primary_metric_name, name->number,
                                     rate, (int)i + 1, &test))
            live_results_fill_metric(&test, rate, &comparisons[i]);
    }
    live_results_mark_improvements(&slice.comparisons, results->design->direction);
    return slice;
}

void live_results_drill_down(const struct live_results *results, struct live_stats *stats)
{
    struct arena *arena = results->call->arena;
    const struct live_name_list *names = &results->view->slices;
    struct live_drill_down *block = ARENA_NEW(arena, struct live_drill_down);
    struct live_slice *slices = ARENA_ARRAY(arena, struct live_slice, names->count);
    const struct object_list **lists = ARENA_ARRAY(arena, const struct object_list *, names->count);
    int type = results->design->metric_type;

    if (!results->view->dimension)
        return;
    stats->drill_down = block;
    *block =
        (struct live_drill_down){.status = "unavailable", .dimension = results->view->dimension};
    if (names->count == 0 || type == METRIC_RATIO || results->clustered)
        return;
    block->status = "too_many_values";
    if (names->count > LIVE_SLICES_MAX)
        return;
    block->status = "available";
    block->unit = type == METRIC_BINARY ? "rate" : "mean";
    for (size_t i = 0; i < names->count; i++) {
        slices[i] = read_slice(results, &names->items[i]);
        lists[i] = &slices[i].comparisons;
    }
    adjust(results, lists, names->count);
    block->slices = (struct object_list){names->count, slices};
}

/* What the goals say together. */
static void judge_goal(const struct live_goal *goal, struct live_metric *metric)
{
    const struct live_goal_comparison *judged = goal->comparisons.items;
    struct live_metric_comparison *shown = metric->comparisons.items;

    for (size_t i = 0; i < metric->comparisons.count; i++) {
        shown[i].p_value_adjusted = judged[i].p_value_adjusted;
        if (shown[i].is_significant.given)
            shown[i].is_significant.value = judged[i].is_proven || judged[i].is_worse;
    }
}

/* Those beside the primary metric, and what all say together. Returns their number. */
static size_t read_goals(const struct live_results *results, const struct live_stats *stats,
                         struct live_metric *metrics)
{
    const struct payload_goals *goals = stats->goals ? results->design->goals : NULL;
    const struct payload_goal *further = goals ? goals->further.items : NULL;
    size_t count = goals ? goals->further.count : 0;

    for (size_t i = 0; i < count; i++)
        metrics[1 + i] = read_metric(results, further[i].name, "goal", further[i].direction,
                                     further[i].metric_type == METRIC_BINARY);
    for (size_t i = 0; goals && i <= count; i++)
        judge_goal((const struct live_goal *)stats->goals->goals.items + i, &metrics[i]);
    return count;
}

void live_results_metrics(const struct live_results *results, struct live_stats *stats)
{
    const struct object_list *guardrails = &results->design->guardrail_metrics;
    const struct string_list *secondary = &results->design->secondary_metrics;
    const struct object_list *robust = &results->design->robust_metrics;
    size_t further = secondary->count + robust->count;
    struct live_metric *metrics = ARENA_ARRAY(results->call->arena, struct live_metric,
                                              1 + PAYLOAD_GOALS_MAX + guardrails->count + further);
    const struct object_list **lists =
        ARENA_ARRAY(results->call->arena, const struct object_list *, further);
    size_t count = 1, first;

    metrics[0] = read_goal(results, stats);
    count += read_goals(results, stats, metrics);
    for (size_t i = 0; i < guardrails->count; i++) {
        const struct guardrail_metric *metric =
            (const struct guardrail_metric *)guardrails->items + i;

        metrics[count++] = read_metric(
            results, metric->name, "guardrail",
            metric->direction == GUARDRAIL_INCREASE_IS_BAD ? GOAL_DECREASE : GOAL_INCREASE,
            metric->metric_type == METRIC_BINARY);
    }
    first = count;
    for (size_t i = 0; i < secondary->count; i++)
        metrics[count++] =
            read_metric(results, secondary->items[i], "secondary",
                        payload_secondary_direction(results->design, secondary->items[i]), false);
    for (size_t i = 0; i < robust->count; i++)
        live_results_robust(results, (const struct robust_metric *)robust->items + i,
                            &metrics[count++]);
    for (size_t i = 0; i < further; i++)
        lists[i] = &metrics[first + i].comparisons;
    adjust(results, lists, further);
    stats->metrics = (struct object_list){count, metrics};
}
