/* The table of analyzers, and what their rows share. */
#include "experiments/analyses/analyzer_internal.h"

#define ANALYZER_ROW(id, name, ...) [ANALYZER_##id] = &name##_analyzer,
const struct analyzer *const analyzers[ANALYZER__MAX] = {ANALYZER_LIST(ANALYZER_ROW)};
#undef ANALYZER_ROW

int64_t analyzer_units(int64_t least, int64_t work, int64_t share)
{
    int64_t cost = (work + share - 1) / share;

    return cost > least ? cost : least;
}

int64_t ranked_values(const struct ranked_observation *observed)
{
    return (int64_t)(observed->control_values.count + observed->treatment_values.count);
}

int64_t ranked_smaller_arm(const struct ranked_observation *observed)
{
    size_t control = observed->control_values.count, treatment = observed->treatment_values.count;

    return (int64_t)(control < treatment ? control : treatment);
}

int64_t binary_users(const struct results_request *observed)
{
    return observed->binary->control_users + observed->binary->treatment_users;
}

const char *small_means(const struct continuous_observation *observed)
{
    return observed->control_n < VALUES_MIN || observed->treatment_n < VALUES_MIN
               ? "results.small_counts.values"
               : NULL;
}

const char *small_resamples(const struct ranked_observation *observed)
{
    return ranked_smaller_arm(observed) < RESAMPLED_MIN ? "results.small_counts.resamples" : NULL;
}

void ranked_finding(const struct ranked_observation *observed, const struct test_result *test,
                    struct results_finding *finding)
{
    finding->test = *test;
    two_sample_settle(&observed->control_values, &observed->treatment_values, &finding->test);
}
