/*
 * Sizing designs: allocation, the companions, and the refusals.
 */
#include "base/number.h"
#include "experiments/design/sizing.h"
#include "experiments/design/sizing_kernels.h"
#include "sizing_designs.h"
#include "test.h"

static void check_refused(const struct sizing_request *request, const char *reason,
                          const char *field)
{
    struct sizing_plan plan;
    struct problem problem = {.reason = "none"};

    CHECK_INT(sizing_plan_design(request, &plan, &problem), ERROR_INVALID);
    CHECK_TEXT(problem.reason, reason);
    CHECK(strstr(problem.text, field) != NULL);
}

TEST(comparisons_share_alpha)
{
    struct sizing_request request = binary_design();
    double three[] = {34, 33, 33};
    struct sizing_plan plan;

    request.variants_count = 3;
    request.traffic_split = (struct number_list){3, three};
    plan = plan_of(&request);
    CHECK_INT(plan.comparisons, 2);
    CHECK_NEAR(plan.adjusted_alpha, 0.025, 0);
    CHECK_INT(plan.sample_size_per_variant, 177585);
    CHECK_INT(plan.total_sample_size, 532755);
    CHECK_INT(plan.estimated_duration_days, 75);

    request.baseline_value = 0.1;
    request.mde_pct = 10;
    request.variants_count = 10;
    request.traffic_split = split_evenly(10);
    plan = plan_of(&request);
    CHECK_INT(plan.comparisons, 9);
    CHECK_NEAR(plan.adjusted_alpha, 0.00555556, 5e-9);
    CHECK_INT(plan.sample_size_per_variant, 24554);
    CHECK_INT(plan.total_sample_size, 245540);
    CHECK_INT(plan.estimated_duration_days, 35);
}

TEST(the_slowest_arm_sets_the_duration)
{
    struct sizing_request request = binary_design();
    double skewed[] = {80, 20}, enormous[] = {4e307, 1.6e308};
    struct sizing_plan plan;

    request.baseline_value = 0.1;
    request.mde_pct = 10;
    request.expected_daily_traffic = 10000;
    request.audience_share_in_test = 0.4;
    request.traffic_split = (struct number_list){2, skewed};
    plan = plan_of(&request);
    CHECK_INT(plan.sample_size_per_variant, 14751);
    CHECK_NEAR(plan.effective_daily_traffic, 4000, 0);
    CHECK_INT(plan.estimated_duration_days, 19);

    request.traffic_split = (struct number_list){2, enormous}; /* the sum overflows */
    CHECK_INT(plan_of(&request).estimated_duration_days, 19);
}

TEST(holdout_and_exclusion_slow_the_test)
{
    struct sizing_request request = binary_design();
    struct sizing_plan plan;

    request.holdout_fraction = GIVEN_NUMBER(0.2);
    request.mutually_exclusive_experiments = GIVEN_INTEGER(2);
    plan = plan_of(&request);
    CHECK(plan.allocation_given);
    CHECK_INT(plan.sample_size_per_variant, 146642);
    CHECK_NEAR(plan.effective_daily_traffic, 7200, 0);
    CHECK_NEAR(plan.allocated_daily_traffic, 2880, 1e-9);
    CHECK_INT(plan.estimated_duration_days, 102);
}

/* Interim looks are a companion: they never change the fixed size. */
TEST(looks_leave_the_fixed_size_alone)
{
    struct sizing_request request = binary_design();
    struct sizing_plan plan;

    request.n_looks = 5;
    plan = plan_of(&request);
    CHECK_INT(plan.sample_size_per_variant, 146642);
    CHECK_INT(plan.total_sample_size, 293284);
    CHECK_INT(plan.estimated_duration_days, 41);
}

TEST(designs_without_an_answer_are_refused)
{
    struct sizing_request request = binary_design();

    request.baseline_value = 0.9;
    request.mde_pct = 15;
    check_refused(&request, "variant_rate_out_of_range", "mde_pct");
    request.planned_test = PLAN_FISHER_EXACT;
    check_refused(&request, "variant_rate_out_of_range", "mde_pct");

    request = continuous_design();
    request.std_dev = GIVEN_NUMBER(1e-13);
    check_refused(&request, "std_dev_not_positive", "std_dev");
    request.std_dev = GIVEN_NUMBER(INFINITY);
    check_refused(&request, "std_dev_not_positive", "std_dev");
    request.std_dev = GIVEN_NUMBER(8.98e307);
    check_refused(&request, "sample_size_not_finite", "sample size");
    request.planned_test = PLAN_MANN_WHITNEY;
    check_refused(&request, "sample_size_not_finite", "sample size");
    request.planned_test = PLAN_TOST;
    request.equivalence_margin_pct = GIVEN_NUMBER(1e-300);
    check_refused(&request, "sample_size_not_finite", "sample size");
}

TEST(tiny_and_huge_effects_are_refused_rather_than_infinite)
{
    struct sizing_request request = binary_design();

    request.mde_pct = 1e-200;
    check_refused(&request, "sample_size_not_finite", "sample size");
    request = count_design();
    request.mde_pct = 1e-200;
    check_refused(&request, "sample_size_not_finite", "number of events");
    request = continuous_design();
    request.baseline_value = 1e300;
    request.mde_pct = 1e300;
    check_refused(&request, "sample_size_not_finite", "mde_pct");
    request.mde_pct = 5;
    request.planned_test = PLAN_TOST;
    request.equivalence_margin_pct = GIVEN_NUMBER(1e300);
    check_refused(&request, "sample_size_not_finite", "equivalence_margin_pct");
}

TEST(totals_clusters_and_durations_stay_below_2_to_53)
{
    struct sizing_request request = continuous_design();

    request.mde_pct = 1.1e-6; /* 5.2e15 users per arm, a total above 2^53 = 9.0e15 */
    check_refused(&request, "sample_size_not_finite", "total sample size");
    request.mde_pct = 5e-6;
    request.audience_share_in_test = 1e-10;
    check_refused(&request, "duration_not_finite", "traffic");
    request.audience_share_in_test = 1;
    CHECK_RELATIVE(plan_of(&request).sample_size_per_variant, 2.5116e14, 0.001);
    request.randomization_unit = "cluster";
    request.avg_cluster_size = GIVEN_NUMBER(1000);
    request.icc = GIVEN_NUMBER(1);
    check_refused(&request, "sample_size_not_finite", "sample size");
}

TEST(precision_companion)
{
    struct sizing_request request = binary_design();
    struct sizing_plan plan;
    struct precision_plan precision;

    request.baseline_value = 0.035;
    request.analysis_mode = ANALYSIS_BAYESIAN;
    request.desired_precision = GIVEN_NUMBER(0.5);
    plan = plan_of(&request);
    CHECK_INT(plan.sample_size_per_variant, 177290);
    CHECK_INT(sizing_plan_precision(&request, &plan, &precision, NULL), ERROR_NONE);
    CHECK(precision.given);
    CHECK_INT(precision.sample_size_per_variant, 10380);

    request.metric_type = METRIC_CONTINUOUS;
    request.baseline_value = 15;
    request.std_dev = GIVEN_NUMBER(12);
    request.desired_precision = GIVEN_NUMBER(1.5);
    request.credibility = 0.9;
    plan = plan_of(&request);
    CHECK_INT(plan.sample_size_per_variant, 4019);
    CHECK_INT(sizing_plan_precision(&request, &plan, &precision, NULL), ERROR_NONE);
    CHECK_INT(precision.sample_size_per_variant, 347);

    request.desired_precision = GIVEN_NUMBER(1e-300);
    CHECK_INT(sizing_plan_precision(&request, &plan, &precision, NULL), ERROR_INVALID);
    CHECK(!precision.given);
    request.analysis_mode = ANALYSIS_FREQUENTIST;
    CHECK_INT(sizing_plan_precision(&request, &plan, &precision, NULL), ERROR_NONE);
    CHECK(!precision.given);
    request = count_design();
    request.analysis_mode = ANALYSIS_BAYESIAN;
    request.desired_precision = GIVEN_NUMBER(1);
    plan = plan_of(&request);
    CHECK_INT(sizing_plan_precision(&request, &plan, &precision, NULL), ERROR_NONE);
    CHECK(!precision.given);
}

TEST(clusters_multiply_the_size)
{
    struct sizing_request request = binary_design();
    struct sizing_plan plan;

    request.randomization_unit = "cluster";
    request.avg_cluster_size = GIVEN_NUMBER(100);
    request.icc = GIVEN_NUMBER(0.02);
    plan = plan_of(&request);
    CHECK(plan.clustered);
    CHECK_NEAR(plan.design_effect, 2.98, 1e-15);
    CHECK_INT(plan.individual_sample_size, 146642);
    CHECK_INT(plan.sample_size_per_variant, 436994);
    CHECK_INT(plan.total_sample_size, 873988);
    CHECK_INT(plan.clusters_per_variant, 4370);
    CHECK_INT(plan.estimated_duration_days, 122);

    request.icc = GIVEN_NUMBER(0);
    plan = plan_of(&request);
    CHECK(plan.clustered);
    CHECK_NEAR(plan.design_effect, 1, 0);
    CHECK_INT(plan.sample_size_per_variant, 146642);
    request.icc = GIVEN_NUMBER(0.7);
    request.avg_cluster_size = GIVEN_NUMBER(1);
    CHECK_INT(plan_of(&request).sample_size_per_variant, 146642);

    request.randomization_unit = "user";
    request.avg_cluster_size = GIVEN_NUMBER(100);
    plan = plan_of(&request);
    CHECK(!plan.clustered);
    CHECK_INT(plan.sample_size_per_variant, 146642);
    CHECK_INT(plan.clusters_per_variant, 0);
}

TEST(cuped_companion)
{
    struct sizing_request request = continuous_design();
    struct sizing_plan plan;
    struct cuped_plan cuped;

    request.baseline_value = 45;
    request.std_dev = GIVEN_NUMBER(12);
    request.mde_pct = 4.4444444444;
    request.expected_daily_traffic = 10000;
    request.cuped_pre_experiment_std = GIVEN_NUMBER(12);
    request.cuped_correlation = GIVEN_NUMBER(0.5);
    plan = plan_of(&request);
    CHECK_INT(plan.sample_size_per_variant, 566);
    CHECK_INT(sizing_plan_cuped(&request, &plan, &cuped, NULL), ERROR_NONE);
    CHECK(cuped.given);
    CHECK_INT(cuped.sample_size_per_variant, 424);
    CHECK_NEAR(number_round(cuped.std_dev, 4), 10.3923, 0);
    CHECK_NEAR(cuped.variance_reduction_pct, 25, 0);
    CHECK_NEAR(cuped.theta, 0.5, 0);
    CHECK_NEAR(cuped.duration_days, 1, 0);

    request.cuped_correlation = GIVEN_NUMBER(0);
    CHECK_INT(sizing_plan_cuped(&request, &plan, &cuped, NULL), ERROR_NONE);
    CHECK_NEAR(cuped.std_dev, 12, 0);
    CHECK_INT(cuped.sample_size_per_variant, 566);
    CHECK_NEAR(cuped.theta, 0, 0);

    request.cuped_pre_experiment_std = GIVEN_NUMBER(1e-13);
    CHECK_INT(sizing_plan_cuped(&request, &plan, &cuped, NULL), ERROR_INVALID);
    CHECK(!cuped.given);
    request.cuped_correlation.given = false;
    CHECK_INT(sizing_plan_cuped(&request, &plan, &cuped, NULL), ERROR_NONE);
    CHECK(!cuped.given);
}

TEST(companions_carry_the_design_effect)
{
    struct sizing_request request = continuous_design();
    struct sizing_plan plan;
    struct cuped_plan alone, cuped;
    struct precision_plan precision_alone, precision;

    request.cuped_pre_experiment_std = GIVEN_NUMBER(15);
    request.cuped_correlation = GIVEN_NUMBER(-0.8);
    request.analysis_mode = ANALYSIS_BAYESIAN;
    request.desired_precision = GIVEN_NUMBER(1);
    plan = plan_of(&request);
    CHECK_INT(sizing_plan_cuped(&request, &plan, &alone, NULL), ERROR_NONE);
    CHECK_INT(sizing_plan_precision(&request, &plan, &precision_alone, NULL), ERROR_NONE);
    request.randomization_unit = "cluster";
    request.avg_cluster_size = GIVEN_NUMBER(5);
    request.icc = GIVEN_NUMBER(0.5); /* design effect 3 */
    plan = plan_of(&request);
    CHECK_INT(sizing_plan_cuped(&request, &plan, &cuped, NULL), ERROR_NONE);
    CHECK_INT(sizing_plan_precision(&request, &plan, &precision, NULL), ERROR_NONE);
    CHECK_INT(cuped.sample_size_per_variant, 3 * alone.sample_size_per_variant);
    CHECK_INT(precision.sample_size_per_variant, 3 * precision_alone.sample_size_per_variant);
    CHECK_NEAR(cuped.theta, -0.8 * 20 / 15, 1e-15);
}

TEST(equivalence_needs_two_users_at_least)
{
    struct sizing_request request = continuous_design();

    request.planned_test = PLAN_TOST;
    request.equivalence_margin_pct = GIVEN_NUMBER(1000);
    CHECK_INT(plan_of(&request).sample_size_per_variant, 2);
}

TEST(little_traffic_takes_long)
{
    struct sizing_request request = binary_design();

    request.baseline_value = 0.03;
    request.mde_pct = 2;
    request.expected_daily_traffic = 300;
    request.audience_share_in_test = 0.3;
    request.power = 0.75;
    CHECK_INT(plan_of(&request).estimated_duration_days, 25176);
}

TEST(guardrails_show_what_they_can)
{
    struct optional_number change = sizing_detectable_rate_change(0.024, false, 0.05, 0.8, 146642);

    CHECK(change.given);
    CHECK_NEAR(number_round(100 * change.value, 3), 0.161, 0);
    CHECK_NEAR(size_two_proportions(0.024, change.value, 0.05, 0.8), 146642, 1e-6);
    change = sizing_detectable_rate_change(0.024, false, 0.01, 0.9, 45000);
    CHECK_NEAR(number_round(100 * change.value, 3), 0.41, 0);
    CHECK_NEAR(number_round(sizing_detectable_mean_change(6.5, 0.05, 0.8, 146642), 4), 0.0673, 0);
    CHECK_NEAR(number_round(sizing_detectable_mean_change(6.5, 0.01, 0.9, 45000), 4), 0.1672, 0);

    change = sizing_detectable_rate_change(0.024, true, 0.05, 0.8, 146642);
    CHECK(change.given);
    CHECK_NEAR(size_two_proportions(0.024, -change.value, 0.05, 0.8), 146642, 1e-6);
    /* 99.2 % cannot rise by anything that 50 users would show, but it can fall */
    CHECK(!sizing_detectable_rate_change(0.992, false, 0.05, 0.8, 50).given);
    CHECK(sizing_detectable_rate_change(0.992, true, 0.05, 0.8, 50).given);
}

TEST(sequential_companion)
{
    struct sizing_request request = binary_design();
    struct sizing_plan plan = plan_of(&request);
    struct sequential_size size;

    CHECK_INT(sizing_plan_sequential(&request, &plan, 1, &size, NULL), ERROR_NONE);
    CHECK_INT(size.sample_size_per_variant, 146642);
    CHECK_INT(size.duration_days, 41);
    CHECK_INT(sizing_plan_sequential(&request, &plan, 1.0284109691, &size, NULL), ERROR_NONE);
    CHECK_INT(size.sample_size_per_variant, 150809);
    CHECK_INT(size.duration_days, 42);
    CHECK_INT(sizing_plan_sequential(&request, &plan, 1e300, &size, NULL), ERROR_INVALID);
}

TEST_MAIN(CASE(comparisons_share_alpha), CASE(the_slowest_arm_sets_the_duration),
          CASE(holdout_and_exclusion_slow_the_test), CASE(looks_leave_the_fixed_size_alone),
          CASE(designs_without_an_answer_are_refused),
          CASE(tiny_and_huge_effects_are_refused_rather_than_infinite),
          CASE(totals_clusters_and_durations_stay_below_2_to_53), CASE(precision_companion),
          CASE(clusters_multiply_the_size), CASE(cuped_companion),
          CASE(companions_carry_the_design_effect), CASE(equivalence_needs_two_users_at_least),
          CASE(little_traffic_takes_long), CASE(guardrails_show_what_they_can),
          CASE(sequential_companion))
