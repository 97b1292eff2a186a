/* Forecasts when the planned sample is complete. Subjects come as a Poisson process: the pace so
 * far is uncertain, and so is what is to come. The ratio of the two waiting times follows F (Cox
 * 1953). The observed period begins and ends with an arrival: it has one gap less than subjects. */
#include "experiments/live_results/live_results_internal.h"

#include "math/beta.h"

#include <math.h>

enum { PEOPLE_LEAST_FOR_PACE = 10 };

static const double day = 86400e6; /* microseconds */
static const double hour_share = 1.0 / 24;
static const double tail = 0.025;

/* The time for `left` more subjects in units of the time that `seen` took: the quantile of a beta
 * prime distribution, which is that of F(2 left, 2 seen) but for a factor. */
static double waiting(double left, double seen, bool upper)
{
    double share = upper ? beta_upper_quantile(tail, left, seen) : beta_quantile(tail, left, seen);

    return share / (1 - share);
}

void live_results_forecast(const struct live_results *results, struct live_stats *stats)
{
    struct live_forecast *block = ARENA_NEW(results->call->arena, struct live_forecast);
    const struct live_experiment *experiment = &results->view->experiment;
    struct optional_integer planned = stats->sequential->planned_sample_size_per_variant;
    int64_t people = stats->exposures_total, needed = planned.value * (int64_t)results->arms;
    double days, gaps = (double)(people - 1), left = (double)(needed - people);

    *block = (struct live_forecast){.status = "insufficient_data"};
    stats->forecast = block;
    if (!planned.given)
        return;
    block->people_needed = GIVEN_INTEGER(needed);
    block->people_left = GIVEN_INTEGER(needed > people ? needed - people : 0);
    if (needed <= people) {
        block->status = "complete";
        return;
    }
    if (!experiment->first_exposed_at.given || people < PEOPLE_LEAST_FOR_PACE)
        return;
    days = (double)(experiment->last_exposed_at.value - experiment->first_exposed_at.value) / day;
    if (days < hour_share)
        return;
    block->status = "running";
    block->days_observed = GIVEN_NUMBER(days);
    block->people_per_day = GIVEN_NUMBER(gaps / days);
    block->days_left = GIVEN_NUMBER(left * days / gaps);
    block->days_left_lower = GIVEN_NUMBER(days * waiting(left, gaps, false));
    block->days_left_upper = GIVEN_NUMBER(days * waiting(left, gaps, true));
}
