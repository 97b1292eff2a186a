/* Cutoffs that guarantee a maximum share of wrong answers. */
#include "support/trends/risk.h"
#include "base/number.h"
#include "math/beta.h"

#include <math.h>

const char *const risk_reason_names[RISK_REASON__MAX] = {"found", "too_few", "not_reached"};
const char *const risk_state_names[RISK_STATE__MAX] = {"holds", "undecided", "broken"};

double risk_upper_bound(int64_t wrong, int64_t all, double confidence)
{
    if (wrong >= all)
        return 1;
    return beta_upper_quantile(1 - confidence, (double)wrong + 1, (double)(all - wrong));
}

double risk_lower_bound(int64_t wrong, int64_t all, double confidence)
{
    if (wrong <= 0)
        return 0;
    return beta_quantile(1 - confidence, (double)wrong, (double)(all - wrong) + 1);
}

int64_t risk_least_answers(double risk, double confidence)
{
    /* (1 - risk)^n <= 1 - confidence, where a difference within rounding counts as reached. */
    return (int64_t)ceil(log1p(-confidence) / log1p(-risk) - 1e-9);
}

/* The highest cutoff at which the value is still sent, on the grid of the setting: never above the
 * value. */
static double cutoff_under(const struct threshold_kind *kind, double value)
{
    double hundredths;

    if (kind->integer)
        return floor(value);
    hundredths = floor(value * 100 + 1e-9);
    return number_round(hundredths / 100, 2);
}

/* The first index of the values that are sent at the cutoff. */
static size_t first_given(const struct threshold_samples *samples, double cutoff, size_t from)
{
    while (from > 0 && samples->values[from - 1] >= cutoff)
        from--;
    return from;
}

/* The smallest number of answers that proves the risk when half of it is observed. */
static int64_t answers_at_half(double risk, double confidence)
{
    int64_t low = 1, high = 1;

    while (risk_upper_bound((int64_t)((double)high * risk / 2), high, confidence) > risk)
        high *= 2;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (risk_upper_bound((int64_t)((double)middle * risk / 2), middle, confidence) > risk)
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

static int64_t first_size(size_t count, double risk, double confidence, int64_t needed)
{
    int64_t size = answers_at_half(risk, confidence);

    size = size < (int64_t)(count / 4) ? size : (int64_t)(count / 4);
    return size > needed ? size : needed;
}

void risk_control(const struct threshold_kind *kind, const struct threshold_samples *samples,
                  double risk, double confidence, struct risk_cut *cut)
{
    size_t count = samples->count, place = count;
    int64_t first;

    *cut =
        (struct risk_cut){.reason = RISK_TOO_FEW, .needed = risk_least_answers(risk, confidence)};
    first = first_size(count, risk, confidence, cut->needed);
    while (place > 0) {
        double cutoff = cutoff_under(kind, samples->values[place - 1]), upper;
        int64_t given, wrong;

        place = first_given(samples, cutoff, place);
        given = (int64_t)(count - place);
        wrong = (int64_t)(samples->bad - samples->bad_below[place]);
        if (given < first)
            continue;
        upper = risk_upper_bound(wrong, given, confidence);
        if (upper > risk) {
            if (cut->reason != RISK_FOUND)
                cut->reason = RISK_NOT_REACHED;
            return;
        }
        cut->reason = RISK_FOUND;
        cut->cutoff = cutoff;
        cut->given = given;
        cut->wrong = wrong;
        cut->observed = (double)wrong / (double)given;
        cut->upper = upper;
        cut->coverage = (double)given / (double)count;
    }
}

bool risk_expected(const struct threshold_kind *kind, const struct threshold_samples *samples,
                   double risk, double *cutoff, double *coverage)
{
    double all = (double)samples->count;
    bool found = false;
    size_t place = samples->count;

    while (place > 0) {
        double cut = cutoff_under(kind, samples->values[place - 1]);

        place = first_given(samples, cut, place);
        /* (n / (n + 1)) * mean loss + 1 / (n + 1) */
        if ((double)(samples->bad - samples->bad_below[place]) + 1 > risk * (all + 1))
            return found;
        found = true;
        *cutoff = cut;
        *coverage = (all - (double)place) / all;
    }
    return found;
}

enum risk_state risk_state_of(int64_t wrong, int64_t given, double risk, double confidence)
{
    if (given == 0)
        return RISK_UNDECIDED;
    if (risk_lower_bound(wrong, given, confidence) > risk)
        return RISK_BROKEN;
    return risk_upper_bound(wrong, given, confidence) <= risk ? RISK_HOLDS : RISK_UNDECIDED;
}
