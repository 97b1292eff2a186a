/* Compares treatments with the control on the primary metric, and the sample with its plan. */
#include "experiments/live_results/clusters.h"

#include "experiments/analyses/report_print.h"
#include "experiments/analyses/report_text.h"
#include "math/normal.h"
#include "stats/always_valid.h"
#include "stats/bayes/superiority.h"

#include <math.h>
#include <string.h>

static struct ratio_moments ratio_of(const struct live_results *results, int arm, int64_t n)
{
    const struct live_products *products =
        arm < 0 ? NULL : results->view->rollup.products[LIVE_RATIO][arm];
    struct ratio_moments moments = {.n = n};
    const struct live_product(*at)[LIVE_FACTORS_MAX];
    double count = (double)n;

    if (!products || n == 0)
        return moments;
    at = products->at;
    moments.denominator_mean = sum_value(&at[0][1].sum) / count;
    moments.numerator_mean = sum_value(&at[0][2].sum) / count;
    moments.denominator_squares =
        fmax(sum_about_means(&at[1][1].sum, &at[0][1].sum, &at[0][1].sum, count), 0);
    moments.numerator_squares =
        fmax(sum_about_means(&at[2][2].sum, &at[0][2].sum, &at[0][2].sum, count), 0);
    moments.products = sum_about_means(&at[1][2].sum, &at[0][1].sum, &at[0][2].sum, count);
    return moments;
}

/* Applies a trial change of the data to an arm. */
static void apply_change(const struct live_results *results, struct live_results_arm *arm)
{
    const struct live_results_change *change = &results->change;
    double effect = arm->index > CONTROL_ARM ? change->effect : 0;
    double people = change->people, n = round((double)arm->n * people);

    arm->converted = (int64_t)fmin(
        fmax(round(((double)arm->converted + effect * (double)arm->n) * people), 0), n);
    arm->n = arm->ratio.n = (int64_t)n;
    arm->mean += effect;
    arm->deviation *= change->error;
    arm->ratio.numerator_mean += effect * arm->ratio.denominator_mean;
    arm->ratio.numerator_squares *= people * change->error * change->error;
    arm->ratio.denominator_squares *= people * change->error * change->error;
    arm->ratio.products *= people * change->error * change->error;
}

struct live_results_arm live_results_arm(const struct live_results *results, int arm)
{
    const struct live_view *view = results->view;
    struct live_moments moments = live_view_moments(
        view, live_view_metric(view, results->design->primary_metric_name), LIVE_EVERYBODY, arm);
    struct live_results_arm result = {.index = arm,
                                      .n = moments.n,
                                      .converted = moments.converted,
                                      .mean = moments.mean,
                                      .defined = moments.defined};

    if (moments.n > 1)
        result.deviation = sqrt(moments.squares / (double)(moments.n - 1));
    if (results->design->metric_type == METRIC_RATIO) {
        const struct live_products *products =
            arm < 0 ? NULL : view->rollup.products[LIVE_RATIO][arm];

        result.ratio = ratio_of(results, arm, moments.n);
        result.defined = !products || products->huge == 0;
    }
    if (results->change.people > 0)
        apply_change(results, &result);
    return result;
}

static const struct live_arm_statistic *statistic_of(const struct live_results *results,
                                                     const struct live_results_arm *arm)
{
    struct live_arm_statistic *statistic =
        ARENA_NEW(results->call->arena, struct live_arm_statistic);
    double ratio, variance;

    *statistic = (struct live_arm_statistic){
        .variation_index = arm->index, .exposed_users = arm->n, .converted_users = arm->converted};
    switch (results->design->metric_type) {
    case METRIC_BINARY:
        statistic->conversion_rate =
            live_results_number(arm->n > 0, (double)arm->converted / (double)arm->n);
        break;
    case METRIC_RATIO:
        statistic->converted_users = 0;
        if (arm->defined && ratio_moments_estimate(&arm->ratio, &ratio, &variance))
            statistic->ratio = live_results_number(true, ratio);
        break;
    default:
        statistic->mean = live_results_number(arm->n > 0 && arm->defined, arm->mean);
        statistic->std = live_results_number(arm->n > 1 && arm->defined, arm->deviation);
    }
    return statistic;
}

const char *live_results_bonferroni(const struct live_results *results)
{
    struct arena *arena = results->call->arena;
    int64_t comparisons = (int64_t)results->arms - 1;

    if (comparisons < 2 || results->rough)
        return NULL;
    return locale_format(
        results->call->locale, arena, "live.bonferroni",
        TEXT_ARGUMENTS({"alpha", arena_print(arena, "%.6g", results->alpha)},
                       {"comparisons", report_print_count(arena, comparisons)},
                       {"designAlpha", arena_print(arena, "%.6g", results->design->alpha)}));
}

const struct live_always_valid *live_results_always_valid(const struct live_results *results,
                                                          double difference, double variance)
{
    struct live_always_valid *block = ARENA_NEW(results->call->arena, struct live_always_valid);
    struct always_valid result;

    always_valid_test(difference, variance, results->mixture, results->alpha, &result);
    *block = (struct live_always_valid){.status = "not_evaluable"};
    if (!result.evaluable) {
        block->note = live_results_text(results, "live.always_valid_not_evaluable");
        return block;
    }
    *block = (struct live_always_valid){
        .status = "ok",
        .always_valid_p_value = GIVEN_NUMBER(result.p_value),
        .confidence_level = GIVEN_NUMBER(result.confidence_level),
        .ci_sequence_lower = GIVEN_NUMBER(result.lower),
        .ci_sequence_upper = GIVEN_NUMBER(result.upper),
        .is_significant = {true, result.is_significant},
        .mixture_variance = GIVEN_NUMBER(result.mixture_variance),
        .note = live_results_text(results, "live.always_valid"),
    };
    return block;
}

static double rate_variance(const struct live_results_arm *arm)
{
    double rate = (double)arm->converted / (double)arm->n;

    return rate * ((double)(arm->n - arm->converted) / (double)arm->n) / (double)arm->n;
}

/* Probability by normal posteriors, for trial changes. */
static double rough_superiority(const struct live_results_arm *control,
                                const struct live_results_arm *treatment)
{
    return superiority_of_means((double)treatment->converted / (double)treatment->n -
                                    (double)control->converted / (double)control->n,
                                sqrt(rate_variance(control) + rate_variance(treatment)));
}

/* Small probabilities keep their digits: the arms swap. */
static double better_rate(const struct live_results *results,
                          const struct live_results_arm *control,
                          const struct live_results_arm *treatment)
{
    const struct live_results_arm *above = goal_sign(results->design) > 0 ? treatment : control;
    const struct live_results_arm *below = above == treatment ? control : treatment;

    return superiority_of_rates(below->converted, below->n, above->converted, above->n);
}

static void compare_rates(const struct live_results *results,
                          const struct live_results_arm *control,
                          const struct live_results_arm *treatment,
                          struct live_comparison *comparison)
{
    const struct binary_observation observed = {control->converted, control->n,
                                                treatment->converted, treatment->n, results->alpha};
    struct test_result *test = &comparison->test;

    two_sample_binary(&observed, test);
    comparison->status = "ok";
    comparison->variance = rate_variance(control) + rate_variance(treatment);
    comparison->probability_treatment_beats_control = GIVEN_NUMBER(
        results->rough ? live_results_better(results, rough_superiority(control, treatment))
                       : better_rate(results, control, treatment));
    comparison->always_valid = live_results_always_valid(
        results, test->effect / 100, test->degenerate ? 0 : comparison->variance);
    if (!results->rough)
        comparison->analysis = live_results_analysis(
            results, test,
            report_binary_interpretation(results->call->locale, results->call->arena, test));
}

static void compare_means_of(const struct live_results *results,
                             const struct live_results_arm *control,
                             const struct live_results_arm *treatment,
                             struct live_comparison *comparison)
{
    const struct continuous_observation observed = {.control_mean = control->mean,
                                                    .control_std = control->deviation,
                                                    .control_n = control->n,
                                                    .treatment_mean = treatment->mean,
                                                    .treatment_std = treatment->deviation,
                                                    .treatment_n = treatment->n,
                                                    .alpha = results->alpha};
    struct test_result *test = &comparison->test;

    if (control->deviation == 0 || treatment->deviation == 0) {
        comparison->note = live_results_text(results, "live.zero_variance");
        return;
    }
    two_sample_continuous(&observed, test);
    comparison->status = "ok";
    comparison->variance = control->deviation * control->deviation / (double)control->n +
                           treatment->deviation * treatment->deviation / (double)treatment->n;
    comparison->probability_treatment_beats_control = GIVEN_NUMBER(superiority_of_means(
        goal_sign(results->design) * test->effect, sqrt(comparison->variance)));
    comparison->always_valid =
        live_results_always_valid(results, test->effect, comparison->variance);
    if (!results->rough)
        comparison->analysis = live_results_analysis(
            results, test,
            report_continuous_interpretation(results->call->locale, results->call->arena, &observed,
                                             test));
}

static void compare_ratios_of(const struct live_results *results,
                              const struct live_results_arm *control,
                              const struct live_results_arm *treatment,
                              struct live_comparison *comparison)
{
    struct test_result *test = &comparison->test;
    double ratio, before, after;

    ratio_moments_test(&control->ratio, &treatment->ratio, results->alpha, test);
    if (test->degenerate || !ratio_moments_estimate(&control->ratio, &ratio, &before) ||
        !ratio_moments_estimate(&treatment->ratio, &ratio, &after)) {
        comparison->note = live_results_text(results, "live.ratio_undefined");
        return;
    }
    comparison->status = "ok";
    comparison->variance = before + after;
    comparison->always_valid =
        live_results_always_valid(results, test->effect, comparison->variance);
    if (!results->rough)
        comparison->analysis = live_results_analysis(
            results, test,
            report_ratio_interpretation(results->call->locale, results->call->arena, test));
}

void live_results_compare(const struct live_results *results,
                          const struct live_results_arm *control,
                          const struct live_results_arm *treatment,
                          struct live_comparison *comparison)
{
    comparison->status = "insufficient_data";
    if (control->n < SUBJECTS_MIN || treatment->n < SUBJECTS_MIN) {
        comparison->note = live_results_text(results, "live.too_few_users");
        return;
    }
    if (!control->defined || !treatment->defined) {
        comparison->note = live_results_text(results, "live.values_too_large");
        return;
    }
    if (results->clustered)
        live_clusters_compare(results, (int)control->index, (int)treatment->index, comparison);
    else if (results->design->metric_type == METRIC_BINARY)
        compare_rates(results, control, treatment, comparison);
    else if (results->design->metric_type == METRIC_RATIO)
        compare_ratios_of(results, control, treatment, comparison);
    else
        compare_means_of(results, control, treatment, comparison);
    if (!comparison->note)
        comparison->note = live_results_bonferroni(results);
}

void live_results_comparisons(const struct live_results *results, struct live_stats *stats)
{
    size_t count = results->arms > 0 ? results->arms - 1 : 0;
    struct live_comparison *comparisons =
        ARENA_ARRAY(results->call->arena, struct live_comparison, count);
    struct live_results_arm control = live_results_arm(results, CONTROL_ARM);

    for (size_t i = 0; i < count; i++) {
        struct live_results_arm treatment = live_results_arm(results, (int)i + 1);

        comparisons[i].treatment_index = (int64_t)i + 1;
        comparisons[i].control = statistic_of(results, &control);
        comparisons[i].treatment = statistic_of(results, &treatment);
        live_results_compare(results, &control, &treatment, &comparisons[i]);
    }
    stats->comparisons = (struct object_list){count, comparisons};
}

static double smallest_fraction(const struct live_results *results, double planned)
{
    double smallest = 1;

    for (size_t i = 0; i < results->arms; i++) {
        double share = live_results_share(results, i) * (double)results->arms;

        smallest =
            fmin(smallest, (double)live_results_arm(results, (int)i).n / fmax(share * planned, 1));
    }
    return smallest;
}

/* Student's t of clusters is held against the boundary as the z of the same p. */
static double boundary_statistic(const struct live_results *results, const struct test_result *test)
{
    return results->clustered ? normal_upper_quantile(test->p_value / 2) : fabs(test->statistic);
}

static void mark_crossings(const struct live_results *results, double boundary,
                           struct live_stats *stats)
{
    struct live_comparison *comparisons = stats->comparisons.items;

    for (size_t i = 0; i < stats->comparisons.count; i++)
        if (strcmp(comparisons[i].status, "ok") == 0)
            comparisons[i].sequential_significant = (struct optional_boolean){
                true, boundary_statistic(results, &comparisons[i].test) > boundary};
}

/* The looks that decide, of either kind; false without any. */
static bool read_looks(const struct live_results *results, struct live_stats *stats,
                       struct live_sequential *block)
{
    if (live_results_looks(results->view)) {
        live_results_planned_looks(results, stats, block);
        block->looks_status = block->planned_looks->status;
    } else if (live_results_hybrid(results->view)) {
        live_results_hybrid_looks(results, stats, block);
        block->looks_status = block->hybrid->status;
    }
    return block->looks_status;
}

void live_results_sequential(const struct live_results *results, struct live_stats *stats)
{
    const struct live_results_plan *plan = &results->plan;
    struct live_sequential *block = ARENA_NEW(results->call->arena, struct live_sequential);
    const struct payload_looks *planned_looks = live_results_looks(results->view);
    int64_t looks = planned_looks ? (int64_t)planned_looks->information_fractions.count
                                  : results->view->design->constraints->n_looks;
    bool hybrid = live_results_hybrid(results->view);
    bool several = looks > 1 || planned_looks || hybrid;
    bool known = several ? plan->sequential_known : plan->known;
    double planned = (double)(several ? plan->sequential_size : plan->sample_size);
    double total = (double)stats->exposures_total, fraction;

    *block = (struct live_sequential){.status = several ? "insufficient_data" : "fixed_horizon",
                                      .n_looks = looks,
                                      .planned_sample_size_per_variant =
                                          live_results_integer(known, (int64_t)planned),
                                      .total_exposed = stats->exposures_total};
    stats->sequential = block;
    block->note = live_results_text(results, several ? "live.sequential_insufficient"
                                                     : "live.sequential_fixed_horizon");
    if (!known || planned <= 0 || (several && total <= 0)) {
        (void)read_looks(results, stats, block);
        return;
    }
    block->plans = total / (planned * (double)results->arms);
    fraction = fmin(1, block->plans);
    block->information_fraction = GIVEN_NUMBER(fraction);
    block->smallest_arm_fraction = GIVEN_NUMBER(smallest_fraction(results, planned));
    if (!several)
        return;
    block->status = "active";
    block->note = live_results_text(results, hybrid ? "live.hybrid" : "live.planned_looks");
    if (read_looks(results, stats, block))
        return;
    block->final_boundary = plan->final_boundary;
    block->current_boundary_z = GIVEN_NUMBER(plan->final_boundary / sqrt(fraction));
    block->note = live_results_text(results, "live.sequential_active");
    mark_crossings(results, block->current_boundary_z.value, stats);
}
