/*
 * The continuous distributions: identities and edges. Their values are compared with scipy and
 * mpmath in tests/oracle/math_test.py.
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

TEST_MAIN(CASE(normal_logarithms_go_beyond_the_doubles), CASE(normal_identities),
          CASE(normal_edges), CASE(student_becomes_normal), CASE(student_identities),
          CASE(student_edges), CASE(beta_identities), CASE(gamma_identities),
          CASE(bad_arguments_give_nan), CASE(outside_the_support))
