/*
 * Boschloo's and Barnard's tests. Given m conversions in all, the tables that are at least as
 * extreme as the observed one form tails, whose hypergeometric probability h(m) does not depend on
 * the common rate. The probability of all of them is then sum h(m) Bin(m; N, rate): one sum over m
 * instead of one over all tables, for every tried rate.
 */
#include "stats/unconditional_exact.h"

#include "math/binomial.h"
#include "math/hypergeometric.h"
#include "stats/fisher_exact.h"
#include "stats/two_sample_internal.h"

#include <math.h>

/* Fisher p-values within this relative distance are equal. */
#define TIE_TOLERANCE 1e-9

/* Rates are tried at equal steps of asin(sqrt(rate)), where a binomial count has the same spread
 * everywhere: 1 / (2 sqrt(N)). A step of GRID_STEP / sqrt(N) resolves every bump of the sum; those
 * within PEAK_SHARE of the highest are searched for their maximum. */
#define GRID_STEP 0.2
#define PEAK_SHARE 0.9

enum { CLIMB_STEPS_MAX = 60 };

/* Probabilities h(m) of the extreme tables given m = 0 .. users conversions. */
struct extremes {
    int64_t users;
    double *given_total;
};

static double rate_at(double angle)
{
    double root = sin(angle);

    return root * root;
}

/* sum h(m) Bin(m; N, rate), from the most likely m outwards. */
static double extreme_probability(const struct extremes *extremes, double rate)
{
    double n = (double)extremes->users, odds = rate / (1 - rate), mass, peak, sum;
    int64_t mode = (int64_t)fmin((n + 1) * rate, n);

    peak = mass = binomial_pmf(mode, extremes->users, rate);
    sum = mass * extremes->given_total[mode];
    for (int64_t m = mode + 1; m <= extremes->users && mass > 1e-18 * peak; m++) {
        mass *= odds * ((double)(extremes->users - m + 1) / (double)m);
        sum += mass * extremes->given_total[m];
    }
    mass = peak;
    for (int64_t m = mode - 1; m >= 0 && mass > 1e-18 * peak; m--) {
        mass *= (double)(m + 1) / (double)(extremes->users - m) / odds;
        sum += mass * extremes->given_total[m];
    }
    return sum;
}

/* The maximum between two angles around a peak, by golden section (Kiefer 1953). */
static double climb(const struct extremes *extremes, double low, double high)
{
    const double golden = 0.61803398874989485;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = extreme_probability(extremes, rate_at(left));
    double at_right = extreme_probability(extremes, rate_at(right));
    double best = fmax(at_left, at_right);

    for (int i = 0; i < CLIMB_STEPS_MAX && high - low > 1e-9; i++) {
        if (at_left < at_right) {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = extreme_probability(extremes, rate_at(right));
        } else {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = extreme_probability(extremes, rate_at(left));
        }
        best = fmax(best, fmax(at_left, at_right));
    }
    return best;
}

/* The largest probability over all rates; at the ends it is h(0) and h(N). */
static double supremum(const struct extremes *extremes, struct arena *arena)
{
    size_t steps = (size_t)ceil(M_PI_2 * sqrt((double)extremes->users) / GRID_STEP);
    double *at = ARENA_ARRAY(arena, double, steps + 1), width = M_PI_2 / (double)steps, best;

    at[0] = extremes->given_total[0];
    at[steps] = extremes->given_total[extremes->users];
    best = fmax(at[0], at[steps]);
    for (size_t i = 1; i < steps; i++) {
        at[i] = extreme_probability(extremes, rate_at((double)i * width));
        best = fmax(best, at[i]);
    }
    for (size_t i = 1; i < steps; i++)
        if (at[i] >= at[i - 1] && at[i] >= at[i + 1] && at[i] >= PEAK_SHARE * best)
            best = fmax(best, climb(extremes, (double)(i - 1) * width, (double)(i + 1) * width));
    return probability_value(best);
}

static struct extremes extremes_make(const struct binary_observation *observed, struct arena *arena)
{
    int64_t users = observed->control_users + observed->treatment_users;

    return (struct extremes){.users = users,
                             .given_total = ARENA_ARRAY(arena, double, (size_t)users + 1)};
}

/* One side of Boschloo's test: tables in which an arm of `arm` users has so few conversions that
 * its Fisher p-value is at most that of the observed `successes`. One more conversion in total
 * moves the last such count by 0 or 1. */
static double boschloo_side(struct extremes *extremes, int64_t arm, int64_t successes,
                            int64_t converted, struct arena *arena)
{
    int64_t users = extremes->users, last = -1;
    double limit = hypergeometric_cdf(successes, users, converted, arm) * (1 + TIE_TOLERANCE);

    for (int64_t m = 0; m <= users; m++) {
        double next = hypergeometric_cdf(last + 1, users, m, arm);

        if (next <= limit) {
            last++;
            extremes->given_total[m] = next;
        } else {
            extremes->given_total[m] = hypergeometric_cdf(last, users, m, arm);
        }
    }
    return supremum(extremes, arena);
}

void boschloo_test(const struct binary_observation *observed, struct arena *arena,
                   struct test_result *result)
{
    struct extremes extremes = extremes_make(observed, arena);
    int64_t converted = observed->control_conversions + observed->treatment_conversions;
    double fewer = boschloo_side(&extremes, observed->control_users, observed->control_conversions,
                                 converted, arena);
    double more = boschloo_side(&extremes, observed->treatment_users,
                                observed->treatment_conversions, converted, arena);

    exact_table_result(observed, probability_value(2 * fmin(fewer, more)), result);
}

/* z^2 is N D^2 / (n1 n2 m (N - m)) with the integer D = N x1 - m n1, so integers decide, without
 * rounding, whether a table is as extreme as the observed one. */
struct distance {
    __int128 squared; /* of the observed D */
    __int128 spread;  /* the observed m (N - m) */
};

static bool reaches(const struct distance *observed, __int128 distance, int64_t m, int64_t users)
{
    return distance * distance * observed->spread >= observed->squared * m * (users - m);
}

/* The smallest |D|, given m, that is as extreme as the observed one. */
static int64_t least_distance(const struct distance *observed, int64_t m, int64_t users)
{
    double share = (double)m * (double)(users - m) / (double)observed->spread;
    int64_t distance = (int64_t)sqrt((double)observed->squared * share);

    while (distance > 0 && reaches(observed, distance - 1, m, users))
        distance--;
    while (!reaches(observed, distance, m, users))
        distance++;
    return distance;
}

/* Rounds toward minus infinity; the divisor is positive. */
static int64_t floor_divide(int64_t dividend, int64_t divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

static double barnard_p_value(const struct binary_observation *observed, struct arena *arena)
{
    struct extremes extremes = extremes_make(observed, arena);
    int64_t users = extremes.users, arm = observed->control_users;
    int64_t converted = observed->control_conversions + observed->treatment_conversions;
    __int128 distance = (__int128)users * observed->control_conversions - (__int128)converted * arm;
    struct distance extreme = {distance * distance, (__int128)converted * (users - converted)};

    if (distance == 0)
        return 1;
    for (int64_t m = 1; m < users; m++) {
        int64_t least = least_distance(&extreme, m, users);
        int64_t below = floor_divide(m * arm - least, users);
        int64_t above = -floor_divide(-(m * arm + least), users);

        extremes.given_total[m] = hypergeometric_cdf(below, users, m, arm) +
                                  hypergeometric_survival(above - 1, users, m, arm);
    }
    return supremum(&extremes, arena);
}

void barnard_test(const struct binary_observation *observed, struct arena *arena,
                  struct test_result *result)
{
    exact_table_result(observed, barnard_p_value(observed, arena), result);
}
