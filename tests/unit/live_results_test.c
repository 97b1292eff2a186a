/*
 * Statistics from aggregates that are laid down by hand: the golden cases of live statistics.
 * Numbers were worked out with another implementation.
 */
#include "live_bench.h"

TEST(a_rate_before_its_planned_read)
{
    struct bench bench;
    const struct live_comparison *comparison;

    bench_start(&bench, METRIC_BINARY, 0.1, 5, 2);
    lay_rate(&bench, 0, 5000, 500);
    lay_rate(&bench, 1, 5000, 600);
    comparison = read_stats(&bench);
    CHECK_TEXT(comparison->status, "ok");
    CHECK_NEAR(comparison->analysis->observed_effect, 2.0, 1e-9);
    CHECK_NEAR(comparison->analysis->observed_effect_relative.value, 20.0, 1e-9);
    CHECK_NEAR(comparison->analysis->test_statistic, 3.196, 5e-5);
    CHECK_NEAR(comparison->analysis->p_value, 0.001393, 5e-7);
    CHECK_NEAR(comparison->analysis->power_achieved, 0.892, 5e-4);
    CHECK_NEAR(comparison->analysis->ci_lower, 0.7741, 5e-5);
    CHECK_NEAR(comparison->analysis->ci_upper, 3.2259, 5e-5);
    CHECK_NEAR(comparison->probability_treatment_beats_control.value, 0.999, 1e-3);
    CHECK_NEAR(comparison->always_valid->always_valid_p_value.value, 0.174425, 5e-7);
    CHECK_NEAR(comparison->always_valid->ci_sequence_lower.value, -0.005509, 5e-7);
    CHECK_NEAR(comparison->always_valid->ci_sequence_upper.value, 0.045509, 5e-7);
    CHECK_NEAR(comparison->always_valid->mixture_variance.value, 2.5e-05, 1e-12);
    CHECK_INT(bench.stats.sequential->planned_sample_size_per_variant.value, 57763);
    CHECK_NEAR(bench.stats.sequential->information_fraction.value, 0.0866, 5e-5);
    bench_stop(&bench);
}

TEST(three_arms_share_alpha)
{
    struct bench bench;
    const struct live_comparison *comparison;

    bench_start(&bench, METRIC_BINARY, 0.1, 5, 3);
    bench.setup.traffic_split.items[0] = 34;
    bench.setup.traffic_split.items[1] = bench.setup.traffic_split.items[2] = 33;
    lay_rate(&bench, 0, 4000, 400);
    lay_rate(&bench, 1, 4000, 480);
    lay_rate(&bench, 2, 4000, 360);
    comparison = read_stats(&bench);
    CHECK_NEAR(comparison[0].analysis->ci_level, 0.975, 1e-9);
    CHECK_NEAR(comparison[0].analysis->p_value, 0.004255, 5e-7);
    CHECK_NEAR(comparison[0].analysis->ci_lower, 0.4326, 5e-5);
    CHECK_NEAR(comparison[0].analysis->ci_upper, 3.5674, 5e-5);
    CHECK_NEAR(comparison[0].probability_treatment_beats_control.value, 0.998, 2e-3);
    CHECK_NEAR(comparison[1].analysis->test_statistic, -1.5252, 5e-5);
    CHECK_NEAR(comparison[1].analysis->p_value, 0.127207, 5e-7);
    CHECK_NEAR(comparison[1].probability_treatment_beats_control.value, 0.064, 2e-3);
    CHECK(strstr(comparison[0].note, "Bonferroni") != NULL);
    CHECK_NEAR(bench.stats.srm->chi_square.value, 2.3767, 5e-5);
    CHECK_NEAR(bench.stats.srm->p_value.value, 0.304722, 5e-7);
    CHECK_INT(bench.stats.sequential->planned_sample_size_per_variant.value, 69952);
    CHECK_NEAR(bench.stats.sequential->information_fraction.value, 0.0572, 5e-5);
    bench_stop(&bench);
}

TEST(nobody_converts)
{
    struct bench bench;
    const struct live_comparison *comparison;

    bench_start(&bench, METRIC_BINARY, 0.1, 5, 2);
    lay_rate(&bench, 0, 500, 0);
    lay_rate(&bench, 1, 500, 0);
    comparison = read_stats(&bench);
    CHECK_TEXT(comparison->status, "ok");
    CHECK_NEAR(comparison->analysis->p_value, 1, 0);
    CHECK_NEAR(comparison->analysis->ci_lower, 0, 0);
    CHECK_NEAR(comparison->probability_treatment_beats_control.value, 0.5, 1e-9);
    CHECK_TEXT(comparison->always_valid->status, "not_evaluable");
    bench_stop(&bench);
}

TEST(sample_ratios)
{
    static const struct {
        int64_t counts[3];
        size_t arms;
        double chi_square, p_value;
        bool mismatch;
    } cases[] = {
        {{5000, 3000}, 2, 500.0, 0, true},
        {{5000, 4800}, 2, 4.0816, 0.043352, false},
        {{10, 0}, 2, 10.0, 0.001565, false},
        {{100, 100, 140}, 3, 9.4118, 0.009042, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;

        bench_start(&bench, METRIC_BINARY, 0.1, 5, cases[i].arms);
        for (size_t arm = 0; arm < cases[i].arms; arm++)
            lay_rate(&bench, (int)arm, cases[i].counts[arm], 0);
        read_stats(&bench);
        CHECK_NEAR(bench.stats.srm->chi_square.value, cases[i].chi_square, 5e-5);
        CHECK_NEAR(bench.stats.srm->p_value.value, cases[i].p_value, 5e-7);
        CHECK(bench.stats.srm->is_srm == cases[i].mismatch);
        bench_stop(&bench);
    }
}

/* The exact boundary of three looks lies within .002 of the tabulated one. */
TEST(several_looks)
{
    struct bench bench;
    const struct live_comparison *comparison;

    bench_start(&bench, METRIC_BINARY, 0.1, 5, 2);
    bench.constraints.n_looks = 3;
    lay_rate(&bench, 0, 5000, 500);
    lay_rate(&bench, 1, 5000, 600);
    comparison = read_stats(&bench);
    CHECK_TEXT(bench.stats.sequential->status, "active");
    CHECK_NEAR((double)bench.stats.sequential->planned_sample_size_per_variant.value, 58919, 250);
    CHECK_NEAR(bench.stats.sequential->information_fraction.value, 0.0849, 5e-4);
    CHECK_NEAR(bench.stats.sequential->current_boundary_z.value, 6.881, 0.02);
    CHECK(comparison->sequential_significant.given && !comparison->sequential_significant.value);
    bench_stop(&bench);
}

TEST(means)
{
    struct bench bench;
    const struct live_comparison *comparison;

    bench_start(&bench, METRIC_CONTINUOUS, 45, 4.4, 2);
    bench.metrics.std_dev = GIVEN_NUMBER(12);
    lay(&bench, PRIMARY, 0, 0, 4, 4, 100, 500);
    lay(&bench, PRIMARY, 0, 1, 4, 4, 180, 500);
    comparison = read_stats(&bench);
    CHECK_NEAR(comparison->control->mean.value, 25, 1e-9);
    CHECK_NEAR(comparison->treatment->std.value, 12.909944, 5e-7);
    CHECK_NEAR(comparison->analysis->test_statistic, 2.1909, 5e-5);
    CHECK_NEAR(comparison->analysis->p_value, 0.070988, 5e-7);
    CHECK_NEAR(comparison->analysis->ci_lower, -2.3371, 5e-5);
    CHECK_NEAR(comparison->analysis->ci_upper, 42.3371, 5e-5);
    CHECK_NEAR(comparison->analysis->power_achieved, 0.405, 5e-4);
    CHECK_NEAR(comparison->probability_treatment_beats_control.value, 0.986, 5e-4);
    CHECK_NEAR(comparison->always_valid->always_valid_p_value.value, 0.918651, 5e-7);
    CHECK_INT(bench.stats.sequential->planned_sample_size_per_variant.value, 577);
    bench_stop(&bench);
}

/* Products of pairs of factors over people given one by one. */
static void lay_people(struct bench *bench, enum live_family family, int arm, int factors,
                       size_t people, const double *values)
{
    struct live_products *products = ARENA_NEW(bench->arena, struct live_products);

    for (size_t p = 0; p < people; p++) {
        double z[LIVE_FACTORS_MAX] = {1};

        for (int i = 1; i < factors; i++)
            z[i] = values[p * (size_t)(factors - 1) + (size_t)i - 1];
        for (int i = 0; i < factors; i++)
            for (int j = i; j < factors; j++)
                sum_add_product(&products->at[i][j].sum, z[i], z[j]);
    }
    bench->view.rollup.products[family][arm] = products;
    live_rollup_cell(&bench->view.rollup, LIVE_PRESENCE, LIVE_EVERYBODY, arm)->people =
        (int64_t)people;
    bench->view.rollup.arms[1 + arm].people = (int64_t)people;
}

TEST(ratios)
{
    static const double control[] = {10, 1, 20, 5, 30, 5, 40, 9, 50, 12, 60, 10};
    static const double treatment[] = {10, 2, 20, 7, 30, 9, 40, 12, 50, 17, 60, 16};
    struct bench bench;
    const struct live_comparison *comparison;

    bench_start(&bench, METRIC_RATIO, 0.2, 5, 2);
    lay_people(&bench, LIVE_RATIO, 0, 3, 6, control);
    lay_people(&bench, LIVE_RATIO, 1, 3, 6, treatment);
    comparison = read_stats(&bench);
    CHECK_NEAR(comparison->control->ratio.value, 0.2, 1e-12);
    CHECK_NEAR(comparison->treatment->ratio.value, 0.3, 1e-12);
    CHECK_NEAR(comparison->analysis->test_statistic, 4.0871, 5e-5);
    CHECK_NEAR(comparison->analysis->p_value, 4.4e-05, 5e-7);
    CHECK_NEAR(comparison->analysis->ci_lower, 0.052045, 5e-7);
    CHECK_NEAR(comparison->analysis->ci_upper, 0.147955, 5e-7);
    CHECK_NEAR(comparison->always_valid->always_valid_p_value.value, 0.326845, 5e-7);
    CHECK(!comparison->probability_treatment_beats_control.given);
    CHECK_TEXT(bench.stats.cuped->status, "not_applicable");
    CHECK_TEXT(bench.stats.stratified->status, "unavailable");
    CHECK(strstr(bench.stats.holdout->note, "ratio metric") != NULL);
    bench_stop(&bench);
}

static const struct live_cuped *read_cuped(struct bench *bench, int covariates, size_t control,
                                           const double *control_values, size_t treatment,
                                           const double *treatment_values)
{
    static const char *const names[] = {"a", "b"};

    bench_start(bench, METRIC_CONTINUOUS, 45, 4.4, 2);
    bench->view.experiment.covariates = bench->view.covariates_wanted = covariates;
    bench->view.experiment.used_count = (size_t)covariates;
    for (int i = 0; i < covariates; i++) {
        bench->view.experiment.used[i] = i + 1;
        live_name_entry(bench->arena, &bench->view.covariates, "", names[i])->number = i + 1;
    }
    lay_people(bench, LIVE_COVARIANCE, 0, 2 + covariates, control, control_values);
    lay_people(bench, LIVE_COVARIANCE, 1, 2 + covariates, treatment, treatment_values);
    read_stats(bench);
    return bench->stats.cuped;
}

TEST(adjusted_by_one_covariate)
{
    static const double control[] = {10, 1, 12, 2, 13, 3, 15, 4, 16, 5};
    static const double treatment[] = {18, 4, 20, 5, 21, 6, 23, 7, 24, 8};
    struct bench bench;
    const struct live_cuped *block = read_cuped(&bench, 1, 5, control, 5, treatment);
    const struct live_cuped_comparison *comparison = block->comparisons.items;

    CHECK_TEXT(block->status, "available");
    CHECK_TEXT(block->selection_caveat, "complete_case_subset");
    CHECK(strstr(block->note, "full covariate vector") != NULL);
    CHECK_NEAR(block->theta.value, 1.5, 1e-9);
    CHECK_NEAR(comparison->control->adjusted_mean.value, 15.45, 1e-9);
    CHECK_NEAR(comparison->treatment->adjusted_mean.value, 18.95, 1e-9);
    CHECK_NEAR(comparison->analysis->observed_effect, 3.5, 1e-9);
    CHECK_NEAR(comparison->analysis->test_statistic, 12.9668, 5e-5);
    CHECK_NEAR(comparison->analysis->p_value, 4e-6, 5e-7);
    CHECK_NEAR(comparison->analysis->ci_lower, 2.8617, 5e-5);
    CHECK_NEAR(comparison->analysis->ci_upper, 4.1383, 5e-5);
    CHECK_NEAR(comparison->variance_reduction_pct.value, 96.8045, 5e-5);
    CHECK_NEAR(block->variance_reduction_pct.value, 84.8127, 5e-5);
    bench_stop(&bench);
}

TEST(a_covariate_that_says_nothing_new)
{
    static const double control[] = {10, 1, 2, 12, 2, 4, 13, 3, 6, 15, 4, 8, 16, 5, 10};
    static const double treatment[] = {18, 4, 8, 20, 5, 10, 21, 6, 12, 23, 7, 14, 24, 8, 16};
    struct bench bench;
    const struct live_cuped *block = read_cuped(&bench, 2, 5, control, 5, treatment);
    const struct live_cuped_comparison *comparison = block->comparisons.items;
    const struct live_covariate_slope *slopes = block->covariates.items;

    CHECK_NEAR(slopes[0].theta, 1.5, 1e-9);
    CHECK_NEAR(slopes[1].theta, 0, 1e-9);
    CHECK_NEAR(comparison->analysis->test_statistic, 12.9668, 5e-5);
    bench_stop(&bench);
}

TEST(adjusted_by_two_covariates)
{
    static const double control[] = {10, 1, 2, 12, 2, 1, 13, 3, 4, 15, 4, 3, 16, 5, 6, 19, 6, 5};
    static const double treatment[] = {13, 2, 1, 17, 3, 4, 16, 4, 2, 20, 5, 6, 19, 6, 3, 24, 7, 7};
    struct bench bench;
    const struct live_cuped *block = read_cuped(&bench, 2, 6, control, 6, treatment);
    const struct live_cuped_comparison *comparison = block->comparisons.items;
    const struct live_covariate_slope *slopes = block->covariates.items;

    CHECK_NEAR(slopes[0].theta, 1.332992, 5e-7);
    CHECK_NEAR(slopes[1].theta, 0.511509, 5e-7);
    CHECK_NEAR(comparison->control->adjusted_mean.value, 14.918414, 5e-7);
    CHECK_NEAR(comparison->treatment->adjusted_mean.value, 17.414919, 5e-7);
    CHECK_NEAR(comparison->analysis->test_statistic, 4.3592, 5e-5);
    CHECK_NEAR(comparison->analysis->p_value, 0.002415, 5e-7);
    CHECK_NEAR(comparison->variance_reduction_pct.value, 91.9126, 5e-5);
    bench_stop(&bench);
}

TEST(covariates_that_explain_all_or_nothing)
{
    static const double exact[] = {12, 1, 14, 2, 16, 3, 18, 4};
    static const double exact_too[] = {22, 1, 24, 2, 26, 3, 28, 4};
    static const double noisy[] = {20, 7, 30, 7, 20, 7, 30, 7};
    static const double noisy_too[] = {40, 7, 50, 7, 40, 7, 50, 7};
    struct bench bench;
    const struct live_cuped *block = read_cuped(&bench, 1, 4, exact, 4, exact_too);
    const struct live_cuped_comparison *comparison = block->comparisons.items;

    CHECK_TEXT(comparison->status, "insufficient_data");
    CHECK(!comparison->variance_reduction_pct.given);
    bench_stop(&bench);
    block = read_cuped(&bench, 1, 4, noisy, 4, noisy_too);
    comparison = block->comparisons.items;
    CHECK_NEAR(block->theta.value, 0, 0);
    CHECK_NEAR(comparison->analysis->test_statistic, 4.899, 5e-5);
    CHECK_NEAR(comparison->analysis->p_value, 0.002714, 5e-7);
    CHECK_NEAR(comparison->variance_reduction_pct.value, 0, 1e-9);
    bench_stop(&bench);
}

static const struct live_stratified_comparison *read_strata(struct bench *bench, int64_t treatment,
                                                            int64_t converted)
{
    bench_start(bench, METRIC_BINARY, 0.1, 5, 2);
    bench->view.experiment.strata = 2;
    live_name_entry(bench->arena, &bench->view.strata, "", "A")->number = 1;
    live_name_entry(bench->arena, &bench->view.strata, "", "B")->number = 2;
    lay(bench, PRIMARY, 1, 0, 100, 10, 10, 0);
    lay(bench, PRIMARY, 1, 1, 100, 20, 20, 0);
    lay(bench, PRIMARY, 2, 0, 100, 40, 40, 0);
    lay(bench, PRIMARY, 2, 1, treatment, converted, (double)converted, 0);
    read_stats(bench);
    return bench->stats.stratified->comparisons.items;
}

TEST(strata)
{
    struct bench bench;
    const struct live_stratified_comparison *comparison = read_strata(&bench, 100, 50);
    const struct live_stratum_effect *effects;

    CHECK_NEAR(comparison->effect.value, 0.1, 1e-9);
    CHECK_NEAR(comparison->standard_error.value, 0.043012, 5e-7);
    CHECK_NEAR(comparison->test_statistic.value, 2.324953, 5e-7);
    CHECK_NEAR(comparison->p_value.value, 0.020074, 5e-7);
    CHECK_NEAR(comparison->variance_reduction_pct.value, 10.8434, 5e-5);
    bench_stop(&bench);
    comparison = read_strata(&bench, 1, 1);
    effects = comparison->strata.items;
    CHECK_NEAR(comparison->standard_error.value, 0.05, 1e-9);
    CHECK_NEAR(comparison->test_statistic.value, 2.0, 1e-9);
    CHECK_NEAR(comparison->p_value.value, 0.0455, 5e-6);
    CHECK_INT(comparison->num_strata.value, 1);
    CHECK(!effects[1].effect.given);
    CHECK_NEAR(comparison->variance_reduction_pct.value, 0, 1e-9);
    bench_stop(&bench);
}

TEST(guardrails)
{
    static const struct {
        int64_t control[2], treatment[2];
        double margin, lower, p_value;
        const char *status;
    } cases[] = {
        {{5000, 100}, {5000, 400}, 0, 0.052898, -1, "breached"},
        {{1000, 50}, {1000, 62}, 0, -0.004907, 0.121517, "warning"},
        {{5000, 250}, {5000, 350}, 100, 0.012194, -1, "ok"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct live_guardrail_comparison *comparison;
        const struct live_guardrail_metric *metric;
        struct bench bench;

        bench_start(&bench, METRIC_BINARY, 0.1, 5, 2);
        declare_guardrail(&bench, METRIC_BINARY, cases[i].margin);
        lay(&bench, GUARDRAIL, 0, 0, cases[i].control[0], cases[i].control[1],
            (double)cases[i].control[1], 0);
        lay(&bench, GUARDRAIL, 0, 1, cases[i].treatment[0], cases[i].treatment[1],
            (double)cases[i].treatment[1], 0);
        read_stats(&bench);
        metric = bench.stats.guardrail->metrics.items;
        comparison = metric->comparisons.items;
        CHECK_TEXT(metric->status, cases[i].status);
        CHECK_NEAR(comparison->harm_lower_bound.value, cases[i].lower, 5e-7);
        if (cases[i].p_value >= 0)
            CHECK_NEAR(comparison->p_value.value, cases[i].p_value, 5e-7);
        CHECK_NEAR(comparison->margin, 0.05 * cases[i].margin / 100, 1e-12);
        bench_stop(&bench);
    }
}

TEST(a_guardrail_that_must_not_fall)
{
    const struct live_guardrail_comparison *comparison;
    const struct live_guardrail_metric *metric;
    struct bench bench;

    bench_start(&bench, METRIC_BINARY, 0.1, 5, 2);
    declare_guardrail(&bench, METRIC_CONTINUOUS, 2);
    lay(&bench, GUARDRAIL, 0, 0, 100, 100, 10000, 10000);
    lay(&bench, GUARDRAIL, 0, 1, 100, 100, 9500, 10000);
    read_stats(&bench);
    metric = bench.stats.guardrail->metrics.items;
    comparison = metric->comparisons.items;
    CHECK_TEXT(metric->status, "breached");
    CHECK_NEAR(comparison->harm.value, 5, 1e-9);
    CHECK_NEAR(comparison->harm_lower_bound.value, 2.662107, 5e-7);
    CHECK_NEAR(comparison->p_value.value, 0.0174, 5e-5);
    CHECK(comparison->is_non_inferior.given && !comparison->is_non_inferior.value);
    bench_stop(&bench);
}

TEST(the_holdout_against_all_treatments)
{
    struct bench bench;
    const struct live_holdout *holdout;

    bench_start(&bench, METRIC_BINARY, 0.1, 5, 3);
    lay_rate(&bench, LIVE_HOLDOUT, 500, 40);
    lay_rate(&bench, 0, 1000, 999);
    lay_rate(&bench, 1, 1000, 130);
    lay_rate(&bench, 2, 1000, 150);
    read_stats(&bench);
    holdout = bench.stats.holdout;
    CHECK_TEXT(holdout->status, "ok");
    CHECK_INT(holdout->treated->converted_users, 280);
    CHECK_NEAR(holdout->analysis->observed_effect, 6.0, 1e-9);
    CHECK_NEAR(holdout->analysis->test_statistic, 3.5918, 5e-5);
    CHECK_NEAR(holdout->analysis->p_value, 0.000328, 5e-7);
    CHECK_NEAR(holdout->analysis->ci_lower, 2.7721, 5e-5);
    CHECK_NEAR(holdout->analysis->ci_upper, 9.2279, 5e-5);
    bench_stop(&bench);
}

TEST_MAIN(CASE(a_rate_before_its_planned_read), CASE(three_arms_share_alpha), CASE(nobody_converts),
          CASE(sample_ratios), CASE(several_looks), CASE(means), CASE(ratios),
          CASE(adjusted_by_one_covariate), CASE(a_covariate_that_says_nothing_new),
          CASE(adjusted_by_two_covariates), CASE(covariates_that_explain_all_or_nothing),
          CASE(strata), CASE(guardrails), CASE(a_guardrail_that_must_not_fall),
          CASE(the_holdout_against_all_treatments))
