/*
 * Power of tests of two means when the data are normal. Given the two sums of squares the standard
 * error, the degrees of freedom and so the critical value are fixed, and the difference of the
 * means is normal and independent of them. The sums are a total, chi-square, and its share, beta:
 * the power is an integral over both, by Gauss and Legendre.
 */
#include "experiments/design/exact_power.h"

#include "math/normal.h"
#include "math/quadrature.h"
#include "math/student.h"

#include <math.h>

enum { NODES = 16 };

/* Densities beyond so many standard deviations are omitted. */
#define REACH 7.5

/* The normal distribution goes from 0 to 1 within so many units about 0. */
#define STEP_REACH 6.0

struct rule {
    double nodes[NODES], weights[NODES]; /* on [-1, 1] */
};

enum statistic { STATISTIC_WELCH, STATISTIC_Z, STATISTIC_TOST };

struct design {
    struct rule rule;
    enum statistic statistic;
    double distance; /* the difference, or the margin, in true standard errors */
    double alpha;
    double control, treatment; /* users */
};

static double critical_value(const struct design *design, double df)
{
    switch (design->statistic) {
    case STATISTIC_Z:
        return normal_upper_quantile(design->alpha / 2);
    case STATISTIC_TOST:
        return student_upper_quantile(design->alpha, df);
    default:
        return student_upper_quantile(design->alpha / 2, df);
    }
}

/* P(reject) when the critical distance is `reach` true standard errors. */
static double rejection(const struct design *design, double reach)
{
    if (design->statistic == STATISTIC_TOST)
        return fmax(1 - 2 * normal_survival(design->distance - reach), 0);
    return normal_survival(reach - design->distance) + normal_survival(reach + design->distance);
}

struct sums {
    double mass, rejected;
};

/* Over the root u of the total over its degrees of freedom, between two values; the density of u is
 * u^(df - 1) exp(-df u^2 / 2), times anything. */
static void add_panel(const struct design *design, double from, double to, double slope, double df,
                      struct sums *sums)
{
    double half = (to - from) / 2, centre = from + half;

    if (!(half > 0))
        return;
    for (int i = 0; i < NODES; i++) {
        double u = centre + half * design->rule.nodes[i];
        double log_density = (df - 1) * log(u) - df / 2 * (u - 1) * (u + 1);
        double mass = half * design->rule.weights[i] * exp(log_density);

        sums->mass += mass;
        sums->rejected += mass * rejection(design, slope * u);
    }
}

/* P(reject), the critical distance being `slope` times u. Where it passes the difference the
 * integrand steps, which may be within a small part of the range. */
static double average_over_total(const struct design *design, double slope)
{
    double df = design->control + design->treatment - 2, reach = REACH / sqrt(2 * df);
    double from = fmax(0, 1 - reach), to = 1 + reach, step = design->distance / slope;
    double before = step - STEP_REACH / slope, after = step + STEP_REACH / slope;
    struct sums sums = {0};

    if (design->statistic == STATISTIC_TOST)
        after = step; /* where the power comes down to 0, with a kink */
    before = fmin(fmax(before, from), to);
    after = fmin(fmax(after, from), to);
    add_panel(design, from, before, slope, df, &sums);
    add_panel(design, before, after, slope, df, &sums);
    add_panel(design, after, to, slope, df, &sums);
    return sums.rejected / sums.mass;
}

/* Given control's share of the sums of squares. */
static double power_at_share(const struct design *design, double share)
{
    double n1 = design->control, n2 = design->treatment;
    double control = share / (n1 * (n1 - 1)), treatment = (1 - share) / (n2 * (n2 - 1));
    double both = control + treatment, true_error = 1 / n1 + 1 / n2;
    double c = control / both, t = treatment / both;
    double df = 1 / (c * c / (n1 - 1) + t * t / (n2 - 1));
    double slope = critical_value(design, df) * sqrt((n1 + n2 - 2) * both / true_error);

    return average_over_total(design, slope);
}

/* The share is sin^2 of an angle with density sin^(n1 - 2) cos^(n2 - 2), smooth for all sizes. */
static double average_over_share(const struct design *design)
{
    double n1 = design->control - 2, n2 = design->treatment - 2;
    double mode = n1 + n2 > 0 ? atan2(sqrt(n1), sqrt(n2)) : M_PI / 4;
    double reach = REACH / sqrt(2 * (n1 + n2 + 2));
    double from = fmax(0, mode - reach), to = fmin(M_PI / 2, mode + reach);
    double half = (to - from) / 2, peak = 0, mass = 0, power = 0;

    if (n1 > 0)
        peak += n1 * log(sin(mode));
    if (n2 > 0)
        peak += n2 * log(cos(mode));
    for (int i = 0; i < NODES; i++) {
        double angle = from + half * (1 + design->rule.nodes[i]), sine = sin(angle);
        double log_density = -peak;

        if (n1 > 0)
            log_density += n1 * log(sine);
        if (n2 > 0)
            log_density += n2 * log(cos(angle));
        if (log_density < -40)
            continue;
        log_density = design->rule.weights[i] * exp(log_density);
        mass += log_density;
        power += log_density * power_at_share(design, sine * sine);
    }
    return fmin(power / mass, 1);
}

static double mean_power(enum statistic statistic, double shift, struct arm_sizes arms,
                         double alpha)
{
    struct design design = {.statistic = statistic,
                            .alpha = alpha,
                            .control = (double)arms.control,
                            .treatment = (double)arms.treatment};

    design.distance = fabs(shift) / sqrt(1 / design.control + 1 / design.treatment);
    if (!gauss_legendre(NODES, -1, 1, design.rule.nodes, design.rule.weights))
        return NAN;
    return average_over_share(&design);
}

double welch_power(double shift, struct arm_sizes arms, double alpha)
{
    return mean_power(STATISTIC_WELCH, shift, arms, alpha);
}

double estimated_z_power(double shift, struct arm_sizes arms, double alpha)
{
    return mean_power(STATISTIC_Z, shift, arms, alpha);
}

double equivalence_power(double margin, struct arm_sizes arms, double alpha)
{
    return mean_power(STATISTIC_TOST, margin, arms, alpha);
}
