/* The chi-square distribution: twice a gamma variable of shape df / 2. */
#include "math/chi_square.h"

#include "math/gamma.h"

double chi_square_density(double x, double df)
{
    return gamma_density(x / 2, df / 2) / 2;
}

double chi_square_cdf(double x, double df)
{
    return gamma_cdf(x / 2, df / 2);
}

double chi_square_survival(double x, double df)
{
    return gamma_survival(x / 2, df / 2);
}

double chi_square_quantile(double p, double df)
{
    return 2 * gamma_quantile(p, df / 2);
}

double chi_square_upper_quantile(double q, double df)
{
    return 2 * gamma_upper_quantile(q, df / 2);
}
