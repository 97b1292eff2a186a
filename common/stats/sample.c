/* Order statistics of one arm and of the differences between two. */
#include "stats/sample.h"

#include "math/sort.h"
#include "math/sum.h"
#include "stats/order_search.h"

#include <math.h>
#include <string.h>

enum { UNIT_EXPONENT_MAX = 1022 }; /* 2^1022 and its inverse are both normal doubles */

void sample_sort_values(double *values, size_t count, struct arena *arena)
{
    sort_doubles(values, ARENA_ARRAY(arena, double, count), count);
}

struct sample sample_sort(const struct number_list *values, struct arena *arena)
{
    double *sorted = ARENA_ARRAY(arena, double, values->count);

    if (values->count > 0)
        memcpy(sorted, values->items, values->count * sizeof *sorted);
    sample_sort_values(sorted, values->count, arena);
    return (struct sample){values->count, sorted};
}

double sample_unit_near(double largest)
{
    int exponent = largest > 0 ? ilogb(largest) : 0;

    if (exponent > UNIT_EXPONENT_MAX)
        exponent = UNIT_EXPONENT_MAX;
    if (exponent < -UNIT_EXPONENT_MAX)
        exponent = -UNIT_EXPONENT_MAX;
    return ldexp(1, exponent);
}

double sample_unit(const struct sample *sample)
{
    return sample_unit_near(fmax(fabs(sample->sorted[0]), fabs(sample->sorted[sample->count - 1])));
}

double sample_interpolate(double a, double b, double share)
{
    double distance = b - a;

    return isinf(distance) ? a * (1 - share) + b * share : a + share * distance;
}

double sample_quantile(const struct sample *sample, double q)
{
    double position = q * (double)(sample->count - 1), whole = floor(position);
    size_t below = (size_t)whole;

    if (below + 1 >= sample->count)
        return sample->sorted[sample->count - 1];
    return sample_interpolate(sample->sorted[below], sample->sorted[below + 1], position - whole);
}

double sample_mean(const double *values, size_t count)
{
    return sum_array(values, count) / (double)count;
}

struct sample_moments sample_moments(const struct sample *sample, struct arena *arena)
{
    double unit = sample_unit(sample), lowest = sample->sorted[0];
    double *scaled = ARENA_ARRAY(arena, double, sample->count);
    struct moments moments;

    if (sample->count > 1 && sample->sorted[sample->count - 1] == lowest)
        return (struct sample_moments){.mean = lowest};
    for (size_t i = 0; i < sample->count; i++)
        scaled[i] = sample->sorted[i] / unit;
    moments = moments_of(scaled, sample->count);
    for (size_t i = 0; i < sample->count; i++)
        scaled[i] -= moments.mean;
    return (struct sample_moments){.mean = moments.mean * unit,
                                   .rest = sample_mean(scaled, sample->count) * unit,
                                   .deviation = sqrt(fmax(moments.variance, 0)) * unit};
}

enum { STRETCHES = 4 };

struct arms {
    const struct sample *control, *treatment;
};

/* A range of the treatments, and the number of controls that are too small for the current one. */
struct walk {
    size_t treatment, end;
    size_t control;
    int64_t count;
};

/* One step: either the current control is too small for this treatment, or all from it on fit.
 * Without a branch, because it would be unpredictable. */
static inline void walk_on(struct walk *walk, const double *control, size_t controls,
                           const double *treatment, double limit)
{
    size_t at = walk->control < controls ? walk->control : controls - 1;
    bool too_small =
        (walk->control < controls) & (treatment[walk->treatment] - control[at] > limit);

    walk->count += (int64_t)(controls - walk->control) & -(int64_t)!too_small;
    walk->control += too_small;
    walk->treatment += !too_small;
}

/* The first control that fits the first treatment of a range. */
static size_t first_fit(const double *control, size_t controls, double treatment, double limit)
{
    size_t low = 0, high = controls;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (treatment - control[middle] > limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of differences that are at most `limit`. Rounding keeps the order of differences, so
 * the index of the first fitting control only grows with the treatments. Ranges of the treatments
 * are walked in turn, so that no comparison waits for another. */
static int64_t differences_up_to(const void *data, double limit)
{
    const struct arms *arms = data;
    const double *control = arms->control->sorted, *treatment = arms->treatment->sorted;
    size_t n = arms->control->count, m = arms->treatment->count;
    struct walk walks[STRETCHES];
    int64_t count = 0;

    for (size_t k = 0; k < STRETCHES; k++) {
        size_t start = m * k / STRETCHES, end = m * (k + 1) / STRETCHES;

        walks[k] = (struct walk){
            start, end, start < end ? first_fit(control, n, treatment[start], limit) : 0, 0};
    }
    while (walks[0].treatment < walks[0].end && walks[1].treatment < walks[1].end &&
           walks[2].treatment < walks[2].end && walks[3].treatment < walks[3].end) {
        walk_on(&walks[0], control, n, treatment, limit);
        walk_on(&walks[1], control, n, treatment, limit);
        walk_on(&walks[2], control, n, treatment, limit);
        walk_on(&walks[3], control, n, treatment, limit);
    }
    for (size_t k = 0; k < STRETCHES; k++) {
        while (walks[k].treatment < walks[k].end)
            walk_on(&walks[k], control, n, treatment, limit);
        count += walks[k].count;
    }
    return count;
}

static size_t differences_between(const void *data, double least, double most,
                                  double few[ORDER_SEARCH_FEW])
{
    const struct arms *arms = data;
    const struct sample *control = arms->control;
    size_t count = 0, i = 0;

    for (size_t j = 0; j < arms->treatment->count; j++) {
        double value = arms->treatment->sorted[j];

        while (i < control->count && value - control->sorted[i] > most)
            i++;
        for (size_t k = i; k < control->count && value - control->sorted[k] >= least; k++)
            few[count++] = value - control->sorted[k];
    }
    return count;
}

void sample_differences(const struct sample *control, const struct sample *treatment,
                        const int64_t *ranks, size_t rank_count, double *differences)
{
    const struct arms arms = {control, treatment};
    const struct order_source source = {
        .data = &arms,
        .count = (int64_t)control->count * (int64_t)treatment->count,
        .least = treatment->sorted[0] - control->sorted[control->count - 1],
        .most = treatment->sorted[treatment->count - 1] - control->sorted[0],
        .count_up_to = differences_up_to,
        .list_between = differences_between};

    order_search(&source, ranks, rank_count, differences);
}

/* The number of sums of a value and itself or a later one that are at most `limit`: as the smaller
 * value grows, the index of the largest fitting value only decreases. */
static int64_t pair_sums_up_to(const void *data, double limit)
{
    const struct sample *sample = data;
    const double *sorted = sample->sorted;
    size_t end = sample->count; /* values below it fit */
    int64_t count = 0;

    for (size_t i = 0; i < end; i++) {
        while (end > i && sorted[i] + sorted[end - 1] > limit)
            end--;
        count += (int64_t)(end - i);
    }
    return count;
}

static size_t pair_sums_between(const void *data, double least, double most,
                                double few[ORDER_SEARCH_FEW])
{
    const struct sample *sample = data;
    const double *sorted = sample->sorted;
    size_t end = sample->count, count = 0;

    for (size_t i = 0; i < end; i++) {
        while (end > i && sorted[i] + sorted[end - 1] > most)
            end--;
        for (size_t j = end; j > i && sorted[i] + sorted[j - 1] >= least; j--)
            few[count++] = sorted[i] + sorted[j - 1];
    }
    return count;
}

void sample_pair_sums(const struct sample *sample, const int64_t *ranks, size_t rank_count,
                      double *sums)
{
    int64_t n = (int64_t)sample->count;
    const struct order_source source = {.data = sample,
                                        .count = n * (n + 1) / 2,
                                        .least = 2 * sample->sorted[0],
                                        .most = 2 * sample->sorted[n - 1],
                                        .count_up_to = pair_sums_up_to,
                                        .list_between = pair_sums_between};

    order_search(&source, ranks, rank_count, sums);
}
