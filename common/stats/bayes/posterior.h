/*
 * Conjugate posteriors of one arm (Gelman et al. 2013, "Bayesian data analysis", chapters 2 and 3):
 * a rate under a beta prior, events per unit of exposure under a gamma prior, a mean under a
 * normal-inverse-gamma prior. Values that are log-normal are their logarithms here.
 */
#ifndef ASSAY_STATS_BAYES_POSTERIOR_H
#define ASSAY_STATS_BAYES_POSTERIOR_H

#include <stdbool.h>

enum posterior_kind {
    POSTERIOR_BETA,    /* a, b */
    POSTERIOR_GAMMA,   /* shape a, rate b */
    POSTERIOR_STUDENT, /* location a, scale b, degrees of freedom c */
    POSTERIOR__MAX
};

struct posterior {
    enum posterior_kind kind;
    double a, b, c;
};

/* Priors: a beta and a gamma prior by their two parameters; a normal-inverse-gamma prior as `n`
 * observations that had this mean, and `degrees` that had this standard deviation. All 0 is the
 * flat prior, under which at least two values are needed. */
struct rate_prior {
    double a, b;
};
struct mean_prior {
    double mean, n, deviation, degrees;
};

struct posterior posterior_of_rate(const struct rate_prior *prior, double successes,
                                   double failures);
struct posterior posterior_of_count(const struct rate_prior *prior, double events, double exposure);

/* `deviation` is that of the sample (divided by n - 1). */
struct posterior posterior_of_mean(const struct mean_prior *prior, double n, double mean,
                                   double deviation);

/* Positive finite parameters. */
bool posterior_is_proper(const struct posterior *posterior);

double posterior_mean(const struct posterior *posterior); /* NaN where there is none */
double posterior_density(const struct posterior *posterior, double x);
double posterior_below(const struct posterior *posterior, double x);
double posterior_above(const struct posterior *posterior, double x);
double posterior_quantile(const struct posterior *posterior, double p);
double posterior_upper_quantile(const struct posterior *posterior, double q);

#endif
