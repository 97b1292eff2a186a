/* Sums, roots, quadrature and the special functions. */
#include "math/quadrature.h"
#include "math/root.h"
#include "math/special.h"
#include "math/sum.h"
#include "test.h"

#include <float.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Plain summation gives 0, 0, 999999.99983897537 and 1 here; Kahan's own correction still gives 0
 * for the first (Neumaier 1974). */
TEST(sums_keep_what_cancels)
{
    static const double cancelling[] = {1, 1e100, 1, -1e100};
    struct sum tenths = {0}, small = {.high = 1};

    CHECK_NEAR(sum_array(cancelling, 4), 2, 0);
    CHECK_NEAR(sum_array((const double[]){1e16, 1, -1e16}, 3), 1, 0);
    for (int i = 0; i < 10000000; i++)
        sum_add(&tenths, 0.1);
    CHECK_NEAR(sum_value(&tenths), 1000000, 0);
    for (int i = 0; i < 1000; i++)
        sum_add(&small, DBL_EPSILON / 8);
    CHECK_NEAR(sum_value(&small), 1 + 125 * DBL_EPSILON, 0);
    CHECK_NEAR(sum_array(NULL, 0), 0, 0);
}

TEST(products_keep_their_rounding)
{
    struct sum sum = {0}, other = {0};
    double x = 1 + DBL_EPSILON;

    sum_add_product(&sum, x, x); /* 1 + 2 eps + eps^2 */
    sum_add(&sum, -1 - 2 * DBL_EPSILON);
    CHECK_NEAR(sum_value(&sum), DBL_EPSILON * DBL_EPSILON, 0);
    sum_add(&other, 1e-40);
    sum_merge(&other, &sum);
    CHECK_RELATIVE(sum_value(&other), DBL_EPSILON * DBL_EPSILON + 1e-40, 1e-15);
}

TEST(infinities_and_nan_pass_through_sums)
{
    CHECK(sum_array((const double[]){1, INFINITY, 2}, 3) == INFINITY);
    CHECK(isnan(sum_array((const double[]){INFINITY, -INFINITY}, 2)));
    CHECK(isnan(sum_array((const double[]){1, NAN}, 2)));
    CHECK(sum_array((const double[]){DBL_MAX, DBL_MAX}, 2) == INFINITY);
}

/* NIST StRD "NumAcc4": 1001 values about 10000000.2 with standard deviation exactly 0.1. */
TEST(moments_of_nist_numacc4)
{
    double values[1001];
    struct moments moments;

    values[0] = 10000000.2;
    for (int i = 1; i < 1001; i++)
        values[i] = i % 2 ? 10000000.1 : 10000000.3;
    moments = moments_of(values, 1001);
    CHECK_RELATIVE(moments.mean, 10000000.2, 3e-16);
    CHECK_RELATIVE(sqrt(moments.variance), 0.1, 1e-8); /* the data are only good to 2e-9 */
    CHECK_INT(moments.count, 1001);
}

TEST(moments_of_few_values)
{
    static const double ones[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};

    CHECK(isnan(moments_of(NULL, 0).mean) && isnan(moments_of(NULL, 0).variance));
    CHECK_NEAR(moments_of(ones, 1).mean, 1e9 + 4, 0);
    CHECK(isnan(moments_of(ones, 1).variance));
    CHECK_NEAR(moments_of(ones, 4).mean, 1e9 + 10, 0);
    CHECK_NEAR(moments_of(ones, 4).variance, 30, 0);
}

static double evaluations;

static double cubic(double x, const void *context)
{
    evaluations++;
    return x * x * x - *(const double *)context;
}

static double step(double x, const void *context)
{
    (void)context;
    return x < 0.125 ? -1 : 1e300;
}

static double undefined_inside(double x, const void *context)
{
    (void)context;
    return x <= 0 ? -1 : x >= 1 ? 1 : NAN;
}

TEST(roots_are_found)
{
    double two = 2, zero = 0;

    evaluations = 0;
    CHECK_RELATIVE(root_find(cubic, &two, 0, 1e6, 0), cbrt(2), 4 * DBL_EPSILON);
    CHECK(evaluations < 60);
    CHECK_RELATIVE(root_find(cubic, &two, 5, -5, 0), cbrt(2), 4 * DBL_EPSILON);
    CHECK_NEAR(root_find(cubic, &two, 1, 2, 1e-3), cbrt(2), 1e-3);
    CHECK_NEAR(root_find(cubic, &zero, -1, 3, 1e-12), 0, 1e-12);
    CHECK_NEAR(root_find(step, NULL, -7, 9, 0), 0.125, 1e-15);
}

TEST(roots_at_the_ends_and_none)
{
    double eight = 8;

    CHECK(root_find(cubic, &eight, 2, 5, 0) == 2 && root_find(cubic, &eight, 1, 2, 0) == 2);
    CHECK(isnan(root_find(cubic, &eight, 3, 5, 0)));
    CHECK(isnan(root_find(cubic, &eight, NAN, 5, 0)));
    CHECK(isnan(root_find(undefined_inside, NULL, -1, 2, 0)));
}

/* Exact for degree 2n - 1: x^k over [0, 2] is 2^(k+1) / (k+1). */
TEST(gauss_legendre_is_exact_for_polynomials)
{
    static const int sizes[] = {1, 2, 3, 8, 33, 256, 511, 512};
    double nodes[QUADRATURE_NODES_MAX], weights[QUADRATURE_NODES_MAX];

    for (size_t s = 0; s < COUNT(sizes); s++) {
        int n = sizes[s];

        CHECK(gauss_legendre(n, 0, 2, nodes, weights));
        for (int k = 0; k < 2 * n && k <= 40; k++) {
            double total = 0;

            for (int i = 0; i < n; i++)
                total += weights[i] * pow(nodes[i], k);
            CHECK_RELATIVE(total, ldexp(1, k + 1) / (k + 1), 3e-14);
        }
        for (int i = 1; i < n; i++)
            CHECK(nodes[i - 1] < nodes[i] && weights[i] > 0);
    }
}

TEST(gauss_legendre_refuses_what_it_cannot_do)
{
    double nodes[1], weights[1];

    CHECK(!gauss_legendre(0, 0, 1, nodes, weights));
    CHECK(!gauss_legendre(QUADRATURE_NODES_MAX + 1, 0, 1, nodes, weights));
    CHECK(!gauss_legendre(1, 0, INFINITY, nodes, weights));
    CHECK(!gauss_legendre(1, NAN, 1, nodes, weights));
}

TEST(factorials_and_choices)
{
    double product = 0;

    for (int n = 1; n < 200; n++) {
        product += log(n);
        CHECK_NEAR(log_factorial(n), product, 1e-12);
    }
    CHECK(log_factorial(0) == 0 && log_factorial(1) == 0 && isnan(log_factorial(-1)));
    CHECK_RELATIVE(log_choose(52, 5), log(2598960), 1e-15);
    CHECK_RELATIVE(log_choose(1000000000, 1), log(1e9), 1e-15);
    CHECK(log_choose(7, 0) == 0 && log_choose(7, 7) == 0 &&
          log_choose(40, 38) == log_choose(40, 2));
    CHECK(isnan(log_choose(3, 4)) && isnan(log_choose(3, -1)));
}

TEST(cancelling_functions)
{
    CHECK_RELATIVE(log1p_minus(1e-9), -5e-19, 1e-8);
    CHECK_RELATIVE(log1p_minus(-0.5), log(0.5) + 0.5, 1e-14);
    CHECK_RELATIVE(expm1_minus(1e-9), 5e-19, 1e-8);
    CHECK_RELATIVE(expm1_minus(-0.5), exp(-0.5) - 0.5, 1e-14);
    CHECK(log1p_minus(-1) == -INFINITY && isnan(log1p_minus(-2)) && isnan(log1p_minus(NAN)));
    CHECK(isnan(expm1_minus(NAN)) && expm1_minus(0) == 0);
    CHECK_RELATIVE(stirling_error(1), 1 - log(2 * M_PI) / 2, 1e-14);
    CHECK_RELATIVE(stirling_error(1e9), 1 / 12e9, 1e-15);
    CHECK(isnan(stirling_error(0)) && isnan(stirling_error(NAN)));
}

TEST_MAIN(CASE(sums_keep_what_cancels), CASE(products_keep_their_rounding),
          CASE(infinities_and_nan_pass_through_sums), CASE(moments_of_nist_numacc4),
          CASE(moments_of_few_values), CASE(roots_are_found), CASE(roots_at_the_ends_and_none),
          CASE(gauss_legendre_is_exact_for_polynomials),
          CASE(gauss_legendre_refuses_what_it_cannot_do), CASE(factorials_and_choices),
          CASE(cancelling_functions))
