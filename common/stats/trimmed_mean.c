/* The Yuen-Welch test. */
#include "stats/trimmed_mean.h"

#include "math/sum.h"
#include "stats/sample.h"
#include "stats/two_sample_internal.h"

#include <math.h>

/* The trimmed mean and its error: Winsorized sum of squares over h (h - 1) for the h remaining
 * values. Computed in the unit of the remaining values, so that the squares stay in range. */
static struct mean_estimate trimmed_estimate(const struct sample *sample, double trim,
                                             struct arena *arena)
{
    size_t n = sample->count, cut = (size_t)((double)n * trim), left = n - 2 * cut;
    struct sample kept = {left, sample->sorted + cut};
    double h = (double)left, unit, mean, squares, *winsorised;

    if (left < 2)
        return (struct mean_estimate){.weight = h, .df = h - 1};
    winsorised = ARENA_ARRAY(arena, double, n);
    unit = sample_unit(&kept);
    for (size_t i = 0; i < n; i++) {
        size_t source = i < cut ? cut : i >= n - cut ? n - cut - 1 : i;

        winsorised[i] = sample->sorted[source] / unit;
    }
    squares = moments_of(winsorised, n).variance * (double)(n - 1);
    if (winsorised[0] == winsorised[n - 1])
        squares = 0;
    mean = sample_mean(winsorised + cut, left);
    for (size_t i = cut; i < cut + left; i++)
        winsorised[i] -= mean;
    return (struct mean_estimate){.mean = mean * unit,
                                  .rest = sample_mean(winsorised + cut, left) * unit,
                                  .spread = finite_value(sqrt(fmax(squares, 0) / (h - 1)) * unit),
                                  .weight = h,
                                  .df = h - 1};
}

void trimmed_mean_test(const struct ranked_observation *observed, struct arena *arena,
                       struct trimmed_mean_result *result)
{
    struct sample control = sample_sort(&observed->control_values, arena);
    struct sample treatment = sample_sort(&observed->treatment_values, arena);
    struct mean_estimate before = trimmed_estimate(&control, observed->trim, arena);
    struct mean_estimate after = trimmed_estimate(&treatment, observed->trim, arena);

    *result = (struct trimmed_mean_result){.test = degenerate_result(observed->alpha),
                                           .control_effective = (int64_t)before.weight,
                                           .treatment_effective = (int64_t)after.weight};
    if (before.df < 1 || after.df < 1 || (before.spread == 0 && after.spread == 0))
        return;
    welch_test(&before, &after, observed->alpha, &result->test);
}
