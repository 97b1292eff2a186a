/*
 * Power: a planned size reaches its target and the one below does not, over grids of designs; the
 * exact power of Fisher's test; the power curve.
 */
#include "experiments/design/sizing.h"
#include "sizing_designs.h"
#include "test.h"

#include <stdint.h>
#include <time.h>

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
    struct sizing_plan plan;
    struct problem problem = {.reason = "none"};

    request.planned_test = PLAN_FISHER_EXACT;
    request.baseline_value = 0.001;
    request.mde_pct = 200;
    request.alpha = 0.2;
    request.power = 0.22;
    CHECK_INT(sizing_plan_design(&request, &plan, &problem), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "exact_power_not_reached");
    CHECK(strstr(problem.text, "fisher_exact") != NULL);
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
        CHECK(milliseconds < 2000); /* about 5 ms; the bound allows for sanitizers and valgrind */
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

TEST_MAIN(CASE(fisher_ties_with_alpha_do_not_reject),
          CASE(fisher_scan_gives_up_where_the_test_is_too_coarse), CASE(fisher_scan_is_fast),
          CASE(planned_fisher_sizes_are_the_first_of_their_scan),
          CASE(power_curves_rise_through_the_plan))
