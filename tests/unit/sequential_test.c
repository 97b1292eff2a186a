/*
 * O'Brien-Fleming designs against the printed tables of Jennison and Turnbull 2000 and against
 * figures with more digits from an independent integration (Simpson's rule on the whole interval
 * with the drift in the recursion, tests/oracle/experiments_sequential_test.py).
 *
 * The boundaries and the spending here are exact. Tables that interpolate the constant, take the
 * inflation from one column for all alphas and report Lan-DeMets spending beside it (z 2.0395,
 * factor 1.028 and spending .001942 at the second of five looks, for one) differ in the third
 * decimal; the exact values are the ones tested.
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

/* Table 2.3, C_B(K, alpha), three decimals. */
TEST(constants_of_the_printed_table)
{
    static const struct {
        int looks;
        double alpha_01, alpha_05, alpha_10;
    } rows[] = {
        {1, 2.576, 1.960, 1.645},  {2, 2.580, 1.977, 1.678},  {3, 2.595, 2.004, 1.710},
        {4, 2.609, 2.024, 1.733},  {5, 2.621, 2.040, 1.751},  {6, 2.631, 2.053, 1.765},
        {7, 2.640, 2.063, 1.776},  {8, 2.648, 2.072, 1.786},  {9, 2.654, 2.080, 1.794},
        {10, 2.660, 2.087, 1.801}, {11, 2.665, 2.092, 1.807}, {12, 2.670, 2.098, 1.813},
        {15, 2.681, 2.110, 1.826}, {20, 2.695, 2.126, 1.842},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int looks = rows[i].looks;

        CHECK_NEAR(number_round(design_of(looks, 0.01, 0.8).constant, 3), rows[i].alpha_01, 0);
        CHECK_NEAR(number_round(design_of(looks, 0.05, 0.8).constant, 3), rows[i].alpha_05, 0);
        CHECK_NEAR(number_round(design_of(looks, 0.10, 0.8).constant, 3), rows[i].alpha_10, 0);
    }
}

/* Table 2.4, R_B(K, alpha = 0.05, power), three decimals. */
TEST(inflation_of_the_printed_table)
{
    static const struct {
        int looks;
        double power_80, power_90;
    } rows[] = {
        {1, 1.000, 1.000},  {2, 1.008, 1.007},  {3, 1.017, 1.016},  {4, 1.024, 1.022},
        {5, 1.028, 1.026},  {6, 1.032, 1.030},  {7, 1.035, 1.032},  {8, 1.037, 1.034},
        {9, 1.038, 1.036},  {10, 1.040, 1.037}, {11, 1.041, 1.039}, {12, 1.042, 1.040},
        {15, 1.045, 1.042}, {20, 1.047, 1.045},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int looks = rows[i].looks;

        CHECK_NEAR(number_round(design_of(looks, 0.05, 0.8).inflation_factor, 3), rows[i].power_80,
                   0);
        CHECK_NEAR(number_round(design_of(looks, 0.05, 0.9).inflation_factor, 3), rows[i].power_90,
                   0);
    }
}

/* Constant and factor to nine decimals from the independent integration. */
TEST(more_digits_than_the_tables_print)
{
    static const struct {
        int looks;
        double alpha, power, constant, factor;
    } rows[] = {
        {2, 0.05, 0.8, 1.977430959, 1.007786255},
        {3, 0.05, 0.8, 2.004035579, 1.017406225},
        {4, 0.05, 0.8, 2.024295500, 1.023846456},
        {5, 0.05, 0.8, 2.040073175, 1.028410969},
        {10, 0.05, 0.8, 2.086502181, 1.039899545},
        {12, 0.05, 0.8, 2.097600661, 1.042231498},
        {16, 0.05, 0.8, 2.113962096, 1.045378110},
        {20, 0.05, 0.8, 2.125651547, 1.047411749},
        {100, 0.05, 0.8, 2.185996146, 1.054969010},
        {4, 0.025, 0.8, 2.289355403, 1.016950360},
        {5, 0.01, 0.8, 2.621170569, 1.014505796},
        {2, 0.2, 0.8, 1.342997642, 1.030909201},
        {10, 0.5, 0.6, 0.979168208, 1.157009508},
        {3, 0.05, 0.0501, 2.004035579, 1.030884291},
        {7, 0.001, 0.99, 3.326828262, 1.008240187},
        {5, 1e-10, 0.999999, 6.467241929, 1.000042865},
        {25, 1e-5, 0.999999, 4.472513242, 1.007634151},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sequential_design design = design_of(rows[i].looks, rows[i].alpha, rows[i].power);

        /* half a unit of the last digit, and the Simpson grid's own error near 3e-9 at 100 looks */
        CHECK_NEAR(design.constant, rows[i].constant, 2e-9);
        CHECK_NEAR(design.inflation_factor, rows[i].factor, 5e-9);
    }
}

/* Five looks at 0.05: boundaries and what they spend, not Lan-DeMets spending. */
TEST(five_looks)
{
    static const double z[] = {4.5617, 3.2256, 2.6337, 2.2809, 2.0401};
    static const double cumulative[] = {0.000005, 0.001259, 0.008904, 0.025585, 0.05};
    static const double incremental[] = {0.000005, 0.001254, 0.007645, 0.016681, 0.024415};
    static const double p[] = {0.000005, 0.001257, 0.008445, 0.022556, 0.041343};
    struct sequential_design design = design_of(5, 0.05, 0.8);

    CHECK_INT(design.looks, 5);
    for (int k = 0; k < 5; k++) {
        CHECK_INT(design.look[k].look, k + 1);
        CHECK_NEAR(design.look[k].info_fraction, (k + 1) / 5.0, 0);
        CHECK_NEAR(number_round(design.look[k].z_boundary, 4), z[k], 0);
        CHECK_NEAR(number_round(design.look[k].cumulative_alpha_spent, 6), cumulative[k], 0);
        /* rounded from figures that were not: one unit */
        CHECK_NEAR(number_round(design.look[k].incremental_alpha, 6), incremental[k], 1.0001e-6);
        CHECK_NEAR(number_round(design.look[k].p_boundary, 6), p[k], 0);
    }
    CHECK_NEAR(ceil(146642 * design.inflation_factor), 150809, 0);
}

TEST(one_look_is_the_fixed_design)
{
    struct sequential_design design = design_of(1, 0.05, 0.8);

    CHECK_NEAR(design.constant, normal_upper_quantile(0.025), 0);
    CHECK_NEAR(design.inflation_factor, 1, 0);
    CHECK_NEAR(design.look[0].cumulative_alpha_spent, 0.05, 1e-16);
    CHECK_NEAR(design.look[0].p_boundary, 0.05, 1e-16);
}

/* Two looks have a closed form: P(|Z1| >= sqrt(2) C or |Z2| >= C) by one integral. */
TEST(two_looks_by_direct_integration)
{
    static const double alphas[] = {1e-10, 0.001, 0.05, 0.5};

    for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; i++) {
        double constant = design_of(2, alphas[i], 0.9).constant;
        double b = constant * sqrt(2), spent = 2 * normal_survival(b);
        enum { STEPS = 20000 };

        for (int j = 0; j < STEPS; j++) { /* midpoint rule */
            double s = -b + (j + 0.5) * 2 * b / STEPS;

            spent += normal_density(s) * (normal_survival(b - s) + normal_survival(b + s)) * 2 * b /
                     STEPS;
        }
        CHECK_RELATIVE(spent, alphas[i], 1e-6); /* the midpoint rule's error */
    }
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

TEST_MAIN(CASE(constants_of_the_printed_table), CASE(inflation_of_the_printed_table),
          CASE(more_digits_than_the_tables_print), CASE(five_looks),
          CASE(one_look_is_the_fixed_design), CASE(two_looks_by_direct_integration),
          CASE(spending_adds_up_for_every_number_of_looks), CASE(extremes_have_finite_answers),
          CASE(few_looks_at_a_tiny_alpha), CASE(designs_without_an_answer_are_refused),
          CASE(remembered_designs_are_the_same), CASE(a_hundred_looks_are_fast))
