/*
 * For a quantile, the number of values up to it is a sum of coin flips with a known probability,
 * and the beta mixture of their likelihood ratios is a martingale. The product over two arms,
 * smallest over all places where the quantiles could be, bounds their difference.
 */
#include "stats/sequential/confidence_sequence.h"

#include "math/sort.h"

#include <math.h>

double confidence_sequence_mixture(double users, double alpha)
{
    double size = -2 * log(alpha);

    return (size + log(size) + 1) / users;
}

void confidence_sequence_difference(double difference, double variance, double users,
                                    const struct sequence_tuning *tuning, double alpha,
                                    struct always_valid *result)
{
    double mixture = tuning->effect > 0
                         ? tuning->effect * tuning->effect
                         : confidence_sequence_mixture(tuning->users, alpha) * users * variance;

    always_valid_test(difference, variance, mixture, alpha, result);
}

struct quantile_cells quantile_cells_of(double *values, size_t count, struct arena *arena)
{
    struct quantile_cell *cells = ARENA_ARRAY(arena, struct quantile_cell, count);
    size_t used = 0;

    sort_doubles(values, ARENA_ARRAY(arena, double, count), count);
    for (size_t i = 0; i < count; i++) {
        if (used == 0 || values[i] > cells[used - 1].upper)
            cells[used++] = (struct quantile_cell){.lower = values[i], .upper = values[i]};
        cells[used - 1].through = (int64_t)i + 1;
    }
    return (struct quantile_cells){used, cells};
}

/* One arm: its cells, and the mixture of its ranks. */
struct ranks {
    const struct quantile_cells *cells;
    double share, a, b, total, base;
    double best; /* the rank with the smallest ratio */
};

/* The logarithm of the mixture of likelihood ratios against `share` of so many values up to the
 * quantile. Convex in the rank. */
static double log_ratio(const struct ranks *ranks, double rank)
{
    return lgamma(ranks->a + rank) + lgamma(ranks->b + ranks->total - rank) - ranks->base -
           rank * log(ranks->share) - (ranks->total - rank) * log1p(-ranks->share);
}

static struct ranks ranks_of(const struct quantile_cells *cells, double share, double weight)
{
    struct ranks ranks = {.cells = cells,
                          .share = share,
                          .a = share * weight,
                          .b = (1 - share) * weight,
                          .total = (double)cells->at[cells->count - 1].through};

    ranks.base = lgamma(ranks.a) + lgamma(ranks.b) - lgamma(weight) + lgamma(weight + ranks.total);
    ranks.best = fmin(round(share * ranks.total), ranks.total);
    while (ranks.best > 0 && log_ratio(&ranks, ranks.best - 1) < log_ratio(&ranks, ranks.best))
        ranks.best--;
    while (ranks.best < ranks.total &&
           log_ratio(&ranks, ranks.best + 1) < log_ratio(&ranks, ranks.best))
        ranks.best++;
    return ranks;
}

/* The smallest log ratio of ranks from `first` to `last`. */
static double least_ratio(const struct ranks *ranks, double first, double last)
{
    return log_ratio(ranks, fmin(fmax(ranks->best, first), last));
}

/* The rank furthest from the best one, downwards or upwards, with a log ratio below `limit`; NaN
 * when the best one has none. */
static double furthest_rank(const struct ranks *ranks, double limit, bool upwards)
{
    double inside = ranks->best, outside = upwards ? ranks->total + 1 : -1;

    if (!(log_ratio(ranks, inside) < limit))
        return NAN;
    while (fabs(outside - inside) > 1) {
        double middle = trunc((inside + outside) / 2);

        if (log_ratio(ranks, middle) < limit)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

/* The cell of the value of a rank, from 1. */
static const struct quantile_cell *cell_of(const struct ranks *ranks, double rank)
{
    size_t low = 0, high = ranks->cells->count - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((double)ranks->cells->at[middle].through >= rank)
            high = middle;
        else
            low = middle + 1;
    }
    return &ranks->cells->at[low];
}

/* A quantile with `rank` values up to it lies from the value of that rank to the next one. */
static double at_least(const struct ranks *ranks, double rank)
{
    return rank < 1 ? -INFINITY : cell_of(ranks, rank)->lower;
}

static double at_most(const struct ranks *ranks, double rank)
{
    return rank >= ranks->total ? INFINITY : cell_of(ranks, rank + 1)->upper;
}

static double through(const struct quantile_cells *cells, size_t index)
{
    return index > 0 ? (double)cells->at[index - 1].through : 0;
}

/* The difference where the control's quantile has this rank. */
static void bound_at_rank(const struct ranks *control, const struct ranks *treatment, double rank,
                          double limit, struct quantile_sequence *result)
{
    double left = limit - log_ratio(control, rank);
    double low = furthest_rank(treatment, left, false);
    double high = furthest_rank(treatment, left, true);

    if (isnan(low))
        return;
    result->upper = fmax(result->upper, at_most(treatment, high) - at_least(control, rank));
    result->lower = fmin(result->lower, at_least(treatment, low) - at_most(control, rank));
}

/* All pairs of ranks whose product stays below 1 / alpha. Of the ranks with the same ends the best
 * one leaves most to the treatment; so many values cost no more than their cells. */
static void bound_difference(const struct ranks *control, const struct ranks *treatment,
                             double limit, struct quantile_sequence *result)
{
    double spare = limit - log_ratio(treatment, treatment->best);
    double first = furthest_rank(control, spare, false), last = furthest_rank(control, spare, true);

    result->lower = INFINITY;
    result->upper = -INFINITY;
    if (isnan(first))
        return;
    bound_at_rank(control, treatment, 0, limit, result);
    bound_at_rank(control, treatment, control->total, limit, result);
    for (size_t i = 0; i < control->cells->count; i++) {
        double before = through(control->cells, i), after = through(control->cells, i + 1);

        if (after < first || before > last)
            continue;
        bound_at_rank(control, treatment, fmin(fmax(control->best, before + 1), after), limit,
                      result);
        bound_at_rank(control, treatment, fmin(fmax(control->best, before), after - 1), limit,
                      result);
    }
}

/* The smallest product, in logarithms, where `one` has its quantile in a cell: the other one may
 * have it in any cell that meets this one, or between those. */
static double least_in_cells(const struct ranks *one, const struct ranks *other)
{
    const struct quantile_cells *mine = one->cells, *theirs = other->cells;
    double least = INFINITY;

    for (size_t i = 0, first = 0, end = 0; i < mine->count; i++) {
        while (first < theirs->count && theirs->at[first].upper < mine->at[i].lower)
            first++;
        while (end < theirs->count && theirs->at[end].lower <= mine->at[i].upper)
            end++;
        least = fmin(least, least_ratio(one, through(mine, i), through(mine, i + 1)) +
                                least_ratio(other, through(theirs, first), through(theirs, end)));
    }
    return least;
}

/* The smallest product over all common places of both quantiles. A place between the cells of both
 * has the ranks of an end of a cell beside it. */
static double least_product(const struct ranks *control, const struct ranks *treatment)
{
    return fmin(least_in_cells(control, treatment), least_in_cells(treatment, control));
}

static double middle_of(const struct quantile_cell *cell)
{
    return cell->lower + (cell->upper - cell->lower) / 2;
}

/* How much the mixture counts, in users. */
static double mixture_weight(double users, double alpha)
{
    return fmax(1 / confidence_sequence_mixture(users, alpha) - 1, 1);
}

static double p_of(double log_product)
{
    return log_product <= 0 ? 1 : exp(-log_product);
}

double quantile_sequence_p(const struct quantile_cells *control,
                           const struct quantile_cells *treatment, double share, double users,
                           double alpha)
{
    double weight = mixture_weight(users, alpha);
    struct ranks before = ranks_of(control, share, weight);
    struct ranks after = ranks_of(treatment, share, weight);

    return p_of(least_product(&before, &after));
}

void quantile_sequence_difference(const struct quantile_cells *control,
                                  const struct quantile_cells *treatment, double share,
                                  double users, double alpha, struct quantile_sequence *result)
{
    double weight = mixture_weight(users, alpha);
    struct ranks before = ranks_of(control, share, weight);
    struct ranks after = ranks_of(treatment, share, weight);

    result->control = middle_of(cell_of(&before, fmax(ceil(share * before.total), 1)));
    result->treatment = middle_of(cell_of(&after, fmax(ceil(share * after.total), 1)));
    result->difference = result->treatment - result->control;
    result->p_value = p_of(least_product(&before, &after));
    result->is_significant = result->p_value < alpha;
    bound_difference(&before, &after, -log(alpha), result);
}
