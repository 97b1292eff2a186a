/* Fisher's exact test and the mid-p interval of the odds ratio. */
#include "stats/fisher_exact.h"

#include "math/hypergeometric.h"
#include "math/normal.h"
#include "math/root.h"
#include "stats/two_sample_internal.h"

#include <math.h>

/* Tables whose probability exceeds the observed one by at most this share count as equally
 * likely. */
#define TIE_TOLERANCE 1e-7

#define LOG_ODDS_MAX 700.0 /* e^700 is about the largest double */

/* The control's conversions, given all totals, and their possible range. */
struct margins {
    int64_t users, converted, control_users;
    int64_t least, most;
};

static struct margins margins_of(const struct binary_observation *observed)
{
    int64_t converted = observed->control_conversions + observed->treatment_conversions;
    int64_t control = observed->control_users, treatment = observed->treatment_users;

    return (struct margins){.users = control + treatment,
                            .converted = converted,
                            .control_users = control,
                            .least = converted > treatment ? converted - treatment : 0,
                            .most = converted < control ? converted : control};
}

static double log_mass(const struct margins *margins, int64_t k)
{
    return hypergeometric_log_pmf(k, margins->users, margins->converted, margins->control_users);
}

static int64_t mode_of(const struct margins *margins)
{
    return (int64_t)((__int128)(margins->control_users + 1) * (margins->converted + 1) /
                     (margins->users + 2));
}

/* The last k from `near` on towards `far` with more mass than `limit`; the mass at `near` exceeds
 * it. */
static int64_t last_above(const struct margins *margins, int64_t near, int64_t far, double limit)
{
    if (log_mass(margins, far) > limit)
        return far;
    while (near - far > 1 || far - near > 1) {
        int64_t middle = near + (far - near) / 2;

        if (log_mass(margins, middle) > limit)
            near = middle;
        else
            far = middle;
    }
    return near;
}

double fisher_exact_p_value(const struct binary_observation *observed)
{
    struct margins margins = margins_of(observed);
    int64_t mode = mode_of(&margins), first, last;
    double limit = log_mass(&margins, observed->control_conversions) + log1p(TIE_TOLERANCE);

    if (log_mass(&margins, mode) <= limit)
        return 1;
    first = last_above(&margins, mode, margins.least, limit);
    last = last_above(&margins, mode, margins.most, limit);
    return probability_value(
        hypergeometric_cdf(first - 1, margins.users, margins.converted, margins.control_users) +
        hypergeometric_survival(last, margins.users, margins.converted, margins.control_users));
}

int64_t fisher_exact_tables(const struct binary_observation *observed)
{
    struct margins margins = margins_of(observed);

    return margins.most - margins.least + 1;
}

/* One end of the interval: the tail `above` (or below) the observed count, with half of the
 * observed mass, equals alpha / 2. */
struct tail_problem {
    struct margins margins;
    int64_t observed;
    bool above;
    double
        share; /* share of the observed table's mass in the tail: 1/2 in mid-p, 1 in exact ends */
    double log_target;
};

/* P(A = k + direction) / P(A = k) at odds ratio 1. */
static double step_ratio(const struct margins *margins, int64_t k, int direction)
{
    double drawn = (double)k, left = (double)(margins->converted - k);
    double other = (double)(margins->control_users - k);
    double rest = (double)(margins->users - margins->converted - margins->control_users + k);

    if (direction > 0)
        return left / (drawn + 1) * (other / (rest + 1));
    return drawn / (left + 1) * (rest / (other + 1));
}

/* Beyond this size of a sum the remaining mass is negligible. */
#define SUM_MAX 1e250

/* The mass beyond the observed count divided by the mass at it, given the odds ratio. The terms
 * rise to the mode and then fall at an increasing rate. */
static double relative_tail(const struct tail_problem *tail, int direction, double log_odds)
{
    double odds = exp(direction * log_odds), term = 1, sum = 0;

    for (int64_t k = tail->observed; k >= tail->margins.least && k <= tail->margins.most;
         k += direction) {
        double ratio = odds * step_ratio(&tail->margins, k, direction);

        term *= ratio;
        sum += term;
        if ((ratio < 1 && term < 1e-17 * sum) || term == 0)
            return sum;
        if (sum > SUM_MAX)
            return SUM_MAX;
    }
    return sum;
}

/* Increases with the log odds for the tail above, decreases for the one below. */
static double log_excess(double log_odds, const void *context)
{
    const struct tail_problem *tail = context;
    double above = relative_tail(tail, 1, log_odds), below = relative_tail(tail, -1, log_odds);

    return log(((tail->above ? above : below) + tail->share) / (above + 1 + below)) -
           tail->log_target;
}

/* The root for the tail, from an initial value near the odds ratio itself. */
static double solve_tail(const struct tail_problem *tail, double start)
{
    bool positive = log_excess(start, tail) > 0;
    double step = positive == tail->above ? -1 : 1, near = start, far = start + step;

    while ((log_excess(far, tail) > 0) == positive && fabs(step) < LOG_ODDS_MAX) {
        near = far;
        step *= 2;
        far += step;
    }
    return exp(root_find(log_excess, tail, near, far, 1e-13));
}

static struct odds_ratio_interval find_interval(const struct binary_observation *observed,
                                                double share)
{
    struct tail_problem tail = {.margins = margins_of(observed),
                                .observed = observed->control_conversions,
                                .share = share,
                                .log_target = log(observed->alpha / 2)};
    double a = (double)observed->control_conversions + 0.5;
    double b = (double)(observed->control_users - observed->control_conversions) + 0.5;
    double c = (double)observed->treatment_conversions + 0.5;
    double d = (double)(observed->treatment_users - observed->treatment_conversions) + 0.5;
    double start = log(a / b * (d / c));
    struct odds_ratio_interval interval = {.given = tail.margins.least < tail.margins.most};

    if (!interval.given)
        return interval;
    if (tail.observed > tail.margins.least) {
        tail.above = true; /* odds so low that this many conversions would be rare */
        interval.lower = solve_tail(&tail, start);
    }
    interval.has_upper = tail.observed < tail.margins.most;
    if (interval.has_upper) {
        tail.above = false;
        interval.upper = finite_value(solve_tail(&tail, start));
    }
    return interval;
}

struct odds_ratio_interval odds_ratio_interval(const struct binary_observation *observed)
{
    return find_interval(observed, 0.5);
}

struct test_interval odds_ratio_exact_interval(const struct binary_observation *observed)
{
    struct odds_ratio_interval interval;

    if (fisher_exact_tables(observed) > ODDS_RATIO_INTERVAL_TABLES_MAX)
        return (struct test_interval){0};
    interval = find_interval(observed, 1);
    if (!interval.given)
        return (struct test_interval){0};
    return (struct test_interval){TEST_INTERVAL_ODDS_RATIO, GIVEN_NUMBER(interval.lower),
                                  interval.has_upper ? GIVEN_NUMBER(interval.upper)
                                                     : (struct optional_number){0}};
}

static struct optional_number odds_ratio(const struct binary_observation *observed)
{
    double a = (double)observed->control_conversions, c = (double)observed->treatment_conversions;
    double b = (double)observed->control_users - a, d = (double)observed->treatment_users - c;

    return b * c > 0 ? GIVEN_NUMBER(a / b * (d / c)) : (struct optional_number){0};
}

static void set_odds_ratio(const struct binary_observation *observed, struct test_result *result)
{
    struct odds_ratio_interval interval;

    result->effect_size_kind = EFFECT_SIZE_ODDS_RATIO;
    result->effect_size = odds_ratio(observed);
    result->statistic = result->effect_size.value;
    if (fisher_exact_tables(observed) > ODDS_RATIO_INTERVAL_TABLES_MAX)
        return;
    interval = odds_ratio_interval(observed);
    if (interval.given)
        result->effect_size_lower = GIVEN_NUMBER(interval.lower);
    if (interval.has_upper)
        result->effect_size_upper = GIVEN_NUMBER(interval.upper);
}

void exact_table_result(const struct binary_observation *observed, double p_value,
                        struct test_result *result)
{
    struct proportions rates = make_proportions(observed);
    double critical = normal_upper_quantile(observed->alpha / 2);
    double error = unpooled_standard_error(observed, &rates);

    *result = degenerate_result(observed->alpha);
    result->degenerate = false;
    result->control_rate_pct = GIVEN_NUMBER(100 * rates.control);
    result->treatment_rate_pct = GIVEN_NUMBER(100 * rates.treatment);
    result->effect = 100 * rates.difference;
    newcombe_interval(observed, &rates, critical, &result->ci_lower, &result->ci_upper);
    result->p_value = p_value;
    result->is_significant = p_value < observed->alpha;
    result->power = error > 0 ? two_sample_normal_power(rates.difference / error, critical) : 0;
    set_odds_ratio(observed, result);
    set_relative_rates(observed, &rates, result);
}

void fisher_exact_test(const struct binary_observation *observed, struct test_result *result)
{
    exact_table_result(observed, fisher_exact_p_value(observed), result);
    result->test_interval = odds_ratio_exact_interval(observed);
}
