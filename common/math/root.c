/* Chandrupatla's root finder. */
#include "math/root.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* The bracket: the root lies between `best` and `other`; `old` is the previous end. */
struct bracket {
    double best, at_best;
    double other, at_other;
    double old, at_old;
};

/* The position of the next point between best and other, 0..1. Inverse quadratic interpolation is
 * safe where it is monotone between the three points (Chandrupatla 1997, eq. 8). */
static double next_share(const struct bracket *b)
{
    double xi = (b->best - b->other) / (b->old - b->other);
    double phi = (b->at_best - b->at_other) / (b->at_old - b->at_other);

    if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi))
        return 0.5;

    double first = b->at_best / (b->at_other - b->at_best);
    double second = b->at_old / (b->at_other - b->at_old);
    double third = (b->old - b->best) / (b->other - b->best);
    double fourth = b->at_best / (b->at_old - b->at_best);
    double fifth = b->at_other / (b->at_old - b->at_other);

    return first * second + third * fourth * fifth;
}

static bool is_positive(double x)
{
    return x > 0;
}

static void bracket_move(struct bracket *b, double x, double at_x)
{
    if (is_positive(at_x) == is_positive(b->at_best)) {
        b->old = b->best;
        b->at_old = b->at_best;
    } else {
        b->old = b->other;
        b->at_old = b->at_other;
        b->other = b->best;
        b->at_other = b->at_best;
    }
    b->best = x;
    b->at_best = at_x;
}

double root_find(double (*function)(double x, const void *context), const void *context, double low,
                 double high, double tolerance)
{
    struct bracket b = {.best = high, .other = low};
    double share = 0.5;

    b.at_best = function(high, context);
    b.at_other = function(low, context);
    if (b.at_best == 0 || b.at_other == 0)
        return b.at_other == 0 ? low : high;
    if (!(b.at_best * copysign(1, b.at_other) < 0))
        return NAN;
    for (int i = 0; i < ROOT_ITERATIONS_MAX; i++) {
        double x = b.best + share * (b.other - b.best), at_x = function(x, context);

        if (isnan(at_x) || at_x == 0)
            return at_x == 0 ? x : NAN;
        bracket_move(&b, x, at_x);

        double nearest = fabs(b.at_best) < fabs(b.at_other) ? b.best : b.other;
        double least = (2 * DBL_EPSILON * fabs(nearest) + tolerance / 2) / fabs(b.other - b.best);

        if (!(least <= 0.5))
            return nearest;
        share = fmax(least, fmin(1 - least, next_share(&b)));
    }
    return NAN;
}
