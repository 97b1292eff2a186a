/*
 * Power of the conditional tests of two arms that differ in size: Fisher's, and that of two counts.
 *
 * Given the total m, both reject control's counts up to some `low` and from some `high` on: those
 * whose outcomes and all that are no likelier have less than alpha. One more in total moves either
 * boundary by hardly more than one. A count x that is rejected from the total m on adds
 * P(X = x) P(Y >= m - x), and takes the same away when it is kept again, so that the power is one
 * walk over the totals.
 */
#include "experiments/design/exact_power.h"

#include "math/binomial.h"
#include "math/hypergeometric.h"
#include "math/poisson.h"

#include <math.h>
#include <stdbool.h>

/* Outcomes this close, relatively, are equally likely, as the tests themselves have it; a p-value
 * this close to alpha is alpha. */
#define LIKELIHOOD_TOLERANCE 1e-7
#define ALPHA_TOLERANCE 1e-10

/* Totals further off have less than 1e-11 of the probability. */
#define REACH_DEVIATIONS 7.0
#define REACH_BESIDES 30

struct conditional_test {
    bool tables; /* binomial arms and Fisher's test; otherwise Poisson counts */
    struct arm_sizes arms;
    double control, treatment; /* rates, or means */
    double share;              /* of control among the events, without an effect */
    double alpha;
};

/* What is rejected given the total, and the power so far. */
struct region {
    const struct conditional_test *test;
    int64_t total, low, high;
    double power;
};

static double null_mass(const struct region *region, int64_t x)
{
    const struct conditional_test *test = region->test;

    if (test->tables)
        return hypergeometric_pmf(x, test->arms.control + test->arms.treatment, region->total,
                                  test->arms.control);
    return binomial_pmf(x, region->total, test->share);
}

static double null_up_to(const struct region *region, int64_t x)
{
    const struct conditional_test *test = region->test;

    if (test->tables)
        return hypergeometric_cdf(x, test->arms.control + test->arms.treatment, region->total,
                                  test->arms.control);
    return binomial_cdf(x, region->total, test->share);
}

static double null_from(const struct region *region, int64_t x)
{
    const struct conditional_test *test = region->test;

    if (test->tables)
        return hypergeometric_survival(x - 1, test->arms.control + test->arms.treatment,
                                       region->total, test->arms.control);
    return binomial_survival(x - 1, region->total, test->share);
}

/* P(X = x) P(Y >= total - x): of all totals from here on. */
static double weight_from_here(const struct region *region, int64_t x)
{
    const struct conditional_test *test = region->test;
    int64_t rest = region->total - x - 1;

    if (test->tables)
        return binomial_pmf(x, test->arms.control, test->control) *
               binomial_survival(rest, test->arms.treatment, test->treatment);
    return poisson_pmf(x, test->control) * poisson_survival(rest, test->treatment);
}

static void move_low(struct region *region, int step)
{
    int64_t moved = step > 0 ? region->low + 1 : region->low;

    region->power += step * weight_from_here(region, moved);
    region->low += step;
}

static void move_high(struct region *region, int step)
{
    int64_t moved = step > 0 ? region->high : region->high - 1;

    region->power -= step * weight_from_here(region, moved);
    region->high += step;
}

static int64_t least_count(const struct region *region)
{
    int64_t other = region->test->arms.treatment;

    return region->test->tables && region->total > other ? region->total - other : 0;
}

static int64_t most_count(const struct region *region)
{
    int64_t arm = region->test->arms.control;

    return region->test->tables && region->total > arm ? arm : region->total;
}

/* Too much: the p-value of what is likeliest in the region, its equals outside included, reaches
 * alpha, or something less likely is kept. */
static bool must_shrink(const struct region *region, double low, double high, double *rejected)
{
    double below = null_mass(region, region->low + 1), above = null_mass(region, region->high - 1);
    double likeliest = fmax(low, high), limit = likeliest * (1 + LIKELIHOOD_TOLERANCE);
    double all;

    *rejected = null_up_to(region, region->low) + null_from(region, region->high);
    all = *rejected + (below <= limit ? below : 0) + (above <= limit ? above : 0);
    return likeliest > 0 && (all >= region->test->alpha * (1 - ALPHA_TOLERANCE) ||
                             likeliest > fmin(below, above) * (1 + LIKELIHOOD_TOLERANCE));
}

/* Gives the probability of the region, without an effect. */
static double shrink(struct region *region)
{
    double rejected;

    for (;;) {
        double low = null_mass(region, region->low), high = null_mass(region, region->high);

        if (!must_shrink(region, low, high, &rejected))
            return rejected;
        if (low >= high * (1 - LIKELIHOOD_TOLERANCE))
            move_low(region, -1);
        if (high >= low * (1 - LIKELIHOOD_TOLERANCE))
            move_high(region, 1);
    }
}

static void grow(struct region *region, double all)
{
    double limit = region->test->alpha * (1 - ALPHA_TOLERANCE);

    while (region->high - region->low > 2) {
        double low = null_mass(region, region->low + 1), high = null_mass(region, region->high - 1);
        bool with_low = low <= high * (1 + LIKELIHOOD_TOLERANCE);
        bool with_high = high <= low * (1 + LIKELIHOOD_TOLERANCE);

        all += (with_low ? low : 0) + (with_high ? high : 0);
        if (all >= limit)
            return;
        if (with_low)
            move_low(region, 1);
        if (with_high)
            move_high(region, -1);
    }
}

/* The boundaries of the first total: tails of less than alpha / 2, from which they are grown. */
static void start_region(struct region *region)
{
    const struct conditional_test *test = region->test;
    int64_t least = least_count(region) - 1, most = most_count(region) + 1, end = most;

    region->low = least;
    while (end - region->low > 1) {
        int64_t middle = region->low + (end - region->low) / 2;

        if (null_up_to(region, middle) < test->alpha / 2)
            region->low = middle;
        else
            end = middle;
    }
    region->high = most;
    end = least;
    while (region->high - end > 1) {
        int64_t middle = end + (region->high - end) / 2;

        if (null_from(region, middle) < test->alpha / 2)
            region->high = middle;
        else
            end = middle;
    }
    region->power = test->tables
                        ? binomial_cdf(region->low, test->arms.control, test->control) +
                              binomial_survival(region->high - 1, test->arms.control, test->control)
                        : poisson_cdf(region->low, test->control) +
                              poisson_survival(region->high - 1, test->control);
}

static double conditional_power(const struct conditional_test *test, double mean, double variance,
                                double totals)
{
    double reach = REACH_DEVIATIONS * sqrt(variance) + REACH_BESIDES;
    struct region region = {.test = test, .total = (int64_t)fmax(0, floor(mean - reach))};
    int64_t last = (int64_t)fmin(totals, ceil(mean + reach));

    start_region(&region);
    for (;; region.total++) {
        while (region.low < least_count(&region) - 1)
            move_low(&region, 1);
        while (region.high > most_count(&region) + 1)
            move_high(&region, -1);
        grow(&region, shrink(&region));
        if (region.total >= last)
            return fmin(fmax(region.power, 0), 1);
    }
}

double fisher_unequal_power(double control_rate, double treatment_rate, struct arm_sizes arms,
                            double alpha)
{
    double control = (double)arms.control, treatment = (double)arms.treatment;
    struct conditional_test test = {.tables = true,
                                    .arms = arms,
                                    .control = control_rate,
                                    .treatment = treatment_rate,
                                    .alpha = alpha};

    return conditional_power(&test, control * control_rate + treatment * treatment_rate,
                             control * control_rate * (1 - control_rate) +
                                 treatment * treatment_rate * (1 - treatment_rate),
                             control + treatment);
}

double count_unequal_power(double control_mean, double treatment_mean, double control_share,
                           double alpha)
{
    struct conditional_test test = {.control = control_mean,
                                    .treatment = treatment_mean,
                                    .share = control_share,
                                    .alpha = alpha};
    double mean = control_mean + treatment_mean;

    return conditional_power(&test, mean, mean, INFINITY);
}
