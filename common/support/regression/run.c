/* Runs the cases and applies the gate. */
#include "support/regression/run.h"
#include "base/clock.h"
#include "base/number.h"
#include "support/regression/draw.h"
#include "support/regression/report.h"
#include "support/regression/target.h"

#include <stdlib.h>
#include <string.h>

enum { SEVERITY_DEFAULT = 1 };

#define GATE_ALPHA 0.05
#define GATE_POWER 0.8

void regression_plan_start(struct regression_plan *plan, const struct support_settings *settings)
{
    *plan =
        (struct regression_plan){.baseline = "current",
                                 .candidate = "current",
                                 .seed = 42,
                                 .calls = settings->benchmark_calls,
                                 .gate = {settings->regression_most, settings->regression_pass_rate,
                                          GATE_ALPHA, GATE_POWER, settings->regression_drop},
                                 .report_folder = "reports/regression"};
}

static int severity_of(const struct curated_case *item)
{
    for (size_t i = 0; i < item->tags.count; i++) {
        int64_t value;

        if (strncmp(item->tags.items[i], "severity:", 9) == 0 &&
            integer_parse(item->tags.items[i] + 9, &value) && value >= 1 &&
            value <= PAIRED_SEVERITY_MAX)
            return (int)value;
    }
    return SEVERITY_DEFAULT;
}

static enum error run_case(const struct regression_tools *tools, const struct target *baseline,
                           const struct target *candidate, const struct curated_case *item,
                           struct case_outcome *outcome)
{
    enum error error = target_answer(tools, baseline, item, &outcome->baseline);

    outcome->item = item;
    outcome->severity = severity_of(item);
    if (!error)
        error = target_answer(tools, candidate, item, &outcome->candidate);
    if (error)
        return error;
    outcome->baseline_lost = execution_is_infrastructure(tools->arena, &outcome->baseline);
    outcome->candidate_lost = execution_is_infrastructure(tools->arena, &outcome->candidate);
    outcome->baseline_failures =
        expectations_failed(tools->arena, &item->expected, &outcome->baseline);
    outcome->candidate_failures =
        expectations_failed(tools->arena, &item->expected, &outcome->candidate);
    return ERROR_NONE;
}

static int compare_cases(const void *a, const void *b)
{
    return strcmp(((const struct curated_case *)a)->case_id,
                  ((const struct curated_case *)b)->case_id);
}

static struct curated_set sample(struct arena *arena, const struct curated_set *set,
                                 const struct regression_plan *plan)
{
    struct curated_set part = {NULL, (size_t)plan->max_cases};
    const int64_t *drawn;

    if (plan->max_cases <= 0 || set->count <= (size_t)plan->max_cases)
        return *set;
    drawn = draw_sample(arena, (int64_t)set->count, plan->max_cases, plan->seed);
    part.cases = ARENA_ARRAY(arena, struct curated_case, part.count + 1);
    for (size_t i = 0; i < part.count; i++)
        part.cases[i] = set->cases[drawn[i]];
    qsort(part.cases, part.count, sizeof *part.cases, compare_cases);
    return part;
}

static const char *mode_of(const struct regression_plan *plan, bool providers)
{
    if (providers)
        return plan->calls ? "live-provider-benchmark" : "mock-provider-benchmark";
    return plan->simulated ? "mock-experiment-regression" : "experiment-regression";
}

/* A provider that answered no case was not compared, whatever the other results are. */
static void lose_silent(struct case_outcome *outcomes, size_t count)
{
    bool baseline = true, candidate = true;

    for (size_t i = 0; i < count; i++) {
        baseline &= outcomes[i].baseline.silent;
        candidate &= outcomes[i].candidate.silent;
    }
    for (size_t i = 0; i < count; i++) {
        outcomes[i].baseline_lost |= baseline;
        outcomes[i].candidate_lost |= candidate;
    }
}

static enum error run_cases(const struct regression_tools *tools,
                            const struct regression_plan *plan, const struct curated_set *set,
                            const char **mode, struct case_outcome *outcomes)
{
    struct target *baseline = ARENA_NEW(tools->arena, struct target),
                  *candidate = ARENA_NEW(tools->arena, struct target);
    enum error error = target_resolve(tools, plan, plan->baseline, baseline);

    if (!error)
        error = target_resolve(tools, plan, plan->candidate, candidate);
    if (!error)
        *mode = mode_of(plan, baseline->is_provider || candidate->is_provider);
    for (size_t i = 0; i < set->count && !error; i++) {
        error = run_case(tools, baseline, candidate, &set->cases[i], &outcomes[i]);
        if (!error && tools->on_case)
            error =
                tools->on_case(tools->context, (int64_t)i + 1, (int64_t)set->count, tools->problem);
    }
    if (!error)
        lose_silent(outcomes, set->count);
    return error;
}

enum error regression_run(const struct regression_tools *tools, const struct regression_plan *plan,
                          struct regression_result *result)
{
    int64_t started = clock_monotonic_microseconds();
    struct curated_set all, set;
    struct case_outcome *outcomes;
    const char *mode = NULL;
    enum error error = curated_read(tools->arena, plan->dataset, &all, tools->problem);

    if (error)
        return error;
    all = curated_of(tools->arena, &all, plan->tenant);
    set = sample(tools->arena, &all, plan);
    outcomes = ARENA_ARRAY(tools->arena, struct case_outcome, set.count + 1);
    error = run_cases(tools, plan, &set, &mode, outcomes);
    if (!error)
        error = report_write(tools, plan, mode, outcomes, set.count, result);
    result->seconds = (double)(clock_monotonic_microseconds() - started) / 1e6;
    return error;
}
