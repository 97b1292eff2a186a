/* The analysis: reads the data once, analyzes each metric, writes JSON and Markdown. */
#include "support/trends/threshold_report.h"
#include "base/clock.h"
#include "base/number.h"
#include "support/cache.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/trends/labels.h"
#include "support/trends/risk.h"

#include <math.h>
#include <string.h>

enum { DOCUMENT_MOST = 1 << 20, KEPT_SECONDS = 86400, CAVEATS_MAX = 8 };

/* What was found out about one metric. */
struct judged {
    const struct threshold_kind *kind;
    const struct labelled_metric *metric;
    double current;
    bool enough;
    struct threshold_best best;
    struct threshold_scores now;
    struct risk_cut cut;
    bool has_risk; /* a risk is analyzed: low is bad, and there are verdicts */
    bool has_expected;
    double expected_cutoff, expected_coverage;
};

struct work {
    const struct trace_call *call;
    const struct threshold_request *request;
    const char *generated_at;
    struct labelled labelled;
    double risk, confidence;
    struct judged findings[THRESHOLD__MAX];
    const char *caveats[CAVEATS_MAX];
    size_t caveat_count;
    const char *path; /* of the report, as asked for; NULL = none */
};

static double current_of(const struct support_settings *settings, int metric)
{
    switch (metric) {
    case THRESHOLD_QUALITY:
        return (double)settings->quality_threshold;
    case THRESHOLD_FACTS:
        return (double)settings->fact_verification_min_score;
    case THRESHOLD_RELEVANCE:
        return settings->escalation_threshold;
    default:
        return (double)settings->slow_trace_ms;
    }
}

static void judge(struct work *work, int which)
{
    struct judged *finding = &work->findings[which];
    const struct threshold_samples *samples = &work->labelled.metrics[which].samples;

    finding->kind = &threshold_kinds[which];
    finding->metric = &work->labelled.metrics[which];
    finding->current = current_of(work->request->settings, which);
    finding->enough = (int64_t)samples->count >= work->request->settings->threshold_labels_least;
    finding->now = threshold_score(finding->kind, samples, finding->current);
    if (finding->enough)
        finding->best =
            threshold_suggest(work->call->arena, finding->kind, samples, finding->current);
    finding->has_risk = work->labelled.by_people && !finding->kind->higher_is_bad;
    if (!finding->has_risk)
        return;
    risk_control(finding->kind, samples, work->risk, work->confidence, &finding->cut);
    finding->has_expected = risk_expected(finding->kind, samples, work->risk,
                                          &finding->expected_cutoff, &finding->expected_coverage);
}

static void caveat(struct work *work, const char *text)
{
    work->caveats[work->caveat_count++] = text;
}

static void add_caveats(struct work *work)
{
    const struct labelled *labelled = &work->labelled;

    if (labelled->by_people) {
        caveat(work, "Answers are reviewed because something about them was odd: what is "
                     "promised of them is promised of answers like those that were reviewed.");
    } else {
        caveat(work, "Nobody has judged an answer yet: labels follow the route (human = bad).");
        caveat(work, "Tickets are not joined to answers, so what became of them is not seen.");
    }
    if (labelled->heavy_tenant)
        caveat(work, arena_print(
                         work->call->arena,
                         "Tenant %s holds %.0f%% of the bad verdicts; consider values per tenant.",
                         labelled->heavy_tenant, labelled->heavy_share * 100));
    if (labelled->traces && labelled->metrics[THRESHOLD_SLOW].count == 0)
        caveat(work, "No answer has a duration.");
    if (labelled->traces && labelled->metrics[THRESHOLD_FACTS].count == 0)
        caveat(work, "No answer has a fact score.");
}

static const char *shortage(const struct work *work, const struct judged *finding)
{
    return arena_print(work->call->arena, "insufficient labeled traces (%zu < %lld)",
                       finding->metric->samples.count,
                       (long long)work->request->settings->threshold_labels_least);
}

#define OWNER struct threshold_scores
static const struct field scores_fields[] = {NUMBER(OWNER, precision), NUMBER(OWNER, recall),
                                             NUMBER(OWNER, f1)};
#undef OWNER
static SCHEMA(scores_schema, struct threshold_scores, "ThresholdScores", scores_fields);

#define OWNER struct threshold_point
static const struct field point_fields[] = {NUMBER(OWNER, cutoff),   NUMBER(OWNER, precision),
                                            NUMBER(OWNER, recall),   NUMBER(OWNER, f1),
                                            NUMBER(OWNER, coverage), NULLABLE_NUMBER(OWNER, risk)};
#undef OWNER
static SCHEMA(point_schema, struct threshold_point, "ThresholdPoint", point_fields);

#define OWNER struct threshold_percentiles
static const struct field percentiles_fields[] = {
    NULLABLE_INTEGER(OWNER, p50, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, p90, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, p95, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, p99, .omit_if_null = true)};
#undef OWNER
static SCHEMA(percentiles_schema, struct threshold_percentiles, "ThresholdPercentiles",
              percentiles_fields);

/* Cutoffs of whole numbers are written without a fraction, those of shares with one. */
#define OWNER struct threshold_risk
#define RISK_FIELDS(whole)                                                                         \
    NUMBER(OWNER, risk), NUMBER(OWNER, confidence), STRING(OWNER, status),                         \
        NULLABLE_NUMBER(OWNER, cutoff, .integer_ok = (whole)), INTEGER(OWNER, given),              \
        INTEGER(OWNER, wrong), NULLABLE_NUMBER(OWNER, observed), NULLABLE_NUMBER(OWNER, upper),    \
        NULLABLE_NUMBER(OWNER, coverage), INTEGER(OWNER, needed),                                  \
        NULLABLE_NUMBER(OWNER, expected_cutoff, .integer_ok = (whole)),                            \
        NULLABLE_NUMBER(OWNER, expected_coverage)
static const struct field whole_risk_fields[] = {RISK_FIELDS(true)};
static const struct field share_risk_fields[] = {RISK_FIELDS(false)};
#undef OWNER
static SCHEMA(whole_risk_schema, struct threshold_risk, "ThresholdRisk", whole_risk_fields);
static SCHEMA(share_risk_schema, struct threshold_risk, "ThresholdShareRisk", share_risk_fields);

#define OWNER struct threshold_finding
#define FINDING_FIELDS(whole, risk_schema)                                                         \
    STRING(OWNER, name), STRING(OWNER, status, .help = "ok, or insufficient_data."),               \
        NUMBER(OWNER, current, .integer_ok = (whole)),                                             \
        NULLABLE_NUMBER(OWNER, suggested, .integer_ok = (whole)),                                  \
        OBJECT(OWNER, current_metrics, scores_schema, .nullable = true),                           \
        OBJECT(OWNER, suggested_metrics, scores_schema, .nullable = true),                         \
        INTEGER(OWNER, labeled_count), STRING(OWNER, reason),                                      \
        STRING(OWNER, note, .nullable = true, .omit_if_null = true), INTEGER(OWNER, metric_count), \
        STRING(OWNER, histogram),                                                                  \
        OBJECT(OWNER, percentiles, percentiles_schema, .nullable = true, .omit_if_null = true),    \
        OBJECT(OWNER, risk, risk_schema, .nullable = true), OBJECTS(OWNER, curve, point_schema)
static const struct field whole_fields[] = {FINDING_FIELDS(true, whole_risk_schema)};
static const struct field share_fields[] = {FINDING_FIELDS(false, share_risk_schema)};
#undef OWNER
static SCHEMA(whole_schema, struct threshold_finding, "ThresholdFinding", whole_fields);
static SCHEMA(share_schema, struct threshold_finding, "ThresholdShareFinding", share_fields);

#define OWNER struct threshold_findings
static const struct field findings_fields[] = {
    OBJECT(OWNER, quality_threshold, whole_schema),
    OBJECT(OWNER, fact_verification_min_score, whole_schema),
    OBJECT(OWNER, escalation_threshold, share_schema),
    OBJECT(OWNER, slow_trace_threshold_ms, whole_schema)};
#undef OWNER
static SCHEMA(findings_schema, struct threshold_findings, "ThresholdFindings", findings_fields);

#define OWNER struct threshold_analysis
#define ANALYSIS_FIELDS                                                                            \
    STRING(OWNER, generated_at, .required = true), INTEGER(OWNER, days, .required = true),         \
        STRING(OWNER, tenant, .required = true), INTEGER(OWNER, total_traces, .required = true),   \
        INTEGER(OWNER, label_count, .required = true),                                             \
        STRING(OWNER, label_source, .required = true,                                              \
               .help = "human_review, or proxy_route where nobody has judged anything."),          \
        OBJECT(OWNER, thresholds, findings_schema, .required = true), STRINGS(OWNER, caveats),     \
        STRING(OWNER, report_path, .nullable = true)
static const struct field analysis_fields[] = {ANALYSIS_FIELDS};
static const struct field reply_fields[] = {ANALYSIS_FIELDS, BOOLEAN(OWNER, cached)};
#undef OWNER
SCHEMA(threshold_analysis_schema, struct threshold_analysis, "ThresholdAnalysis", analysis_fields);
SCHEMA(threshold_reply_schema, struct threshold_analysis, "Thresholds", reply_fields);

/* A cutoff as it is shown: whole, or with two decimals. */
static double cutoff_shown(const struct threshold_kind *kind, double value)
{
    return kind->integer ? rint(value) : number_round(value, 2);
}

static struct optional_number known(bool given, double value)
{
    return (struct optional_number){given, given ? value : 0};
}

static const struct threshold_risk *risk_of(const struct work *work, const struct judged *judged)
{
    const struct risk_cut *cut = &judged->cut;
    bool found = cut->reason == RISK_FOUND;
    struct threshold_risk *risk;

    if (!judged->has_risk)
        return NULL;
    risk = ARENA_NEW(work->call->arena, struct threshold_risk);
    *risk = (struct threshold_risk){
        .risk = work->risk,
        .confidence = work->confidence,
        .status = risk_reason_names[cut->reason],
        .cutoff = known(found, cutoff_shown(judged->kind, cut->cutoff)),
        .given = cut->given,
        .wrong = cut->wrong,
        .observed = known(found, cut->observed),
        .upper = known(found, cut->upper),
        .coverage = known(found, cut->coverage),
        .needed = cut->needed,
        .expected_cutoff =
            known(judged->has_expected, cutoff_shown(judged->kind, judged->expected_cutoff)),
        .expected_coverage = known(judged->has_expected, judged->expected_coverage)};
    return risk;
}

static struct object_list curve_of(const struct work *work, const struct judged *judged)
{
    struct threshold_point *points =
        ARENA_ARRAY(work->call->arena, struct threshold_point, THRESHOLD_POINTS_MAX);
    size_t count = threshold_curve(judged->kind, &judged->metric->samples, points);

    for (size_t i = 0; i < count; i++) {
        points[i].precision = number_round(points[i].precision, 4);
        points[i].recall = number_round(points[i].recall, 4);
        points[i].f1 = number_round(points[i].f1, 4);
        points[i].coverage = number_round(points[i].coverage, 4);
        points[i].risk.value = number_round(points[i].risk.value, 4);
    }
    return (struct object_list){count, points};
}

static const struct threshold_percentiles *percentiles_of(const struct work *work,
                                                          const struct labelled_metric *metric)
{
    struct threshold_percentiles *percentiles =
        ARENA_NEW(work->call->arena, struct threshold_percentiles);
    const struct {
        double share;
        struct optional_integer *value;
    } rows[] = {{.5, &percentiles->p50},
                {.9, &percentiles->p90},
                {.95, &percentiles->p95},
                {.99, &percentiles->p99}};

    for (size_t i = 0; i < COUNT_OF(rows) && metric->count; i++)
        *rows[i].value = (struct optional_integer)GIVEN_INTEGER(
            (int64_t)rint(threshold_percentile(metric->values, metric->count, rows[i].share)));
    return percentiles;
}

static const struct threshold_finding *finding_of(const struct work *work,
                                                  const struct judged *judged)
{
    struct arena *arena = work->call->arena;
    const struct threshold_kind *kind = judged->kind;
    const struct labelled_metric *metric = judged->metric;
    struct threshold_finding *finding = ARENA_NEW(arena, struct threshold_finding);

    *finding = (struct threshold_finding){
        .name = kind->name,
        .status = judged->enough ? "ok" : "insufficient_data",
        .current = cutoff_shown(kind, judged->current),
        .suggested = known(judged->enough, cutoff_shown(kind, judged->best.cutoff)),
        .current_metrics = metric->samples.count ? &judged->now : NULL,
        .suggested_metrics = judged->enough ? &judged->best.scores : NULL,
        .labeled_count = (int64_t)metric->samples.count,
        .reason = judged->enough ? "" : shortage(work, judged),
        .note = judged->enough ? threshold_note(kind, judged->current, judged->best.cutoff) : NULL,
        .metric_count = (int64_t)metric->count,
        .histogram = threshold_histogram(arena, kind, metric->values, metric->count),
        .percentiles = kind->higher_is_bad ? percentiles_of(work, metric) : NULL,
        .risk = risk_of(work, judged),
        .curve = curve_of(work, judged)};
    return finding;
}

static struct threshold_analysis analysis_of(const struct work *work)
{
    const struct labelled *labelled = &work->labelled;
    struct threshold_findings *findings = ARENA_NEW(work->call->arena, struct threshold_findings);

    *findings = (struct threshold_findings){
        .quality_threshold = finding_of(work, &work->findings[THRESHOLD_QUALITY]),
        .fact_verification_min_score = finding_of(work, &work->findings[THRESHOLD_FACTS]),
        .escalation_threshold = finding_of(work, &work->findings[THRESHOLD_RELEVANCE]),
        .slow_trace_threshold_ms = finding_of(work, &work->findings[THRESHOLD_SLOW])};
    return (struct threshold_analysis){
        .generated_at = work->generated_at,
        .days = work->request->days,
        .tenant = work->call->tenant,
        .total_traces = labelled->traces,
        .label_count = labelled->labels,
        .label_source = labelled->by_people ? "human_review" : "proxy_route",
        .thresholds = findings,
        .caveats = {work->caveat_count, (const char **)work->caveats},
        .report_path = work->path};
}

static void print_risk(struct text *out, const struct work *work, const struct judged *finding)
{
    const struct risk_cut *cut = &finding->cut;

    if (!finding->has_risk)
        return;
    text_append_format(out, "- Risk at most %g with confidence %g: ", work->risk, work->confidence);
    if (cut->reason == RISK_FOUND)
        text_append_format(
            out, "%s, answering %.1f%% (%lld wrong of %lld, upper bound %.4f)\n",
            threshold_shown(work->call->arena, finding->kind, GIVEN_NUMBER(cut->cutoff)),
            cut->coverage * 100, (long long)cut->wrong, (long long)cut->given, cut->upper);
    else if (cut->reason == RISK_TOO_FEW)
        text_append_format(out, "needs %lld judged answers that go out\n", (long long)cut->needed);
    else
        text_append_string(out, "no cutoff shows it\n");
}

static void print_finding(struct text *out, const struct work *work, const struct judged *finding)
{
    struct arena *arena = work->call->arena;
    const struct threshold_kind *kind = finding->kind;
    const struct threshold_scores *best = &finding->best.scores;

    text_append_format(out, "\n## %s\n\n- Current: %s\n", kind->name,
                       threshold_shown(arena, kind, GIVEN_NUMBER(finding->current)));
    if (finding->enough) {
        text_append_format(out, "- Suggested: %s (F1 %.2f vs current F1 %.2f)\n",
                           threshold_shown(arena, kind, GIVEN_NUMBER(finding->best.cutoff)),
                           best->f1, finding->now.f1);
        text_append_format(out, "- Trade-off: precision %.2f, recall %.2f\n- Rationale: %s\n",
                           best->precision, best->recall,
                           threshold_note(kind, finding->current, finding->best.cutoff));
    } else {
        text_append_format(out, "- Suggested: insufficient data\n- Detail: %s\n",
                           shortage(work, finding));
    }
    print_risk(out, work, finding);
    if (kind->higher_is_bad && finding->metric->count) {
        const double *values = finding->metric->values;
        size_t count = finding->metric->count;

        text_append_format(
            out, "- Distribution: p50 %.0f, p90 %.0f, p95 %.0f, p99 %.0f\n",
            threshold_percentile(values, count, .5), threshold_percentile(values, count, .9),
            threshold_percentile(values, count, .95), threshold_percentile(values, count, .99));
    }
    text_append_format(
        out, "\n```text\n%s\n```\n",
        threshold_histogram(arena, kind, finding->metric->values, finding->metric->count));
}

static const char *as_markdown(const struct work *work, size_t *length)
{
    struct text text;

    text_start(&text, work->call->arena, DOCUMENT_MOST);
    text_append_format(&text, "# Threshold recommendations - %.10s\n\n", work->generated_at);
    text_append_format(&text, "%lld traces of %lld days, %lld labels, %s.\n",
                       (long long)work->labelled.traces, (long long)work->request->days,
                       (long long)work->labelled.labels,
                       work->labelled.by_people ? "human-reviewed" : "proxy-labeled");
    for (int i = 0; i < THRESHOLD__MAX; i++)
        print_finding(&text, work, &work->findings[i]);
    text_append_string(&text, "\n## YAML patch\n\n```yaml\n# Values with the best F1.\n");
    for (int i = 0; i < THRESHOLD__MAX; i++) {
        const struct judged *finding = &work->findings[i];

        if (finding->enough)
            text_append_format(&text, "%s=%s\n", finding->kind->env,
                               threshold_shown(work->call->arena, finding->kind,
                                               GIVEN_NUMBER(finding->best.cutoff)));
    }
    text_append_string(&text, "```\n\n## Caveats\n\n");
    for (size_t i = 0; i < work->caveat_count; i++)
        text_append_format(&text, "- %s\n", work->caveats[i]);
    if (work->caveat_count == 0)
        text_append_string(&text, "- None.\n");
    *length = text.length;
    return text.bytes;
}

static enum error write_report(const struct work *work, const char *path, const char *markdown,
                               size_t length)
{
    struct arena *arena = work->call->arena;

    return data_file_write(arena, data_file_path(arena, work->request->settings, path), markdown,
                           length, work->call->problem);
}

static enum error write_reports(const struct work *work)
{
    struct arena *arena = work->call->arena;
    size_t length;
    const char *markdown = as_markdown(work, &length);
    enum error error = ERROR_NONE;

    if (work->path)
        error = write_report(work, work->path, markdown, length);
    if (!error && work->request->of_tenant)
        error =
            write_report(work, arena_print(arena, "reports/thresholds/%s.md", work->call->tenant),
                         markdown, length);
    return error;
}

static const char *cache_key_of(const struct trace_call *call, int64_t days)
{
    return arena_print(call->arena, "threshold-analysis:%s:%lld", call->tenant, (long long)days);
}

enum error threshold_analyse(const struct trace_call *call, const struct threshold_request *request,
                             struct threshold_analysis *analysis)
{
    struct work *work = ARENA_NEW(call->arena, struct work); /* the analysis points into it */
    enum error error = labelled_read(call, request->days, &work->labelled);

    if (error)
        return error;
    work->call = call;
    work->request = request;
    work->path = request->path;
    work->generated_at = batch_time(call->arena, clock_unix_microseconds());
    work->risk = request->risk > 0 ? request->risk : request->settings->threshold_risk;
    work->confidence =
        request->confidence > 0 ? request->confidence : request->settings->threshold_confidence;
    for (int i = 0; i < THRESHOLD__MAX; i++)
        judge(work, i);
    add_caveats(work);
    error = write_reports(work);
    if (!error)
        *analysis = analysis_of(work);
    return error;
}

enum error threshold_cached(const struct trace_call *call, int64_t days,
                            struct threshold_analysis *analysis, bool *found)
{
    const char *json = NULL;
    enum error error = cache_get(call->db, call->arena, call->tenant, cache_key_of(call, days),
                                 &json, call->problem);

    *analysis = (struct threshold_analysis){0};
    *found = !error && json;
    if (!*found || schema_from_json(call->arena, &threshold_analysis_schema, json, analysis))
        return error;
    return problem_set(call->problem, ERROR_SYSTEM, "analysis_unreadable",
                       "the kept analysis is of another form; refresh it");
}

enum error threshold_latest(const struct trace_call *call, const struct threshold_request *request,
                            bool anew, struct threshold_analysis *analysis)
{
    bool found = false;
    enum error error = anew ? ERROR_NONE : threshold_cached(call, request->days, analysis, &found);

    if (error)
        return error;
    if (!found)
        error = threshold_analyse(call, request, analysis);
    if (!error && !found)
        error =
            cache_put(call->db, call->tenant, cache_key_of(call, request->days),
                      schema_json(call->arena, DOCUMENT_MOST, &threshold_analysis_schema, analysis),
                      KEPT_SECONDS, call->problem);
    analysis->cached = found;
    return error;
}
