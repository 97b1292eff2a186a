/* Student's t distribution: the beta distribution of t^2 / (df + t^2). */
#include "math/student.h"

#include "math/normal.h"
#include "math/special.h"
#include "math/tails.h"

#include <math.h>
#include <stdbool.h>

/* From this value on the distribution is treated as normal. */
static const double NORMAL_FROM = 1e6;

/* Beyond this the tail falls as t^-df to the last bit, and squares would soon overflow. */
static const double FAR = 1e100;

/* P(|T| <= t) and P(|T| > t) for t > 0. */
static struct tails two_sided(double t, double df)
{
    double far = t > FAR ? t / FAR : 1, square = (t / far) * (t / far);
    double share = df / (df + square);
    struct beta_point point = {.a = 0.5,
                               .b = df / 2,
                               .x = square / (df + square),
                               .y = share,
                               .lambda = share * (1 - t / far) * (1 + t / far) / 2};

    if (point.x == 0)
        return (struct tails){.lower = 0, .upper = 1};

    struct tails tails = beta_tails(&point);

    tails.upper *= pow(far, -df);
    return tails;
}

double student_survival(double t, double df)
{
    if (isnan(t) || !(df > 0))
        return NAN;
    if (df >= NORMAL_FROM)
        return normal_survival(t);
    if (isinf(t))
        return t > 0 ? 0 : 1;
    if (t == 0)
        return 0.5;

    struct tails tails = two_sided(fabs(t), df);

    if (t > 0)
        return tails.upper / 2;
    return tails.upper < 0.5 ? 1 - tails.upper / 2 : 0.5 + tails.lower / 2;
}

double student_cdf(double t, double df)
{
    return student_survival(-t, df);
}

double student_density(double t, double df)
{
    if (isnan(t) || !(df > 0))
        return NAN;
    if (df >= NORMAL_FROM)
        return normal_density(t);

    double scaled = fabs(t) / sqrt(df);
    double log_kernel = scaled > 1e8 ? 2 * log(scaled) : log1p(scaled * scaled);

    return exp(-0.5 * (df + 1) * log_kernel - log_beta(0.5, df / 2)) / sqrt(df);
}

/* The quantile from that of the normal distribution, as a series in 1 / df: Cornish and Fisher
 * 1938, Abramowitz and Stegun 26.7.5. */
static double series_quantile(double z, double df)
{
    double s = z * z, first = (s + 1) / 4, second = ((5 * s + 16) * s + 3) / 96;
    double third = (((3 * s + 19) * s + 17) * s - 15) / 384;
    double fourth = ((((79 * s + 776) * s + 1482) * s - 1920) * s - 945) / 92160;

    return z * (1 + (first + (second + (third + fourth / df) / df) / df) / df);
}

/* The t with P(T > t) = q for q <= 1/2. Where the terms of the series fall, it gives a better
 * initial value than the one for any beta distribution. */
static double upper_half(double q, double df)
{
    double lower = 1 - 2 * q, upper = 2 * q, z, logit;

    if (q < 1e-8 || q > 0.4 || df < 8) {
        logit = beta_logit_quantile(lower, upper, 0.5, df / 2);
    } else {
        z = series_quantile(normal_upper_quantile(q), df);
        logit = beta_logit_quantile_near(log(z * z / df), lower, upper, 0.5, df / 2);
    }
    return sqrt(df) * exp(logit / 2);
}

double student_upper_quantile(double q, double df)
{
    if (!is_probability(q) || !(df > 0))
        return NAN;
    if (df >= NORMAL_FROM)
        return normal_upper_quantile(q);
    return q <= 0.5 ? upper_half(q, df) : -upper_half(1 - q, df);
}

double student_quantile(double p, double df)
{
    return 0 - student_upper_quantile(p, df); /* the median is 0, not -0 */
}
