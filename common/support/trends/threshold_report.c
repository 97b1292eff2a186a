/* The analysis: reads once, judges each metric, writes it as JSON and as Markdown. */
#include "support/trends/threshold_report.h"
#include "base/clock.h"
#include "base/json.h"
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
struct finding {
    const struct threshold_kind *kind;
    const struct labelled_metric *metric;
    double current;
    bool enough;
    struct threshold_best best;
    struct threshold_scores now;
    struct risk_cut cut;
    bool has_risk; /* a risk is spoken of: low is bad, and people have judged */
    bool has_expected;
    double expected_cutoff, expected_coverage;
};

struct analysis {
    const struct trace_call *call;
    const struct threshold_request *request;
    const char *generated_at;
    struct labelled labelled;
    double risk, confidence;
    struct finding findings[THRESHOLD__MAX];
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

static void judge(struct analysis *analysis, int which)
{
    struct finding *finding = &analysis->findings[which];
    const struct threshold_samples *samples = &analysis->labelled.metrics[which].samples;

    finding->kind = &threshold_kinds[which];
    finding->metric = &analysis->labelled.metrics[which];
    finding->current = current_of(analysis->request->settings, which);
    finding->enough =
        (int64_t)samples->count >= analysis->request->settings->threshold_labels_least;
    finding->now = threshold_score(finding->kind, samples, finding->current);
    if (finding->enough)
        finding->best =
            threshold_suggest(analysis->call->arena, finding->kind, samples, finding->current);
    finding->has_risk = analysis->labelled.by_people && !finding->kind->higher_is_bad;
    if (!finding->has_risk)
        return;
    risk_control(finding->kind, samples, analysis->risk, analysis->confidence, &finding->cut);
    finding->has_expected = risk_expected(finding->kind, samples, analysis->risk,
                                          &finding->expected_cutoff, &finding->expected_coverage);
}

static void caveat(struct analysis *analysis, const char *text)
{
    analysis->caveats[analysis->caveat_count++] = text;
}

static void add_caveats(struct analysis *analysis)
{
    const struct labelled *labelled = &analysis->labelled;

    if (labelled->by_people) {
        caveat(analysis, "Answers are reviewed because something about them was odd: what is "
                         "promised of them is promised of answers like those that were reviewed.");
    } else {
        caveat(analysis, "Nobody has judged an answer yet: labels follow the route (human = bad).");
        caveat(analysis, "Tickets are not joined to answers, so what became of them is not seen.");
    }
    if (labelled->heavy_tenant)
        caveat(
            analysis,
            arena_print(analysis->call->arena,
                        "Tenant %s holds %.0f%% of the bad verdicts; consider values per tenant.",
                        labelled->heavy_tenant, labelled->heavy_share * 100));
    if (labelled->traces && labelled->metrics[THRESHOLD_SLOW].count == 0)
        caveat(analysis, "No answer has a duration.");
    if (labelled->traces && labelled->metrics[THRESHOLD_FACTS].count == 0)
        caveat(analysis, "No answer has a fact score.");
}

static void write_scores(struct json_writer *writer, const char *key, bool given,
                         const struct threshold_scores *scores)
{
    writer_key(writer, key);
    if (!given) {
        writer_null(writer);
        return;
    }
    writer_open_object(writer);
    writer_key_number(writer, "precision", scores->precision);
    writer_key_number(writer, "recall", scores->recall);
    writer_key_number(writer, "f1", scores->f1);
    writer_close_object(writer);
}

static void write_value(struct json_writer *writer, const char *key,
                        const struct threshold_kind *kind, double value)
{
    if (kind->integer)
        writer_key_integer(writer, key, (int64_t)rint(value));
    else
        writer_key_number(writer, key, number_round(value, 2));
}

/* A number where it was found out, else null. */
static void write_known(struct json_writer *writer, const char *key, bool known, double value)
{
    if (known)
        writer_key_number(writer, key, value);
    else
        writer_key_null(writer, key);
}

static void write_cutoff(struct json_writer *writer, const char *key, bool known,
                         const struct threshold_kind *kind, double value)
{
    if (known)
        write_value(writer, key, kind, value);
    else
        writer_key_null(writer, key);
}

static void write_risk(struct json_writer *writer, const struct analysis *analysis,
                       const struct finding *finding)
{
    const struct risk_cut *cut = &finding->cut;
    bool found = finding->has_risk && cut->reason == RISK_FOUND;

    writer_key(writer, "risk");
    if (!finding->has_risk) {
        writer_null(writer);
        return;
    }
    writer_open_object(writer);
    writer_key_number(writer, "risk", analysis->risk);
    writer_key_number(writer, "confidence", analysis->confidence);
    writer_key_string(writer, "status", risk_reason_names[cut->reason]);
    write_cutoff(writer, "cutoff", found, finding->kind, cut->cutoff);
    writer_key_integer(writer, "given", cut->given);
    writer_key_integer(writer, "wrong", cut->wrong);
    write_known(writer, "observed", found, cut->observed);
    write_known(writer, "upper", found, cut->upper);
    write_known(writer, "coverage", found, cut->coverage);
    writer_key_integer(writer, "needed", cut->needed);
    write_cutoff(writer, "expected_cutoff", finding->has_expected, finding->kind,
                 finding->expected_cutoff);
    write_known(writer, "expected_coverage", finding->has_expected, finding->expected_coverage);
    writer_close_object(writer);
}

static void write_curve(struct json_writer *writer, const struct finding *finding)
{
    struct threshold_point points[THRESHOLD_POINTS_MAX];
    size_t count = threshold_curve(finding->kind, &finding->metric->samples, points);

    writer_key(writer, "curve");
    writer_open_array(writer);
    for (size_t i = 0; i < count; i++) {
        writer_open_object(writer);
        writer_key_number(writer, "cutoff", points[i].cutoff);
        writer_key_number(writer, "precision", number_round(points[i].precision, 4));
        writer_key_number(writer, "recall", number_round(points[i].recall, 4));
        writer_key_number(writer, "f1", number_round(points[i].f1, 4));
        writer_key_number(writer, "coverage", number_round(points[i].coverage, 4));
        write_known(writer, "risk", points[i].risk.given, number_round(points[i].risk.value, 4));
        writer_close_object(writer);
    }
    writer_close_array(writer);
}

static void write_percentiles(struct json_writer *writer, const struct labelled_metric *metric)
{
    static const struct {
        const char *key;
        double p;
    } rows[] = {{"p50", .5}, {"p90", .9}, {"p95", .95}, {"p99", .99}};

    writer_key(writer, "percentiles");
    writer_open_object(writer);
    for (size_t i = 0; i < 4 && metric->count; i++)
        writer_key_integer(
            writer, rows[i].key,
            (int64_t)rint(threshold_percentile(metric->values, metric->count, rows[i].p)));
    writer_close_object(writer);
}

static const char *shortage(const struct analysis *analysis, const struct finding *finding)
{
    return arena_print(analysis->call->arena, "insufficient labeled traces (%zu < %lld)",
                       finding->metric->samples.count,
                       (long long)analysis->request->settings->threshold_labels_least);
}

static void write_finding(struct json_writer *writer, const struct analysis *analysis,
                          const struct finding *finding)
{
    const struct threshold_kind *kind = finding->kind;
    size_t labelled = finding->metric->samples.count;

    writer_key(writer, kind->name);
    writer_open_object(writer);
    writer_key_string(writer, "name", kind->name);
    writer_key_string(writer, "status", finding->enough ? "ok" : "insufficient_data");
    write_value(writer, "current", kind, finding->current);
    write_cutoff(writer, "suggested", finding->enough, kind, finding->best.cutoff);
    write_scores(writer, "current_metrics", labelled > 0, &finding->now);
    write_scores(writer, "suggested_metrics", finding->enough, &finding->best.scores);
    writer_key_integer(writer, "labeled_count", (int64_t)labelled);
    writer_key_string(writer, "reason", finding->enough ? "" : shortage(analysis, finding));
    if (finding->enough)
        writer_key_string(writer, "note",
                          threshold_note(kind, finding->current, finding->best.cutoff));
    writer_key_integer(writer, "metric_count", (int64_t)finding->metric->count);
    writer_key_string(writer, "histogram",
                      threshold_histogram(analysis->call->arena, kind, finding->metric->values,
                                          finding->metric->count));
    if (kind->higher_is_bad)
        write_percentiles(writer, finding->metric);
    write_risk(writer, analysis, finding);
    write_curve(writer, finding);
    writer_close_object(writer);
}

static const char *as_json(const struct analysis *analysis)
{
    const struct labelled *labelled = &analysis->labelled;
    struct text text;
    struct json_writer writer;

    text_start(&text, analysis->call->arena, DOCUMENT_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "generated_at", analysis->generated_at);
    writer_key_integer(&writer, "days", analysis->request->days);
    writer_key_string(&writer, "tenant", analysis->call->tenant);
    writer_key_integer(&writer, "total_traces", labelled->traces);
    writer_key_integer(&writer, "label_count", labelled->labels);
    writer_key_string(&writer, "label_source",
                      labelled->by_people ? "human_review" : "proxy_route");
    writer_key(&writer, "thresholds");
    writer_open_object(&writer);
    for (int i = 0; i < THRESHOLD__MAX; i++)
        write_finding(&writer, analysis, &analysis->findings[i]);
    writer_close_object(&writer);
    writer_key(&writer, "caveats");
    writer_open_array(&writer);
    for (size_t i = 0; i < analysis->caveat_count; i++)
        writer_string(&writer, analysis->caveats[i]);
    writer_close_array(&writer);
    writer_key_string(&writer, "report_path", analysis->path);
    writer_close_object(&writer);
    return text.bytes;
}

static void print_risk(struct text *out, const struct analysis *analysis,
                       const struct finding *finding)
{
    const struct risk_cut *cut = &finding->cut;

    if (!finding->has_risk)
        return;
    text_append_format(out, "- Risk at most %g with confidence %g: ", analysis->risk,
                       analysis->confidence);
    if (cut->reason == RISK_FOUND)
        text_append_format(
            out, "%s, answering %.1f%% (%lld wrong of %lld, upper bound %.4f)\n",
            threshold_shown(analysis->call->arena, finding->kind, GIVEN_NUMBER(cut->cutoff)),
            cut->coverage * 100, (long long)cut->wrong, (long long)cut->given, cut->upper);
    else if (cut->reason == RISK_TOO_FEW)
        text_append_format(out, "needs %lld judged answers that go out\n", (long long)cut->needed);
    else
        text_append_string(out, "no cutoff shows it\n");
}

static void print_finding(struct text *out, const struct analysis *analysis,
                          const struct finding *finding)
{
    struct arena *arena = analysis->call->arena;
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
                           shortage(analysis, finding));
    }
    print_risk(out, analysis, finding);
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

static const char *as_markdown(const struct analysis *analysis, size_t *length)
{
    struct text text;

    text_start(&text, analysis->call->arena, DOCUMENT_MOST);
    text_append_format(&text, "# Threshold recommendations - %.10s\n\n", analysis->generated_at);
    text_append_format(&text, "%lld traces of %lld days, %lld labels, %s.\n",
                       (long long)analysis->labelled.traces, (long long)analysis->request->days,
                       (long long)analysis->labelled.labels,
                       analysis->labelled.by_people ? "human-reviewed" : "proxy-labeled");
    for (int i = 0; i < THRESHOLD__MAX; i++)
        print_finding(&text, analysis, &analysis->findings[i]);
    text_append_string(&text, "\n## YAML patch\n\n```yaml\n# Values with the best F1.\n");
    for (int i = 0; i < THRESHOLD__MAX; i++) {
        const struct finding *finding = &analysis->findings[i];

        if (finding->enough)
            text_append_format(&text, "%s=%s\n", finding->kind->env,
                               threshold_shown(analysis->call->arena, finding->kind,
                                               GIVEN_NUMBER(finding->best.cutoff)));
    }
    text_append_string(&text, "```\n\n## Caveats\n\n");
    for (size_t i = 0; i < analysis->caveat_count; i++)
        text_append_format(&text, "- %s\n", analysis->caveats[i]);
    if (analysis->caveat_count == 0)
        text_append_string(&text, "- None.\n");
    *length = text.length;
    return text.bytes;
}

static enum error write_report(const struct analysis *analysis, const char *path,
                               const char *markdown, size_t length)
{
    struct arena *arena = analysis->call->arena;

    return data_file_write(arena, data_file_path(arena, analysis->request->settings, path),
                           markdown, length, analysis->call->problem);
}

static enum error write_reports(const struct analysis *analysis)
{
    struct arena *arena = analysis->call->arena;
    size_t length;
    const char *markdown = as_markdown(analysis, &length);
    enum error error = ERROR_NONE;

    if (analysis->path)
        error = write_report(analysis, analysis->path, markdown, length);
    if (!error && analysis->request->of_tenant)
        error = write_report(analysis,
                             arena_print(arena, "reports/thresholds/%s.md", analysis->call->tenant),
                             markdown, length);
    return error;
}

enum error threshold_analyse(const struct trace_call *call, const struct threshold_request *request,
                             const char **document)
{
    struct analysis analysis = {.call = call, .request = request, .path = request->path};
    enum error error = labelled_read(call, request->days, &analysis.labelled);

    if (error)
        return error;
    analysis.generated_at = batch_time(call->arena, clock_unix_microseconds());
    analysis.risk = request->risk > 0 ? request->risk : request->settings->threshold_risk;
    analysis.confidence =
        request->confidence > 0 ? request->confidence : request->settings->threshold_confidence;
    for (int i = 0; i < THRESHOLD__MAX; i++)
        judge(&analysis, i);
    add_caveats(&analysis);
    error = write_reports(&analysis);
    *document = error ? NULL : as_json(&analysis);
    return error;
}

enum error threshold_kept(const struct trace_call *call, const struct threshold_request *request,
                          bool anew, const char **document, bool *cached)
{
    const char *key = arena_print(call->arena, "threshold-analysis:%s:%lld", call->tenant,
                                  (long long)request->days);
    enum error error =
        anew ? ERROR_NONE
             : cache_get(call->db, call->arena, call->tenant, key, document, call->problem);

    *cached = !error && !anew && *document;
    if (error || *cached)
        return error;
    error = threshold_analyse(call, request, document);
    return error ? error
                 : cache_put(call->db, call->tenant, key, *document, KEPT_SECONDS, call->problem);
}
