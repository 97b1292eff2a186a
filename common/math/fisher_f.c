/* Fisher's F distribution: the beta distribution of df1 f / (df1 f + df2). */
#include "math/fisher_f.h"

#include "math/tails.h"

#include <math.h>
#include <stdbool.h>

static bool are_parameters(double df1, double df2)
{
    return df1 > 0 && df2 > 0 && isfinite(df1) && isfinite(df2);
}

static struct tails checked_tails(double f, double df1, double df2)
{
    if (isnan(f) || !are_parameters(df1, df2))
        return (struct tails){.lower = NAN, .upper = NAN, .rate = NAN};

    double ratio = df1 / df2 * f, x = ratio / (1 + ratio), y = 1 / (1 + ratio);

    if (!(ratio > 0))
        return (struct tails){.lower = 0, .upper = 1, .rate = 0};
    if (isinf(ratio))
        return (struct tails){.lower = 1, .upper = 0, .rate = 0};

    struct beta_point point = {
        .a = df1 / 2, .b = df2 / 2, .x = x, .y = y, .lambda = df1 / 2 * y * (1 - f)};

    return beta_tails(&point);
}

static double quantile(double lower, double upper, double df1, double df2)
{
    if (!is_probability(lower) || !is_probability(upper) || !are_parameters(df1, df2))
        return NAN;
    return df2 / df1 * exp(beta_logit_quantile(lower, upper, df1 / 2, df2 / 2));
}

double fisher_f_density(double f, double df1, double df2)
{
    if (f == 0 && are_parameters(df1, df2))
        return df1 < 2 ? INFINITY : df1 > 2 ? 0 : 1;

    double rate = checked_tails(f, df1, df2).rate;

    return rate == 0 ? 0 : rate / f;
}

double fisher_f_cdf(double f, double df1, double df2)
{
    return checked_tails(f, df1, df2).lower;
}

double fisher_f_survival(double f, double df1, double df2)
{
    return checked_tails(f, df1, df2).upper;
}

double fisher_f_quantile(double p, double df1, double df2)
{
    return quantile(p, 1 - p, df1, df2);
}

double fisher_f_upper_quantile(double q, double df1, double df2)
{
    return quantile(1 - q, q, df1, df2);
}
