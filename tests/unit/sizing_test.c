/*
 * Sizing designs: reference cases with known answers, the promise that a planned size reaches its
 * power and the one below does not, and the refusals.
 */
#include "experiments/sizing.h"
#include "experiments/sizing_kernels.h"
#include "math/rounding.h"
#include "test.h"

#include <stdint.h>
#include <time.h>

static double even_split[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static struct number_list split_evenly(size_t variants)
{
    return (struct number_list){.count = variants, .items = even_split};
}

/* A rate of 4.2 % to be lifted by 5 %, 7200 users a day. */
static struct sizing_request binary_design(void)
{
    return (struct sizing_request){
        .metric_type = METRIC_BINARY,
        .baseline_value = 0.042,
        .mde_pct = 5,
        .planned_test = -1,
        .alpha = 0.05,
        .power = 0.8,
        .expected_daily_traffic = 12000,
        .audience_share_in_test = 0.6,
        .traffic_split = split_evenly(2),
        .variants_count = 2,
        .n_looks = 1,
        .credibility = 0.95,
    };
}

/* A mean of 100 with standard deviation 20 to be moved by 5 %, 1000 users a day. */
static struct sizing_request continuous_design(void)
{
    struct sizing_request request = binary_design();

    request.metric_type = METRIC_CONTINUOUS;
    request.baseline_value = 100;
    request.std_dev = GIVEN_NUMBER(20);
    request.expected_daily_traffic = 1000;
    request.audience_share_in_test = 1;
    return request;
}

static struct sizing_request count_design(void)
{
    struct sizing_request request = binary_design();

    request.metric_type = METRIC_COUNT;
    request.baseline_value = 0.3;
    request.mde_pct = 20;
    return request;
}

static struct sizing_plan plan_of(const struct sizing_request *request)
{
    struct sizing_plan plan;
    struct problem problem = {0};
    enum error error = sizing_plan_design(request, &plan, &problem);

    CHECK_INT(error, ERROR_NONE);
    if (error)
        printf("%s: %s\n", problem.reason, problem.text);
    return plan;
}

static void check_refused(const struct sizing_request *request, const char *reason,
                          const char *field)
{
    struct sizing_plan plan;
    struct problem problem = {.reason = "none"};

    CHECK_INT(sizing_plan_design(request, &plan, &problem), ERROR_INVALID);
    CHECK_TEXT(problem.reason, reason);
    CHECK(strstr(problem.text, field) != NULL);
}

TEST(binary_reference_case)
{
    struct sizing_request request = binary_design();
    struct sizing_plan plan = plan_of(&request);

    CHECK_INT(plan.planned_test, PLAN_Z_TEST);
    CHECK_INT(plan.comparisons, 1);
    CHECK_INT(plan.sample_size_per_variant, 146642);
    CHECK_INT(plan.individual_sample_size, 146642);
    CHECK_INT(plan.total_sample_size, 293284);
    CHECK_NEAR(plan.effective_daily_traffic, 7200, 0);
    CHECK_INT(plan.estimated_duration_days, 41);
    CHECK_NEAR(plan.mde_absolute, 0.0021, 1e-15);
    CHECK(!plan.allocation_given);
    CHECK(!plan.clustered);
    CHECK_NEAR(plan.design_effect, 1, 0);
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
    CHECK_NEAR(round_decimal(cuped.std_dev, 4), 10.3923, 0);
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

TEST(continuous_plans)
{
    struct sizing_request request = continuous_design();
    struct sizing_plan plan;

    CHECK_INT(plan_of(&request).sample_size_per_variant, 252);
    request.planned_test = PLAN_MANN_WHITNEY;
    plan = plan_of(&request);
    CHECK_INT(plan.sample_size_per_variant, 264);
    CHECK_INT(plan.normal_sample_size, 252);
    CHECK_INT(plan.worst_case_sample_size, 292); /* ceil(252 / 0.864) */

    request.planned_test = PLAN_TOST;
    request.equivalence_margin_pct = GIVEN_NUMBER(2);
    plan = plan_of(&request);
    CHECK_INT(plan.sample_size_per_variant, 1713);
    CHECK_NEAR(plan.equivalence_margin_absolute, 2, 0);
    CHECK_NEAR(plan.mde_absolute, 5, 0);

    request.baseline_value = 1;
    request.std_dev = GIVEN_NUMBER(0.1);
    request.equivalence_margin_pct = GIVEN_NUMBER(5);
    plan = plan_of(&request);
    CHECK_INT(plan.sample_size_per_variant, 69);
    CHECK_NEAR(sizing_power(&request, &plan, 69), 0.803636, 5e-7);
    CHECK_NEAR(sizing_power(&request, &plan, 68), 0.796137, 5e-7);
}

TEST(equivalence_needs_two_users_at_least)
{
    struct sizing_request request = continuous_design();

    request.planned_test = PLAN_TOST;
    request.equivalence_margin_pct = GIVEN_NUMBER(1000);
    CHECK_INT(plan_of(&request).sample_size_per_variant, 2);
    request.alpha = 0.9; /* both one-sided quantiles are negative: any size will do */
    request.power = 0.5;
    CHECK_INT(plan_of(&request).sample_size_per_variant, 2);
}

TEST(ratio_plan)
{
    struct sizing_request request = continuous_design();

    request.metric_type = METRIC_RATIO;
    request.baseline_value = 0.05;
    request.std_dev = GIVEN_NUMBER(0.09);
    CHECK_INT(plan_of(&request).sample_size_per_variant, 20345);
}

TEST(fisher_plans)
{
    struct sizing_request request = binary_design();
    struct sizing_plan plan;

    request.baseline_value = 0.2;
    request.mde_pct = 100;
    CHECK_INT(plan_of(&request).sample_size_per_variant, 82);
    CHECK_INT(sizing_cost(&request), 1);
    request.planned_test = PLAN_FISHER_EXACT;
    plan = plan_of(&request);
    CHECK(plan.exact_scan);
    CHECK_INT(plan.normal_sample_size, 82);
    CHECK_INT(plan.sample_size_per_variant, 90);
    CHECK_INT(sizing_cost(&request), 2);
    CHECK_NEAR(fisher_exact_power(0.2, 0.4, 90, 0.05), 0.801680, 5e-7);
    CHECK_NEAR(fisher_exact_power(0.2, 0.4, 89, 0.05), 0.795647, 5e-7);
    CHECK_NEAR(sizing_power(&request, &plan, 90), 0.801680, 5e-7);

    request.baseline_value = 0.1;
    request.mde_pct = 20;
    plan = plan_of(&request);
    CHECK(!plan.exact_scan);
    CHECK_INT(plan.normal_sample_size, 3841);
    CHECK_INT(plan.sample_size_per_variant, 3941);
    CHECK_INT(sizing_cost(&request), 1);
}

/* Two tables out of 6! / (3! 3!) = 20 have all successes in one arm: p = 0.1 exactly, which is not
 * below an alpha of 0.1. */
TEST(fisher_ties_with_alpha_do_not_reject)
{
    CHECK_NEAR(fisher_exact_power(0, 1, 3, 0.1), 0, 1e-15);
    CHECK_NEAR(fisher_exact_power(0, 1, 3, 0.1000001), 1, 1e-12);
    CHECK_NEAR(fisher_exact_power(0.5, 0.5, 3, 0.1000001), 2 * ldexp(1, -6), 1e-15);
    CHECK_NEAR(fisher_exact_power(0.3, 0.7, 0, 0.05), 0, 0);
}

TEST(fisher_scan_gives_up_where_the_test_is_too_coarse)
{
    struct sizing_request request = binary_design();

    request.planned_test = PLAN_FISHER_EXACT;
    request.baseline_value = 0.001;
    request.mde_pct = 140;
    request.alpha = 0.75;
    request.power = 0.5;
    check_refused(&request, "exact_power_not_reached", "fisher_exact");
}

/* The largest scans: 500 users by the z plan, rates in the middle, at the edge, and strict alpha.
 */
TEST(fisher_scan_is_fast)
{
    static const double cases[][4] = {
        {0.516, 17.3, 0.0463, 0.8},
        {0.012, 237, 0.05, 0.8},
        {0.3, 85, 1e-8, 0.99},
        {0.753, 1.81, 0.0111, 0.0185}, /* the slowest of 60000 random designs: 12 ms */
    };
    struct sizing_request request = binary_design();

    request.planned_test = PLAN_FISHER_EXACT;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sizing_plan plan;
        clock_t begin = clock();
        double milliseconds;

        request.baseline_value = cases[i][0];
        request.mde_pct = cases[i][1];
        request.alpha = cases[i][2];
        request.power = cases[i][3];
        plan = plan_of(&request);
        milliseconds = (double)(clock() - begin) * 1000 / CLOCKS_PER_SEC;
        printf("fisher n_z %lld -> %lld in %.2f ms\n", (long long)plan.normal_sample_size,
               (long long)plan.sample_size_per_variant, milliseconds);
        CHECK(plan.exact_scan);
        CHECK(milliseconds < 500); /* about 5 ms; the bound allows for sanitizers and valgrind */
    }
}

TEST(count_plans)
{
    struct sizing_request request = count_design();
    struct sizing_plan plan = plan_of(&request);

    CHECK_INT(plan.planned_test, PLAN_POISSON_RATE);
    CHECK_INT(plan.sample_size_per_variant, 1437);
    CHECK_INT(plan.total_events, 948);
    CHECK_NEAR(plan.treatment_share, 1.2 / 2.2, 1e-15);
    CHECK_NEAR(plan.exposure_per_arm, 948 / 0.66, 1e-9);
    CHECK_NEAR(plan.mde_absolute, 0.06, 1e-15);
    request.exposure_per_user = GIVEN_NUMBER(2);
    CHECK_INT(plan_of(&request).sample_size_per_variant, 719);
    request.exposure_per_user.given = false;
    request.variants_count = 3;
    request.traffic_split = split_evenly(3);
    CHECK_INT(plan_of(&request).sample_size_per_variant, 1740);
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
    CHECK_NEAR(round_decimal(100 * change.value, 3), 0.161, 0);
    CHECK_NEAR(size_two_proportions(0.024, change.value, 0.05, 0.8), 146642, 1e-6);
    change = sizing_detectable_rate_change(0.024, false, 0.01, 0.9, 45000);
    CHECK_NEAR(round_decimal(100 * change.value, 3), 0.41, 0);
    CHECK_NEAR(round_decimal(sizing_detectable_mean_change(6.5, 0.05, 0.8, 146642), 4), 0.0673, 0);
    CHECK_NEAR(round_decimal(sizing_detectable_mean_change(6.5, 0.01, 0.9, 45000), 4), 0.1672, 0);

    change = sizing_detectable_rate_change(0.024, true, 0.05, 0.8, 146642);
    CHECK(change.given);
    CHECK_NEAR(size_two_proportions(0.024, -change.value, 0.05, 0.8), 146642, 1e-6);
    /* 99.2 % cannot rise by anything that 50 users would show, but it can fall */
    CHECK(!sizing_detectable_rate_change(0.992, false, 0.05, 0.8, 50).given);
    CHECK(sizing_detectable_rate_change(0.992, true, 0.05, 0.8, 50).given);
}

/* Over a grid of designs: power(n) reaches the target, power(n - slack) does not. The slack is 1
 * where the size is one ceiling, and covers the inner ceiling where a plan has two. `noise` is the
 * rounding of power at a size whose ceiling moved nothing. */
static void check_size_is_least(const struct sizing_request *request, double slack)
{
    const double noise = 1e-12;
    struct sizing_plan plan;
    double n;

    if (sizing_plan_design(request, &plan, NULL))
        return;
    n = (double)plan.sample_size_per_variant;
    CHECK(sizing_power(request, &plan, n) >= request->power - noise);
    if (n > slack + 2)
        CHECK(sizing_power(request, &plan, n - slack) < request->power + noise);
    if (test_failures_here)
        printf("baseline %g mde %g alpha %g power %g test %d: n %g\n", request->baseline_value,
               request->mde_pct, request->alpha, request->power, request->planned_test, n);
}

static const double alphas[] = {1e-8, 0.001, 0.01, 0.05, 0.1, 0.3};
static const double powers[] = {0.5, 0.7, 0.8, 0.9, 0.99, 0.9999};

#define FOR_EACH_LEVEL(request)                                                                    \
    for (size_t a = 0; a < sizeof alphas / sizeof alphas[0]; a++)                                  \
        for (size_t b = 0; b < sizeof powers / sizeof powers[0]; b++)                              \
            if ((request).alpha = alphas[a], (request).power = powers[b], true)

TEST(planned_rates_reach_their_power)
{
    static const double rates[] = {1e-6, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.97};
    struct sizing_request request = binary_design();

    FOR_EACH_LEVEL(request)
    {
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
            for (double mde = 0.3; mde < 1000; mde *= 3) {
                request.baseline_value = rates[i];
                request.mde_pct = mde;
                request.planned_test = PLAN_Z_TEST;
                check_size_is_least(&request, 1);
                request.planned_test = PLAN_FISHER_EXACT;
                if (sizing_cost(&request) == 1) /* the continuity-corrected size */
                    check_size_is_least(&request, 2);
            }
        }
    }
}

TEST(planned_means_reach_their_power)
{
    struct sizing_request request = continuous_design();

    FOR_EACH_LEVEL(request)
    {
        for (double mde = 0.01; mde < 1000; mde *= 2.7) {
            request.mde_pct = mde;
            request.equivalence_margin_pct = GIVEN_NUMBER(mde);
            request.planned_test = PLAN_Z_TEST;
            check_size_is_least(&request, 1);
            request.planned_test = PLAN_MANN_WHITNEY;
            check_size_is_least(&request, 2);
            request.planned_test = PLAN_TOST;
            check_size_is_least(&request, 1);
        }
    }
}

TEST(planned_counts_reach_their_power)
{
    struct sizing_request request = count_design();

    FOR_EACH_LEVEL(request)
    {
        for (double mde = 0.1; mde < 1000; mde *= 2.7) {
            for (double rate = 0.001; rate < 100; rate *= 17) {
                request.mde_pct = mde;
                request.baseline_value = rate;
                request.exposure_per_user = GIVEN_NUMBER(3);
                check_size_is_least(&request, 1 + ceil(1 / (3 * rate * (2 + mde / 100))));
            }
        }
    }
}

TEST(planned_clusters_reach_their_power)
{
    struct sizing_request request = binary_design();

    request.randomization_unit = "cluster";
    FOR_EACH_LEVEL(request)
    {
        for (double size = 1; size < 2000; size *= 3.7) {
            for (double icc = 0; icc <= 1; icc += 0.0625) {
                request.avg_cluster_size = GIVEN_NUMBER(size);
                request.icc = GIVEN_NUMBER(icc);
                check_size_is_least(&request, ceil(1 + (size - 1) * icc) + 1);
            }
        }
    }
}

/* The exact power of Fisher's test is a sawtooth in n: the promise is that no smaller size of the
 * scan reached the target. */
TEST(planned_fisher_sizes_are_the_first_of_their_scan)
{
    static const double designs[][3] = {{0.2, 100, 0.8}, {0.05, 300, 0.9}, {0.5, 40, 0.8},
                                        {0.9, 8, 0.7},   {0.01, 900, 0.8}, {0.3, 200, 0.95}};
    struct sizing_request request = binary_design();

    request.planned_test = PLAN_FISHER_EXACT;
    for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++) {
        struct sizing_plan plan;

        request.baseline_value = designs[i][0];
        request.mde_pct = designs[i][1];
        request.power = designs[i][2];
        plan = plan_of(&request);
        CHECK(plan.exact_scan);
        CHECK(sizing_power(&request, &plan, (double)plan.sample_size_per_variant) >= request.power);
        for (int64_t n = plan.normal_sample_size; n < plan.sample_size_per_variant; n++)
            CHECK(fisher_exact_power(request.baseline_value,
                                     request.baseline_value + plan.mde_absolute, n,
                                     0.05) < request.power);
    }
}

static void check_curve(const struct sizing_request *request, size_t capacity)
{
    struct power_point points[25];
    struct sizing_plan plan = plan_of(request);
    size_t count = sizing_power_curve(request, &plan, points, capacity);
    bool planned = false;

    CHECK(count >= 1 && count <= capacity);
    for (size_t i = 0; i < count; i++) {
        int64_t n = points[i].sample_size_per_variant;

        planned |= n == plan.sample_size_per_variant;
        CHECK(n >= 2);
        CHECK(i == 0 || n > points[i - 1].sample_size_per_variant);
        CHECK(points[i].power >= 0 && points[i].power <= 1);
        CHECK_NEAR(points[i].power, sizing_power(request, &plan, (double)n), 0);
        if (!plan.exact_scan && i > 0)
            CHECK(points[i].power >= points[i - 1].power);
    }
    CHECK(planned);
}

TEST(power_curves_rise_through_the_plan)
{
    struct sizing_request designs[] = {binary_design(),     continuous_design(), count_design(),
                                       continuous_design(), continuous_design(), binary_design(),
                                       continuous_design()};
    struct power_point points[25];
    struct sizing_plan plan;

    designs[3].planned_test = PLAN_TOST;
    designs[3].equivalence_margin_pct = GIVEN_NUMBER(3);
    designs[4].planned_test = PLAN_MANN_WHITNEY;
    designs[5].planned_test = PLAN_FISHER_EXACT;
    designs[5].baseline_value = 0.2;
    designs[5].mde_pct = 100;
    designs[6].mde_pct = 60; /* n = 2 */
    for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++)
        for (size_t capacity = 1; capacity <= 25; capacity++)
            check_curve(&designs[i], capacity);

    plan = plan_of(&designs[0]);
    CHECK_INT(sizing_power_curve(&designs[0], &plan, points, 25), 25);
    CHECK_INT(points[0].sample_size_per_variant, 29328); /* a fifth */
    CHECK_INT(points[24].sample_size_per_variant, 293284);
    plan = plan_of(&designs[5]);
    CHECK_INT(sizing_power_curve(&designs[5], &plan, points, 25), 9);
}

TEST_MAIN(CASE(binary_reference_case), CASE(comparisons_share_alpha),
          CASE(the_slowest_arm_sets_the_duration), CASE(holdout_and_exclusion_slow_the_test),
          CASE(looks_leave_the_fixed_size_alone), CASE(designs_without_an_answer_are_refused),
          CASE(tiny_and_huge_effects_are_refused_rather_than_infinite),
          CASE(totals_clusters_and_durations_stay_below_2_to_53), CASE(precision_companion),
          CASE(clusters_multiply_the_size), CASE(cuped_companion),
          CASE(companions_carry_the_design_effect), CASE(continuous_plans),
          CASE(equivalence_needs_two_users_at_least), CASE(ratio_plan), CASE(fisher_plans),
          CASE(fisher_ties_with_alpha_do_not_reject),
          CASE(fisher_scan_gives_up_where_the_test_is_too_coarse), CASE(fisher_scan_is_fast),
          CASE(count_plans), CASE(little_traffic_takes_long), CASE(guardrails_show_what_they_can),
          CASE(planned_rates_reach_their_power), CASE(planned_means_reach_their_power),
          CASE(planned_counts_reach_their_power), CASE(planned_clusters_reach_their_power),
          CASE(planned_fisher_sizes_are_the_first_of_their_scan),
          CASE(power_curves_rise_through_the_plan))
