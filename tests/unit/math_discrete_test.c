/* The discrete distributions: sums and edges. Their values are compared in
 * tests/oracle/math_test.py. */
#include "math/binomial.h"
#include "math/hypergeometric.h"
#include "math/poisson.h"
#include "test.h"

#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The mass is the difference of neighbouring sums, and both sums together are one. */
TEST(binomial_sums)
{
    static const struct {
        int64_t n;
        double p;
    } rows[] = {{3, 0.2}, {60, 0.9}, {1000, 0.011}, {100000, 0.37}, {1000000000, 0.5}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t n = rows[i].n;
        double p = rows[i].p, deviation = sqrt((double)n * p * (1 - p));

        for (int64_t z = -3; z <= 3; z++) {
            int64_t k = (int64_t)((double)n * p + (double)z * deviation);
            double below = binomial_cdf(k - 1, n, p), here = binomial_cdf(k, n, p);

            CHECK_NEAR(here - below, binomial_pmf(k, n, p), 2e-15);
            CHECK_NEAR(here + binomial_survival(k, n, p), 1, 2e-16);
            if (k >= 0)
                CHECK_NEAR(binomial_log_pmf(k, n, p), log(binomial_pmf(k, n, p)), 1e-13);
            if (k >= 0 && binomial_pmf(k, n, p) > 1e-9)
                CHECK_NEAR(binomial_quantile(here, n, p), (double)k, 0);
        }
    }
}

TEST(binomial_edges)
{
    CHECK(binomial_pmf(0, 0, 0.3) == 1 && binomial_cdf(0, 0, 0.3) == 1);
    CHECK(binomial_pmf(0, 9, 0) == 1 && binomial_pmf(9, 9, 1) == 1 && binomial_pmf(8, 9, 1) == 0);
    CHECK(binomial_pmf(-1, 9, 0.5) == 0 && binomial_pmf(10, 9, 0.5) == 0);
    CHECK(binomial_cdf(-1, 9, 0.5) == 0 && binomial_survival(9, 9, 0.5) == 0);
    CHECK(binomial_cdf(3, 9, 0) == 1 && binomial_cdf(3, 9, 1) == 0);
    CHECK(binomial_quantile(0, 9, 0.5) == 0 && binomial_quantile(1, 9, 0.5) == 9);
    CHECK(binomial_quantile(0.5, 9, 0) == 0 && binomial_quantile(0.5, 9, 1) == 9);
    CHECK(isnan(binomial_pmf(1, -1, 0.5)) && isnan(binomial_cdf(1, 2, 1.5)));
    CHECK(isnan(binomial_survival(1, 2, NAN)) && isnan(binomial_quantile(-0.1, 2, 0.5)));
}

TEST(poisson_sums)
{
    static const double means[] = {0.001, 0.61, 4, 48.5, 52, 12345.6, 1e9};

    for (size_t i = 0; i < COUNT(means); i++)
        for (int z = -3; z <= 4; z++) {
            double mean = means[i];
            int64_t k = (int64_t)(mean + z * sqrt(mean));
            double below = poisson_cdf(k - 1, mean), here = poisson_cdf(k, mean);

            CHECK_NEAR(here - below, poisson_pmf(k, mean), 2e-15);
            CHECK_NEAR(here + poisson_survival(k, mean), 1, 2e-16);
            if (k >= 0 && poisson_pmf(k, mean) > 1e-9)
                CHECK_NEAR(poisson_quantile(here, mean), (double)k, 0);
        }
    CHECK_RELATIVE(poisson_survival(0, 1e-12), 1e-12 - 5e-25, 4e-15);
}

TEST(poisson_edges)
{
    CHECK(poisson_pmf(0, 0) == 1 && poisson_pmf(1, 0) == 0 && poisson_cdf(0, 0) == 1);
    CHECK(poisson_pmf(-1, 2) == 0 && poisson_cdf(-1, 2) == 0 && poisson_survival(-1, 2) == 1);
    CHECK(poisson_quantile(1, 2) == INFINITY && poisson_quantile(1, 0) == 0);
    CHECK(poisson_quantile(0, 2) == 0 && poisson_quantile(0.99, 0) == 0);
    CHECK(isnan(poisson_pmf(1, -1)) && isnan(poisson_cdf(1, INFINITY)));
    CHECK(isnan(poisson_quantile(2, 1)) && isnan(poisson_quantile(0.5, NAN)));
}

/* Above and below the size at which sums become integrals, neighbours must still differ by a mass,
 * and drawn and marked may be exchanged. */
TEST(hypergeometric_sums)
{
    static const struct {
        int64_t population, marked, draws;
    } rows[] = {{50, 5, 25},
                {1000000, 300, 40000},
                {15000000, 7000000, 8000000},
                {17000000, 8000000, 8500000},
                {2000000000, 400000000, 500000000}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t population = rows[i].population, marked = rows[i].marked, draws = rows[i].draws;
        int64_t middle = (int64_t)((double)marked * (double)draws / (double)population);

        for (int64_t k = middle > 2 ? middle - 2 : 0; k < middle + 3; k++) {
            double below = hypergeometric_cdf(k - 1, population, marked, draws);
            double here = hypergeometric_cdf(k, population, marked, draws);
            double mass = hypergeometric_pmf(k, population, marked, draws);

            CHECK_NEAR(here - below, mass, 3e-14);
            CHECK_NEAR(here + hypergeometric_survival(k, population, marked, draws), 1, 2e-16);
            CHECK_NEAR(here, hypergeometric_cdf(k, population, draws, marked), 3e-14);
        }
    }
}

TEST(hypergeometric_edges)
{
    CHECK(hypergeometric_pmf(0, 0, 0, 0) == 1 && hypergeometric_cdf(0, 0, 0, 0) == 1);
    CHECK(hypergeometric_pmf(3, 3, 3, 3) == 1 && hypergeometric_quantile(0.5, 3, 3, 3) == 3);
    CHECK(hypergeometric_pmf(0, 10, 8, 5) == 0 && hypergeometric_pmf(6, 10, 8, 5) == 0);
    CHECK(hypergeometric_cdf(2, 10, 8, 5) == 0 && hypergeometric_survival(5, 10, 8, 5) == 0);
    CHECK(hypergeometric_quantile(0, 10, 8, 5) == 3 && hypergeometric_quantile(1, 10, 8, 5) == 5);
    CHECK(isnan(hypergeometric_pmf(1, 10, 11, 5)) && isnan(hypergeometric_cdf(1, 10, 5, -1)));
    CHECK(isnan(hypergeometric_survival(1, -1, 0, 0)));
    CHECK(isnan(hypergeometric_quantile(NAN, 10, 5, 5)));
}

TEST_MAIN(CASE(binomial_sums), CASE(binomial_edges), CASE(poisson_sums), CASE(poisson_edges),
          CASE(hypergeometric_sums), CASE(hypergeometric_edges))
