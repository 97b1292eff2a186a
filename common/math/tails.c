/* Functions shared by the continuous distributions: see tails.h. */
#include "math/tails.h"

#include "math/normal.h"

#include <math.h>
#include <stddef.h>

/* Half of the 40-point Gauss-Legendre rule on [-1, 1] (the other half mirrors it), from Newton's
 * method on the Legendre polynomial at 40 digits. */
static const struct {
    double node, weight;
} panel[] = {
    {0.0387724175060508219, 0.0775059479784248113}, {0.116084070675255208, 0.0770398181642479656},
    {0.192697580701371100, 0.0761103619006262424},  {0.268152185007253681, 0.0747231690579682642},
    {0.341994090825758473, 0.0728865823958040591},  {0.413779204371605002, 0.0706116473912867797},
    {0.483075801686178713, 0.0679120458152339038},  {0.549467125095128202, 0.0648040134566010381},
    {0.612553889667980238, 0.0613062424929289392},  {0.671956684614179548, 0.0574397690993915514},
    {0.727318255189927103, 0.0532278469839368244},  {0.778305651426519388, 0.0486958076350722321},
    {0.824612230833311663, 0.0438709081856732720},  {0.865959503212259504, 0.0387821679744720176},
    {0.902098806968874297, 0.0334601952825478474},  {0.932812808278676533, 0.0279370069800234011},
    {0.957916819213791656, 0.0222458491941669573},  {0.977259949983774263, 0.0164210583819078887},
    {0.990726238699457006, 0.0104982845311528136},  {0.998237709710559200, 0.00452127709853319126},
};

bool is_probability(double p)
{
    return p >= 0 && p <= 1;
}

double tails_integrate(double (*log_ratio)(double v, const void *context), const void *context,
                       double reach)
{
    for (int i = 0; i < 100 && log_ratio(reach, context) > -39; i++)
        reach *= 1.2;

    double half = reach / 2, total = 0;

    for (size_t i = 0; i < sizeof panel / sizeof panel[0]; i++) {
        double step = half * panel[i].node;
        double pair = exp(log_ratio(half - step, context)) + exp(log_ratio(half + step, context));

        total += panel[i].weight * pair;
    }
    return fabs(half) * total;
}

/* The next point to try after a step has left the bracket. */
static double split(double low, double high, double from)
{
    if (isinf(low))
        return from - fmax(1, fabs(from));
    if (isinf(high))
        return from + fmax(1, fabs(from));
    return low + (high - low) / 2;
}

/* Halley's method on ln(tail): with R = rate / tail its first derivative is R and its second R
 * (slope - R), for the lower tail; the upper tail is the mirror image. The bracket only matters for
 * initial values so far out that the tail underflows. */
double tails_solve(struct tails (*at)(double w, const void *context), const void *context,
                   double start, double lower, double upper)
{
    bool below = lower <= upper;
    double direction = below ? 1 : -1, target = log(below ? lower : upper);
    double low = -INFINITY, high = INFINITY, w = start;

    for (int i = 0; i < 200; i++) {
        struct tails here = at(w, context);
        double tail = below ? here.lower : here.upper;
        double gap = target - log(tail), relative_rate = here.rate / tail;
        double newton = gap / relative_rate;
        double bend = 1 + 0.5 * newton * (direction * here.slope - relative_rate);
        double next = w + direction * newton / fmax(bend, 0.3);

        if ((gap > 0) == below)
            low = w;
        else
            high = w;
        if (!(fabs(gap) >= 1e-6))
            return isfinite(next) ? next : w;
        if (!(next > low && next < high))
            next = split(low, high, w);
        if (next == w)
            return w;
        w = next;
    }
    return w;
}

int64_t tails_search(bool (*reached)(int64_t count, const void *context), const void *context,
                     double guess, int64_t low, int64_t high)
{
    int64_t k = guess <= (double)low ? low : guess >= (double)high ? high : (int64_t)guess;
    int64_t stride = 1;

    if (reached(k, context)) {
        for (high = k; high > low; stride *= 2) {
            int64_t probe = high - low > stride ? high - stride : low;

            if (!reached(probe, context)) {
                low = probe + 1;
                break;
            }
            high = probe;
        }
    } else {
        for (low = k + 1; low < high; stride *= 2) {
            int64_t probe = high - low > stride ? low + stride : high;

            if (reached(probe, context)) {
                high = probe;
                break;
            }
            low = probe + 1;
        }
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (reached(middle, context))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double tails_count_guess(double mean, double variance, double bend, double probability)
{
    double z = fmax(-40, fmin(40, normal_quantile(probability)));

    return floor(mean + z * sqrt(variance) + bend * (z * z - 1) / 6);
}

double tails_relaxed_lower(double lower)
{
    return lower * (1 - 1e-14);
}

double tails_relaxed_upper(double upper)
{
    return upper * (1 + 1e-14) + 0x1p-54;
}
