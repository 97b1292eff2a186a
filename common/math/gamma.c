/* The gamma distribution; the choice of method is in gamma_tails(). */
#include "math/gamma.h"

#include "math/normal.h"
#include "math/special.h"
#include "math/tails.h"

#include <math.h>

/* From this value on the quadrature is faster and more accurate than series and continued
 * fraction. */
static const double LARGE_SHAPE = 50;

enum { TERMS_MAX = 10000 };

struct log_point {
    double x, shape;
};

/* x^a e^-x / Gamma(a): a times the Poisson mass of a real count a. */
static double gamma_rate(double x, double shape)
{
    return shape * exp(log_poisson_mass(shape, x, x - shape));
}

/* The integrand at x e^v over the one at x, both on the log scale. */
static double log_ratio(double v, const void *context)
{
    const struct log_point *point = context;

    return (point->shape - point->x) * v - point->x * expm1_minus(v);
}

/* The tail away from the mean, per unit of rate. */
static double large_shape_tail(double x, double shape)
{
    struct log_point point = {.x = x, .shape = shape};
    double linear = fabs(x - shape);
    double reach = 80 / (linear + sqrt(linear * linear + 80 * x));

    return tails_integrate(log_ratio, &point, x < shape ? -reach : reach);
}

/* P per unit of rate (DLMF 8.11.4). */
static double lower_series(double x, double shape)
{
    double term = 1 / shape, total = term;

    for (int n = 1; n < TERMS_MAX && term > 1e-17 * total; n++) {
        term *= x / (shape + n);
        total += term;
    }
    return total;
}

/* Q per unit of rate, by Legendre's continued fraction (DLMF 8.9.2, contracted) in the form of
 * Lentz (1976). */
static double upper_fraction(double x, double shape)
{
    double b = x + 1 - shape, fraction = b, c = b, d = 0;

    for (int n = 1; n < TERMS_MAX; n++) {
        double a = n * (shape - n);

        b += 2;
        d = 1 / (b + a * d);
        c = b + a / c;
        fraction *= c * d;
        if (!(fabs(c * d - 1) > 1e-16))
            break;
    }
    return 1 / fraction;
}

/* For shape <= 1 and x <= 1 both tails follow from T = x^a / Gamma(a + 1) and
 * S = sum (-x)^n / (n! (a + n)): P = T (1 + a S), and Q = (1 - T) - T a S without the cancellation
 * of 1 - P. */
static void small_tails(double x, double shape, struct tails *tails)
{
    double log_leading = shape * log(x) - log_gamma_ratio(1, shape);
    double leading = exp(log_leading), power = 1, series = 0;

    for (int n = 1; n < 40 && power != 0; n++) {
        power *= -x / n;
        series += power / (shape + n);
    }
    tails->lower = leading * (1 + shape * series);
    tails->upper = -expm1(log_leading) - leading * shape * series;
}

/* The tail on x's own side of the mean, per unit of rate. */
static double near_tail(double x, double shape)
{
    if (shape > LARGE_SHAPE)
        return large_shape_tail(x, shape);
    return x < shape ? lower_series(x, shape) : upper_fraction(x, shape);
}

struct tails gamma_tails(double x, double shape)
{
    struct tails tails = {.rate = gamma_rate(x, shape), .slope = shape - x};

    if (shape <= 1 && x <= 1) {
        small_tails(x, shape, &tails);
        return tails;
    }

    double near = tails.rate > 0 ? tails.rate * near_tail(x, shape) : 0;

    tails.lower = x < shape ? near : 1 - near;
    tails.upper = x < shape ? 1 - near : near;
    return tails;
}

double gamma_small_shape_start(double upper, double shape)
{
    double far = -log(upper) - log_gamma(shape);

    if (far > 2)
        return log(far - (1 - shape) * log(far));
    return (log1p(-upper) + log_gamma_ratio(1, shape)) / shape;
}

static struct tails tails_at(double w, const void *context)
{
    return gamma_tails(exp(w), *(const double *)context);
}

/* Wilson and Hilferty (1931), but never below the bound x^a / Gamma(a + 1) > P. */
static double start_of_search(double lower, double upper, double shape)
{
    double bound = (log(lower) + log_gamma_ratio(1, shape)) / shape;

    if (shape <= 1)
        return lower <= upper ? bound : gamma_small_shape_start(upper, shape);

    double z = lower <= upper ? normal_quantile(lower) : normal_upper_quantile(upper);
    double cube_root = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));
    double guess = cube_root > 0.01 ? log(shape) + 3 * log(cube_root) : bound;

    return lower <= upper ? fmax(guess, bound) : guess;
}

static double quantile(double lower, double upper, double shape)
{
    if (!is_probability(lower) || !is_probability(upper) || !(shape > 0) || isinf(shape))
        return NAN;
    if (lower == 0)
        return 0;
    if (upper == 0)
        return INFINITY;
    return exp(tails_solve(tails_at, &shape, start_of_search(lower, upper, shape), lower, upper));
}

static struct tails checked_tails(double x, double shape)
{
    if (isnan(x) || !(shape > 0) || isinf(shape))
        return (struct tails){.lower = NAN, .upper = NAN, .rate = NAN};
    if (x <= 0)
        return (struct tails){.lower = 0, .upper = 1, .rate = 0};
    if (isinf(x))
        return (struct tails){.lower = 1, .upper = 0, .rate = 0};
    return gamma_tails(x, shape);
}

double gamma_density(double x, double shape)
{
    if (x == 0 && shape > 0)
        return shape < 1 ? INFINITY : shape > 1 ? 0 : 1;

    struct tails tails = checked_tails(x, shape);

    return tails.rate == 0 ? 0 : tails.rate / x;
}

double gamma_cdf(double x, double shape)
{
    return checked_tails(x, shape).lower;
}

double gamma_survival(double x, double shape)
{
    return checked_tails(x, shape).upper;
}

double gamma_quantile(double p, double shape)
{
    return quantile(p, 1 - p, shape);
}

double gamma_upper_quantile(double q, double shape)
{
    return quantile(1 - q, q, shape);
}
