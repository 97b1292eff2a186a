/*
 * Welch's F and Kruskal and Wallis' H. Means are stored as differences from a value of their group
 * and compared as differences from one group, so that groups far from zero and close together lose
 * no accuracy; sums of ranks are integers. Squares are long doubles, whose range holds the squares
 * of all doubles and their quotients.
 */
#include "stats/omnibus.h"

#include "math/chi_square.h"
#include "math/fisher_f.h"
#include "math/sort.h"
#include "stats/two_sample_internal.h"

#include <math.h>

enum { LANES = 4 }; /* independent sums, computed in parallel */

/* A group's values relative to the first of them. The sum of squares about the mean loses no more
 * than a factor n to the shift, for the first value is one of those that spread. */
struct spread {
    double n;
    long double origin; /* the first value */
    long double shift;  /* from the origin to the mean */
    long double squares;
};

static struct spread spread_of(const struct number_list *values)
{
    long double sums[LANES] = {0}, squares[LANES] = {0};
    long double n = (long double)values->count, origin = values->items[0], sum, square;
    size_t i = 0;

    for (; i + LANES <= values->count; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            long double distance = values->items[i + lane] - origin;

            sums[lane] += distance;
            squares[lane] += distance * distance;
        }
    }
    for (; i < values->count; i++) {
        long double distance = values->items[i] - origin;

        sums[0] += distance;
        squares[0] += distance * distance;
    }
    sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    square = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    return (struct spread){(double)n, origin, sum / n, fmaxl(square - sum * (sum / n), 0)};
}

/* The intermediate values of Welch's test. */
struct welch {
    struct spread spreads[OMNIBUS_GROUPS_MAX];
    long double means[OMNIBUS_GROUPS_MAX];   /* relative to that of the heaviest group */
    long double weights[OMNIBUS_GROUPS_MAX]; /* n / variance, in units of the smallest variance */
    long double least_variance;
    long double weight; /* of all groups */
    double total;       /* values of all groups */
    long double within; /* the sum of squares */
};

static long double variance_of(const struct spread *spread)
{
    return spread->squares / (spread->n - 1);
}

/* False when the values of a group are all equal. */
static bool measure(const struct omnibus_groups *groups, struct welch *welch)
{
    *welch = (struct welch){.least_variance = INFINITY};
    for (size_t i = 0; i < groups->count; i++) {
        struct spread *spread = &welch->spreads[i];

        *spread = spread_of(&groups->items[i]);
        if (spread->squares == 0)
            return false;
        welch->least_variance = fminl(welch->least_variance, variance_of(spread));
        welch->total += spread->n;
        welch->within += spread->squares;
    }
    return true;
}

static void weigh(size_t count, struct welch *welch)
{
    const struct spread *heaviest = &welch->spreads[0];
    long double most = 0;

    for (size_t i = 0; i < count; i++) {
        const struct spread *spread = &welch->spreads[i];

        welch->weights[i] = spread->n * (welch->least_variance / variance_of(spread));
        welch->weight += welch->weights[i];
        if (welch->weights[i] > most) {
            most = welch->weights[i];
            heaviest = spread;
        }
    }
    for (size_t i = 0; i < count; i++)
        welch->means[i] = (welch->spreads[i].origin - heaviest->origin) +
                          (welch->spreads[i].shift - heaviest->shift);
}

/* The weighted sum of squares of the means about their weighted mean. */
static long double squares_between(size_t count, const long double *means,
                                   const long double *weights, long double weight)
{
    long double mean = 0, squares = 0;

    for (size_t i = 0; i < count; i++)
        mean += weights[i] * means[i];
    mean /= weight;
    for (size_t i = 0; i < count; i++)
        squares += weights[i] * (means[i] - mean) * (means[i] - mean);
    return squares;
}

static double eta_squared(size_t count, const struct welch *welch)
{
    long double sizes[OMNIBUS_GROUPS_MAX] = {0}, between;

    for (size_t i = 0; i < count; i++)
        sizes[i] = welch->spreads[i].n;
    between = squares_between(count, welch->means, sizes, welch->total);
    return (double)(between / (between + welch->within));
}

static struct omnibus_group *describe_means(size_t count, const struct welch *welch,
                                            struct arena *arena)
{
    struct omnibus_group *groups = ARENA_ARRAY(arena, struct omnibus_group, count);

    for (size_t i = 0; i < count; i++) {
        const struct spread *spread = &welch->spreads[i];
        double mean = (double)(spread->origin + spread->shift);
        double std = (double)sqrtl(variance_of(spread));

        groups[i] = (struct omnibus_group){.n = (int64_t)spread->n,
                                           .mean = GIVEN_NUMBER(finite_value(mean)),
                                           .std = GIVEN_NUMBER(finite_value(std))};
    }
    return groups;
}

bool omnibus_welch(const struct omnibus_groups *groups, double alpha, struct arena *arena,
                   struct omnibus_result *result)
{
    struct welch welch;
    double k = (double)groups->count, shares = 0;
    long double between;

    if (!measure(groups, &welch))
        return false;
    weigh(groups->count, &welch);
    for (size_t i = 0; i < groups->count; i++) {
        double rest = (double)(1 - welch.weights[i] / welch.weight);

        shares += rest * rest / (welch.spreads[i].n - 1);
    }
    between = squares_between(groups->count, welch.means, welch.weights, welch.weight);
    *result = (struct omnibus_result){
        .statistic = finite_value((double)(between / welch.least_variance) /
                                  ((k - 1) * (1 + 2 * (k - 2) / (k * k - 1) * shares))),
        .df_numerator = k - 1,
        .df_denominator = GIVEN_NUMBER((k * k - 1) / (3 * shares)),
        .effect_size = eta_squared(groups->count, &welch),
        .total = (int64_t)welch.total,
        .groups = describe_means(groups->count, &welch, arena)};
    result->p_value =
        fisher_f_survival(result->statistic, result->df_numerator, result->df_denominator.value);
    result->is_significant = result->p_value < alpha;
    return true;
}

/* Ranks read from the sorted values of all groups. */
struct ranking {
    int64_t twice_ranks[OMNIBUS_GROUPS_MAX]; /* their sum per group, times two */
    double *ends[OMNIBUS_GROUPS_MAX];        /* of the sorted values of each group */
    int64_t ties;                            /* the sum of t^3 - t over runs of t equal values */
};

static size_t values_of(const struct omnibus_groups *groups)
{
    size_t count = 0;

    for (size_t i = 0; i < groups->count; i++)
        count += groups->items[i].count;
    return count;
}

static struct sort_item *pool(const struct omnibus_groups *groups, size_t total,
                              struct arena *arena)
{
    struct sort_item *items = ARENA_ARRAY(arena, struct sort_item, total), *next = items;

    for (size_t i = 0; i < groups->count; i++)
        for (size_t j = 0; j < groups->items[i].count; j++)
            *next++ = (struct sort_item){groups->items[i].items[j] + 0.0, /* -0 becomes 0 */
                                         (uint32_t)i};
    sort_labelled(items, ARENA_ARRAY(arena, struct sort_item, total), total);
    return items;
}

static void rank_all(const struct omnibus_groups *groups, const struct sort_item *items,
                     size_t total, struct arena *arena, struct ranking *ranking)
{
    double *sorted = ARENA_ARRAY(arena, double, total);
    size_t end;

    *ranking = (struct ranking){0};
    for (size_t i = 0; i < groups->count; i++) {
        ranking->ends[i] = sorted;
        sorted += groups->items[i].count;
    }
    for (size_t start = 0; start < total; start = end) {
        int64_t run;

        for (end = start + 1; end < total && items[end].value == items[start].value; end++)
            ;
        for (size_t i = start; i < end; i++) {
            ranking->twice_ranks[items[i].label] += (int64_t)(start + 1 + end);
            *ranking->ends[items[i].label]++ = items[i].value;
        }
        run = (int64_t)(end - start);
        ranking->ties += run * run * run - run;
    }
}

/* H is 12 / (N (N + 1)) times the sum of (R - n (N + 1) / 2)^2 / n, R the ranks of a group. */
static double kruskal_statistic(const struct omnibus_groups *groups, const struct ranking *ranking,
                                int64_t total)
{
    double all = (double)total * (double)(total + 1), sum = 0;
    int64_t pairs = total * total * total - total;

    for (size_t i = 0; i < groups->count; i++) {
        int64_t n = (int64_t)groups->items[i].count;
        double excess = (double)(ranking->twice_ranks[i] - n * (total + 1));

        sum += excess * excess / (double)n;
    }
    return 3 * sum / all * ((double)pairs / (double)(pairs - ranking->ties));
}

/* The sum of the two in the middle may be out of range. */
static double median_of(const double *sorted, size_t count)
{
    double a = sorted[(count - 1) / 2], b = sorted[count / 2];

    return a == b ? a : a / 2 + b / 2;
}

bool omnibus_kruskal(const struct omnibus_groups *groups, double alpha, struct arena *arena,
                     struct omnibus_result *result)
{
    size_t count = groups->count, total = values_of(groups);
    const struct sort_item *items = pool(groups, total, arena);
    struct ranking ranking;
    double statistic;

    if (items[0].value == items[total - 1].value)
        return false;
    rank_all(groups, items, total, arena, &ranking);
    statistic = kruskal_statistic(groups, &ranking, (int64_t)total);
    *result = (struct omnibus_result){.statistic = statistic,
                                      .df_numerator = (double)count - 1,
                                      .p_value = chi_square_survival(statistic, (double)count - 1),
                                      .effect_size = statistic / (double)(total - 1),
                                      .total = (int64_t)total,
                                      .groups = ARENA_ARRAY(arena, struct omnibus_group, count)};
    result->is_significant = result->p_value < alpha;
    for (size_t i = 0; i < count; i++) {
        size_t n = groups->items[i].count;

        result->groups[i] = (struct omnibus_group){
            .n = (int64_t)n,
            .median = GIVEN_NUMBER(median_of(ranking.ends[i] - n, n)),
            .mean_rank = GIVEN_NUMBER((double)ranking.twice_ranks[i] / 2 / (double)n)};
    }
    return true;
}
