/* The standard normal distribution. */
#include "math/normal.h"

#include <math.h>

#define HALF_LOG_TWO_PI 0.918938533204672741780
#define ROOT_INVERSE_TWO_PI 0.398942280401432677940

/* 1 / sqrt(2) to twice the precision of a double. */
#define ROOT_HALF_HIGH 0.707106781186547524401
#define ROOT_HALF_LOW (-4.833646656726456726e-17)

/* z truncated to six binary places has an exact square, so that the rounding of z^2 / 2 does not
 * grow with the exponential. */
double normal_density(double z)
{
    if (fabs(z) > 1000)
        return 0;

    double cut = trunc(z * 64) / 64;

    return exp(-0.5 * cut * cut) * exp(-0.5 * (z - cut) * (z + cut)) * ROOT_INVERSE_TWO_PI;
}

/* erfc falls by 2 x^2 per relative unit of x, so in the tail the rounding of z / sqrt(2) alone
 * would cost three digits; a correction by the derivative of erfc restores them. */
double normal_survival(double z)
{
    double x = z * ROOT_HALF_HIGH;
    double tail = 0.5 * erfc(x);

    if (!(fabs(x) > 0.5 && fabs(x) < 30))
        return tail;

    double lost = fma(z, ROOT_HALF_HIGH, -x) + z * ROOT_HALF_LOW;

    return tail - lost * M_2_SQRTPI / 2 * exp(-x * x);
}

double normal_cdf(double z)
{
    return normal_survival(-z);
}

/* Beyond the range of doubles this uses the asymptotic series (Abramowitz and Stegun 26.2.12); at z
 * = 37 its fifth term is below 1e-13 of a logarithm of -688. */
double normal_log_survival(double z)
{
    if (z < -1)
        return log1p(-normal_survival(-z));
    if (!(z > 37))
        return log(normal_survival(z));

    double r = 1 / (z * z);
    double series = 1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r)));

    return -0.5 * z * z - log(z) - HALF_LOG_TWO_PI + log(series);
}

double normal_log_cdf(double z)
{
    return normal_log_survival(-z);
}

static double ratio_of_polynomials(const double numerator[8], const double denominator[8], double x)
{
    double top = 0, bottom = 0;

    for (int i = 7; i >= 0; i--) {
        top = top * x + numerator[i];
        bottom = bottom * x + denominator[i];
    }
    return top / bottom;
}

/* The three approximations of AS 241: about p = 1/2, in the tails, and in the far tails. */
static const double centre_top[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                     1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                     4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                     3.3430575583588128105e+4, 2.5090809287301226727e+3};
static const double centre_bottom[8] = {1.0,
                                        4.2313330701600911252e+1,
                                        6.8718700749205790830e+2,
                                        5.3941960214247511077e+3,
                                        2.1213794301586595867e+4,
                                        3.9307895800092710610e+4,
                                        2.8729085735721942674e+4,
                                        5.2264952788528545610e+3};
static const double tail_top[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                   5.76949722146069140550e0,  3.64784832476320460504e0,
                                   1.27045825245236838258e0,  2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
static const double tail_bottom[8] = {1.0,
                                      2.05319162663775882187e0,
                                      1.67638483018380384940e0,
                                      6.89767334985100004550e-1,
                                      1.48103976427480074590e-1,
                                      1.51986665636164571966e-2,
                                      5.47593808499534494600e-4,
                                      1.05075007164441684324e-9};
static const double far_top[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
static const double far_bottom[8] = {1.0,
                                     5.99832206555887937690e-1,
                                     1.36929880922735805310e-1,
                                     1.48753612908506148525e-2,
                                     7.86869131145613259100e-4,
                                     1.84631831751005468180e-5,
                                     1.42151175831644588870e-7,
                                     2.04426310338993978564e-15};

/* For 0 < q <= 1/2: the z with P(Z > z) = q. */
static double upper_half(double q)
{
    double distance = 0.5 - q;

    if (distance <= 0.425)
        return distance *
               ratio_of_polynomials(centre_top, centre_bottom, 0.180625 - distance * distance);

    double r = sqrt(-log(q));

    if (r <= 5)
        return ratio_of_polynomials(tail_top, tail_bottom, r - 1.6);
    return ratio_of_polynomials(far_top, far_bottom, r - 5);
}

double normal_upper_quantile(double q)
{
    if (!(q >= 0 && q <= 1))
        return NAN;
    if (q == 0 || q == 1)
        return q == 0 ? INFINITY : -INFINITY;
    return q <= 0.5 ? upper_half(q) : -upper_half(1 - q);
}

double normal_quantile(double p)
{
    return 0 - normal_upper_quantile(p); /* the median is 0, not -0 */
}
