/* The report of a regression run as JSON. */
#include "base/number.h"
#include "support/programs/data_files.h"
#include "support/regression/report_internal.h"

#include <string.h>

enum { PART_MOST = 65536 };

struct aggregate {
    int64_t total_cases, effective_cases, infrastructure_failures;
    double baseline_pass_rate, candidate_pass_rate;
    int64_t regressions, new_passes, neutral;
    double baseline_total_cost_usd, candidate_total_cost_usd;
    double baseline_avg_latency_ms, candidate_avg_latency_ms;
    double baseline_refusal_rate, candidate_refusal_rate;
};

#define OWNER struct aggregate
static const struct field aggregate_fields[] = {
    INTEGER(OWNER, total_cases),
    INTEGER(OWNER, effective_cases),
    INTEGER(OWNER, infrastructure_failures),
    NUMBER(OWNER, baseline_pass_rate),
    NUMBER(OWNER, candidate_pass_rate),
    INTEGER(OWNER, regressions),
    INTEGER(OWNER, new_passes),
    INTEGER(OWNER, neutral),
    NUMBER(OWNER, baseline_total_cost_usd),
    NUMBER(OWNER, candidate_total_cost_usd),
    NUMBER(OWNER, baseline_avg_latency_ms),
    NUMBER(OWNER, candidate_avg_latency_ms),
    NUMBER(OWNER, baseline_refusal_rate),
    NUMBER(OWNER, candidate_refusal_rate),
};
#undef OWNER
static SCHEMA(aggregate_schema, struct aggregate, "RegressionAggregate", aggregate_fields);

struct power {
    double alpha, power, p_value;
    struct optional_number detectable_drop;
    double target_drop;
    bool could_have_seen;
    struct optional_integer cases_needed, cases_missing;
};

#define OWNER struct power
static const struct field power_fields[] = {
    NUMBER(OWNER, alpha),
    NUMBER(OWNER, power),
    NUMBER(OWNER, p_value, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, detectable_drop),
    NUMBER(OWNER, target_drop),
    BOOLEAN(OWNER, could_have_seen),
    NULLABLE_INTEGER(OWNER, cases_needed),
    NULLABLE_INTEGER(OWNER, cases_missing),
};
#undef OWNER
static SCHEMA(power_schema, struct power, "RegressionPower", power_fields);

struct gate {
    bool passed;
    int64_t max_regressions;
    double min_pass_rate;
    struct string_list reasons;
    const struct power *power;
};

#define OWNER struct gate
static const struct field gate_fields[] = {BOOLEAN(OWNER, passed), INTEGER(OWNER, max_regressions),
                                           NUMBER(OWNER, min_pass_rate), STRINGS(OWNER, reasons),
                                           OBJECT(OWNER, power, power_schema)};
#undef OWNER
static SCHEMA(gate_schema, struct gate, "RegressionGate", gate_fields);

#define OWNER struct execution
static const struct field execution_fields[] = {
    STRING(OWNER, answer),
    NUMBER(OWNER, quality_score),
    NUMBER(OWNER, factuality_score),
    OBJECTS(OWNER, citations, citation_schema),
    NULLABLE_INTEGER(OWNER, duration_ms),
    NULLABLE_NUMBER(OWNER, cost_usd),
    STRING(OWNER, route),
    STRING(OWNER, trace_id),
};
#undef OWNER
static SCHEMA(execution_schema, struct execution, "RegressionExecution", execution_fields);

struct difference {
    bool answer_changed;
    double quality_delta, factuality_delta;
    bool route_changed;
    int64_t citations_delta;
    double cost_delta;
};

#define OWNER struct difference
static const struct field difference_fields[] = {
    BOOLEAN(OWNER, answer_changed),  NUMBER(OWNER, quality_delta),
    NUMBER(OWNER, factuality_delta), BOOLEAN(OWNER, route_changed),
    INTEGER(OWNER, citations_delta), NUMBER(OWNER, cost_delta)};
#undef OWNER
static SCHEMA(difference_schema, struct difference, "RegressionDifference", difference_fields);

struct case_entry {
    const char *case_id, *tenant_id, *query;
    int64_t severity;
    const struct execution *baseline, *candidate;
    bool baseline_passed, candidate_passed;
    struct string_list baseline_failures, candidate_failures;
    const struct difference *diff;
    const char *outcome;
};

#define OWNER struct case_entry
static const struct field case_fields[] = {
    STRING(OWNER, case_id),
    STRING(OWNER, tenant_id),
    STRING(OWNER, query),
    INTEGER(OWNER, severity),
    OBJECT(OWNER, baseline, execution_schema),
    OBJECT(OWNER, candidate, execution_schema),
    BOOLEAN(OWNER, baseline_passed),
    BOOLEAN(OWNER, candidate_passed),
    STRINGS(OWNER, baseline_failures),
    STRINGS(OWNER, candidate_failures),
    OBJECT(OWNER, diff, difference_schema),
    STRING(OWNER, outcome),
};
#undef OWNER
static SCHEMA(case_schema, struct case_entry, "RegressionCase", case_fields);

struct changed_case {
    const char *case_id, *query, *baseline_answer, *candidate_answer;
    struct string_list why_failed, why_passed; /* the one that holds */
};

#define OWNER struct changed_case
static const struct field changed_fields[] = {
    STRING(OWNER, case_id),
    STRING(OWNER, query),
    STRING(OWNER, baseline_answer),
    STRING(OWNER, candidate_answer),
    STRINGS(OWNER, why_failed, .omit_if_null = true),
    STRINGS(OWNER, why_passed, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(changed_schema, struct changed_case, "RegressionChange", changed_fields);

struct report_document {
    const char *run_id, *created_at, *baseline, *candidate, *dataset, *tenant;
    const struct aggregate *aggregate;
    const struct gate *gate;
    OBJECT_LIST(struct case_entry, cases);
    OBJECT_LIST(struct changed_case, regressions);
    OBJECT_LIST(struct changed_case, new_passes);
    int64_t exit_code;
    const char *mode;
};

#define OWNER struct report_document
static const struct field document_fields[] = {
    STRING(OWNER, run_id),
    STRING(OWNER, created_at),
    STRING(OWNER, baseline),
    STRING(OWNER, candidate),
    STRING(OWNER, dataset),
    STRING(OWNER, tenant),
    OBJECT(OWNER, aggregate, aggregate_schema),
    OBJECT(OWNER, gate, gate_schema),
    OBJECTS(OWNER, cases, case_schema),
    OBJECTS(OWNER, regressions, changed_schema),
    OBJECTS(OWNER, new_passes, changed_schema),
    INTEGER(OWNER, exit_code),
    STRING(OWNER, mode),
};
#undef OWNER
static SCHEMA(document_schema, struct report_document, "RegressionReport", document_fields);

static double rounded_share(double part, double whole, int decimals)
{
    return number_round(share_of(part, whole), decimals);
}

static struct aggregate aggregate_of(const struct run_stats *stats)
{
    const struct arm_stats *before = &stats->baseline, *after = &stats->candidate;
    double effective = (double)stats->effective;

    return (struct aggregate){
        .total_cases = stats->total,
        .effective_cases = stats->effective,
        .infrastructure_failures = stats->lost,
        .baseline_pass_rate = rounded_share((double)before->passed, effective, 4),
        .candidate_pass_rate = rounded_share((double)after->passed, effective, 4),
        .regressions = stats->regressions,
        .new_passes = stats->new_passes,
        .neutral = stats->total - stats->regressions - stats->new_passes - stats->lost,
        .baseline_total_cost_usd = number_round(before->cost, 6),
        .candidate_total_cost_usd = number_round(after->cost, 6),
        .baseline_avg_latency_ms = rounded_share(before->latency, effective, 2),
        .candidate_avg_latency_ms = rounded_share(after->latency, effective, 2),
        .baseline_refusal_rate = rounded_share((double)before->refused, effective, 4),
        .candidate_refusal_rate = rounded_share((double)after->refused, effective, 4)};
}

static struct power power_of(const struct run_stats *stats)
{
    const struct paired_reach *reach = &stats->reach;
    int64_t missing = reach->needed - stats->effective;
    struct power power = {.alpha = reach->alpha,
                          .power = reach->power,
                          .p_value = stats->p_value,
                          .target_drop = reach->target,
                          .could_have_seen = stats->sees_target};

    if (reach->drop <= 1)
        power.detectable_drop = GIVEN_NUMBER(number_round(reach->drop, 4));
    if (reach->needed >= 0) {
        power.cases_needed = GIVEN_INTEGER(reach->needed);
        power.cases_missing = GIVEN_INTEGER(missing > 0 ? missing : 0);
    }
    return power;
}

static struct gate gate_of(const struct report *report, const struct power *power)
{
    return (struct gate){.passed = report->stats->passed,
                         .max_regressions = report->plan->gate.most,
                         .min_pass_rate = report->plan->gate.pass_rate,
                         .reasons = report->stats->reasons,
                         .power = power};
}

const char *report_aggregate_json(const struct report *report)
{
    const struct aggregate aggregate = aggregate_of(report->stats);

    return schema_json(report->tools->arena, PART_MOST, &aggregate_schema, &aggregate);
}

const char *report_gate_json(const struct report *report)
{
    const struct power power = power_of(report->stats);
    const struct gate gate = gate_of(report, &power);

    return schema_json(report->tools->arena, PART_MOST, &gate_schema, &gate);
}

static double cost_of(const struct execution *execution)
{
    return execution->cost_usd.given ? execution->cost_usd.value : 0;
}

static const struct difference *difference_of(struct arena *arena, const struct execution *before,
                                              const struct execution *after)
{
    struct difference *difference = ARENA_NEW(arena, struct difference);

    *difference = (struct difference){
        .answer_changed = strcmp(before->answer, after->answer) != 0,
        .quality_delta = number_round(after->quality_score - before->quality_score, 4),
        .factuality_delta = number_round(after->factuality_score - before->factuality_score, 4),
        .route_changed = strcmp(before->route, after->route) != 0,
        .citations_delta = after->citation_count - before->citation_count,
        .cost_delta = number_round(cost_of(after) - cost_of(before), 6)};
    return difference;
}

/* Failures of a lost case say which target did not answer, and nothing of the other one. */
static struct string_list failures_shown(const struct string_list *failures, bool lost_case,
                                         bool lost)
{
    static const char *reasons[] = {"infrastructure: provider unavailable"};

    if (!lost_case)
        return *failures;
    return (struct string_list){lost ? 1 : 0, lost ? reasons : NULL};
}

static struct case_entry entry_of(struct arena *arena, const struct case_outcome *item)
{
    enum case_change change = case_change_of(item);
    bool lost = change == CHANGE_LOST;

    return (struct case_entry){
        .case_id = item->item->case_id,
        .tenant_id = item->item->tenant_id,
        .query = item->item->query,
        .severity = item->severity,
        .baseline = &item->baseline,
        .candidate = &item->candidate,
        .baseline_passed = !lost && !item->baseline_failures.count,
        .candidate_passed = !lost && !item->candidate_failures.count,
        .baseline_failures = failures_shown(&item->baseline_failures, lost, item->baseline_lost),
        .candidate_failures = failures_shown(&item->candidate_failures, lost, item->candidate_lost),
        .diff = difference_of(arena, &item->baseline, &item->candidate),
        .outcome = case_change_names[change]};
}

static struct object_list changed_cases(const struct report *report, enum case_change wanted)
{
    static const char *passes[] = {"the candidate meets every expectation"};
    struct changed_case *changed =
        ARENA_ARRAY(report->tools->arena, struct changed_case, report->count + 1);
    size_t count = 0;

    for (size_t i = 0; i < report->count; i++) {
        const struct case_outcome *item = &report->cases[i];

        if (case_change_of(item) != wanted)
            continue;
        changed[count] = (struct changed_case){.case_id = item->item->case_id,
                                               .query = item->item->query,
                                               .baseline_answer = item->baseline.answer,
                                               .candidate_answer = item->candidate.answer};
        if (wanted == CHANGE_REGRESSION)
            changed[count].why_failed = item->candidate_failures;
        else
            changed[count].why_passed = (struct string_list){1, passes};
        count++;
    }
    return (struct object_list){count, changed};
}

static struct object_list all_cases(const struct report *report)
{
    struct case_entry *entries =
        ARENA_ARRAY(report->tools->arena, struct case_entry, report->count + 1);

    for (size_t i = 0; i < report->count; i++)
        entries[i] = entry_of(report->tools->arena, &report->cases[i]);
    return (struct object_list){report->count, entries};
}

const char *report_json(const struct report *report, const struct regression_result *result)
{
    const struct regression_plan *plan = report->plan;
    const struct aggregate aggregate = aggregate_of(report->stats);
    const struct power power = power_of(report->stats);
    const struct gate gate = gate_of(report, &power);
    const struct report_document document = {.run_id = plan->run_id,
                                             .created_at = result->created_at,
                                             .baseline = plan->baseline,
                                             .candidate = plan->candidate,
                                             .dataset = plan->dataset,
                                             .tenant = plan->tenant ? plan->tenant : "all",
                                             .aggregate = &aggregate,
                                             .gate = &gate,
                                             .cases = all_cases(report),
                                             .regressions =
                                                 changed_cases(report, CHANGE_REGRESSION),
                                             .new_passes = changed_cases(report, CHANGE_NEW_PASS),
                                             .exit_code = result->exit_code,
                                             .mode = result->mode};

    return data_file_json(report->tools->arena, REPORT_MOST, &document_schema, &document);
}
