/*
 * Power of the Mann-Whitney test for normal arms that differ by a shift. The deficit of U is how
 * many pairs have the larger value in control; the test rejects upwards when it is small.
 */
#include "experiments/design/exact_power.h"

#include "math/beta.h"
#include "math/normal.h"
#include "stats/rank_sum.h"

#include <math.h>
#include <string.h>

enum {
    MOMENT_POINTS = 200,
    SUMMED_USERS_MAX = 20, /* in both arms: sums over orders instead of moments */
    SUMMED_ARM_MAX = SUMMED_USERS_MAX - 2,
    WAYS_MAX = RANK_SUM_EXACT_MAX * RANK_SUM_EXACT_MAX / 4 + 1,
    DEFICIT_MAX = SUMMED_USERS_MAX * SUMMED_USERS_MAX / 8 + 1 /* of those that reject */
};

/* Arms this far apart do not overlap. */
#define SHIFT_MAX 12.0

#define GRID_STEP 0.2
#define GRID_REACH 5.0   /* leaves 3e-7 of an arm aside */
#define MOMENT_REACH 8.5 /* the same, 1e-17 */

/* Trapezes over the line: of smooth functions that vanish at the ends, the sum is exact. */
struct rank_alternative rank_alternative(double shift)
{
    double apart = fmin(shift, SHIFT_MAX);
    struct rank_alternative found = {.shift = apart, .superiority = normal_cdf(apart / sqrt(2))};
    double step = (2 * MOMENT_REACH + apart) / MOMENT_POINTS, p = found.superiority;
    double passed = 0, previous = 0;

    for (int i = 0; i <= MOMENT_POINTS; i++) {
        double x = -MOMENT_REACH + i * step;
        double of_treatment = normal_cdf(x) - p, of_control = normal_survival(x - apart) - p;
        double treatment = normal_density(x - apart) * step, control = normal_density(x) * step;

        found.square += of_treatment * of_treatment * treatment;
        found.cube += of_treatment * of_treatment * of_treatment * treatment;
        passed += (previous + of_control * control) / 2; /* all control values below x */
        previous = of_control * control;
        found.path += of_treatment * treatment * passed;
    }
    return found;
}

/* The number of ways to each U without a difference, as in rank_sum.c but of any size. */
static double count_ways(size_t n, size_t m, double *ways)
{
    double all = 0;

    memset(ways, 0, (n * m + 1) * sizeof *ways);
    ways[0] = 1;
    for (size_t i = 1; i <= n; i++) {
        for (size_t u = n * m; u >= m + i && u <= n * m; u--)
            ways[u] -= ways[u - m - i];
        for (size_t u = i; u <= n * m; u++)
            ways[u] += ways[u - i];
    }
    for (size_t u = 0; u <= n * m; u++)
        all += ways[u];
    return all;
}

/* The largest deficit that rejects; -1 when none does. */
static double largest_deficit(struct arm_sizes arms, double alpha)
{
    double ways[WAYS_MAX], pairs = (double)arms.control * (double)arms.treatment;
    double total = (double)(arms.control + arms.treatment), sum = 0, all, deviation;

    if (total > RANK_SUM_EXACT_MAX) {
        deviation = sqrt(pairs / 12 * (total + 1));
        return ceil(pairs / 2 - 0.5 - normal_upper_quantile(alpha / 2) * deviation) - 1;
    }
    all = count_ways((size_t)arms.control, (size_t)arms.treatment, ways);
    for (size_t u = 0; u <= (size_t)pairs; u++) {
        sum += ways[u];
        if (2 * sum / all >= alpha)
            return (double)u - 1;
    }
    return pairs;
}

/* ways[i][j][deficit]: the probability of i control and j treatment values so far, over i! j!. */
typedef double ways_table[SUMMED_ARM_MAX + 1][SUMMED_ARM_MAX + 1][DEFICIT_MAX];

/* Up to n control values lie in a cell of that probability, each above the j of treatment so far.
 */
static void add_controls(ways_table ways, int n, int m, int most, double probability)
{
    for (int j = 0; j <= m; j++)
        for (int i = n; i > 0; i--) {
            double weight = 1;

            for (int more = 1; more <= i && more * j <= most; more++) {
                weight *= probability / more;
                for (int deficit = more * j; deficit <= most; deficit++)
                    ways[i][j][deficit] += weight * ways[i - more][j][deficit - more * j];
            }
        }
}

static void add_treatments(ways_table ways, int n, int m, int most, double probability)
{
    for (int i = 0; i <= n; i++)
        for (int j = m; j > 0; j--) {
            double weight = 1;

            for (int more = 1; more <= j; more++) {
                weight *= probability / more;
                for (int deficit = 0; deficit <= most; deficit++)
                    ways[i][j][deficit] += weight * ways[i][j - more][deficit];
            }
        }
}

/* Cells of treatment end in the middle of cells of control, so that neither comes first. */
static double sum_orders(double shift, struct arm_sizes arms, int most)
{
    ways_table ways = {{{1}}};
    int n = (int)arms.control, m = (int)arms.treatment;
    double end = shift + GRID_REACH, power = 0, scale;

    for (double x = -GRID_REACH; x < end; x += GRID_STEP) {
        add_controls(ways, n, m, most,
                     normal_cdf(x + GRID_STEP / 2) - normal_cdf(x - GRID_STEP / 2));
        add_treatments(ways, n, m, most, normal_cdf(x + GRID_STEP - shift) - normal_cdf(x - shift));
    }
    scale = tgamma(n + 1) * tgamma(m + 1);
    for (int deficit = 0; deficit <= most; deficit++)
        power += scale * ways[n][m][deficit];
    return power;
}

/* P(deficit <= most) by moments. U's third one adds up triples of pairs: one pair alone, two that
 * share a value, three that share one, and chains in which the first and the last share none. */
static double by_moments(const struct rank_alternative *of, struct arm_sizes arms, double most)
{
    double n = (double)arms.control, m = (double)arms.treatment, pairs = n * m;
    double p = of->superiority, others = n + m - 2, span = pairs + 1;
    double variance = pairs * (p * (1 - p) + others * of->square);
    double third = pairs * (p * (1 - p) * (1 - 2 * p) + 3 * others * (1 - 2 * p) * of->square +
                            ((n - 1) * (n - 2) + (m - 1) * (m - 2)) * of->cube +
                            6 * (n - 1) * (m - 1) * of->path);
    double mean = (pairs * (1 - p) + 0.5) / span, spread = variance / (span * span);
    double size = mean * (1 - mean) / spread - 1, a = mean * size, b = (1 - mean) * size;
    double z = (most + 0.5 - pairs * (1 - p)) / sqrt(variance), skewness, of_beta;

    if (!(spread > 0) || !(size > 0))
        return most >= pairs * (1 - p);
    skewness = -third / (variance * sqrt(variance));
    of_beta = 2 * (b - a) * sqrt(a + b + 1) / ((a + b + 2) * sqrt(a * b));
    return beta_cdf((most + 1) / span, a, b) -
           normal_density(z) * (skewness - of_beta) / 6 * (z * z - 1);
}

double rank_sum_power(const struct rank_alternative *alternative, struct arm_sizes arms,
                      double alpha)
{
    double most = largest_deficit(arms, alpha), pairs, power;
    struct rank_alternative opposite = *alternative;

    if (most < 0)
        return 0;
    pairs = (double)arms.control * (double)arms.treatment;
    if (arms.control + arms.treatment <= SUMMED_USERS_MAX && most < DEFICIT_MAX)
        return fmin(sum_orders(alternative->shift, arms, (int)most), 1);
    power = by_moments(alternative, arms, most);
    opposite.superiority = 1 - alternative->superiority;
    opposite.cube = -alternative->cube;
    opposite.path = -alternative->path;
    if (most < pairs / 2)
        power += fmax(by_moments(&opposite, arms, most), 0);
    return fmin(fmax(power, 0), 1);
}
