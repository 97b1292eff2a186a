/* Limits and costs of the analyzers of two arms. */
#include "experiments/analyses/results_limits.h"

#include "stats/fisher_exact.h"
#include "stats/resampling.h"

static const struct results_limit fisher_limit = {"fisher_exact_table_too_large",
                                                  "errors.schemas.fisher_exact_table_too_large",
                                                  FISHER_EXACT_USERS_MAX};
static const struct results_limit unconditional_limit = {
    "unconditional_exact_table_too_large", "errors.schemas.unconditional_exact_table_too_large",
    UNCONDITIONAL_EXACT_USERS_MAX};
static const struct results_limit count_limit = {
    "count_events_too_large", "errors.schemas.count_events_too_large", COUNT_EVENTS_MAX};

static const struct results_limit *limit_unless(const struct results_limit *limit, int64_t size)
{
    return size > limit->maximum ? limit : NULL;
}

static int64_t users_of(const struct binary_observation *observed)
{
    return observed->control_users + observed->treatment_users;
}

const struct results_limit *results_limit_passed(const struct results_request *observed)
{
    switch ((enum analyzer)observed->metric_type) {
    case ANALYZER_FISHER_EXACT:
        return limit_unless(&fisher_limit, users_of(observed->binary));
    case ANALYZER_BOSCHLOO_EXACT:
    case ANALYZER_BARNARD_EXACT:
        return limit_unless(&unconditional_limit, users_of(observed->binary));
    case ANALYZER_COUNT:
        return limit_unless(&count_limit,
                            observed->count->control_events + observed->count->treatment_events);
    default:
        return NULL;
    }
}

/* work / share, rounded up, but at least the least */
static int64_t units(int64_t least, int64_t work, int64_t share)
{
    int64_t cost = (work + share - 1) / share;

    return cost > least ? cost : least;
}

static int64_t fisher_cost(const struct binary_observation *observed)
{
    int64_t smaller = observed->control_users < observed->treatment_users
                          ? observed->control_users
                          : observed->treatment_users;

    return units(2, smaller, 25) + fisher_exact_tables(observed) / 2000;
}

int64_t results_cost_units(const struct results_request *observed)
{
    const struct binary_observation *binary = observed->binary;
    const struct count_observation *count = observed->count;
    int64_t n = observed->ranked ? (int64_t)observed->ranked->control_values.count : 0;
    int64_t m = observed->ranked ? (int64_t)observed->ranked->treatment_values.count : 0;

    if (results_limit_passed(observed))
        return 1;
    switch ((enum analyzer)observed->metric_type) {
    case ANALYZER_MANN_WHITNEY:
        return units(3, n * m, 50000);
    case ANALYZER_BOOTSTRAP:
        return units(10, RESAMPLES * (n + m), 100000);
    case ANALYZER_QUANTILE:
        return units(12, RESAMPLES * (n + m), 80000);
    case ANALYZER_TRIMMED_T:
        return units(2, n + m, 200);
    case ANALYZER_FISHER_EXACT:
        return fisher_cost(binary);
    case ANALYZER_BOSCHLOO_EXACT:
    case ANALYZER_BARNARD_EXACT:
        return units(12, (binary->control_users + 1) * (binary->treatment_users + 1), 50);
    case ANALYZER_COUNT:
        return 1 + units(0, count->control_events + count->treatment_events, 50000);
    default:
        return 1;
    }
}
