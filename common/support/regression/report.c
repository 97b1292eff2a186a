/* The report of a regression run: stats, gate, cases; as JSON and to be read. */
#include "support/regression/report.h"
#include "base/clock.h"
#include "base/number.h"
#include "support/programs/data_files.h"
#include "support/regression/report_internal.h"

#include <string.h>

enum { REASONS_MOST = 8 };

const char *const case_change_names[CHANGE__MAX] = {"neutral", "regression", "new_pass",
                                                    "infrastructure_failure"};

enum case_change case_change_of(const struct case_outcome *item)
{
    bool before = !item->baseline_failures.count, after = !item->candidate_failures.count;

    if (item->baseline_lost || item->candidate_lost)
        return CHANGE_LOST;
    if (before == after)
        return CHANGE_NONE;
    return before ? CHANGE_REGRESSION : CHANGE_NEW_PASS;
}

double share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void add_arm(struct arena *arena, struct arm_stats *arm, const struct execution *execution,
                    size_t failures)
{
    arm->passed += failures == 0;
    arm->refused += *execution->answer && answer_is_refusal(arena, execution->answer);
    arm->cost += execution->cost_usd.given ? execution->cost_usd.value : 0;
    arm->latency += execution->duration_ms.given ? (double)execution->duration_ms.value : 0;
}

static void add_reason(struct run_stats *stats, const char *text)
{
    stats->reasons.items[stats->reasons.count++] = text;
}

static void judge(struct arena *arena, const struct regression_gate *gate, struct run_stats *stats)
{
    double before = share_of((double)stats->baseline.passed, (double)stats->effective),
           after = share_of((double)stats->candidate.passed, (double)stats->effective);

    stats->reasons.items = ARENA_ARRAY(arena, const char *, REASONS_MOST);
    if (stats->total && !stats->effective) {
        add_reason(stats, "no case could be evaluated");
        return;
    }
    if (stats->regressions > gate->most)
        add_reason(stats, arena_print(arena, "max regressions exceeded: %lld > %lld",
                                      (long long)stats->regressions, (long long)gate->most));
    if (after < gate->pass_rate)
        add_reason(stats, arena_print(arena, "candidate pass rate %.2f%% below minimum %.2f%%",
                                      after * 100, gate->pass_rate * 100));
    if (after + 1e-9 < before)
        add_reason(stats, arena_print(arena, "candidate pass rate %.2f%% below baseline %.2f%%",
                                      after * 100, before * 100));
    if (stats->p_value <= gate->alpha)
        add_reason(stats, arena_print(arena, "candidate loses more than chance explains: p = %.2g",
                                      stats->p_value));
    stats->passed = stats->reasons.count == 0;
}

static void sum_up(struct arena *arena, const struct regression_gate *gate,
                   const struct case_outcome *cases, size_t count, struct run_stats *stats)
{
    struct paired_case *pairs = ARENA_ARRAY(arena, struct paired_case, count + 1);
    size_t kept = 0;
    double won;

    *stats = (struct run_stats){.total = (int64_t)count};
    for (size_t i = 0; i < count; i++) {
        enum case_change change = case_change_of(&cases[i]);

        stats->lost += change == CHANGE_LOST;
        stats->regressions += change == CHANGE_REGRESSION;
        stats->new_passes += change == CHANGE_NEW_PASS;
        if (change == CHANGE_LOST)
            continue;
        pairs[kept++] = (struct paired_case){cases[i].severity, !cases[i].baseline_failures.count,
                                             !cases[i].candidate_failures.count};
        add_arm(arena, &stats->baseline, &cases[i].baseline, cases[i].baseline_failures.count);
        add_arm(arena, &stats->candidate, &cases[i].candidate, cases[i].candidate_failures.count);
        stats->quality_delta += cases[i].candidate.quality_score - cases[i].baseline.quality_score;
    }
    stats->effective = (int64_t)kept;
    stats->p_value = paired_p_value(pairs, kept);
    /* Adds half a case to the observed rate, so that an unobserved event does not count as
     * impossible. */
    won = ((double)stats->new_passes + 0.5) / ((double)kept + 1);
    stats->reach = paired_reach(stats->effective, won < 0.4 ? won : 0.4, gate->alpha, gate->power,
                                gate->target);
    stats->sees_target = stats->reach.drop <= gate->target;
    judge(arena, gate, stats);
}

/* A base name that neither file uses yet. */
static const char *free_name(const struct regression_tools *tools,
                             const struct regression_plan *plan, int64_t now)
{
    const char *name = arena_print(tools->arena, "%s/%s-%s-vs-%s", plan->report_folder,
                                   data_file_stamp(tools->arena, now),
                                   data_file_slug(tools->arena, plan->baseline),
                                   data_file_slug(tools->arena, plan->candidate));
    const char *tried = name;

    for (int i = 2;; i++) {
        const char *path = data_file_path(tools->arena, tools->settings, tried);

        if (!data_file_exists(arena_print(tools->arena, "%s.json", path)) &&
            !data_file_exists(arena_print(tools->arena, "%s.md", path)))
            return tried;
        tried = arena_print(tools->arena, "%s-%d", name, i);
    }
}

static enum error put(const struct regression_tools *tools, const char *name, const char *ending,
                      const char *bytes, const char **path)
{
    *path = arena_print(tools->arena, "%s.%s", name, ending);
    return data_file_write(tools->arena, data_file_path(tools->arena, tools->settings, *path),
                           bytes, strlen(bytes), tools->problem);
}

static void fill_result(const struct report *report, struct regression_result *result)
{
    const struct run_stats *stats = report->stats;
    double effective = (double)stats->effective;

    result->aggregate = report_aggregate_json(report);
    result->gate = report_gate_json(report);
    result->pass_rate = number_round(share_of((double)stats->candidate.passed, effective), 4);
    result->baseline_rate = number_round(share_of((double)stats->baseline.passed, effective), 4);
    result->quality_delta = number_round(share_of(stats->quality_delta, effective), 4);
    result->cost_delta = number_round(stats->candidate.cost - stats->baseline.cost, 6);
    result->latency_delta = number_round(share_of(stats->candidate.latency, effective) -
                                             share_of(stats->baseline.latency, effective),
                                         2);
    result->cases = stats->total;
}

enum error report_write(const struct regression_tools *tools, const struct regression_plan *plan,
                        const char *mode, const struct case_outcome *cases, size_t count,
                        struct regression_result *result)
{
    int64_t now = clock_unix_microseconds();
    char created_at[CLOCK_TEXT_MAX];
    struct run_stats stats;
    const struct report report = {tools, plan, &stats, cases, count};
    const char *json, *name;
    enum error error;

    clock_format(now, created_at);
    sum_up(tools->arena, &plan->gate, cases, count, &stats);
    *result =
        (struct regression_result){.exit_code = stats.total && !stats.effective ? 2 : !stats.passed,
                                   .mode = mode,
                                   .created_at = arena_copy_string(tools->arena, created_at)};
    fill_result(&report, result);
    if (!*plan->report_folder)
        return ERROR_NONE;
    json = report_json(&report, result);
    if (!json)
        return problem_set(tools->problem, ERROR_TOO_LARGE, "report_too_large",
                           "the report is too large; take fewer cases");
    name = free_name(tools, plan, now);
    error = put(tools, name, "md", report_markdown(&report, result), &result->report_markdown);
    return error ? error : put(tools, name, "json", json, &result->report_json);
}
