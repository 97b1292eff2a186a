/* Draws of an uplift, and their summaries. Must not depend on the source of the observations. */
#include "stats/bayes/uplift_draws.h"
#include "math/draws.h"
#include "math/sort.h"

#include <math.h>

#define SMALLEST_DENOMINATOR 1e-12
#define THRESHOLD_STEP 100.0 /* the k-th threshold is k / 100 */
#define NARROWEST_AXIS 0.001

const int uplift_percentiles[UPLIFT_PERCENTILES] = {5, 25, 50, 75, 95};

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* If X and Y are independent gammas, X / (X + Y) is beta. */
static void draw_rates(struct draws *draws, double successes, double users, double *values,
                       size_t count)
{
    const struct gamma_shape wins = gamma_shape_of(successes + 1);
    const struct gamma_shape losses = gamma_shape_of(users - successes + 1);

    for (size_t i = 0; i < count; i++) {
        double won = draws_gamma(draws, &wins);

        values[i] = won / (won + draws_gamma(draws, &losses));
    }
}

static void draw_means(struct draws *draws, double mean, double error, double *values, size_t count)
{
    uint64_t word;

    for (size_t i = 0; i < count; i++)
        values[i] = mean + error * draws_normal(draws, &word);
}

static double share_above(const double *sorted, size_t count, double threshold)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sorted[middle] > threshold)
            high = middle;
        else
            low = middle + 1;
    }
    return (double)(count - low) / (double)count;
}

static double percentile(const double *sorted, size_t count, int q)
{
    double place = (double)(count - 1) * q / 100;
    size_t below = (size_t)place;
    double rest = place - (double)below;

    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

static void summarise(struct uplift_draws *draws, struct arena *arena)
{
    size_t count = draws->values.count;
    double *sorted = ARENA_ARRAY(arena, double, count);
    double *scratch = ARENA_ARRAY(arena, double, count);

    for (size_t i = 0; i < count; i++)
        sorted[i] = draws->values.items[i];
    sort_doubles(sorted, scratch, count);
    for (size_t i = 0; i < UPLIFT_PERCENTILES; i++)
        draws->percentiles[i] = percentile(sorted, count, uplift_percentiles[i]);
    draws->above_zero = share_above(sorted, count, 0);
    for (size_t i = 0; i < UPLIFT_THRESHOLDS; i++)
        draws->above[i] = share_above(sorted, count, (double)(i + 1) / THRESHOLD_STEP);
}

static double *start(struct draws *generator, struct ziggurat *ziggurat, uint64_t seed,
                     size_t count, struct arena *arena, struct uplift_draws *draws)
{
    ziggurat_build(ziggurat);
    draws_start(generator, ziggurat, seed, 0);
    draws->values = (struct number_list){count, ARENA_ARRAY(arena, double, count)};
    return ARENA_ARRAY(arena, double, count);
}

void uplift_draw_rates(const struct binary_observation *observed, size_t count, uint64_t seed,
                       struct arena *arena, struct uplift_draws *draws)
{
    struct ziggurat *ziggurat = ARENA_NEW(arena, struct ziggurat);
    double users[] = {(double)observed->control_users, (double)observed->treatment_users};
    struct draws generator;
    double *control = start(&generator, ziggurat, seed, count, arena, draws);
    double *uplift = draws->values.items;

    draw_rates(&generator, clamp((double)observed->control_conversions, 0, users[0]), users[0],
               control, count);
    draw_rates(&generator, clamp((double)observed->treatment_conversions, 0, users[1]), users[1],
               uplift, count);
    for (size_t i = 0; i < count; i++) {
        double base = fmax(control[i], SMALLEST_DENOMINATOR);

        uplift[i] = (uplift[i] - base) / base;
    }
    summarise(draws, arena);
}

void uplift_draw_means(const struct continuous_observation *observed, size_t count, uint64_t seed,
                       struct arena *arena, struct uplift_draws *draws)
{
    struct ziggurat *ziggurat = ARENA_NEW(arena, struct ziggurat);
    struct draws generator;
    double *control = start(&generator, ziggurat, seed, count, arena, draws);
    double *uplift = draws->values.items;

    draw_means(&generator, observed->control_mean,
               observed->control_std / sqrt((double)observed->control_n), control, count);
    draw_means(&generator, observed->treatment_mean,
               observed->treatment_std / sqrt((double)observed->treatment_n), uplift, count);
    for (size_t i = 0; i < count; i++)
        uplift[i] = clamp((uplift[i] - control[i]) / fmax(fabs(control[i]), SMALLEST_DENOMINATOR),
                          -1e300, 1e300);
    summarise(draws, arena);
}

struct uplift_axis uplift_axis_of(const struct uplift_draws *const *sets, size_t count)
{
    struct uplift_axis axis = {INFINITY, -INFINITY, 0};

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sets[i]->values.count; j++) {
            axis.start = fmin(axis.start, sets[i]->values.items[j]);
            axis.end = fmax(axis.end, sets[i]->values.items[j]);
        }
    if (axis.end <= axis.start)
        axis.end = axis.start + NARROWEST_AXIS;
    axis.width = (axis.end - axis.start) / UPLIFT_BUCKETS;
    return axis;
}

void uplift_shares(const struct uplift_axis *axis, const struct uplift_draws *draws,
                   double shares[UPLIFT_BUCKETS])
{
    size_t found[UPLIFT_BUCKETS] = {0};

    for (size_t i = 0; i < draws->values.count; i++) {
        double place = floor((draws->values.items[i] - axis->start) / axis->width);

        found[(size_t)clamp(place, 0, UPLIFT_BUCKETS - 1)]++;
    }
    for (size_t i = 0; i < UPLIFT_BUCKETS; i++)
        shares[i] = (double)found[i] / (double)draws->values.count;
}
