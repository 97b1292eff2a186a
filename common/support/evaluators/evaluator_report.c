/* Verdicts of reviewers and of evaluators over the same answers, counted by the database. */
#include "support/evaluators/evaluator_report.h"
#include "db/query.h"
#include "support/traces/evaluator_switch.h"
#include "support/trends/threshold_choice.h"

#include <string.h>

static const double report_confidence = 0.95;

#define OWNER struct evaluator_report
static const struct field evaluator_fields[] = {
    STRING(OWNER, name),
    BOOLEAN(OWNER, active),
    BOOLEAN(OWNER, can_switch,
            .help = "False for quality and factuality: by them the service answers or hands over."),
    STRING(OWNER, status,
           .help = "measured; too_few: below EVALUATOR_MIN_CASES; one_sided: the "
                   "evaluator or the reviewers found nearly all cases good, or bad."),
    INTEGER(OWNER, cases, .help = "Drawn cases with a verdict of a reviewer and of the evaluator."),
    INTEGER(OWNER, missing, .help = "Further cases before anything is advised."),
    INTEGER(OWNER, both_bad),
    INTEGER(OWNER, evaluator_only, .help = "Bad by the evaluator alone."),
    INTEGER(OWNER, reviewer_only, .help = "Bad by the reviewer alone."),
    INTEGER(OWNER, both_good),
    NULLABLE_NUMBER(OWNER, observed, ROUNDED(4), .help = "Share of cases in which both agree."),
    NULLABLE_NUMBER(OWNER, kappa, ROUNDED(4), .help = "Cohen's kappa."),
    NULLABLE_NUMBER(OWNER, kappa_low, ROUNDED(4)),
    NULLABLE_NUMBER(OWNER, kappa_high, ROUNDED(4)),
    STRING(OWNER, advice, .nullable = true,
           .help = "switch_off or tune, once kappa is measured "
                   "and surely below EVALUATOR_KAPPA_MIN."),
    STRING(OWNER, switched_off_at, .nullable = true),
    STRING(OWNER, switched_off_by, .nullable = true),
};
#undef OWNER
SCHEMA(evaluator_report_schema, struct evaluator_report, "EvaluatorAgreement", evaluator_fields);

#define OWNER struct evaluators_report
static const struct field report_fields[] = {
    NUMBER(OWNER, confidence),
    NUMBER(OWNER, kappa_min),
    INTEGER(OWNER, cases_min),
    INTEGER(OWNER, drawn_judged, .help = "Cases drawn at random that were judged."),
    INTEGER(OWNER, drawn_waiting, .help = "Those that wait for a verdict."),
    OBJECTS(OWNER, evaluators, evaluator_report_schema)};
#undef OWNER
SCHEMA(evaluators_report_schema, struct evaluators_report, "EvaluatorAgreements", report_fields);

#define DRAWN " FROM review_queue r JOIN "
#define JUDGED                                                                                     \
    " WHERE r.tenant_id = ? AND r.drawn = 1 AND r.status IN ('confirmed_good', 'confirmed_bad')"
static const struct statement count_evaluations = {
    .name = "evaluator_agreement",
    .sql = "SELECT e.evaluator_name, CASE WHEN e.score >= 0.5 THEN 1 ELSE 0 END, r.status,"
           " count(*)" DRAWN "trace_evaluations e ON e.trace_id = r.trace_id" JUDGED
           " AND e.verdict NOT IN ('error', 'timeout', 'unknown', 'low_confidence')"
           " GROUP BY 1, 2, 3",
};
static const struct statement count_quality = {
    .name = "evaluator_agreement_quality",
    .sql = "SELECT CASE WHEN t.final_quality >= ? THEN 1 ELSE 0 END, r.status, count(*)" DRAWN
           "traces t ON t.trace_id = r.trace_id" JUDGED
           " AND t.final_quality IS NOT NULL GROUP BY 1, 2",
};
static const struct statement count_facts = {
    .name = "evaluator_agreement_facts",
    .sql = "SELECT CASE WHEN t.factuality_score >= ? THEN 1 ELSE 0 END, r.status, count(*)" DRAWN
           "traces t ON t.trace_id = r.trace_id" JUDGED
           " AND t.factuality_score IS NOT NULL GROUP BY 1, 2",
};
static const struct statement count_drawn = {
    .name = "evaluator_drawn",
    .sql = "SELECT coalesce(sum(CASE WHEN status IN ('confirmed_good', 'confirmed_bad') THEN 1"
           " ELSE 0 END), 0), coalesce(sum(CASE WHEN status IN ('pending', 'in_review') THEN 1"
           " ELSE 0 END), 0) FROM review_queue WHERE tenant_id = ? AND drawn = 1",
};

static void add(struct agreement_counts *counts, enum opinion opinion, const char *status,
                int64_t count)
{
    bool bad = strcmp(status, "confirmed_bad") == 0;

    if (opinion == OPINION_BAD)
        *(bad ? &counts->both_bad : &counts->evaluator_only) += count;
    else if (opinion == OPINION_GOOD)
        *(bad ? &counts->reviewer_only : &counts->both_good) += count;
}

static enum error read_evaluations(const struct trace_call *call,
                                   struct agreement_counts counts[JUDGE__MAX])
{
    struct query *query = db_query(call->db, &count_evaluations);

    query_bind_text(query, call->tenant);
    while (query_next(query)) {
        int judge = evaluator_of_name(query_text(query, 0, call->arena));

        if (judge < EVALUATORS)
            add(&counts[judge], judge_score(judge, (double)query_integer(query, 1), "").opinion,
                query_text(query, 2, call->arena), query_integer(query, 3));
    }
    return query_end(query, call->problem);
}

static enum error read_percents(const struct trace_call *call, const struct statement *statement,
                                double limit, struct agreement_counts *counts)
{
    struct query *query = db_query(call->db, statement);

    query_bind_number(query, limit);
    query_bind_text(query, call->tenant);
    while (query_next(query))
        add(counts, query_integer(query, 0) ? OPINION_GOOD : OPINION_BAD,
            query_text(query, 1, call->arena), query_integer(query, 2));
    return query_end(query, call->problem);
}

static enum error read_counts(const struct trace_call *call,
                              const struct support_settings *settings,
                              struct agreement_counts counts[JUDGE__MAX])
{
    enum error error = read_evaluations(call, counts);

    if (!error)
        error = read_percents(call, &count_quality, (double)settings->quality_threshold,
                              &counts[JUDGE_QUALITY]);
    if (!error && settings->fact_verification)
        error = read_percents(call, &count_facts, (double)settings->fact_verification_min_score,
                              &counts[JUDGE_FACTS]);
    return error;
}

static enum error read_drawn(const struct trace_call *call, struct evaluators_report *report)
{
    struct query *query = db_query(call->db, &count_drawn);

    query_bind_text(query, call->tenant);
    if (query_next(query)) {
        report->drawn_judged = query_integer(query, 0);
        report->drawn_waiting = query_integer(query, 1);
    }
    return query_end(query, call->problem);
}

static struct evaluator_report report_of(int judge, const struct agreement_counts *counts,
                                         const struct support_settings *settings)
{
    struct agreement agreement = agreement_of(counts, report_confidence);
    int64_t missing = settings->evaluator_cases_least - agreement.cases;
    bool enough = missing <= 0, both = agreement_rarest(counts) >= AGREEMENT_EACH_LEAST;
    bool useless = enough && both && agreement.high < settings->evaluator_kappa_least;

    return (struct evaluator_report){.name = judge_name(judge),
                                     .active = true,
                                     .can_switch = judge < EVALUATORS,
                                     .status = !enough ? "too_few"
                                               : both  ? "measured"
                                                       : "one_sided",
                                     .cases = agreement.cases,
                                     .missing = enough ? 0 : missing,
                                     .both_bad = counts->both_bad,
                                     .evaluator_only = counts->evaluator_only,
                                     .reviewer_only = counts->reviewer_only,
                                     .both_good = counts->both_good,
                                     .observed = {agreement.cases > 0, agreement.observed},
                                     .kappa = {agreement.measured, agreement.kappa},
                                     .kappa_low = {agreement.measured, agreement.low},
                                     .kappa_high = {agreement.measured, agreement.high},
                                     .advice = !useless             ? NULL
                                               : judge < EVALUATORS ? "switch_off"
                                                                    : "tune"};
}

static void show_switch(struct evaluator_report *report, const struct evaluator_off *off)
{
    report->active = !off->off;
    report->switched_off_at = off->at;
    report->switched_off_by = off->by;
    if (off->off)
        report->advice = NULL;
}

enum error evaluators_report(const struct trace_call *call, const struct support_settings *settings,
                             struct evaluators_report *report)
{
    struct evaluator_report *items = ARENA_ARRAY(call->arena, struct evaluator_report, JUDGE__MAX);
    struct agreement_counts counts[JUDGE__MAX] = {0};
    struct evaluator_off off[EVALUATORS];
    const struct support_settings *in_force = settings;
    enum error error = threshold_in_force(call, settings, &in_force);

    *report = (struct evaluators_report){.confidence = report_confidence,
                                         .kappa_min = settings->evaluator_kappa_least,
                                         .cases_min = settings->evaluator_cases_least,
                                         .evaluators = {JUDGE__MAX, items}};
    if (!error)
        error = read_counts(call, in_force, counts);
    if (!error)
        error = read_drawn(call, report);
    if (!error)
        error = evaluator_switches(call, off);
    for (int i = 0; i < JUDGE__MAX && !error; i++) {
        items[i] = report_of(i, &counts[i], settings);
        if (i < EVALUATORS)
            show_switch(&items[i], &off[i]);
    }
    return error;
}
