/* The adjusted effect: by covariates (CUPED), and by strata. */
#include "experiments/live_results/live_results_internal.h"

#include "experiments/analyses/report_text.h"
#include "stats/covariate_adjustment.h"
#include "stats/stratified.h"

#include <math.h>
#include <string.h>

/* Where a covariate stands among the factors of the products. */
static int factor_of(const struct live_experiment *experiment, int64_t covariate)
{
    int position = 0;

    while (position < (int)experiment->used_count && experiment->used[position] != covariate)
        position++;
    return 2 + position;
}

/* Means and products about them, the covariates in the order of their names. */
static struct adjustment_arm adjustment_arm(const struct live_results *results, int arm)
{
    const struct live_products *products = results->view->rollup.products[LIVE_COVARIANCE][arm];
    const struct live_name_list *names = &results->view->covariates;
    int factor[1 + ADJUSTMENT_COVARIATES_MAX] = {1}, variables = 1 + (int)names->count;
    struct adjustment_arm result = {0};

    if (!products || products->huge > 0)
        return result;
    for (size_t i = 0; i < names->count; i++)
        factor[1 + i] = factor_of(&results->view->experiment, names->items[i].number);
    result.n = (int64_t)sum_value(&products->at[0][0].sum);
    for (int i = 0; i < variables && result.n > 0; i++) {
        const struct sum *x = &products->at[0][factor[i]].sum;

        result.mean[i] = sum_value(x) / (double)result.n;
        for (int j = 0; j < variables; j++) {
            int first = factor[i] < factor[j] ? factor[i] : factor[j];
            int second = factor[i] < factor[j] ? factor[j] : factor[i];

            result.products[i][j] =
                sum_about_means(&products->at[first][second].sum, x,
                                &products->at[0][factor[j]].sum, (double)result.n);
            if (i == j &&
                result.products[i][j] < 0x1p-90 * sum_value(&products->at[first][second].sum))
                result.products[i][j] = 0;
        }
    }
    return result;
}

static const struct live_cuped_arm *cuped_arm(const struct live_results *results,
                                              const struct adjustment *fit, size_t arm)
{
    struct live_cuped_arm *result = ARENA_NEW(results->call->arena, struct live_cuped_arm);
    int64_t n = fit->arms[arm].n, exposed = live_results_arm(results, (int)arm).n;

    *result = (struct live_cuped_arm){
        .variation_index = (int64_t)arm,
        .covariate_users = n,
        .exposed_users = exposed,
        .coverage = live_results_number(exposed > 0, (double)n / (double)exposed),
        .unadjusted_mean = live_results_number(n > 0, fit->arms[arm].mean[0]),
        .adjusted_mean = live_results_number(n > 0, adjustment_mean(fit, arm)),
        .adjusted_std = live_results_number(n > 1, adjustment_deviation(fit, arm))};
    return result;
}

static void compare_adjusted(const struct live_results *results, const struct adjustment *fit,
                             size_t arm, struct live_cuped_comparison *result)
{
    struct optional_number reduction;
    struct test_result test;

    *result = (struct live_cuped_comparison){.treatment_index = (int64_t)arm,
                                             .status = "insufficient_data",
                                             .control = cuped_arm(results, fit, CONTROL_ARM),
                                             .treatment = cuped_arm(results, fit, arm)};
    if (!adjustment_compare(fit, CONTROL_ARM, arm, results->alpha, &test, &reduction)) {
        result->note = live_results_text(results, "live.cuped_insufficient");
        return;
    }
    const struct continuous_observation observed = {.control_mean = test.control_value,
                                                    .treatment_mean = test.treatment_value,
                                                    .alpha = results->alpha};

    result->status = "ok";
    result->variance_reduction_pct = reduction;
    result->analysis =
        live_results_analysis(results, &test,
                              report_continuous_interpretation(
                                  results->call->locale, results->call->arena, &observed, &test));
    result->note = live_results_bonferroni(results);
}

static void fill_cuped(const struct live_results *results, const struct adjustment *fit,
                       struct live_cuped *block)
{
    struct arena *arena = results->call->arena;
    const struct live_name_list *names = &results->view->covariates;
    struct live_covariate_slope *slopes =
        ARENA_ARRAY(arena, struct live_covariate_slope, names->count);
    struct live_cuped_comparison *comparisons =
        ARENA_ARRAY(arena, struct live_cuped_comparison, results->arms);

    block->status = "available";
    block->selection_caveat = "complete_case_subset";
    block->note = live_results_text(results, "live.cuped_available");
    block->theta = live_results_number(names->count == 1, fit->slope[0]);
    for (size_t i = 0; i < names->count; i++)
        slopes[i] = (struct live_covariate_slope){names->items[i].name, fit->slope[i]};
    block->covariates = (struct object_list){names->count, slopes};
    block->variance_reduction_pct = fit->variance_reduction_pct;
    for (size_t i = 1; i < results->arms; i++)
        compare_adjusted(results, fit, i, &comparisons[i - 1]);
    block->comparisons = (struct object_list){results->arms - 1, comparisons};
}

/* Names that cover too few of the subjects to be of use. */
static void list_ignored(const struct live_results *results, struct live_cuped *block)
{
    const struct live_covered_list *covered = &results->view->covered;
    struct live_ignored_covariate *ignored =
        ARENA_ARRAY(results->call->arena, struct live_ignored_covariate, covered->count);
    size_t count = 0;

    for (size_t i = 0; i < covered->count; i++)
        if (!live_is_covering(covered, i))
            ignored[count++] = (struct live_ignored_covariate){
                covered->items[i].name, covered->items[i].people,
                (double)covered->items[i].people / (double)covered->exposed};
    block->ignored_covariates = (struct object_list){count, ignored};
}

void live_results_cuped(const struct live_results *results, struct live_stats *stats)
{
    struct arena *arena = results->call->arena;
    struct live_cuped *block = ARENA_NEW(arena, struct live_cuped);
    struct adjustment_arm *arms = ARENA_ARRAY(arena, struct adjustment_arm, results->arms);
    struct adjustment *fit = ARENA_NEW(arena, struct adjustment);
    int64_t names = results->view->covariates_wanted, exposed = stats->exposures_total;

    stats->cuped = block;
    if (results->design->metric_type != METRIC_CONTINUOUS) {
        *block =
            (struct live_cuped){.status = "not_applicable",
                                .note = live_results_text(results, "live.cuped_not_applicable")};
        return;
    }
    if (results->clustered) {
        block->status = "unavailable";
        block->note = live_results_text(results, "live.clusters_only");
        return;
    }
    block->num_covariates = live_results_integer(names > 0, names);
    list_ignored(results, block);
    block->exposed_users_total = GIVEN_INTEGER(exposed);
    if (names > LIVE_COVARIATES_MAX) {
        block->status = "too_many_covariates";
        block->note = live_results_text(results, "live.cuped_too_many");
        return;
    }
    for (size_t i = 0; i < results->arms; i++)
        arms[i] = adjustment_arm(results, (int)i);
    adjustment_fit(arms, results->arms, (int)names, fit);
    block->covariate_users_total = GIVEN_INTEGER(fit->total);
    block->coverage_total = live_results_number(exposed > 0, (double)fit->total / (double)exposed);
    if (fit->total > 0) {
        fill_cuped(results, fit, block);
        return;
    }
    block->status = "unavailable";
    block->note = live_results_text(results, "live.cuped_unavailable");
}

static struct stratum_arm stratum_arm(const struct live_results *results, int64_t slice, int arm)
{
    const struct live_view *view = results->view;
    struct live_moments moments = live_view_moments(
        view, live_view_metric(view, results->design->primary_metric_name), slice, arm);
    double rate = moments.n ? (double)moments.converted / (double)moments.n : 0;

    if (results->design->metric_type == METRIC_BINARY)
        return (struct stratum_arm){moments.n, rate, rate * (double)(moments.n - moments.converted),
                                    true};
    return (struct stratum_arm){moments.defined ? moments.n : 0, moments.mean, moments.squares,
                                false};
}

static void compare_strata(const struct live_results *results, int arm,
                           struct live_stratified_comparison *result)
{
    struct arena *arena = results->call->arena;
    const struct live_name_list *names = &results->view->strata;
    struct stratum_pair *pairs = ARENA_ARRAY(arena, struct stratum_pair, names->count);
    struct live_stratum_effect *effects =
        ARENA_ARRAY(arena, struct live_stratum_effect, names->count);
    struct stratified_result test;

    for (size_t i = 0; i < names->count; i++) {
        pairs[i].control = stratum_arm(results, names->items[i].number, CONTROL_ARM);
        pairs[i].treatment = stratum_arm(results, names->items[i].number, arm);
    }
    stratified_test(pairs, names->count, results->alpha, &test);
    for (size_t i = 0; i < names->count; i++)
        effects[i] = (struct live_stratum_effect){
            names->items[i].name, pairs[i].control.n + pairs[i].treatment.n, pairs[i].control.n,
            pairs[i].treatment.n, live_results_number(pairs[i].contributes, pairs[i].effect)};
    *result = (struct live_stratified_comparison){
        .treatment_index = arm, .status = "insufficient_data", .strata = {names->count, effects}};
    if (!test.defined) {
        result->note = live_results_text(results, "live.stratified_insufficient");
        return;
    }
    result->status = "ok";
    result->effect = GIVEN_NUMBER(test.effect);
    result->pooled_effect = GIVEN_NUMBER(test.pooled_effect);
    result->standard_error = GIVEN_NUMBER(test.standard_error);
    result->test_statistic = GIVEN_NUMBER(test.statistic);
    result->p_value = GIVEN_NUMBER(test.p_value);
    result->ci_lower = GIVEN_NUMBER(test.lower);
    result->ci_upper = GIVEN_NUMBER(test.upper);
    result->ci_level = GIVEN_NUMBER(test.level);
    result->is_significant = (struct optional_boolean){true, test.is_significant};
    result->variance_reduction_pct = test.variance_reduction_pct;
    result->num_strata = GIVEN_INTEGER(test.strata);
}

static int64_t people_in_strata(const struct live_results *results)
{
    const struct live_name_list *names = &results->view->strata;
    int64_t people = 0;

    for (size_t i = 0; i < names->count; i++)
        for (size_t arm = 0; arm < results->arms; arm++)
            people += live_view_moments(results->view, 0, names->items[i].number, (int)arm).n;
    return people;
}

void live_results_stratified(const struct live_results *results, struct live_stats *stats)
{
    struct live_stratified *block = ARENA_NEW(results->call->arena, struct live_stratified);
    struct live_stratified_comparison *comparisons =
        ARENA_ARRAY(results->call->arena, struct live_stratified_comparison, results->arms);
    int64_t names = results->view->experiment.strata, covered = people_in_strata(results);
    int type = results->design->metric_type;

    *block = (struct live_stratified){.status = "unavailable"};
    stats->stratified = block;
    if (type != METRIC_BINARY && type != METRIC_CONTINUOUS) {
        block->note = live_results_text(results, "live.stratified_not_supported");
        return;
    }
    if (results->clustered) {
        block->note = live_results_text(results, "live.clusters_only");
        return;
    }
    block->num_strata = live_results_integer(names > 0, names);
    block->exposed_users_total = GIVEN_INTEGER(stats->exposures_total);
    if (names > LIVE_STRATA_MAX) {
        block->status = "too_many_strata";
        block->note = live_results_text(results, "live.stratified_too_many");
        return;
    }
    block->stratified_users_total = GIVEN_INTEGER(covered);
    if (covered == 0) {
        block->note = live_results_text(results, "live.stratified_unavailable");
        return;
    }
    block->status = "available";
    block->note = live_results_text(results, "live.stratified_available");
    for (size_t i = 1; i < results->arms; i++)
        compare_strata(results, (int)i, &comparisons[i - 1]);
    block->comparisons = (struct object_list){results->arms - 1, comparisons};
}
