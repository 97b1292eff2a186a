/*
 * Power of the pooled z-test of two proportions in large arms of one size, without walking through
 * their tables. The conversions of control are summed over in steps of a part of their standard
 * deviation, those of treatment by the tail of their Edgeworth series (Feller 1971, XVI), down to
 * the boundary as if it were no lattice's. What the lattice adds is bounded.
 */
#include "experiments/design/exact_power.h"

#include "math/normal.h"

#include <math.h>

/* In standard deviations: the trapezoid rule is right to 1e-7, and as much is omitted. */
#define STEP 0.75
enum { STEPS_ASIDE = 7, HERMITE_ORDERS = 10 };

/* Rejections to the wrong side past so many standard errors are omitted: 3e-6 of the power. */
#define WRONG_SIDE_REACH 4.5

/* The normal density at the boundary is hardly more. */
#define DENSITY_MAX 0.4

/* A binomial distribution by its cumulants, the third to the fifth standardized. */
struct series {
    double mean, deviation;
    double third, fourth, fifth;
};

static struct series series_of(double users, double rate)
{
    double variance = rate * (1 - rate), deviation = sqrt(users * variance);

    return (struct series){.mean = users * rate,
                           .deviation = deviation,
                           .third = (1 - 2 * rate) / deviation,
                           .fourth = (1 - 6 * variance) / (deviation * deviation),
                           .fifth = (1 - 2 * rate) * (1 - 12 * variance) /
                                    (deviation * deviation * deviation)};
}

static void hermite(double t, double polynomials[static HERMITE_ORDERS])
{
    polynomials[0] = 1;
    polynomials[1] = t;
    for (int i = 2; i < HERMITE_ORDERS; i++)
        polynomials[i] = t * polynomials[i - 1] - (i - 1) * polynomials[i - 2];
}

/* The terms of the series, each with the polynomial of its order less `down`. */
static double corrections(const struct series *series, double t, int down)
{
    double h[HERMITE_ORDERS];

    hermite(t, h);
    return series->third / 6 * h[3 - down] + series->fourth / 24 * h[4 - down] +
           series->third * series->third / 72 * h[6 - down] + series->fifth / 120 * h[5 - down] +
           series->third * series->fourth / 144 * h[7 - down] +
           series->third * series->third * series->third / 1296 * h[9 - down];
}

/* The last digits that math/normal.h keeps are not needed here. */
static double density(double t)
{
    return exp(-t * t / 2) * M_2_SQRTPI * M_SQRT1_2 / 2;
}

static double series_density(const struct series *series, double t)
{
    return density(t) * (1 + corrections(series, t, 0));
}

static double series_survival(const struct series *series, double value)
{
    double t = (value - series->mean) / series->deviation;

    return erfc(t * M_SQRT1_2) / 2 + density(t) * corrections(series, t, 1);
}

/* Where d = y - x of arms of n is on the boundary: 2 n d^2 = z^2 (2 x + d) (2 n - 2 x - d). */
struct boundary {
    double upper, lower;
};

static struct boundary boundary_at(double n, double critical, double x)
{
    double square = critical * critical, a = 2 * n + square, b = square * (4 * x - 2 * n);
    double root = sqrt(b * b + 16 * a * square * x * (n - x));

    return (struct boundary){x + (root - b) / (2 * a), x - (root + b) / (2 * a)};
}

double pooled_z_smooth_power(double control_rate, double treatment_rate, int64_t users,
                             double alpha)
{
    double n = (double)users, critical = normal_upper_quantile(alpha / 2), power = 0;
    struct series control = series_of(n, control_rate), treatment = series_of(n, treatment_rate);
    double effect = (treatment.mean - control.mean) / hypot(control.deviation, treatment.deviation);

    for (int i = -STEPS_ASIDE; i <= STEPS_ASIDE; i++) {
        double x = control.mean + i * STEP * control.deviation, rejected = 0;
        struct boundary boundary = boundary_at(n, critical, x);

        if (effect > -WRONG_SIDE_REACH + critical)
            rejected = series_survival(&treatment, boundary.upper);
        if (effect < WRONG_SIDE_REACH - critical)
            rejected += 1 - series_survival(&treatment, boundary.lower);
        power += series_density(&control, i * STEP) * rejected;
    }
    return fmin(fmax(power * STEP, 0), 1);
}

/* The boundary d(x) goes up the lattice in steps. Their sum leaves a first harmonic, which fades
 * where many steps lie within the reach of x, and a resonance with the lattice of x itself, of half
 * the slope of d. */
double pooled_z_lattice_bound(double control_rate, double treatment_rate, int64_t users,
                              double alpha)
{
    double critical = normal_upper_quantile(alpha / 2);
    double skew = critical * fabs(1 - control_rate - treatment_rate), turns = M_PI * skew;
    double deviation = sqrt((double)users * (control_rate * (1 - control_rate) +
                                             treatment_rate * (1 - treatment_rate)));

    return DENSITY_MAX / deviation * (skew / deviation + exp(-turns * turns / 2)) / 2;
}
