/* Two Poisson rates: the conditional test and Wald's interval. */
#include "stats/poisson_rates.h"

#include "math/beta.h"
#include "math/binomial.h"
#include "math/normal.h"
#include "stats/two_sample_internal.h"

#include <math.h>

#define TIE_TOLERANCE 1e-7

/* Events of the arm with the smaller exposure among all events, if the rates are equal. */
struct split {
    int64_t events;
    double share; /* at most 1/2, so that it keeps its precision */
};

/* The last k from `near` on towards `far` with more mass than `limit`; the mass at `near` exceeds
 * it. */
static int64_t last_above(const struct split *split, int64_t near, int64_t far, double limit)
{
    if (binomial_log_pmf(far, split->events, split->share) > limit)
        return far;
    while (near - far > 1 || far - near > 1) {
        int64_t middle = near + (far - near) / 2;

        if (binomial_log_pmf(middle, split->events, split->share) > limit)
            near = middle;
        else
            far = middle;
    }
    return near;
}

static double conditional_p_value(const struct count_observation *observed)
{
    bool control_smaller = observed->control_exposure < observed->treatment_exposure;
    double smaller = control_smaller ? observed->control_exposure : observed->treatment_exposure;
    double larger = control_smaller ? observed->treatment_exposure : observed->control_exposure;
    int64_t seen = control_smaller ? observed->control_events : observed->treatment_events;
    struct split split = {.events = observed->control_events + observed->treatment_events,
                          .share = 1 / (1 + larger / smaller)};
    int64_t mode = (int64_t)((double)(split.events + 1) * split.share), first, last;
    double limit = binomial_log_pmf(seen, split.events, split.share) + log1p(TIE_TOLERANCE);

    if (binomial_log_pmf(mode, split.events, split.share) <= limit)
        return 1;
    first = last_above(&split, mode, 0, limit);
    last = last_above(&split, mode, split.events, limit);
    return probability_value(binomial_cdf(first - 1, split.events, split.share) +
                             binomial_survival(last, split.events, split.share));
}

/* Events over exposure, and the rounding error of the quotient. */
struct rate {
    double value, residue;
    double deviation; /* standard deviation of the rate */
};

static struct rate rate_of(int64_t events, double exposure)
{
    double count = (double)events, value = count / exposure;

    return (struct rate){.value = value,
                         .residue = fma(-value, exposure, count) / exposure,
                         .deviation = sqrt(count) / exposure};
}

/* Divides the exposures by a power of two near the smaller one, so that rates and their squares are
 * in range. */
static void set_rates(const struct count_observation *observed, double critical,
                      struct test_result *result)
{
    double smaller = fmin(observed->control_exposure, observed->treatment_exposure);
    double unit = ldexp(1, ilogb(smaller));
    struct rate control =
        rate_of(observed->control_events, finite_value(observed->control_exposure / unit));
    struct rate treatment =
        rate_of(observed->treatment_events, finite_value(observed->treatment_exposure / unit));
    double difference = treatment.value - control.value + (treatment.residue - control.residue);
    double error = hypot(control.deviation, treatment.deviation);

    result->control_value = finite_value(control.value / unit);
    result->treatment_value = finite_value(treatment.value / unit);
    result->effect = finite_value(difference / unit);
    result->ci_lower = finite_value((difference - critical * error) / unit);
    result->ci_upper = finite_value((difference + critical * error) / unit);
    result->power = two_sample_normal_power(difference / error, critical);
    if (observed->control_events == 0)
        return;
    result->effect_relative_pct = relative_percent(difference, control.value);
    result->effect_size = GIVEN_NUMBER(finite_value(treatment.value / control.value));
    result->statistic = result->effect_size.value;
}

/* Odds of treatment's share; the share and its complement each come from their own quantile. */
static struct optional_number share_odds(double share, double rest, double exposures)
{
    double odds = share / rest * exposures;

    return isfinite(odds) ? GIVEN_NUMBER(odds) : (struct optional_number){0};
}

struct test_interval rate_ratio_interval(const struct count_observation *observed)
{
    double x = (double)observed->treatment_events, y = (double)observed->control_events;
    double tail = observed->alpha / 2;
    double exposures = observed->control_exposure / observed->treatment_exposure;
    struct test_interval interval = {.kind = TEST_INTERVAL_RATE_RATIO, .lower = GIVEN_NUMBER(0)};

    if (x > 0)
        interval.lower = share_odds(beta_quantile(tail, x, y + 1),
                                    beta_upper_quantile(tail, y + 1, x), exposures);
    if (y > 0)
        interval.upper = share_odds(beta_upper_quantile(tail, x + 1, y),
                                    beta_quantile(tail, y, x + 1), exposures);
    return interval;
}

static void set_ratio_interval(const struct count_observation *observed, struct test_result *result)
{
    struct test_interval interval = rate_ratio_interval(observed);

    result->test_interval = interval;
    result->relative_lift.interval =
        observed->control_events == 0 ? RELATIVE_OF_ZERO : RELATIVE_TOO_LARGE;
    if (observed->control_events == 0 || !interval.lower.given || !interval.upper.given)
        return;
    result->relative_lift = (struct relative_lift){
        RELATIVE_CONDITIONAL, 100 * (interval.lower.value - 1), 100 * (interval.upper.value - 1)};
    if (!isfinite(result->relative_lift.upper_pct))
        result->relative_lift = (struct relative_lift){.interval = RELATIVE_TOO_LARGE};
}

void poisson_rates_test(const struct count_observation *observed, struct test_result *result)
{
    double critical = normal_upper_quantile(observed->alpha / 2);

    *result = degenerate_result(observed->alpha);
    result->control_is_zero = observed->control_events == 0;
    if (observed->control_events == 0 && observed->treatment_events == 0)
        return;
    result->degenerate = false;
    result->effect_size_kind = EFFECT_SIZE_RATE_RATIO;
    set_rates(observed, critical, result);
    result->p_value = conditional_p_value(observed);
    result->is_significant = result->p_value < observed->alpha;
    set_ratio_interval(observed, result);
}
