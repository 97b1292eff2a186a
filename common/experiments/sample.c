/* Order statistics of one arm and of the differences between two. */
#include "experiments/sample.h"

#include "math/sum.h"

#include <math.h>
#include <string.h>

enum { UNIT_EXPONENT_MAX = 1022 }; /* 2^1022 and its inverse are both normal doubles */

enum {
    INSERTION_MAX = 48, /* up to this many values insertion is the fastest sort */
    RADIX = 256,
    PASSES = 8,
    FEW = 64, /* differences that are sorted rather than bisected further */
};

/* Doubles as integers in the same order. */
static int64_t key_of(double value)
{
    int64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : INT64_MIN - bits;
}

static double value_of(int64_t key)
{
    int64_t bits = key >= 0 ? key : INT64_MIN - key;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static void insertion_sort(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t j = i;

        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

/* The byte of a value's key that a pass of the sort goes by, lowest first; the sign counts the
 * other way round. */
static unsigned digit_of(double value, int pass)
{
    return ((uint64_t)key_of(value) ^ (UINT64_C(1) << 63)) >> (8 * pass) & 0xff;
}

/* One pass: values in the order of one byte, ties as they stood. False, with nothing done, when all
 * have the same byte. */
static bool distribute(const double *from, double *to, size_t count, int pass)
{
    size_t starts[RADIX + 1] = {0};

    for (size_t i = 0; i < count; i++)
        starts[digit_of(from[i], pass) + 1]++;
    if (starts[digit_of(from[0], pass) + 1] == count)
        return false;
    for (int digit = 0; digit < RADIX; digit++)
        starts[digit + 1] += starts[digit];
    for (size_t i = 0; i < count; i++)
        to[starts[digit_of(from[i], pass)]++] = from[i];
    return true;
}

void sample_sort_values(double *values, size_t count, struct arena *arena)
{
    double *from = values, *to;

    if (count <= INSERTION_MAX) {
        insertion_sort(values, count);
        return;
    }
    to = ARENA_ARRAY(arena, double, count);
    for (int pass = 0; pass < PASSES; pass++) {
        if (distribute(from, to, count, pass)) {
            double *swap = from;

            from = to;
            to = swap;
        }
    }
    if (from != values)
        memcpy(values, from, count * sizeof *values);
}

struct sample sample_sort(const struct number_list *values, struct arena *arena)
{
    double *sorted = ARENA_ARRAY(arena, double, values->count);

    if (values->count > 0)
        memcpy(sorted, values->items, values->count * sizeof *sorted);
    sample_sort_values(sorted, values->count, arena);
    return (struct sample){values->count, sorted};
}

double sample_unit(const struct sample *sample)
{
    double largest = fmax(fabs(sample->sorted[0]), fabs(sample->sorted[sample->count - 1]));
    int exponent = largest > 0 ? ilogb(largest) : 0;

    if (exponent > UNIT_EXPONENT_MAX)
        exponent = UNIT_EXPONENT_MAX;
    if (exponent < -UNIT_EXPONENT_MAX)
        exponent = -UNIT_EXPONENT_MAX;
    return ldexp(1, exponent);
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

/* How many differences are at most `limit`. Rounding keeps the order of differences, so the
 * controls that are small enough only move up as treatments grow. */
static int64_t differences_up_to(const struct sample *control, const struct sample *treatment,
                                 double limit)
{
    int64_t count = 0;
    size_t i = 0;

    for (size_t j = 0; j < treatment->count; j++) {
        while (i < control->count && treatment->sorted[j] - control->sorted[i] > limit)
            i++;
        count += (int64_t)(control->count - i);
    }
    return count;
}

/* Differences from `least` to `most`, at most FEW of them, in ascending order. */
static void differences_between(const struct sample *control, const struct sample *treatment,
                                double least, double most, double few[FEW])
{
    size_t count = 0, i = 0;

    for (size_t j = 0; j < treatment->count; j++) {
        double value = treatment->sorted[j];

        while (i < control->count && value - control->sorted[i] > most)
            i++;
        for (size_t k = i; k < control->count && value - control->sorted[k] >= least; k++)
            few[count++] = value - control->sorted[k];
    }
    insertion_sort(few, count);
}

/* Where a difference is sought: the doubles, by their keys, above `low` and up to `high`, and how
 * many differences lie up to either. */
struct bracket {
    int64_t low, high;
    int64_t up_to_low, up_to_high;
};

/* A double inside the bracket to count up to next. Counts rise evenly enough that a straight line
 * between the ends leads close to the rank; aiming a little past it, to the side whose end has not
 * moved last, brings both ends close. Every third step halves the keys, so that no data take more
 * than 200 steps. */
static int64_t next_probe(const struct bracket *bracket, int64_t rank, int step, bool low_moved)
{
    double low = value_of(bracket->low + 1), high = value_of(bracket->high);
    double between = (double)(bracket->up_to_high - bracket->up_to_low), past = between / 32 + 8;
    double aim = (double)(rank - bracket->up_to_low) + (low_moved ? past : -past);
    double value = sample_interpolate(low, high, fmin(fmax(aim / between, 0), 1));
    int64_t probe = key_of(value);

    if (step % 3 == 2 || isinf(value) || probe <= bracket->low || probe >= bracket->high)
        return bracket->low + (int64_t)(((uint64_t)bracket->high - (uint64_t)bracket->low) / 2);
    return probe;
}

double sample_difference(const struct sample *control, const struct sample *treatment, int64_t rank)
{
    struct bracket bracket = {
        .low = key_of(treatment->sorted[0] - control->sorted[control->count - 1]) - 1,
        .high = key_of(treatment->sorted[treatment->count - 1] - control->sorted[0]),
        .up_to_high = (int64_t)control->count * (int64_t)treatment->count};
    double few[FEW] = {0};
    bool low_moved = false;

    for (int step = 0;
         bracket.high - 1 > bracket.low && bracket.up_to_high - bracket.up_to_low > FEW; step++) {
        int64_t probe = next_probe(&bracket, rank, step, low_moved);
        int64_t count = differences_up_to(control, treatment, value_of(probe));

        low_moved = count < rank;
        if (low_moved) {
            bracket.low = probe;
            bracket.up_to_low = count;
        } else {
            bracket.high = probe;
            bracket.up_to_high = count;
        }
    }
    if (bracket.up_to_high - bracket.up_to_low > FEW) /* all equal */
        return value_of(bracket.high);
    differences_between(control, treatment, value_of(bracket.low + 1), value_of(bracket.high), few);
    return few[rank - bracket.up_to_low - 1];
}
