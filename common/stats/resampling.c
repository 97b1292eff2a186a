/*
 * Permutation tests and bootstrap intervals. All functions use sorted values, minus the mean of the
 * pool, divided by a power of two: results depend neither on the order of the input nor on its
 * unit, sums keep their precision, and nothing overflows.
 */
#include "stats/resampling.h"

#include "math/index_draws.h"
#include "math/normal.h"
#include "math/random.h"
#include "stats/sample.h"
#include "stats/two_sample_internal.h"

#include <math.h>
#include <string.h>

/* A relabeling this close to the observed difference counts as a tie: absolute for data of ordinary
 * size, proportional for smaller data, and relative to the difference. */
#define TIE_TOLERANCE 1e-9

/* The rounding error of a difference, relative to the largest value. */
#define TIE_ROUNDING 1e-14

enum { BATCH = 512, FLAGS_AT_ONCE = 8 };

/* Both arms and all values together. A relabeling is stored twice: as the indexes of the values in
 * the smaller arm, and as a flag per value. */
struct pool {
    double unit; /* the divisor of the values */
    struct sample control, treatment, all;
    double quantile;
    size_t smaller; /* size of the smaller arm */
    uint32_t *chosen;
    unsigned char *taken;         /* 1 for the values in the smaller arm; padded with 0 */
    const unsigned char *treated; /* 1 for treatment values */
};

static double *scaled_values(const struct sample *sample, double unit, struct arena *arena)
{
    double *scaled = ARENA_ARRAY(arena, double, sample->count);

    for (size_t i = 0; i < sample->count; i++)
        scaled[i] = sample->sorted[i] / unit;
    return scaled;
}

static void shift_values(double *values, size_t count, double shift)
{
    for (size_t i = 0; i < count; i++)
        values[i] -= shift;
}

/* The arm of each value of the pool; among equal values control's come first. */
static const unsigned char *label_places(const struct sample *control,
                                         const struct sample *treatment, struct arena *arena)
{
    size_t total = control->count + treatment->count, i = 0, j = 0;
    unsigned char *treated = ARENA_ARRAY(arena, unsigned char, total);

    while (i + j < total) {
        bool from_control = j == treatment->count ||
                            (i < control->count && control->sorted[i] <= treatment->sorted[j]);

        treated[i + j] = !from_control;
        if (from_control)
            i++;
        else
            j++;
    }
    return treated;
}

static struct pool pool_make(const struct sample *control, const struct sample *treatment,
                             double quantile, struct arena *arena)
{
    size_t n = control->count, m = treatment->count, total = n + m;
    double unit = fmax(sample_unit(control), sample_unit(treatment));
    double *before = scaled_values(control, unit, arena);
    double *after = scaled_values(treatment, unit, arena);
    double *all = ARENA_ARRAY(arena, double, total);

    memcpy(all, before, n * sizeof *all);
    memcpy(all + n, after, m * sizeof *all);
    sample_sort_values(all, total, arena);
    for (int i = 0; i < 2; i++) { /* the second pass removes the rounding error of the mean */
        double mean = sample_mean(all, total);

        shift_values(before, n, mean);
        shift_values(after, m, mean);
        shift_values(all, total, mean);
    }
    return (struct pool){
        .unit = unit,
        .control = {n, before},
        .treatment = {m, after},
        .all = {total, all},
        .quantile = quantile,
        .smaller = n < m ? n : m,
        .chosen = ARENA_ARRAY(arena, uint32_t, (n < m ? n : m) + 1),
        .taken = ARENA_ARRAY(arena, unsigned char, total + FLAGS_AT_ONCE),
        .treated = label_places(control, treatment, arena),
    };
}

/* The sum of the values at some indexes, in four independent sums, so that additions do not wait
 * for each other. */
static double sum_at(const double *values, const uint32_t *places, size_t count)
{
    double a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;

    for (; i + 4 <= count; i += 4) {
        a += values[places[i]];
        b += values[places[i + 1]];
        c += values[places[i + 2]];
        d += values[places[i + 3]];
    }
    for (; i < count; i++)
        a += values[places[i]];
    return (a + b) + (c + d);
}

/* The distance between the means of the smaller arm and of the others. The mean of all values is 0,
 * so the two sums differ only in sign. */
static double mean_distance(const struct pool *pool)
{
    double chosen = (double)pool->smaller, others = (double)pool->all.count - chosen;
    double sum = sum_at(pool->all.sorted, pool->chosen, pool->smaller);

    return fabs(sum / chosen + sum / others);
}

/* The index of the rank-th flag with that value, from 0. */
static size_t find_place(const struct pool *pool, bool taken, size_t rank)
{
    size_t place = 0;

    for (;; place += FLAGS_AT_ONCE) {
        uint64_t flags;
        size_t here;

        memcpy(&flags, pool->taken + place, sizeof flags);
        here = (size_t)__builtin_popcountll(flags);
        if (!taken)
            here = FLAGS_AT_ONCE - here;
        if (rank < here)
            break;
        rank -= here;
    }
    for (;; place++)
        if (pool->taken[place] == taken && rank-- == 0)
            return place;
}

static double quantile_of_flagged(const struct pool *pool, bool taken, size_t count)
{
    double position = pool->quantile * (double)(count - 1), whole = floor(position);
    size_t place = find_place(pool, taken, (size_t)whole), next = place + 1;

    if ((size_t)whole + 1 >= count)
        return pool->all.sorted[place];
    while (pool->taken[next] != taken)
        next++;
    return sample_interpolate(pool->all.sorted[place], pool->all.sorted[next], position - whole);
}

static double quantile_distance(const struct pool *pool)
{
    return fabs(quantile_of_flagged(pool, true, pool->smaller) -
                quantile_of_flagged(pool, false, pool->all.count - pool->smaller));
}

/* C(n, k) for k <= n / 2, or 0 when it exceeds the limit. */
static int64_t combinations(size_t n, size_t k, int64_t limit)
{
    __int128 count = 1;

    for (size_t i = 1; i <= k; i++) {
        count = count * (__int128)(n - k + i) / (__int128)i;
        if (count > limit)
            return 0;
    }
    return (int64_t)count;
}

static void flag_chosen(struct pool *pool)
{
    memset(pool->taken, 0, pool->all.count);
    for (size_t i = 0; i < pool->smaller; i++)
        pool->taken[pool->chosen[i]] = 1;
}

static void choose_first(struct pool *pool)
{
    for (size_t i = 0; i < pool->smaller; i++)
        pool->chosen[i] = (uint32_t)i;
    flag_chosen(pool);
}

/* The next choice in lexicographic order; undefined after the last one. */
static void choose_next(struct pool *pool)
{
    size_t i = pool->smaller;

    while (i > 1 && pool->chosen[i - 1] == pool->all.count - pool->smaller + i - 1)
        i--;
    pool->chosen[i - 1]++;
    for (; i < pool->smaller; i++)
        pool->chosen[i] = pool->chosen[i - 1] + 1;
    if (pool->chosen[pool->smaller - 1] < pool->all.count)
        flag_chosen(pool);
}

/* Draws indexes until enough different ones are chosen. The smaller arm is at most half of the
 * pool, so this takes fewer than 1.4 draws per index. */
static void choose_randomly(struct pool *pool, uint64_t stream)
{
    struct index_draws draws = index_draws_start(PERMUTATION_SEED, stream);
    uint32_t places[BATCH + INDEX_DRAWS_SPARE];
    size_t chosen = 0;

    memset(pool->taken, 0, pool->all.count);
    while (chosen < pool->smaller) {
        size_t count = pool->smaller - chosen < BATCH ? pool->smaller - chosen : BATCH;

        index_draws_fill(&draws, (uint32_t)pool->all.count, places, count);
        for (size_t i = 0; i < count; i++) {
            pool->chosen[chosen] = places[i];
            chosen += !pool->taken[places[i]];
            pool->taken[places[i]] = 1;
        }
    }
}

static double tie_tolerance(const struct pool *pool, double observed)
{
    double largest = fmax(fabs(pool->all.sorted[0]), pool->all.sorted[pool->all.count - 1]);

    return TIE_TOLERANCE * (fmin(1 / pool->unit, 1) + observed) + TIE_ROUNDING * largest;
}

/* For each relabeling, the range of shifts around the observed difference at which it is at least
 * as extreme as the data. */
struct reached {
    int64_t count;
    int64_t besides; /* 1 when the data are counted, but not among the relabelings */
    double *lower, *upper;
};

/* If a shift s is subtracted from the treatment values, a relabeled difference r moves by `share`
 * of it, the observed difference d by all of it: |r - share s| >= |d - s| between (d - r) / (1 -
 * share) and (d + r) / (1 + share). `as_extreme` is the result at shift 0, with tolerance for
 * rounding. */
static void add_reached(const struct pool *pool, double difference, bool as_extreme,
                        struct reached *reached)
{
    double chosen = (double)pool->smaller, others = (double)pool->all.count - chosen;
    bool treatment_smaller = pool->treatment.count == pool->smaller;
    double sum = 0, treated = 0, share, relabelled, one, two;

    for (size_t i = 0; i < pool->smaller; i++) {
        sum += pool->all.sorted[pool->chosen[i]];
        treated += pool->treated[pool->chosen[i]];
    }
    share = treated / chosen - ((double)pool->treatment.count - treated) / others;
    relabelled = sum / chosen + sum / others;
    if (!treatment_smaller) {
        share = -share;
        relabelled = -relabelled;
    }
    one = share < 1 ? (difference - relabelled) / (1 - share) : -INFINITY;
    two = share > -1 ? (difference + relabelled) / (1 + share) : -INFINITY;
    if (isinf(one) || isinf(two)) { /* the data themselves, or both arms exchanged */
        one = -INFINITY;
        two = INFINITY;
    }
    reached->lower[reached->count] = fmin(fmin(one, two), as_extreme ? 0 : INFINITY);
    reached->upper[reached->count++] = fmax(fmax(one, two), as_extreme ? 0 : -INFINITY);
}

static struct optional_number bound(double end, double unit)
{
    return isinf(end) ? (struct optional_number){0} : GIVEN_NUMBER(finite_value(end * unit));
}

/* The ends are the shifts at which the number of relabelings as extreme as the data falls below the
 * number for p = alpha. */
static void set_permutation_interval(const struct pool *pool, struct reached *reached,
                                     struct arena *arena, struct test_result *result)
{
    size_t count = (size_t)reached->count, needed = 1;
    double all = (double)(reached->besides + reached->count);

    while (needed < count && (double)(reached->besides + (int64_t)needed) / all < result->alpha)
        needed++;
    sample_sort_values(reached->lower, count, arena);
    sample_sort_values(reached->upper, count, arena);
    result->test_interval = (struct test_interval){
        TEST_INTERVAL_PERMUTATION, bound(reached->lower[needed - 1], pool->unit),
        bound(reached->upper[count - needed], pool->unit)};
}

/* `reached` (or NULL) collects every relabeling. */
static double permutation_p_value(struct pool *pool, double (*distance)(const struct pool *),
                                  double difference, int64_t resamples, int64_t *permutations,
                                  struct reached *reached)
{
    double observed = fabs(difference);
    double limit = observed - tie_tolerance(pool, observed);
    int64_t all = combinations(pool->all.count, pool->smaller, resamples), extreme = 0;

    *permutations = all > 0 ? all : resamples;
    if (reached)
        reached->besides = all == 0;
    if (all > 0)
        choose_first(pool);
    for (int64_t i = 0; i < *permutations; i++) {
        bool as_extreme;

        if (all == 0)
            choose_randomly(pool, (uint64_t)i);
        else if (i > 0)
            choose_next(pool);
        as_extreme = distance(pool) >= limit;
        extreme += as_extreme;
        if (reached)
            add_reached(pool, difference, as_extreme, reached);
    }
    return all > 0 ? (double)extreme / (double)all
                   : (double)(1 + extreme) / (double)(1 + resamples);
}

static double resampled_mean(const struct sample *sample, struct index_draws *draws)
{
    uint32_t places[BATCH + INDEX_DRAWS_SPARE];
    double sum = 0;

    for (size_t done = 0; done < sample->count; done += BATCH) {
        size_t count = sample->count - done < BATCH ? sample->count - done : BATCH;

        index_draws_fill(draws, (uint32_t)sample->count, places, count);
        sum += sum_at(sample->sorted, places, count);
    }
    return sum / (double)sample->count;
}

static double resampled_mean_difference(const struct pool *pool, uint64_t stream)
{
    struct index_draws draws = index_draws_start(BOOTSTRAP_SEED, stream);
    double control = resampled_mean(&pool->control, &draws);

    return resampled_mean(&pool->treatment, &draws) - control;
}

/* The value at a quantile between 0 and 1. */
static double value_at(const struct sample *sample, double place)
{
    size_t index = (size_t)(place * (double)sample->count);

    return sample->sorted[index < sample->count ? index : sample->count - 1];
}

/* A resample's quantile, without drawing the resample. Positions are uniform, so the k-th smallest
 * of n has the distribution Beta(k, n - k + 1). The next one is the smallest of n - k positions
 * that are uniform from there to 1. */
static double resampled_quantile(const struct sample *sample, double quantile,
                                 struct random *random)
{
    double position = quantile * (double)(sample->count - 1), whole = floor(position);
    double others = (double)sample->count - whole - 1;
    double place = random_beta(random, whole + 1, others + 1), step;

    if (others == 0)
        return value_at(sample, place);
    step = -expm1(log(random_uniform(random)) / others);
    return sample_interpolate(value_at(sample, place), value_at(sample, place + (1 - place) * step),
                              position - whole);
}

static double resampled_quantile_difference(const struct pool *pool, uint64_t stream)
{
    struct random random = random_start(BOOTSTRAP_SEED, stream);
    double control = resampled_quantile(&pool->control, pool->quantile, &random);

    return resampled_quantile(&pool->treatment, pool->quantile, &random) - control;
}

static struct sample bootstrap(const struct pool *pool,
                               double (*replicate)(const struct pool *, uint64_t),
                               int64_t resamples, struct arena *arena)
{
    double *values = ARENA_ARRAY(arena, double, (size_t)resamples);

    for (int64_t i = 0; i < resamples; i++)
        values[i] = replicate(pool, (uint64_t)i);
    sample_sort_values(values, (size_t)resamples, arena);
    return (struct sample){(size_t)resamples, values};
}

static void set_percentile_interval(const struct pool *pool, const struct sample *replicates,
                                    struct test_result *result)
{
    double tail = result->alpha / 2;

    result->ci_lower = finite_value(sample_quantile(replicates, tail) * pool->unit);
    result->ci_upper = finite_value(sample_quantile(replicates, 1 - tail) * pool->unit);
}

static void set_decision(double p_value, double statistic, struct test_result *result)
{
    result->p_value = p_value;
    result->is_significant = p_value < result->alpha;
    result->statistic = statistic;
    result->power = two_sample_normal_power(statistic, normal_upper_quantile(result->alpha / 2));
}

static struct resampling_result resampling_start(const struct ranked_observation *observed)
{
    return (struct resampling_result){.test = degenerate_result(observed->alpha)};
}

static struct mean_estimate estimate_of(const struct sample *sample, struct arena *arena)
{
    struct sample_moments moments = sample_moments(sample, arena);

    return (struct mean_estimate){.mean = moments.mean,
                                  .rest = moments.rest,
                                  .spread = finite_value(moments.deviation),
                                  .weight = (double)sample->count,
                                  .df = (double)(sample->count - 1)};
}

void resampling_means(const struct ranked_observation *observed, int64_t resamples,
                      struct arena *arena, struct resampling_result *result)
{
    struct sample control = sample_sort(&observed->control_values, arena);
    struct sample treatment = sample_sort(&observed->treatment_values, arena);
    struct mean_estimate before = estimate_of(&control, arena);
    struct mean_estimate after = estimate_of(&treatment, arena);
    struct pool pool = pool_make(&control, &treatment, 0, arena);
    struct sample replicates = bootstrap(&pool, resampled_mean_difference, resamples, arena);
    double difference = sample_mean(pool.treatment.sorted, treatment.count) -
                        sample_mean(pool.control.sorted, control.count),
           p_value;
    struct reached reached = {.lower = ARENA_ARRAY(arena, double, (size_t)resamples),
                              .upper = ARENA_ARRAY(arena, double, (size_t)resamples)};
    struct test_result *test = &result->test;

    *result = resampling_start(observed);
    test->degenerate = false;
    set_effect(before.mean, after.mean, mean_difference(&before, &after), test);
    set_percentile_interval(&pool, &replicates, test);
    p_value = permutation_p_value(&pool, mean_distance, difference, resamples,
                                  &result->permutations, &reached);
    set_decision(p_value, welch_statistic(&before, &after), test);
    set_permutation_interval(&pool, &reached, arena, test);
    set_relative_means(&before, &after, normal_upper_quantile(observed->alpha / 2), test);
    if (before.spread == 0 && after.spread == 0)
        test->power = 0;
    test->effect_size_kind = EFFECT_SIZE_COHENS_D;
    test->effect_size = cohens_d(test->effect, &before, &after);
}

void resampling_quantiles(const struct ranked_observation *observed, int64_t resamples,
                          struct arena *arena, struct resampling_result *result)
{
    double quantile = observed->quantile;
    struct sample control = sample_sort(&observed->control_values, arena);
    struct sample treatment = sample_sort(&observed->treatment_values, arena);
    struct pool pool = pool_make(&control, &treatment, quantile, arena);
    struct sample replicates = bootstrap(&pool, resampled_quantile_difference, resamples, arena);
    double low = sample_quantile(&control, quantile), high = sample_quantile(&treatment, quantile);
    double deviation = sample_moments(&replicates, arena).deviation, p_value;
    double difference =
        sample_quantile(&pool.treatment, quantile) - sample_quantile(&pool.control, quantile);
    struct test_result *test = &result->test;

    *result = resampling_start(observed);
    test->degenerate = false;
    set_effect(low, high, high - low, test);
    set_percentile_interval(&pool, &replicates, test);
    p_value = permutation_p_value(&pool, quantile_distance, difference, resamples,
                                  &result->permutations, NULL);
    set_decision(p_value, deviation > 0 ? finite_value(difference / deviation) : 0, test);
    if (deviation == 0)
        test->power = 0;
}
