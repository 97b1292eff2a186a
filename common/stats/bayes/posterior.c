/* Each kind is a standard distribution of common/math, moved and scaled. */
#include "stats/bayes/posterior.h"

#include "math/beta.h"
#include "math/gamma.h"
#include "math/student.h"

#include <math.h>

struct posterior posterior_of_rate(const struct rate_prior *prior, double successes,
                                   double failures)
{
    return (struct posterior){POSTERIOR_BETA, prior->a + successes, prior->b + failures, 0};
}

struct posterior posterior_of_count(const struct rate_prior *prior, double events, double exposure)
{
    return (struct posterior){POSTERIOR_GAMMA, prior->a + events, prior->b + exposure, 0};
}

struct posterior posterior_of_mean(const struct mean_prior *prior, double n, double mean,
                                   double deviation)
{
    /* The flat prior is p(mean, variance) ~ 1 / variance: n - 1 degrees of freedom. */
    double total = prior->n + n, gap = mean - prior->mean;
    double degrees = prior->n > 0 ? prior->degrees + n : prior->degrees + n - 1;
    double squares = prior->degrees * prior->deviation * prior->deviation +
                     (n - 1) * deviation * deviation + gap * gap * (prior->n / total * n);

    return (struct posterior){POSTERIOR_STUDENT, prior->mean + gap * (n / total),
                              sqrt(squares / degrees / total), degrees};
}

bool posterior_is_proper(const struct posterior *posterior)
{
    bool scales = posterior->b > 0 && isfinite(posterior->b) && isfinite(posterior->a);

    if (posterior->kind == POSTERIOR_STUDENT)
        return scales && posterior->c > 0 && isfinite(posterior->c);
    return scales && posterior->a > 0;
}

double posterior_mean(const struct posterior *posterior)
{
    switch (posterior->kind) {
    case POSTERIOR_BETA:
        return posterior->a / (posterior->a + posterior->b);
    case POSTERIOR_GAMMA:
        return posterior->a / posterior->b;
    default:
        return posterior->c > 1 ? posterior->a : NAN;
    }
}

static double standard(const struct posterior *posterior, double x)
{
    return (x - posterior->a) / posterior->b;
}

double posterior_density(const struct posterior *posterior, double x)
{
    switch (posterior->kind) {
    case POSTERIOR_BETA:
        return beta_density(x, posterior->a, posterior->b);
    case POSTERIOR_GAMMA:
        return posterior->b * gamma_density(x * posterior->b, posterior->a);
    default:
        return student_density(standard(posterior, x), posterior->c) / posterior->b;
    }
}

double posterior_below(const struct posterior *posterior, double x)
{
    switch (posterior->kind) {
    case POSTERIOR_BETA:
        return beta_cdf(x, posterior->a, posterior->b);
    case POSTERIOR_GAMMA:
        return gamma_cdf(x * posterior->b, posterior->a);
    default:
        return student_cdf(standard(posterior, x), posterior->c);
    }
}

double posterior_above(const struct posterior *posterior, double x)
{
    switch (posterior->kind) {
    case POSTERIOR_BETA:
        return beta_survival(x, posterior->a, posterior->b);
    case POSTERIOR_GAMMA:
        return gamma_survival(x * posterior->b, posterior->a);
    default:
        return student_survival(standard(posterior, x), posterior->c);
    }
}

double posterior_quantile(const struct posterior *posterior, double p)
{
    switch (posterior->kind) {
    case POSTERIOR_BETA:
        return beta_quantile(p, posterior->a, posterior->b);
    case POSTERIOR_GAMMA:
        return gamma_quantile(p, posterior->a) / posterior->b;
    default:
        return posterior->a + posterior->b * student_quantile(p, posterior->c);
    }
}

double posterior_upper_quantile(const struct posterior *posterior, double q)
{
    switch (posterior->kind) {
    case POSTERIOR_BETA:
        return beta_upper_quantile(q, posterior->a, posterior->b);
    case POSTERIOR_GAMMA:
        return gamma_upper_quantile(q, posterior->a) / posterior->b;
    default:
        return posterior->a + posterior->b * student_upper_quantile(q, posterior->c);
    }
}
