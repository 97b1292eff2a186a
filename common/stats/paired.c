/* Tests on pairs. Values are scaled by powers of two, so that no difference or square leaves the
 * range of doubles. */
#include "stats/paired.h"

#include "math/normal.h"
#include "math/student.h"
#include "math/sum.h"
#include "stats/sample.h"
#include "stats/two_sample_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
    SAFE_EXPONENT = 400, /* squares and their sums stay in range up to this exponent */
    WIDE_EXPONENT = 3    /* of the unit for wide values */
};

/* Above this, the sum of two differences may exceed the largest double; in units of 2^WIDE_EXPONENT
 * it does not. */
#define WIDE_DIFFERENCE 0x1p1021

/* The differences, in units of 2^exponent; the unit itself may exceed the largest double. */
struct differences {
    size_t count;
    double *items;
    int exponent;
    double largest; /* magnitude */
    bool constant;  /* all equal, within the rounding of the values */
};

/* Each difference is within rounding of the true one: half a unit in the last place of either value
 * and of their difference. If these ranges have a common point, the true differences may be
 * equal. */
static void subtract(const struct paired_observation *observed, struct differences *differences)
{
    const double *control = observed->control_values.items;
    const double *treatment = observed->treatment_values.items;
    double scale = ldexp(1, -differences->exponent), lowest_end = INFINITY,
           highest_start = -INFINITY;
    double largest = 0;

    for (size_t i = 0; i < differences->count; i++) {
        double before = scale * control[i], after = scale * treatment[i];
        double difference = after - before, magnitude = fabs(difference);
        double blur = DBL_EPSILON * fabs(before) + DBL_EPSILON * fabs(after);
        double end = difference + blur, start = difference - blur;

        differences->items[i] = difference;
        largest = magnitude > largest ? magnitude : largest;
        lowest_end = end < lowest_end ? end : lowest_end;
        highest_start = start > highest_start ? start : highest_start;
    }
    differences->largest = largest;
    differences->constant = highest_start <= lowest_end;
}

static struct differences differences_of(const struct paired_observation *observed,
                                         struct arena *arena)
{
    size_t count = observed->control_values.count;
    struct differences differences = {.count = count, .items = ARENA_ARRAY(arena, double, count)};

    subtract(observed, &differences);
    if (differences.largest > WIDE_DIFFERENCE) {
        differences.exponent = WIDE_EXPONENT;
        subtract(observed, &differences);
    }
    return differences;
}

/* Chooses a unit in which the largest difference is near 1, if it is far from 1. */
static void rescale(struct differences *differences)
{
    double unit = sample_unit_near(differences->largest);

    if (abs(ilogb(unit)) <= SAFE_EXPONENT)
        return;
    for (size_t i = 0; i < differences->count; i++)
        differences->items[i] /= unit;
    differences->exponent += ilogb(unit);
}

static double mean_of(const struct number_list *values)
{
    double total = sum_array(values->items, values->count), n = (double)values->count;
    struct sum shares = {0};

    if (isfinite(total))
        return total / n;
    for (size_t i = 0; i < values->count; i++)
        sum_add(&shares, values->items[i] / n);
    return finite_value(sum_value(&shares));
}

void paired_t_test(const struct paired_observation *observed, struct arena *arena,
                   struct paired_result *result)
{
    struct differences differences = differences_of(observed, arena);
    struct test_result *test = &result->test;
    double n = (double)differences.count, standard_error, half;
    int exponent;
    struct moments moments;

    *result = (struct paired_result){.test = degenerate_result(observed->alpha),
                                     .pairs = (int64_t)differences.count};
    if (differences.constant)
        return;
    rescale(&differences);
    exponent = differences.exponent;
    moments = moments_of(differences.items, differences.count);
    standard_error = sqrt(moments.variance / n);
    half = student_upper_quantile(observed->alpha / 2, n - 1) * standard_error;
    test->degenerate = false;
    set_effect(mean_of(&observed->control_values), mean_of(&observed->treatment_values),
               ldexp(moments.mean, exponent), test);
    test->ci_lower = finite_value(ldexp(moments.mean - half, exponent));
    test->ci_upper = finite_value(ldexp(moments.mean + half, exponent));
    test->statistic = moments.mean / standard_error;
    test->degrees_of_freedom = n - 1;
    test->p_value = probability_value(2 * student_survival(fabs(test->statistic), n - 1));
    test->is_significant = test->p_value < observed->alpha;
    test->effect_size_kind = EFFECT_SIZE_COHENS_DZ;
    test->effect_size = GIVEN_NUMBER(moments.mean / sqrt(moments.variance));
}

/* Midranks of the magnitudes of the nonzero differences. */
struct signed_ranks {
    int64_t count;
    int64_t twice_sum;   /* of all ranks */
    int64_t twice_above; /* of the ranks of positive differences */
    int64_t ties;        /* the sum of t^3 - t over groups of t equal magnitudes */
};

/* The negative and the positive differences are two lists of ascending magnitudes, merged in
 * parallel. */
static struct signed_ranks rank_magnitudes(const struct sample *sorted)
{
    const double *values = sorted->sorted;
    size_t below = 0, above, first;
    struct signed_ranks ranks = {0};

    while (below < sorted->count && values[below] < 0)
        below++;
    for (above = below; above < sorted->count && values[above] == 0;)
        above++;
    ranks.count = (int64_t)(sorted->count - (above - below));
    for (size_t rank = 1; below > 0 || above < sorted->count;) {
        bool is_below =
            above == sorted->count || (below > 0 && -values[below - 1] <= values[above]);
        double magnitude = is_below ? -values[below - 1] : values[above];
        int64_t tied;

        for (tied = 0; below > 0 && -values[below - 1] == magnitude; tied++)
            below--;
        for (first = above; above < sorted->count && values[above] == magnitude;)
            above++;
        tied += (int64_t)(above - first);
        ranks.twice_above += (int64_t)(above - first) * (2 * (int64_t)rank + tied - 1);
        ranks.ties += tied * tied * tied - tied;
        rank += (size_t)tied;
    }
    ranks.twice_sum = ranks.count * (ranks.count + 1);
    return ranks;
}

static void set_pseudomedian(const struct sample *sorted, int exponent, double critical,
                             struct test_result *test)
{
    int64_t n = (int64_t)sorted->count, averages = n * (n + 1) / 2;
    double size = (double)n, reach = critical * sqrt(size * (size + 1) * (2 * size + 1) / 24);
    int64_t lowest = (int64_t)fmax(1, floor((double)averages / 2 - reach));
    const int64_t ranks[] = {(averages + 1) / 2, averages / 2 + 1, lowest, averages + 1 - lowest};
    double sums[4];

    sample_pair_sums(sorted, ranks, 4, sums);
    test->effect = finite_value(ldexp((sums[0] / 2 + sums[1] / 2) / 2, exponent));
    test->ci_lower = finite_value(ldexp(sums[2] / 2, exponent));
    test->ci_upper = finite_value(ldexp(sums[3] / 2, exponent));
}

/* The number of standard deviations by which the smaller rank sum is below the expected one, with a
 * continuity correction of half a unit that does not go past it. */
static double rank_deficit(const struct signed_ranks *ranks, int64_t twice_smaller)
{
    int64_t n = ranks->count;
    double variance = (double)(2 * n * (n + 1) * (2 * n + 1) - ranks->ties) / 48;
    double distance = (double)(ranks->twice_sum - 2 * twice_smaller) / 4;

    return fmax(distance - 0.5, 0) / sqrt(variance);
}

void wilcoxon_test(const struct paired_observation *observed, struct arena *arena,
                   struct paired_result *result)
{
    struct differences differences = differences_of(observed, arena);
    struct sample sorted = {differences.count, differences.items};
    struct test_result *test = &result->test;
    struct signed_ranks ranks;
    int64_t twice_below, twice_smaller;

    sample_sort_values(differences.items, differences.count, arena);
    ranks = rank_magnitudes(&sorted);
    *result = (struct paired_result){.test = degenerate_result(observed->alpha),
                                     .pairs = (int64_t)differences.count,
                                     .zero_differences = (int64_t)differences.count - ranks.count};
    if (ranks.count < 2)
        return;
    twice_below = ranks.twice_sum - ranks.twice_above;
    twice_smaller = twice_below < ranks.twice_above ? twice_below : ranks.twice_above;
    test->degenerate = false;
    set_pseudomedian(&sorted, differences.exponent, normal_upper_quantile(observed->alpha / 2),
                     test);
    test->statistic = (double)twice_smaller / 2;
    test->p_value = probability_value(2 * normal_survival(rank_deficit(&ranks, twice_smaller)));
    test->is_significant = test->p_value < observed->alpha;
    test->effect_size_kind = EFFECT_SIZE_RANK_BISERIAL;
    test->effect_size =
        GIVEN_NUMBER((double)(ranks.twice_above - twice_below) / (double)ranks.twice_sum);
}

/* Twice P(K <= smaller) for n fair coins, in integers until the last step. */
static double fair_coin_p_value(int64_t smaller, int64_t n)
{
    double ways = 1, all = 1;

    for (int64_t k = 1; k <= smaller; k++) {
        ways = ways * (double)(n - k + 1) / (double)k;
        all += ways;
    }
    return probability_value(ldexp(2 * all, -(int)n));
}

static void test_discordant(struct paired_result *result)
{
    int64_t rose = result->positive, fell = result->negative, discordant = rose + fell;
    int64_t smaller = rose < fell ? rose : fell;
    double surplus = fabs((double)(rose - fell)) - 1;

    result->exact = discordant < MCNEMAR_CHI_SQUARE_MIN;
    if (result->exact) {
        result->test.statistic = (double)smaller;
        result->test.p_value = fair_coin_p_value(smaller, discordant);
    } else {
        result->test.statistic = surplus * surplus / (double)discordant;
        result->test.p_value = probability_value(2 * normal_survival(sqrt(result->test.statistic)));
    }
}

int64_t paired_counts_total(const struct paired_counts *counts)
{
    return counts->both + counts->control_only + counts->treatment_only + counts->neither;
}

void mcnemar_counts_test(const struct paired_counts *counts, double alpha,
                         struct paired_result *result)
{
    int64_t pairs = paired_counts_total(counts);
    int64_t rose = counts->treatment_only, fell = counts->control_only, surplus = rose - fell;
    struct test_result *test = &result->test;
    double n = (double)pairs, half;

    *result = (struct paired_result){
        .test = degenerate_result(alpha), .pairs = pairs, .positive = rose, .negative = fell};
    test->degenerate = false;
    set_effect((double)(counts->both + fell) / n, (double)(counts->both + rose) / n,
               (double)surplus / n, test);
    half = normal_upper_quantile(alpha / 2) *
           sqrt((double)((rose + fell) * pairs - surplus * surplus) / n) / n;
    test->ci_lower = test->effect - half;
    test->ci_upper = test->effect + half;
    test_discordant(result);
    test->is_significant = test->p_value < alpha;
    test->effect_size_kind = EFFECT_SIZE_ODDS_RATIO;
    if (fell > 0)
        test->effect_size = GIVEN_NUMBER((double)rose / (double)fell);
}

void mcnemar_test(const struct paired_observation *observed, struct paired_result *result)
{
    struct paired_counts counts = {0};

    for (size_t i = 0; i < observed->control_values.count; i++) {
        bool before = observed->control_values.items[i] > 0;
        bool after = observed->treatment_values.items[i] > 0;

        counts.both += before && after;
        counts.control_only += before && !after;
        counts.treatment_only += !before && after;
        counts.neither += !before && !after;
    }
    mcnemar_counts_test(&counts, observed->alpha, result);
}
