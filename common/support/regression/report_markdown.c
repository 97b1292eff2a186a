/* The report of a regression run for people, in Markdown. */
#include "base/text.h"
#include "support/programs/batch.h"
#include "support/regression/report_internal.h"

static void append_cases(struct text *text, const char *heading, enum case_change wanted,
                         const struct report *report)
{
    bool any = false;

    text_append_format(text, "\n## %s\n\n", heading);
    for (size_t i = 0; i < report->count; i++) {
        const struct case_outcome *item = &report->cases[i];

        if (case_change_of(item) != wanted)
            continue;
        any = true;
        text_append_string(text, "### ");
        batch_append_line(text, item->item->case_id);
        text_append_string(text, "\n\n- Query: ");
        batch_append_line(text, item->item->query);
        text_append_string(text, "\n- Baseline answer: ");
        batch_append_line(text, item->baseline.answer);
        text_append_string(text, "\n- Candidate answer: ");
        batch_append_line(text, item->candidate.answer);
        text_append_string(text, "\n- Detail: ");
        for (size_t j = 0; j < item->candidate_failures.count; j++) {
            text_append_string(text, j ? "; " : "");
            batch_append_line(text, item->candidate_failures.items[j]);
        }
        text_append_string(text, item->candidate_failures.count ? "\n\n" : "n/a\n\n");
    }
    if (!any)
        text_append_string(text, "None.\n");
}

static void append_summary(struct text *text, const struct regression_plan *plan,
                           const struct run_stats *stats)
{
    double effective = (double)stats->effective;

    text_append_string(text, "\n## Summary\n\n| Metric | Value |\n|---|---|\n| Baseline | ");
    batch_append_line(text, plan->baseline);
    text_append_string(text, " |\n| Candidate | ");
    batch_append_line(text, plan->candidate);
    text_append_format(
        text,
        " |\n| Baseline pass rate | %.2f%% |\n| Candidate pass rate | %.2f%% |\n"
        "| Regressions | %lld |\n| New passes | %lld |\n| Neutral | %lld |\n"
        "| Infrastructure failures | %lld |\n| Baseline average latency | %.2f ms |\n"
        "| Candidate average latency | %.2f ms |\n| Baseline total cost | $%.6f |\n"
        "| Candidate total cost | $%.6f |\n| Baseline refusal rate | %.2f%% |\n"
        "| Candidate refusal rate | %.2f%% |\n| Gate | %s |\n",
        100 * share_of((double)stats->baseline.passed, effective),
        100 * share_of((double)stats->candidate.passed, effective), (long long)stats->regressions,
        (long long)stats->new_passes,
        (long long)(stats->total - stats->regressions - stats->new_passes - stats->lost),
        (long long)stats->lost, share_of(stats->baseline.latency, effective),
        share_of(stats->candidate.latency, effective), stats->baseline.cost, stats->candidate.cost,
        100 * share_of((double)stats->baseline.refused, effective),
        100 * share_of((double)stats->candidate.refused, effective),
        stats->passed ? "pass" : "fail");
}

static void append_power(struct text *text, const struct run_stats *stats)
{
    const struct paired_reach *reach = &stats->reach;

    text_append_string(text, "\n## What these cases could have shown\n\n");
    if (reach->drop <= 1)
        text_append_format(text, "- With %.0f%% power: a pass rate lower by %.1f points or more.\n",
                           reach->power * 100, reach->drop * 100);
    else
        text_append_string(text, "- Too few cases to show any fall of the pass rate.\n");
    text_append_format(text, "- Paired exact test: p = %.3g.\n", stats->p_value);
    if (reach->needed >= 0)
        text_append_format(text, "- A fall of %.1f points takes %lld cases; there are %lld.\n",
                           reach->target * 100, (long long)reach->needed,
                           (long long)stats->effective);
    if (stats->passed && !stats->sees_target)
        text_append_string(text, "- **Passed, but such a fall could not have been seen.**\n");
}

const char *report_markdown(const struct report *report, const struct regression_result *result)
{
    const struct regression_plan *plan = report->plan;
    const struct run_stats *stats = report->stats;
    struct text text;

    text_start(&text, report->tools->arena, REPORT_MOST);
    text_append_string(&text, "# Regression Eval — ");
    batch_append_line(&text, plan->baseline);
    text_append_string(&text, " vs ");
    batch_append_line(&text, plan->candidate);
    text_append_format(&text,
                       "\n\n- Run ID: `%s`\n- Created at: `%s`\n- Dataset: `%s`\n- Tenant: `%s`\n"
                       "- Mode: `%s`\n",
                       plan->run_id, result->created_at, plan->dataset,
                       plan->tenant ? plan->tenant : "all", result->mode);
    append_summary(&text, plan, stats);
    append_power(&text, stats);
    if (stats->reasons.count)
        text_append_string(&text, "\n## Gate Reasons\n\n");
    for (size_t i = 0; i < stats->reasons.count; i++)
        text_append_format(&text, "- %s\n", stats->reasons.items[i]);
    append_cases(&text, "Regressions", CHANGE_REGRESSION, report);
    append_cases(&text, "New Passes", CHANGE_NEW_PASS, report);
    text_append_format(&text,
                       "\n## Aggregate Metrics\n\n- total_cases: %lld\n- effective_cases: %lld\n"
                       "- infrastructure_failures: %lld\n",
                       (long long)stats->total, (long long)stats->effective,
                       (long long)stats->lost);
    return text.bytes;
}
