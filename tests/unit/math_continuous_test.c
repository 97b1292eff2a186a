/*
 * The continuous distributions: published values, closed forms, and what must hold for any of them.
 * The wide grids against scipy and mpmath are in tests/oracle/math_test.py.
 */
#include "math/beta.h"
#include "math/chi_square.h"
#include "math/fisher_f.h"
#include "math/gamma.h"
#include "math/normal.h"
#include "math/student.h"
#include "test.h"

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double probabilities[] = {1e-300, 1e-80, 1e-17, 1e-6,  0.025,
                                       0.3,    0.5,   0.7,   0.975, 1 - 1e-6};
static const double shapes[] = {0.05, 0.5, 1, 1.5, 8, 49, 51, 1000, 3e6};

/* Abramowitz and Stegun, tables 26.1 and 26.2 (P and Q of the normal distribution). */
TEST(normal_table)
{
    CHECK_RELATIVE(normal_cdf(1.96), 0.975002104851780, 2e-15);
    CHECK_RELATIVE(normal_cdf(1), 0.841344746068543, 1e-15);
    CHECK_RELATIVE(normal_survival(5), 2.866515718791939e-7, 1e-15);
    CHECK_NEAR(-log10(normal_survival(38)), 315.53979, 5e-6);
    CHECK_RELATIVE(normal_quantile(0.975), 1.959963984540054, 1e-15);
    CHECK_RELATIVE(normal_upper_quantile(0.005), 2.575829303548901, 1e-15);
    CHECK_RELATIVE(normal_density(0), 0.398942280401433, 1e-14);
}

/* log Q(-log10) from table 26.2: -log10 Q(100) = 2173.87154, -log10 Q(500) = 54289.90830. */
TEST(normal_logarithms_go_beyond_the_doubles)
{
    CHECK_NEAR(-normal_log_survival(100) / M_LN10, 2173.87154, 5e-6);
    CHECK_NEAR(-normal_log_cdf(-500) / M_LN10, 54289.90830, 5e-6);
    CHECK_RELATIVE(normal_log_survival(37), normal_log_survival(nextafter(37, 40)), 1e-15);
    CHECK_RELATIVE(normal_log_survival(-9), -normal_survival(9), 1e-15);
}

TEST(normal_identities)
{
    CHECK_NEAR(normal_quantile(0.5), 0, 0);
    CHECK(!signbit(normal_quantile(0.5)));
    for (double z = -8; z <= 8; z += 0.25) {
        CHECK_NEAR(normal_cdf(z) + normal_survival(z), 1, 2e-16);
        CHECK_NEAR(normal_cdf(z), normal_survival(-z), 0);
    }
    for (size_t i = 0; i < COUNT(probabilities); i++) {
        double p = probabilities[i];

        CHECK_RELATIVE(normal_cdf(normal_quantile(p)), p, 2e-13);
        CHECK_RELATIVE(normal_survival(normal_upper_quantile(p)), p, 2e-13);
    }
}

TEST(normal_edges)
{
    CHECK(normal_quantile(0) == -INFINITY && normal_quantile(1) == INFINITY);
    CHECK(normal_upper_quantile(0) == INFINITY && normal_upper_quantile(1) == -INFINITY);
    CHECK(normal_cdf(-INFINITY) == 0 && normal_survival(-INFINITY) == 1);
    CHECK(normal_density(INFINITY) == 0 && normal_density(-1e300) == 0);
    CHECK(isnan(normal_quantile(-1e-9)) && isnan(normal_quantile(1.5)));
    CHECK(isnan(normal_quantile(NAN)) && isnan(normal_cdf(NAN)) && isnan(normal_log_cdf(NAN)));
}

/* Exact forms: df = 1 is the Cauchy distribution, df = 2 and 4 are algebraic (Shaw 2006). */
TEST(student_closed_forms)
{
    for (double t = -30; t <= 30; t += 0.5) {
        double root = sqrt(4 + t * t);

        CHECK_NEAR(student_cdf(t, 1), 0.5 + atan(t) / M_PI, 2e-16);
        CHECK_NEAR(student_cdf(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 3e-16);
        CHECK_NEAR(student_cdf(t, 4), 0.5 + t * (t * t + 6) / (2 * root * root * root), 4e-16);
    }
    CHECK_RELATIVE(student_survival(1e9, 1), 1e-9 / M_PI, 1e-14);
    CHECK_RELATIVE(student_survival(1e200, 1), 1e-200 / M_PI, 1e-13);
    CHECK_RELATIVE(student_density(0, 1), 1 / M_PI, 1e-15);
    CHECK_RELATIVE(student_quantile(0.975, 2), 0.95 * sqrt(2 / (1 - 0.95 * 0.95)), 1e-14);
}

/* Fisher and Yates 1963, table III, with more digits from the closed forms and from R 4.2. */
TEST(student_table)
{
    CHECK_NEAR(student_cdf(2, 5), 0.94903026, 5e-9);
    CHECK_NEAR(student_quantile(0.975, 8), 2.30600413, 1e-8);
    CHECK_NEAR(student_quantile(0.975, 1), 12.70620474, 5e-9);
    CHECK_NEAR(student_quantile(0.975, 4.5), 2.65891233, 2e-8);
    CHECK_NEAR(student_upper_quantile(0.005, 10), 3.1693, 5e-5);
    CHECK_NEAR(student_upper_quantile(0.0005, 3), 12.924, 5e-4);
}

TEST(student_becomes_normal)
{
    CHECK(student_survival(2, 1e6) == normal_survival(2));
    CHECK(student_quantile(0.9, INFINITY) == normal_quantile(0.9));
    CHECK(student_density(1, 2e9) == normal_density(1));
    CHECK_RELATIVE(student_survival(2, 999999), normal_survival(2), 1e-5);
}

TEST(student_identities)
{
    CHECK(student_quantile(0.5, 3) == 0 && !signbit(student_quantile(0.5, 3)));
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t j = 0; j < COUNT(probabilities); j++) {
            double df = shapes[i], p = probabilities[j], t = student_upper_quantile(p, df);

            CHECK(student_quantile(p, df) == -t);
            if (isfinite(t))
                CHECK_RELATIVE(student_survival(t, df), p, 1e-12);
            CHECK_NEAR(student_cdf(t, df) + student_survival(t, df), 1, 2e-16);
        }
}

TEST(student_edges)
{
    CHECK(student_cdf(-INFINITY, 3) == 0 && student_survival(-INFINITY, 3) == 1);
    CHECK(student_quantile(0, 3) == -INFINITY && student_quantile(1, 3) == INFINITY);
    CHECK(student_upper_quantile(1e-300, 0.1) == INFINITY);
    CHECK(isnan(student_cdf(1, 0)) && isnan(student_cdf(1, -2)) && isnan(student_cdf(1, NAN)));
    CHECK(isnan(student_cdf(NAN, 5)) && isnan(student_quantile(1.1, 5)));
    CHECK(isnan(student_density(NAN, 5)) && isnan(student_density(1, 0)));
}

/* Abramowitz and Stegun, table 26.8; df = 2 is exponential, df = 1 a squared normal. */
TEST(chi_square_values)
{
    CHECK_NEAR(chi_square_upper_quantile(0.05, 1), 3.84146, 5e-6);
    CHECK_NEAR(chi_square_upper_quantile(0.05, 10), 18.3070, 5e-5);
    CHECK_NEAR(chi_square_quantile(0.005, 30), 13.7867, 5e-5);
    CHECK_NEAR(chi_square_upper_quantile(0.001, 100), 149.449, 5e-4);
    for (double x = 0.125; x < 1000; x *= 2) {
        CHECK_RELATIVE(chi_square_survival(x, 2), exp(-x / 2), 1e-13);
        CHECK_RELATIVE(chi_square_survival(x, 1), 2 * normal_survival(sqrt(x)), 2e-13);
        CHECK_RELATIVE(chi_square_density(x, 2), exp(-x / 2) / 2, 1e-13);
    }
}

/* Abramowitz and Stegun, table 26.9; with df1 = 2 the survival is (1 + 2 f / df2)^(-df2 / 2). */
TEST(fisher_f_values)
{
    CHECK_NEAR(fisher_f_survival(5, 2, 10), 0.03125, 1e-17);
    CHECK_NEAR(fisher_f_upper_quantile(0.05, 3, 10), 3.71, 5e-3);
    CHECK_NEAR(fisher_f_upper_quantile(0.01, 4, 20), 4.43, 5e-3);
    for (double f = 0.125; f < 1e6; f *= 3) {
        CHECK_RELATIVE(fisher_f_survival(f, 2, 7), pow(1 + 2 * f / 7, -3.5), 1e-14);
        CHECK_RELATIVE(fisher_f_survival(f, 3, 9), fisher_f_cdf(1 / f, 9, 3), 1e-14);
        CHECK_RELATIVE(fisher_f_survival(f, 1, 6), 2 * student_survival(sqrt(f), 6), 1e-14);
    }
    CHECK(fisher_f_density(0, 1, 5) == INFINITY && fisher_f_density(0, 2, 5) == 1);
    CHECK_RELATIVE(fisher_f_density(1.5, 2, 7), pow(1 + 3.0 / 7, -4.5), 1e-14);
}

/* I_x(a, 1) = x^a, I_x(1, b) = 1 - (1 - x)^b, I_x(1/2, 1/2) = 2/pi asin(sqrt(x)). */
TEST(beta_closed_forms)
{
    for (double x = 0.03125; x < 1; x += 0.03125) {
        CHECK_RELATIVE(beta_cdf(x, 2.75, 1), pow(x, 2.75), 1e-14);
        CHECK_RELATIVE(beta_cdf(x, 0.25, 1), pow(x, 0.25), 1e-14);
        CHECK_RELATIVE(beta_survival(x, 1, 120), pow(1 - x, 120), 1e-13);
        CHECK_RELATIVE(beta_cdf(x, 0.5, 0.5), M_2_PI * asin(sqrt(x)), 1e-14);
        CHECK_RELATIVE(beta_survival(x, 1e-9, 1), -1e-9 * log(x), 1e-8);
    }
    for (size_t i = 0; i < COUNT(shapes); i++)
        CHECK_NEAR(beta_cdf(0.5, shapes[i], shapes[i]), 0.5, 2e-15);
    CHECK_RELATIVE(beta_density(0.25, 2, 3), 12 * 0.25 * 0.75 * 0.75, 1e-14);
    CHECK(beta_density(0, 1, 3) == 3 && beta_density(1, 2, 0.5) == INFINITY);
}

/* The last digit of x moves the probability by up to 1e-10 of itself where the shapes are large. */
TEST(beta_identities)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t j = 0; j < COUNT(shapes); j++)
            for (size_t k = 0; k < COUNT(probabilities); k++) {
                double a = shapes[i], b = shapes[j], p = probabilities[k];
                double x = beta_quantile(p, a, b);

                CHECK(x >= 0 && x <= 1);
                if (x > 1e-300 && x < 0.9)
                    CHECK_RELATIVE(beta_cdf(x, a, b), p, 1e-9);
                CHECK_NEAR(beta_cdf(x, a, b) + beta_survival(x, a, b), 1, 3e-16);
                CHECK_NEAR(beta_upper_quantile(p, b, a), 1 - x, 1e-15);
            }
}

/* P(1, x) = 1 - e^-x and P(1/2, x) = erf(sqrt(x)). */
TEST(gamma_closed_forms)
{
    for (double x = 0.0009765625; x < 600; x *= 2) {
        CHECK_RELATIVE(gamma_cdf(x, 1), -expm1(-x), 1e-14);
        CHECK_RELATIVE(gamma_survival(x, 1), exp(-x), 1e-13);
        CHECK_RELATIVE(gamma_cdf(x, 0.5), erf(sqrt(x)), 1e-14);
        CHECK_RELATIVE(gamma_density(x, 3), x * x * exp(-x) / 2, 1e-13);
    }
    CHECK(gamma_density(0, 0.5) == INFINITY && gamma_density(0, 1) == 1);
    CHECK(gamma_density(0, 2) == 0);
}

TEST(gamma_identities)
{
    for (size_t i = 0; i < COUNT(shapes); i++)
        for (size_t k = 0; k < COUNT(probabilities); k++) {
            double shape = shapes[i], p = probabilities[k];
            double x = gamma_quantile(p, shape), y = gamma_upper_quantile(p, shape);

            if (x > 1e-300)
                CHECK_RELATIVE(gamma_cdf(x, shape), p, 1e-9);
            if (y > 1e-300)
                CHECK_RELATIVE(gamma_survival(y, shape), p, 1e-9);
            CHECK_NEAR(gamma_cdf(x, shape) + gamma_survival(x, shape), 1, 3e-16);
        }
}

TEST(bad_arguments_give_nan)
{
    static const double bad_parameters[] = {0, -1, INFINITY, NAN};

    for (size_t i = 0; i < COUNT(bad_parameters); i++) {
        double bad = bad_parameters[i];

        CHECK(isnan(beta_cdf(0.5, bad, 1)) && isnan(beta_survival(0.5, 1, bad)));
        CHECK(isnan(beta_quantile(0.5, bad, 1)) && isnan(beta_density(0.5, 1, bad)));
        CHECK(isnan(gamma_cdf(1, bad)) && isnan(gamma_quantile(0.5, bad)));
        CHECK(isnan(chi_square_survival(1, bad)) && isnan(chi_square_upper_quantile(0.5, bad)));
        CHECK(isnan(fisher_f_cdf(1, bad, 2)) && isnan(fisher_f_quantile(0.5, 2, bad)));
    }
    CHECK(isnan(beta_cdf(NAN, 1, 1)) && isnan(gamma_cdf(NAN, 1)) && isnan(fisher_f_cdf(NAN, 1, 1)));
    CHECK(isnan(beta_quantile(-0.1, 1, 1)) && isnan(gamma_quantile(1.1, 1)));
    CHECK(isnan(fisher_f_quantile(NAN, 1, 1)) && isnan(chi_square_quantile(2, 1)));
}

TEST(outside_the_support)
{
    CHECK(beta_cdf(-1, 2, 3) == 0 && beta_survival(0, 2, 3) == 1);
    CHECK(beta_cdf(1, 2, 3) == 1 && beta_survival(7, 2, 3) == 0 && beta_density(-1, 2, 3) == 0);
    CHECK(gamma_cdf(-1, 2) == 0 && gamma_survival(0, 2) == 1);
    CHECK(gamma_cdf(INFINITY, 2) == 1 && gamma_survival(INFINITY, 2) == 0);
    CHECK(fisher_f_cdf(-1, 2, 3) == 0 && fisher_f_survival(INFINITY, 2, 3) == 0);
    CHECK(beta_quantile(0, 2, 3) == 0 && beta_quantile(1, 2, 3) == 1);
    CHECK(gamma_quantile(0, 2) == 0 && gamma_quantile(1, 2) == INFINITY);
    CHECK(fisher_f_quantile(0, 2, 3) == 0 && fisher_f_upper_quantile(0, 2, 3) == INFINITY);
}

TEST_MAIN(CASE(normal_table), CASE(normal_logarithms_go_beyond_the_doubles),
          CASE(normal_identities), CASE(normal_edges), CASE(student_closed_forms),
          CASE(student_table), CASE(student_becomes_normal), CASE(student_identities),
          CASE(student_edges), CASE(chi_square_values), CASE(fisher_f_values),
          CASE(beta_closed_forms), CASE(beta_identities), CASE(gamma_closed_forms),
          CASE(gamma_identities), CASE(bad_arguments_give_nan), CASE(outside_the_support))
