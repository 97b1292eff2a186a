/*
 * Special functions that the distributions use. All are built from four that are free of
 * cancellation: log1p_minus, expm1_minus, stirling_error and log_gamma_ratio.
 */
#include "math/special.h"

#include <math.h>

#define HALF_LOG_TWO_PI 0.918938533204672741780

enum { LOG_FACTORIAL_COUNT = 128 };

static const double log_factorials[LOG_FACTORIAL_COUNT] = {
    0,
    0,
    0.693147180559945309,
    1.79175946922805500,
    3.17805383034794562,
    4.78749174278204599,
    6.57925121201010100,
    8.52516136106541430,
    10.6046029027452502,
    12.8018274800814696,
    15.1044125730755153,
    17.5023078458738858,
    19.9872144956618861,
    22.5521638531234229,
    25.1912211827386815,
    27.8992713838408916,
    30.6718601060806728,
    33.5050734501368889,
    36.3954452080330536,
    39.3398841871994940,
    42.3356164607534850,
    45.3801388984769080,
    48.4711813518352239,
    51.6066755677643736,
    54.7847293981123192,
    58.0036052229805199,
    61.2617017610020020,
    64.5575386270063311,
    67.8897431371815350,
    71.2570389671680090,
    74.6582363488301644,
    78.0922235533153106,
    81.5579594561150372,
    85.0544670175815174,
    88.5808275421976788,
    92.1361756036870925,
    95.7196945421432025,
    99.3306124547874269,
    102.968198614513813,
    106.631760260643459,
    110.320639714757395,
    114.034211781461703,
    117.771881399745072,
    121.533081515438634,
    125.317271149356895,
    129.123933639127215,
    132.952575035616310,
    136.802722637326368,
    140.673923648234259,
    144.565743946344886,
    148.477766951773032,
    152.409592584497358,
    156.360836303078785,
    160.331128216630907,
    164.320112263195181,
    168.327445448427652,
    172.352797139162802,
    176.395848406997352,
    180.456291417543771,
    184.533828861449491,
    188.628173423671591,
    192.739047287844902,
    196.866181672889994,
    201.009316399281527,
    205.168199482641199,
    209.342586752536836,
    213.532241494563261,
    217.736934113954227,
    221.956441819130334,
    226.190548323727593,
    230.439043565776952,
    234.701723442818268,
    238.978389561834323,
    243.268849002982714,
    247.572914096186884,
    251.890402209723194,
    256.221135550009525,
    260.564940971863209,
    264.921649798552801,
    269.291097651019823,
    273.673124285693704,
    278.067573440366143,
    282.474292687630396,
    286.893133295426994,
    291.323950094270308,
    295.766601350760624,
    300.220948647014132,
    304.686856765668715,
    309.164193580146922,
    313.652829949879062,
    318.152639620209327,
    322.663499126726177,
    327.185287703775217,
    331.717887196928473,
    336.261181979198477,
    340.815058870799018,
    345.379407062266854,
    349.954118040770237,
    354.539085519440809,
    359.134205369575399,
    363.739375555563490,
    368.354496072404750,
    372.979468885689021,
    377.614197873918656,
    382.258588773060029,
    386.912549123217552,
    391.575988217329620,
    396.248817051791526,
    400.930948278915745,
    405.622296161144889,
    410.322776526937305,
    415.032306728249640,
    419.750805599544734,
    424.478193418257075,
    429.214391866651570,
    433.959323995014820,
    438.712914186121185,
    443.475088120918941,
    448.245772745384606,
    453.024896238496135,
    457.812387981278181,
    462.608178526874922,
    467.412199571608179,
    472.224383926980596,
    477.044665492585633,
    481.872979229887934,
    486.709261136839412,
    491.553448223298003,
};

double log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

/* Adds as many terms after the first ten as the largest z needs. */
double atanh_series(double z)
{
    double start = atanh_series_small((pair){z, z})[0], z2 = z * z, z4 = z2 * z2, z8 = z4 * z4;

    if (z <= ATANH_SMALL)
        return start;
    return start + z8 * (z2 * (1.0 / 23 + z * (1.0 / 25)) +
                         z4 * ((1.0 / 27 + z * (1.0 / 29)) + z2 * (1.0 / 31 + z * (1.0 / 33))) +
                         z8 * (1.0 / 35 + z * (1.0 / 37)));
}

/* With r = x / (2 + x): ln(1 + x) = 2 atanh(r), whose first term 2r = x - x r contains the x. */
double log1p_minus(double x)
{
    if (!(x >= -0.5 && x <= 1))
        return log1p(x) - x;

    double r = x / (2 + x), z = r * r;

    return r * (2 * z * atanh_series(z) - x);
}

double expm1_minus(double x)
{
    if (fabs(x) > 0.75)
        return expm1(x) - x;

    double term = x * x / 2, series = term;

    for (int k = 3; fabs(term) > 1e-17 * series; k++) {
        term *= x / k;
        series += term;
    }
    return series;
}

/* stirling_error(x) - stirling_error(x + 1) = (x + 1/2) ln(1 + 1/x) - 1. */
static double stirling_step(double x)
{
    if (x < 1)
        return (x + 0.5) * (log1p(x) - log(x)) - 1;

    double r = 1 / (2 * x + 1);

    return r * r * atanh_series(r * r);
}

/* The asymptotic series of the error in 1/x, 1/x^3, ... (DLMF 5.11.1). From 10 on its eighth term
 * is below 1e-17. */
static const double stirling_series[] = {
    1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
    1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400,
};

enum { STIRLING_TERMS = sizeof stirling_series / sizeof stirling_series[0] };

/* At 1/2, 1, 3/2, ... below 10, where the series would take up to ten steps. */
static const double stirling_halves[] = {
    0.153426409720027345,  0.0810614667953272582,  0.0548141210519176539,  0.0413406959554092941,
    0.0331628735199362875, 0.0276779256849983391,  0.023746163656297496,   0.0207906721037650931,
    0.0184884505326731852, 0.0166446911898211922,  0.0151349732219173789,  0.013876128823070748,
    0.0128104652429202269, 0.0118967099458917701,  0.0111045597582069173,  0.0104112652619720965,
    0.0097994161261588033, 0.00925546218271273292, 0.00876870013413938546,
};

double stirling_error(double x)
{
    if (!(x > 0))
        return NAN;
    if (x < 10 && 2 * x == floor(2 * x))
        return stirling_halves[(int)(2 * x) - 1];

    double steps = 0;

    for (; x < 10; x += 1)
        steps += stirling_step(x);

    double inverse_square = 1 / x / x, error = 0;

    for (int i = STIRLING_TERMS - 1; i >= 0; i--)
        error = error * inverse_square + stirling_series[i];
    return steps + error / x;
}

/* stirling_error(x + delta) - stirling_error(x) for x >= 10, term by term. */
static double stirling_change(double x, double delta)
{
    double log_growth = log1p(delta / x), power = 1 / x, change = 0;

    for (int i = 0; i < STIRLING_TERMS; i++) {
        change += stirling_series[i] * power * expm1(-(2 * i + 1) * log_growth);
        power /= x * x;
    }
    return change;
}

/* Stirling's formula for both, with the growing parts combined: (x - 1/2) ln(1 + d/x) + d ln(x + d)
 * - d. */
static double large_log_gamma_ratio(double x, double delta)
{
    double grown = (x - 0.5) * log1p_minus(delta / x) - 0.5 * delta / x;

    return grown + delta * log(x + delta) + stirling_change(x, delta);
}

double log_gamma_ratio(double x, double delta)
{
    if (!(x > 0) || !(x + delta > 0))
        return NAN;
    if (fabs(delta) > 0.5 * x && fabs(delta) > 1)
        return log_gamma(x + delta) - log_gamma(x);

    double steps = 0;

    for (; x < 10; x += 1)
        steps += log1p(delta / x);
    return large_log_gamma_ratio(x, delta) - steps;
}

double log_beta(double a, double b)
{
    if (!(a > 0) || !(b > 0))
        return NAN;
    if (a > b) {
        double swap = a;

        a = b;
        b = swap;
    }
    if (b < 10)
        return log_gamma(a) - log_gamma_ratio(b, a);

    double total = a + b;
    double stirling = stirling_error(a) + stirling_error(b) - stirling_error(total);

    return a * log(a / total) + b * log1p(-a / total) + stirling + HALF_LOG_TWO_PI -
           0.5 * (log(a) + log1p(-a / total));
}

double log_factorial(int64_t n)
{
    if (n < 0)
        return NAN;
    return n < LOG_FACTORIAL_COUNT ? log_factorials[n] : log_gamma((double)n + 1);
}

double log_choose(int64_t n, int64_t k)
{
    if (k < 0 || n < k)
        return NAN;
    if (k > n - k)
        k = n - k;
    if (k == 0)
        return 0;

    double total = (double)n, few = (double)k, rest = (double)(n - k);
    double stirling = stirling_error(total) - stirling_error(few) - stirling_error(rest);

    return few * log(total / few) - rest * log1p(-few / total) + stirling - HALF_LOG_TWO_PI -
           0.5 * (log(few) + log1p(-few / total));
}

double log_poisson_mass(double count, double mean, double excess)
{
    if (count == 0)
        return -mean;

    double relative = excess / count;
    double exponent =
        relative < -0.5 ? count * log(mean / count) - excess : count * log1p_minus(relative);

    return exponent - stirling_error(count) - HALF_LOG_TWO_PI - 0.5 * log(count);
}
