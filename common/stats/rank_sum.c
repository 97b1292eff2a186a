/* Ranks of two samples: U, its exact distribution, and the Hodges-Lehmann shift. */
#include "stats/rank_sum.h"

#include "math/normal.h"
#include "stats/sample.h"
#include "stats/two_sample_internal.h"

#include <math.h>

/* The state of a parallel walk through both sorted arms. */
struct ranking {
    int64_t twice_u;
    __int128 ties; /* the sum of t^3 - t over groups of t equal values */
};

/* The number of values from `from` on that are equal to `value`. */
static size_t run_length(const struct sample *sample, size_t from, double value)
{
    size_t end = from;

    while (end < sample->count && sample->sorted[end] == value)
        end++;
    return end - from;
}

static struct ranking rank_arms(const struct sample *control, const struct sample *treatment)
{
    struct ranking ranking = {0};
    size_t i = 0, j = 0;

    while (i < control->count || j < treatment->count) {
        bool from_control = j == treatment->count ||
                            (i < control->count && control->sorted[i] <= treatment->sorted[j]);
        double value = from_control ? control->sorted[i] : treatment->sorted[j];
        size_t controls = run_length(control, i, value);
        size_t treatments = run_length(treatment, j, value);
        __int128 tied = (__int128)controls + (__int128)treatments;

        ranking.twice_u += (int64_t)treatments * (int64_t)(2 * i + controls);
        ranking.ties += tied * tied * tied - tied;
        i += controls;
        j += treatments;
    }
    return ranking;
}

/* The number of ways to each U for arms of n and m: the coefficients of the Gaussian binomial,
 * multiplied up factor by factor, (1 - x^(m+i)) / (1 - x^i). */
static void count_arrangements(size_t n, size_t m, int64_t *ways)
{
    size_t most = n * m;

    for (size_t u = 0; u <= most; u++)
        ways[u] = u == 0;
    for (size_t i = 1; i <= n; i++) {
        for (size_t u = most; u >= m + i && u <= most; u--)
            ways[u] -= ways[u - m - i];
        for (size_t u = i; u <= most; u++)
            ways[u] += ways[u - i];
    }
}

enum { WAYS_MAX = RANK_SUM_EXACT_MAX * RANK_SUM_EXACT_MAX / 4 + 1 };

/* Twice the smaller of P(U <= u) and P(U >= u); without ties u is whole. */
static double exact_p_value(size_t n, size_t m, size_t u)
{
    int64_t ways[WAYS_MAX], all = 0, lower = 0;

    count_arrangements(n, m, ways);
    for (size_t i = 0; i <= n * m; i++) {
        all += ways[i];
        lower += i <= u ? ways[i] : 0;
    }
    return probability_value(2 * fmin((double)lower, (double)(all - lower + ways[u])) /
                             (double)all);
}

/* U's standard deviation; N^3 - N minus the ties is an integer, so it is 0 exactly when all values
 * are tied. */
static double u_deviation(const struct ranking *ranking, double pairs, int64_t total)
{
    __int128 untied = (__int128)total * total * total - total - ranking->ties;

    return sqrt(pairs / 12 * ((double)untied / ((double)total * (double)(total - 1))));
}

/* The smallest U that the exact test does not reject. */
static int64_t least_exact_u(size_t n, size_t m, double alpha)
{
    int64_t ways[WAYS_MAX] = {0}, all = 0, lower, u = 0;

    count_arrangements(n, m, ways);
    for (size_t i = 0; i <= n * m; i++)
        all += ways[i];
    for (lower = ways[0]; 2 * (double)lower / (double)all < alpha; lower += ways[u])
        u++;
    return u;
}

/* The same for the normal distribution, with the ties of the data. */
static int64_t least_normal_u(double pairs, double deviation, double critical)
{
    return (int64_t)fmax(ceil(pairs / 2 - 0.5 - critical * deviation), 0);
}

/* Moves half a unit toward the center, but not past it. */
static double continuity_corrected(double distance)
{
    return copysign(fmax(fabs(distance) - 0.5, 0), distance);
}

/* The midpoint of two values whose sum may be out of range; independent of their order. */
static double middle_of(double a, double b)
{
    return a == b ? a : a / 2 + b / 2;
}

static void set_shift(const struct sample *control, const struct sample *treatment, double critical,
                      struct test_result *result)
{
    int64_t pairs = (int64_t)control->count * (int64_t)treatment->count;
    double total = (double)(control->count + treatment->count);
    double reach = critical * sqrt((double)pairs * (total + 1) / 12);
    int64_t lowest = (int64_t)fmax(1, floor((double)pairs / 2 - reach));
    /* The middle ranks first: they narrow the search for the others most. */
    const int64_t ranks[] = {(pairs + 1) / 2, pairs / 2 + 1, lowest, pairs + 1 - lowest};
    double found[4];

    sample_differences(control, treatment, ranks, 4, found);
    set_effect(sample_quantile(control, 0.5), sample_quantile(treatment, 0.5),
               middle_of(found[0], found[1]), result);
    result->ci_lower = finite_value(found[2]);
    result->ci_upper = finite_value(found[3]);
}

/* Shifting by more than a difference removes that pair from U. Shifts beyond a difference are
 * rejected when fewer than `least` pairs remain. */
static void set_test_interval(const struct sample *control, const struct sample *treatment,
                              int64_t least, struct test_result *result)
{
    int64_t pairs = (int64_t)control->count * (int64_t)treatment->count;
    const int64_t ranks[] = {least, pairs + 1 - least};
    double found[2];

    result->test_interval = (struct test_interval){.kind = TEST_INTERVAL_RANKS};
    if (least < 1)
        return;
    sample_differences(control, treatment, ranks, 2, found);
    result->test_interval.lower = GIVEN_NUMBER(finite_value(found[0]));
    result->test_interval.upper = GIVEN_NUMBER(finite_value(found[1]));
}

static bool can_be_exact(const struct ranking *ranking, size_t total)
{
    return ranking->ties == 0 && total <= RANK_SUM_EXACT_MAX;
}

void rank_sum_test(const struct ranked_observation *observed, struct arena *arena,
                   struct rank_sum_result *result)
{
    struct sample control = sample_sort(&observed->control_values, arena);
    struct sample treatment = sample_sort(&observed->treatment_values, arena);
    struct ranking ranking = rank_arms(&control, &treatment);
    size_t total = control.count + treatment.count;
    double pairs = (double)control.count * (double)treatment.count;
    double critical = normal_upper_quantile(observed->alpha / 2);
    double deviation = total > 1 ? u_deviation(&ranking, pairs, (int64_t)total) : 0;
    struct test_result *test = &result->test;

    *result = (struct rank_sum_result){.test = degenerate_result(observed->alpha)};
    if (deviation == 0)
        return;
    test->degenerate = false;
    set_shift(&control, &treatment, critical, test);
    result->u = (double)ranking.twice_u / 2;
    result->superiority = result->u / pairs;
    result->exact = can_be_exact(&ranking, total);
    test->statistic = continuity_corrected(((double)ranking.twice_u - pairs) / 2) / deviation;
    test->p_value =
        result->exact ? exact_p_value(control.count, treatment.count, (size_t)(ranking.twice_u / 2))
                      : probability_value(2 * normal_survival(fabs(test->statistic)));
    test->is_significant = test->p_value < observed->alpha;
    set_test_interval(&control, &treatment,
                      result->exact ? least_exact_u(control.count, treatment.count, observed->alpha)
                                    : least_normal_u(pairs, deviation, critical),
                      test);
    test->power = two_sample_normal_power(test->statistic, critical);
    test->effect_size_kind = EFFECT_SIZE_RANK_BISERIAL;
    test->effect_size = GIVEN_NUMBER(((double)ranking.twice_u - pairs) / pairs);
}
