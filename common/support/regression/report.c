/* The report of a regression run: figures, gate, cases; as JSON and to be read. */
#include "support/regression/report.h"
#include "base/clock.h"
#include "base/number.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"

#include <string.h>

enum { REPORT_MOST = 60 * 1024 * 1024, REASONS_MOST = 8, JSON_DEPTH = 64 };

struct side {
    int64_t passed, refused;
    double cost, latency;
};

struct figures {
    int64_t total, lost, effective, regressions, new_passes;
    struct side baseline, candidate;
    double quality_delta; /* sum */
    double p_value;
    struct paired_reach reach;
    bool sees; /* a fall of the target could have been shown */
    struct string_list reasons;
    bool passed;
};

enum outcome { OUTCOME_NEUTRAL, OUTCOME_REGRESSION, OUTCOME_NEW_PASS, OUTCOME_LOST };
static const char *const outcome_names[] = {"neutral", "regression", "new_pass",
                                            "infrastructure_failure"};

static enum outcome outcome_of(const struct case_outcome *item)
{
    bool before = !item->baseline_failures.count, after = !item->candidate_failures.count;

    if (item->baseline_lost || item->candidate_lost)
        return OUTCOME_LOST;
    if (before == after)
        return OUTCOME_NEUTRAL;
    return before ? OUTCOME_REGRESSION : OUTCOME_NEW_PASS;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void add_side(struct arena *arena, struct side *side, const struct execution *execution,
                     size_t failures)
{
    side->passed += failures == 0;
    side->refused += *execution->answer && answer_is_refusal(arena, execution->answer);
    side->cost += execution->cost_usd.given ? execution->cost_usd.value : 0;
    side->latency += execution->duration_ms.given ? (double)execution->duration_ms.value : 0;
}

static void add_reason(struct figures *figures, const char *text)
{
    figures->reasons.items[figures->reasons.count++] = text;
}

static void judge(struct arena *arena, const struct regression_gate *gate, struct figures *figures)
{
    double before = share((double)figures->baseline.passed, (double)figures->effective),
           after = share((double)figures->candidate.passed, (double)figures->effective);

    figures->reasons.items = ARENA_ARRAY(arena, const char *, REASONS_MOST);
    if (figures->total && !figures->effective) {
        add_reason(figures, "no case could be evaluated");
        return;
    }
    if (figures->regressions > gate->most)
        add_reason(figures, arena_print(arena, "max regressions exceeded: %lld > %lld",
                                        (long long)figures->regressions, (long long)gate->most));
    if (after < gate->pass_rate)
        add_reason(figures, arena_print(arena, "candidate pass rate %.2f%% below minimum %.2f%%",
                                        after * 100, gate->pass_rate * 100));
    if (after + 1e-9 < before)
        add_reason(figures, arena_print(arena, "candidate pass rate %.2f%% below baseline %.2f%%",
                                        after * 100, before * 100));
    if (figures->p_value <= gate->alpha)
        add_reason(figures,
                   arena_print(arena, "candidate loses more than chance explains: p = %.2g",
                               figures->p_value));
    figures->passed = figures->reasons.count == 0;
}

static void sum_up(struct arena *arena, const struct regression_gate *gate,
                   const struct case_outcome *cases, size_t count, struct figures *figures)
{
    struct paired_case *pairs = ARENA_ARRAY(arena, struct paired_case, count + 1);
    size_t kept = 0;
    double won;

    *figures = (struct figures){.total = (int64_t)count};
    for (size_t i = 0; i < count; i++) {
        enum outcome outcome = outcome_of(&cases[i]);

        figures->lost += outcome == OUTCOME_LOST;
        figures->regressions += outcome == OUTCOME_REGRESSION;
        figures->new_passes += outcome == OUTCOME_NEW_PASS;
        if (outcome == OUTCOME_LOST)
            continue;
        pairs[kept++] = (struct paired_case){cases[i].severity, !cases[i].baseline_failures.count,
                                             !cases[i].candidate_failures.count};
        add_side(arena, &figures->baseline, &cases[i].baseline, cases[i].baseline_failures.count);
        add_side(arena, &figures->candidate, &cases[i].candidate,
                 cases[i].candidate_failures.count);
        figures->quality_delta += cases[i].candidate.quality - cases[i].baseline.quality;
    }
    figures->effective = (int64_t)kept;
    figures->p_value = paired_p_value(pairs, kept);
    /* Half a case more than was seen, so that none seen is not taken for never. */
    won = ((double)figures->new_passes + 0.5) / ((double)kept + 1);
    figures->reach = paired_reach(figures->effective, won < 0.4 ? won : 0.4, gate->alpha,
                                  gate->power, gate->target);
    figures->sees = figures->reach.drop <= gate->target;
    judge(arena, gate, figures);
}

static void write_texts(struct json_writer *writer, const char *key, const struct string_list *list)
{
    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < list->count; i++)
        writer_string(writer, list->items[i]);
    writer_close_array(writer);
}

static void write_aggregate(struct json_writer *writer, const struct figures *figures)
{
    double effective = (double)figures->effective;
    const struct {
        const char *name;
        double value;
        int decimals;
    } numbers[] = {
        {"baseline_total_cost_usd", figures->baseline.cost, 6},
        {"candidate_total_cost_usd", figures->candidate.cost, 6},
        {"baseline_avg_latency_ms", share(figures->baseline.latency, effective), 2},
        {"candidate_avg_latency_ms", share(figures->candidate.latency, effective), 2},
        {"baseline_refusal_rate", share((double)figures->baseline.refused, effective), 4},
        {"candidate_refusal_rate", share((double)figures->candidate.refused, effective), 4}};

    writer_open_object(writer);
    writer_key_integer(writer, "total_cases", figures->total);
    writer_key_integer(writer, "effective_cases", figures->effective);
    writer_key_integer(writer, "infrastructure_failures", figures->lost);
    writer_key_number(writer, "baseline_pass_rate",
                      number_round(share((double)figures->baseline.passed, effective), 4));
    writer_key_number(writer, "candidate_pass_rate",
                      number_round(share((double)figures->candidate.passed, effective), 4));
    writer_key_integer(writer, "regressions", figures->regressions);
    writer_key_integer(writer, "new_passes", figures->new_passes);
    writer_key_integer(writer, "neutral",
                       figures->total - figures->regressions - figures->new_passes - figures->lost);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        writer_key_number(writer, numbers[i].name,
                          number_round(numbers[i].value, numbers[i].decimals));
    writer_close_object(writer);
}

static void write_gate(struct json_writer *writer, const struct regression_gate *gate,
                       const struct figures *figures)
{
    const struct paired_reach *reach = &figures->reach;
    int64_t more = reach->needed < 0 ? -1 : reach->needed - figures->effective;

    writer_open_object(writer);
    writer_key_boolean(writer, "passed", figures->passed);
    writer_key_integer(writer, "max_regressions", gate->most);
    writer_key_number(writer, "min_pass_rate", gate->pass_rate);
    write_texts(writer, "reasons", &figures->reasons);
    writer_key(writer, "power");
    writer_open_object(writer);
    writer_key_number(writer, "alpha", reach->alpha);
    writer_key_number(writer, "power", reach->power);
    writer_key_number(writer, "p_value", number_round_figure(figures->p_value, 4));
    if (reach->drop <= 1)
        writer_key_number(writer, "detectable_drop", number_round(reach->drop, 4));
    else
        writer_key_null(writer, "detectable_drop");
    writer_key_number(writer, "target_drop", reach->target);
    writer_key_boolean(writer, "could_have_seen", figures->sees);
    if (reach->needed < 0) {
        writer_key_null(writer, "cases_needed");
        writer_key_null(writer, "cases_missing");
    } else {
        writer_key_integer(writer, "cases_needed", reach->needed);
        writer_key_integer(writer, "cases_missing", more > 0 ? more : 0);
    }
    writer_close_object(writer);
    writer_close_object(writer);
}

static void write_execution(struct json_writer *writer, const char *key,
                            const struct execution *execution)
{
    writer_key(writer, key);
    writer_open_object(writer);
    writer_key_string(writer, "answer", execution->answer);
    writer_key_number(writer, "quality_score", execution->quality);
    writer_key_number(writer, "factuality_score", execution->factuality);
    writer_key(writer, "citations");
    writer_raw(writer, execution->citations);
    if (execution->duration_ms.given)
        writer_key_integer(writer, "duration_ms", execution->duration_ms.value);
    else
        writer_key_null(writer, "duration_ms");
    if (execution->cost_usd.given)
        writer_key_number(writer, "cost_usd", execution->cost_usd.value);
    else
        writer_key_null(writer, "cost_usd");
    writer_key_string(writer, "route", execution->route);
    writer_key_string(writer, "trace_id", execution->trace_id);
    writer_close_object(writer);
}

static void write_difference(struct json_writer *writer, const struct case_outcome *item)
{
    const struct execution *before = &item->baseline, *after = &item->candidate;

    writer_key(writer, "diff");
    writer_open_object(writer);
    writer_key_boolean(writer, "answer_changed", strcmp(before->answer, after->answer) != 0);
    writer_key_number(writer, "quality_delta", number_round(after->quality - before->quality, 4));
    writer_key_number(writer, "factuality_delta",
                      number_round(after->factuality - before->factuality, 4));
    writer_key_boolean(writer, "route_changed", strcmp(before->route, after->route) != 0);
    writer_key_integer(writer, "citations_delta", after->citation_count - before->citation_count);
    writer_key_number(writer, "cost_delta",
                      number_round((after->cost_usd.given ? after->cost_usd.value : 0) -
                                       (before->cost_usd.given ? before->cost_usd.value : 0),
                                   6));
    writer_close_object(writer);
}

static void write_case(struct json_writer *writer, const struct case_outcome *item)
{
    static const char *const away[] = {"infrastructure: provider unavailable"};
    const struct string_list lost = {1, (const char **)away}, none = {0, NULL};
    enum outcome outcome = outcome_of(item);
    bool gone = outcome == OUTCOME_LOST;

    writer_open_object(writer);
    writer_key_string(writer, "case_id", item->item->case_id);
    writer_key_string(writer, "tenant_id", item->item->tenant_id);
    writer_key_string(writer, "query", item->item->query);
    writer_key_integer(writer, "severity", item->severity);
    write_execution(writer, "baseline", &item->baseline);
    write_execution(writer, "candidate", &item->candidate);
    writer_key_boolean(writer, "baseline_passed", !gone && !item->baseline_failures.count);
    writer_key_boolean(writer, "candidate_passed", !gone && !item->candidate_failures.count);
    write_texts(writer, "baseline_failures",
                !gone                 ? &item->baseline_failures
                : item->baseline_lost ? &lost
                                      : &none);
    write_texts(writer, "candidate_failures",
                !gone                  ? &item->candidate_failures
                : item->candidate_lost ? &lost
                                       : &none);
    write_difference(writer, item);
    writer_key_string(writer, "outcome", outcome_names[outcome]);
    writer_close_object(writer);
}

static void write_changed(struct json_writer *writer, const char *key, enum outcome wanted,
                          const struct case_outcome *cases, size_t count)
{
    static const char *const passes[] = {"the candidate meets every expectation"};
    const struct string_list why = {1, (const char **)passes};

    writer_key(writer, key);
    writer_open_array(writer);
    for (size_t i = 0; i < count; i++) {
        if (outcome_of(&cases[i]) != wanted)
            continue;
        writer_open_object(writer);
        writer_key_string(writer, "case_id", cases[i].item->case_id);
        writer_key_string(writer, "query", cases[i].item->query);
        writer_key_string(writer, "baseline_answer", cases[i].baseline.answer);
        writer_key_string(writer, "candidate_answer", cases[i].candidate.answer);
        if (wanted == OUTCOME_REGRESSION)
            write_texts(writer, "why_failed", &cases[i].candidate_failures);
        else
            write_texts(writer, "why_passed", &why);
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static const char *json_of(const struct regression_tools *tools, const struct regression_plan *plan,
                           const struct figures *figures, const struct case_outcome *cases,
                           size_t count, const struct regression_result *result, bool *overflowed)
{
    struct text text;
    struct json_writer writer;

    text_start(&text, tools->arena, REPORT_MOST);
    writer_start(&writer, &text);
    writer.indent = 2;
    writer_open_object(&writer);
    writer_key_string(&writer, "run_id", plan->run_id);
    writer_key_string(&writer, "created_at", result->created_at);
    writer_key_string(&writer, "baseline", plan->baseline);
    writer_key_string(&writer, "candidate", plan->candidate);
    writer_key_string(&writer, "dataset", plan->dataset);
    writer_key_string(&writer, "tenant", plan->tenant ? plan->tenant : "all");
    writer_key(&writer, "aggregate");
    write_aggregate(&writer, figures);
    writer_key(&writer, "gate");
    write_gate(&writer, &plan->gate, figures);
    writer_key(&writer, "cases");
    writer_open_array(&writer);
    for (size_t i = 0; i < count; i++)
        write_case(&writer, &cases[i]);
    writer_close_array(&writer);
    write_changed(&writer, "regressions", OUTCOME_REGRESSION, cases, count);
    write_changed(&writer, "new_passes", OUTCOME_NEW_PASS, cases, count);
    writer_key_integer(&writer, "exit_code", result->exit_code);
    writer_key_string(&writer, "mode", result->mode);
    writer_close_object(&writer);
    text_append_byte(&text, '\n');
    *overflowed = text.overflowed;
    return text.bytes;
}

static void say_cases(struct text *text, const char *heading, enum outcome wanted,
                      const struct case_outcome *cases, size_t count)
{
    bool any = false;

    text_append_format(text, "\n## %s\n\n", heading);
    for (size_t i = 0; i < count; i++) {
        if (outcome_of(&cases[i]) != wanted)
            continue;
        any = true;
        text_append_string(text, "### ");
        batch_append_line(text, cases[i].item->case_id);
        text_append_string(text, "\n\n- Query: ");
        batch_append_line(text, cases[i].item->query);
        text_append_string(text, "\n- Baseline answer: ");
        batch_append_line(text, cases[i].baseline.answer);
        text_append_string(text, "\n- Candidate answer: ");
        batch_append_line(text, cases[i].candidate.answer);
        text_append_string(text, "\n- Detail: ");
        for (size_t j = 0; j < cases[i].candidate_failures.count; j++) {
            text_append_string(text, j ? "; " : "");
            batch_append_line(text, cases[i].candidate_failures.items[j]);
        }
        text_append_string(text, cases[i].candidate_failures.count ? "\n\n" : "n/a\n\n");
    }
    if (!any)
        text_append_string(text, "None.\n");
}

static void say_summary(struct text *text, const struct regression_plan *plan,
                        const struct figures *figures)
{
    double effective = (double)figures->effective;

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
        100 * share((double)figures->baseline.passed, effective),
        100 * share((double)figures->candidate.passed, effective), (long long)figures->regressions,
        (long long)figures->new_passes,
        (long long)(figures->total - figures->regressions - figures->new_passes - figures->lost),
        (long long)figures->lost, share(figures->baseline.latency, effective),
        share(figures->candidate.latency, effective), figures->baseline.cost,
        figures->candidate.cost, 100 * share((double)figures->baseline.refused, effective),
        100 * share((double)figures->candidate.refused, effective),
        figures->passed ? "pass" : "fail");
}

static void say_power(struct text *text, const struct figures *figures)
{
    const struct paired_reach *reach = &figures->reach;

    text_append_string(text, "\n## What these cases could have shown\n\n");
    if (reach->drop <= 1)
        text_append_format(text, "- With %.0f%% power: a pass rate lower by %.1f points or more.\n",
                           reach->power * 100, reach->drop * 100);
    else
        text_append_string(text, "- Too few cases to show any fall of the pass rate.\n");
    text_append_format(text, "- Paired exact test: p = %.3g.\n", figures->p_value);
    if (reach->needed >= 0)
        text_append_format(text, "- A fall of %.1f points takes %lld cases; there are %lld.\n",
                           reach->target * 100, (long long)reach->needed,
                           (long long)figures->effective);
    if (figures->passed && !figures->sees)
        text_append_string(text, "- **Passed, but such a fall could not have been seen.**\n");
}

static const char *markdown_of(const struct regression_tools *tools,
                               const struct regression_plan *plan, const struct figures *figures,
                               const struct case_outcome *cases, size_t count,
                               const struct regression_result *result)
{
    struct text text;

    text_start(&text, tools->arena, REPORT_MOST);
    text_append_string(&text, "# Regression Eval — ");
    batch_append_line(&text, plan->baseline);
    text_append_string(&text, " vs ");
    batch_append_line(&text, plan->candidate);
    text_append_format(&text,
                       "\n\n- Run ID: `%s`\n- Created at: `%s`\n- Dataset: `%s`\n- Tenant: `%s`\n"
                       "- Mode: `%s`\n",
                       plan->run_id, result->created_at, plan->dataset,
                       plan->tenant ? plan->tenant : "all", result->mode);
    say_summary(&text, plan, figures);
    say_power(&text, figures);
    if (figures->reasons.count)
        text_append_string(&text, "\n## Gate Reasons\n\n");
    for (size_t i = 0; i < figures->reasons.count; i++)
        text_append_format(&text, "- %s\n", figures->reasons.items[i]);
    say_cases(&text, "Regressions", OUTCOME_REGRESSION, cases, count);
    say_cases(&text, "New Passes", OUTCOME_NEW_PASS, cases, count);
    text_append_format(&text,
                       "\n## Aggregate Metrics\n\n- total_cases: %lld\n- effective_cases: %lld\n"
                       "- infrastructure_failures: %lld\n",
                       (long long)figures->total, (long long)figures->effective,
                       (long long)figures->lost);
    return text.bytes;
}

/* A name that neither file has yet. */
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

static void conclude(const struct regression_tools *tools, const struct regression_plan *plan,
                     const struct figures *figures, struct regression_result *result)
{
    double effective = (double)figures->effective;
    struct text aggregate, gate;
    struct json_writer writer;

    text_start(&aggregate, tools->arena, 65536);
    writer_start(&writer, &aggregate);
    write_aggregate(&writer, figures);
    text_start(&gate, tools->arena, 65536);
    writer_start(&writer, &gate);
    write_gate(&writer, &plan->gate, figures);
    result->aggregate = aggregate.bytes;
    result->gate = gate.bytes;
    result->pass_rate = number_round(share((double)figures->candidate.passed, effective), 4);
    result->baseline_rate = number_round(share((double)figures->baseline.passed, effective), 4);
    result->quality_delta = number_round(share(figures->quality_delta, effective), 4);
    result->cost_delta = number_round(figures->candidate.cost - figures->baseline.cost, 6);
    result->latency_delta = number_round(share(figures->candidate.latency, effective) -
                                             share(figures->baseline.latency, effective),
                                         2);
    result->cases = figures->total;
}

enum error report_write(const struct regression_tools *tools, const struct regression_plan *plan,
                        const char *mode, const struct case_outcome *cases, size_t count,
                        struct regression_result *result)
{
    int64_t now = clock_unix_microseconds();
    char moment[CLOCK_TEXT_MAX];
    struct figures figures;
    const char *json, *name;
    bool overflowed;
    enum error error;

    clock_format(now, moment);
    sum_up(tools->arena, &plan->gate, cases, count, &figures);
    *result = (struct regression_result){
        .exit_code = figures.total && !figures.effective ? 2 : !figures.passed,
        .mode = mode,
        .created_at = arena_copy_string(tools->arena, moment)};
    conclude(tools, plan, &figures, result);
    if (!*plan->report_folder)
        return ERROR_NONE;
    json = json_of(tools, plan, &figures, cases, count, result, &overflowed);
    if (overflowed)
        return problem_set(tools->problem, ERROR_TOO_LARGE, "report_too_large",
                           "the report is too large; take fewer cases");
    name = free_name(tools, plan, now);
    error = put(tools, name, "md", markdown_of(tools, plan, &figures, cases, count, result),
                &result->report_markdown);
    return error ? error : put(tools, name, "json", json, &result->report_json);
}
