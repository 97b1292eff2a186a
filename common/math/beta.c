/* The beta distribution; the choice of method is in beta_tails(). */
#include "math/beta.h"

#include "math/normal.h"
#include "math/special.h"
#include "math/tails.h"

#include <math.h>

/* From this value on (both parameters) the quadrature is faster and more accurate than the
 * continued fraction. */
static const double LARGE_PARAMETER = 50;

enum { TERMS_MAX = 10000 };

/* a - (a + b) x, corrected for the rounding of the sum and of the product. */
static double shortfall(double a, double b, double x)
{
    double total = a + b, part = total - a;
    double lost = (a - (total - part)) + (b - part);

    return fma(-total, x, a) - lost * x;
}

struct beta_point beta_point_at(double x, double a, double b)
{
    double y = 1 - x;

    return (struct beta_point){.a = a,
                               .b = b,
                               .x = x,
                               .y = y,
                               .lambda = x <= 0.5 ? shortfall(a, b, x) : -shortfall(b, a, y)};
}

/* The same point with the two ends of the interval exchanged. */
static struct beta_point mirrored(const struct beta_point *point)
{
    return (struct beta_point){
        .a = point->b, .b = point->a, .x = point->y, .y = point->x, .lambda = -point->lambda};
}

/* a (ln(x / x0) + lambda / a), where x0 = a / (a + b); never positive. */
static double half_exponent(double a, double b, double x, double lambda)
{
    if (-lambda / a < -0.5)
        return a * log(x * ((a + b) / a)) + lambda;
    return a * log1p_minus(-lambda / a);
}

/* x^a y^b / B(a, b). */
static double beta_rate(const struct beta_point *p)
{
    double exponent =
        half_exponent(p->a, p->b, p->x, p->lambda) + half_exponent(p->b, p->a, p->y, -p->lambda);
    double stirling = stirling_error(p->a + p->b) - stirling_error(p->a) - stirling_error(p->b);
    double smaller = fmin(p->a, p->b), larger = fmax(p->a, p->b);

    return sqrt(smaller / (2 * M_PI) * (larger / (p->a + p->b))) * exp(exponent + stirling);
}

/* The integrand at logit distance v over the one at the point, for x <= 1/2. */
static double log_ratio(double v, const void *context)
{
    const struct beta_point *point = context;
    double beyond = expm1_minus(v), growth = point->x * (v + beyond);

    return point->lambda * v - (point->a + point->b) * (point->x * beyond + log1p_minus(growth));
}

/* The tail below the point, per unit of rate; the point lies below the mean. */
static double large_parameters_tail(const struct beta_point *point)
{
    double linear = point->lambda, quadratic = (point->a + point->b) * point->x * point->y;
    double reach = 80 / (linear + sqrt(linear * linear + 80 * quadratic));

    if (point->x <= point->y)
        return tails_integrate(log_ratio, point, -reach);

    struct beta_point mirror = mirrored(point);

    return tails_integrate(log_ratio, &mirror, reach);
}

/* The tail below the point, per unit of rate: the fraction of Didonato and Morris 1992 in the form
 * of Lentz (1976). Converges fast below the mean. */
static double lower_fraction(const struct beta_point *p)
{
    double a = p->a, b = p->b, x = p->x;
    double fraction = a * (p->lambda + 1) / (a + 1), c = fraction, d = 0;

    for (int m = 1; m < TERMS_MAX; m++) {
        double middle = a + 2.0 * m - 1, factor = m * (b - m) * x / middle;
        double numerator = (a + m - 1) / middle * (a + b + m - 1) * x * factor;
        double denominator = m + factor + (a + m) / (middle + 2) * (p->lambda + 1 + m * (1 + p->y));

        d = 1 / (denominator + numerator * d);
        c = denominator + numerator / c;
        fraction *= c * d;
        if (!(fabs(c * d - 1) > 1e-16))
            break;
    }
    return 1 / fraction;
}

/* For a <= 1 and b x <= 1 (or b <= 1 and x <= 1/2) both tails follow from T = x^a / (a B(a, b)) and
 * S = sum (1 - b)(2 - b)...(n - b) / n! x^n / (a + n): P = T (1 + a S), and Q = (1 - T) - T a S
 * without the cancellation of 1 - P. */
static void small_tails(const struct beta_point *p, struct tails *tails)
{
    double log_leading = p->a * log(p->x) + log_gamma_ratio(p->b, p->a) - log_gamma_ratio(1, p->a);
    double leading = exp(log_leading), power = 1, series = 0;

    for (int n = 1; n < TERMS_MAX; n++) {
        power *= (n - p->b) * p->x / n;
        series += power / (p->a + n);
        if (!(fabs(power) > 1e-17 * fabs(series)))
            break;
    }
    tails->lower = leading * (1 + p->a * series);
    tails->upper = -expm1(log_leading) - leading * p->a * series;
}

static void tail_below(const struct beta_point *p, struct tails *tails)
{
    bool large = p->a > LARGE_PARAMETER && p->b > LARGE_PARAMETER;
    double share = tails->rate > 0 ? large ? large_parameters_tail(p) : lower_fraction(p) : 0;

    tails->lower = tails->rate * share;
    tails->upper = 1 - tails->lower;
}

/* Whether to exchange the two ends: so that a tail is computed on its own side of the mean, or,
 * with a small parameter, by the series about the end of that parameter. */
static bool to_be_mirrored(const struct beta_point *p)
{
    if (p->a <= 1 && p->b <= 1)
        return p->x > p->y;
    if (p->a <= 1)
        return p->b * p->x > 1 || p->x > 0.7;
    if (p->b <= 1)
        return p->a * p->y <= 1 && p->y <= 0.7;
    return p->lambda < 0;
}

struct tails beta_tails(const struct beta_point *point)
{
    struct tails tails = {.rate = beta_rate(point), .slope = point->lambda};
    bool turned = to_be_mirrored(point);
    struct beta_point seen = turned ? mirrored(point) : *point;

    if (seen.a <= 1)
        small_tails(&seen, &tails);
    else
        tail_below(&seen, &tails);
    if (turned) {
        double swap = tails.lower;

        tails.lower = tails.upper;
        tails.upper = swap;
    }
    return tails;
}

static struct tails tails_at(double w, const void *context)
{
    struct beta_point point = *(const struct beta_point *)context;
    double ratio = exp(-fabs(w)), near = ratio / (1 + ratio), far = 1 / (1 + ratio);

    point.x = w < 0 ? near : far;
    point.y = w < 0 ? far : near;
    point.lambda = w < 0 ? shortfall(point.a, point.b, near) : -shortfall(point.b, point.a, near);
    return beta_tails(&point);
}

/* The logit at which x^a / (a B(a, b)) = p, from the logarithm of p. Exact as p goes to 0; it
 * bounds the quantile from below where b >= 1. */
static double power_law(double log_p, double a, double b)
{
    double log_factor =
        a <= 1 ? log_gamma_ratio(1, a) - log_gamma_ratio(b, a) : log(a) + log_beta(a, b);

    return (log_p + log_factor) / a;
}

/* Whether the power law equals the tail to the last bit: the next term is of the order of b x. */
static bool is_power_law(double logit, double b)
{
    return logit < -40 - log1p(b);
}

/* An initial value for the logit with P(X <= x) = p, p <= 1/2. For a, b > 1 Carter's approximation
 * (1947) to Fisher's z, in the form of Abramowitz and Stegun 26.5.22. */
static double start_of_search(double p, double a, double b)
{
    double bound = power_law(log(p), a, b);

    if (a <= 1)
        return bound;
    if (b <= 1) {
        double y = exp(gamma_small_shape_start(p, b)) / (a + (b - 1) / 2);

        return y < 1 ? fmax(log1p(-y) - log(y), bound) : bound;
    }

    double z = normal_upper_quantile(p), first = 1 / (2 * a - 1), second = 1 / (2 * b - 1);
    double harmonic = 2 / (first + second), curve = (z * z - 3) / 6;
    double half = z * sqrt(harmonic + curve) / harmonic -
                  (second - first) * (curve + 5.0 / 6 - 2 / (3 * harmonic));

    return fmax(log(a / b) - 2 * half, bound);
}

double beta_logit_quantile_near(double start, double lower, double upper, double a, double b)
{
    struct beta_point shape = {.a = a, .b = b};

    return tails_solve(tails_at, &shape, start, lower, upper);
}

double beta_logit_quantile(double lower, double upper, double a, double b)
{
    if (lower == 0 || upper == 0)
        return lower == 0 ? -INFINITY : INFINITY;

    bool below = lower <= upper;
    double low_end = power_law(below ? log(lower) : log1p(-upper), a, b);
    double high_end = -power_law(below ? log1p(-lower) : log(upper), b, a);

    if (is_power_law(low_end, b))
        return low_end;
    if (is_power_law(-high_end, a))
        return high_end;

    return beta_logit_quantile_near(
        below ? start_of_search(lower, a, b) : -start_of_search(upper, b, a), lower, upper, a, b);
}

static bool are_parameters(double a, double b)
{
    return a > 0 && b > 0 && isfinite(a) && isfinite(b);
}

static struct tails checked_tails(double x, double a, double b)
{
    if (isnan(x) || !are_parameters(a, b))
        return (struct tails){.lower = NAN, .upper = NAN, .rate = NAN};
    if (x <= 0)
        return (struct tails){.lower = 0, .upper = 1, .rate = 0};
    if (x >= 1)
        return (struct tails){.lower = 1, .upper = 0, .rate = 0};

    struct beta_point point = beta_point_at(x, a, b);

    return beta_tails(&point);
}

static double quantile(double lower, double upper, double a, double b)
{
    if (!is_probability(lower) || !is_probability(upper) || !are_parameters(a, b))
        return NAN;

    double w = beta_logit_quantile(lower, upper, a, b);

    return w < 0 ? exp(w) / (1 + exp(w)) : 1 / (1 + exp(-w));
}

/* The density at the end where its parameter is `own`. */
static double density_at_end(double own, double other)
{
    return own < 1 ? INFINITY : own > 1 ? 0 : other;
}

double beta_density(double x, double a, double b)
{
    if ((x == 0 || x == 1) && are_parameters(a, b))
        return x == 0 ? density_at_end(a, b) : density_at_end(b, a);

    double rate = checked_tails(x, a, b).rate;

    return rate == 0 ? 0 : rate / x / (1 - x);
}

double beta_cdf(double x, double a, double b)
{
    return checked_tails(x, a, b).lower;
}

double beta_survival(double x, double a, double b)
{
    return checked_tails(x, a, b).upper;
}

double beta_quantile(double p, double a, double b)
{
    return quantile(p, 1 - p, a, b);
}

double beta_upper_quantile(double q, double a, double b)
{
    return quantile(1 - q, q, a, b);
}
