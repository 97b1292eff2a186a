/*
 * O'Brien-Fleming designs: what holds for every design, and those without an answer. The printed
 * tables of Jennison and Turnbull 2000 and an independent integration are compared in
 * tests/oracle/experiments_sequential_test.py.
 */
#include "base/number.h"
#include "experiments/design/sequential.h"
#include "math/normal.h"
#include "test.h"

#include <time.h>

static struct sequential_design design_of(int looks, double alpha, double power)
{
    static struct sequential_design design;
    struct problem problem = {0};

    CHECK_INT(sequential_solve(looks, alpha, power, &design, &problem), ERROR_NONE);
    return design;
}

TEST(one_look_is_the_fixed_design)
{
    struct sequential_design design = design_of(1, 0.05, 0.8);

    CHECK_NEAR(design.constant, normal_upper_quantile(0.025), 0);
    CHECK_NEAR(design.inflation_factor, 1, 0);
    CHECK_NEAR(design.look[0].cumulative_alpha_spent, 0.05, 1e-16);
    CHECK_NEAR(design.look[0].p_boundary, 0.05, 1e-16);
}

TEST(spending_adds_up_for_every_number_of_looks)
{
    static const double alphas[] = {1e-10, 1e-4, 0.005, 0.05, 0.3, 0.5};

    for (int looks = 1; looks <= SEQUENTIAL_LOOKS_MAX; looks += looks < 10 ? 1 : 15) {
        for (size_t a = 0; a < sizeof alphas / sizeof alphas[0]; a++) {
            struct sequential_design design = design_of(looks, alphas[a], 0.8);
            double spent = 0;

            for (int k = 0; k < looks; k++) {
                CHECK(design.look[k].incremental_alpha >= 0);
                spent += design.look[k].incremental_alpha;
                CHECK_NEAR(design.look[k].cumulative_alpha_spent, spent, 1e-15);
                CHECK(k == 0 || design.look[k].z_boundary < design.look[k - 1].z_boundary);
            }
            CHECK_RELATIVE(spent, alphas[a], 1e-11);
            CHECK_NEAR(design.look[looks - 1].z_boundary, design.constant, 1e-15);
            CHECK(design.inflation_factor >= 1 && design.inflation_factor < 1.3);
        }
    }
}

TEST(extremes_have_finite_answers)
{
    static const double alphas[] = {1e-100, 1e-30, 1e-10, 0.05, 0.5, 0.9};
    static const double powers[] = {0.91, 0.999999, 1 - 0x1p-53};

    for (size_t a = 0; a < sizeof alphas / sizeof alphas[0]; a++) {
        for (size_t b = 0; b < sizeof powers / sizeof powers[0]; b++) {
            struct sequential_design design = design_of(30, alphas[a], powers[b]);

            CHECK(design.constant >= normal_upper_quantile(alphas[a] / 2));
            CHECK(design.constant <= normal_upper_quantile(alphas[a] / 4));
            CHECK(design.inflation_factor >= 1 && design.inflation_factor < 20);
        }
    }
}

/* The earlier looks spend nothing that a double could show: the design is the fixed one. */
TEST(few_looks_at_a_tiny_alpha)
{
    for (double alpha = 1e-16; alpha > 1e-100; alpha /= 37) {
        for (int looks = 2; looks <= 4; looks++) {
            struct sequential_design design = design_of(looks, alpha, 0.8);
            double fixed = normal_upper_quantile(alpha / 2);

            CHECK_RELATIVE(design.constant, fixed, 1e-4);
            CHECK(design.constant >= fixed - 2e-12);
            CHECK(design.inflation_factor >= 1 && design.inflation_factor < 1.0001);
            CHECK_RELATIVE(design.look[looks - 1].cumulative_alpha_spent, alpha, 1e-10);
        }
    }
}

TEST(designs_without_an_answer_are_refused)
{
    struct sequential_design design;
    struct problem problem;

    CHECK_INT(sequential_solve(5, 0.05, 0.05, &design, &problem), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "power_not_above_alpha");
    CHECK_INT(sequential_solve(5, 0.05, 0.01, &design, &problem), ERROR_INVALID);
    CHECK_INT(sequential_solve(5, 0.05, 1, &design, &problem), ERROR_INVALID);
    CHECK_INT(sequential_solve(0, 0.05, 0.8, &design, &problem), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "looks_out_of_range");
    CHECK_INT(sequential_solve(101, 0.05, 0.8, &design, &problem), ERROR_INVALID);
    CHECK_INT(sequential_solve(5, 1e-101, 0.8, &design, &problem), ERROR_INVALID);
    CHECK_TEXT(problem.reason, "alpha_out_of_range");
    CHECK_INT(sequential_solve(5, NAN, 0.8, &design, &problem), ERROR_INVALID);
    CHECK_INT(sequential_solve(5, 0.05, NAN, &design, NULL), ERROR_INVALID);
}

/* More designs than are remembered, asked for twice: the answers must not depend on the memory. */
TEST(remembered_designs_are_the_same)
{
    double constants[20], factors[20];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 20; i++) {
            struct sequential_design design = design_of(2 + i, 0.02, 0.85);
            struct sequential_design again = design_of(2 + i, 0.02, 0.85);

            CHECK(design.constant == again.constant);
            CHECK(design.inflation_factor == again.inflation_factor);
            CHECK(design.look[i].z_boundary == again.look[i].z_boundary);
            CHECK(round == 0 || design.constant == constants[i]);
            CHECK(round == 0 || design.inflation_factor == factors[i]);
            constants[i] = design.constant;
            factors[i] = design.inflation_factor;
        }
    }
}

TEST(a_hundred_looks_are_fast)
{
    clock_t begin = clock();
    double milliseconds;

    design_of(100, 0.0513, 0.8);
    milliseconds = (double)(clock() - begin) * 1000 / CLOCKS_PER_SEC;
    printf("100 looks in %.2f ms\n", milliseconds);
    CHECK(milliseconds < 2000); /* about 3 ms; the bound allows for sanitizers and valgrind */
}

TEST_MAIN(CASE(one_look_is_the_fixed_design), CASE(spending_adds_up_for_every_number_of_looks),
          CASE(extremes_have_finite_answers), CASE(few_looks_at_a_tiny_alpha),
          CASE(designs_without_an_answer_are_refused), CASE(remembered_designs_are_the_same),
          CASE(a_hundred_looks_are_fast))
