/* Signals are collected as JSON first, so that a file can replace them. */
#include "support/trends/recommend.h"
#include "base/number.h"
#include "db/query.h"
#include "support/curated/case_status.h"
#include "support/programs/batch.h"
#include "support/trends/backlog.h"
#include "support/trends/threshold_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIGNALS_MOST = 1 << 22,
    MARKDOWN_MOST = 1 << 20,
    RUNS_MOST = 20,
    STALE_MOST = 50,
    ROWS_MOST = 500,
    DEPTH = 16,
    THRESHOLD_DAYS = 30,
    DECIMALS = 4
};
static const double threshold_base = 3, gain_weight = 10, regression_base = 5, stale_priority = 2;

static const struct statement read_green = {
    .name = "recommend_green",
    .sql = "SELECT run_id, candidate_experiment_id, quality_delta FROM (SELECT run_id,"
           " candidate_experiment_id, quality_delta, created_at, id FROM eval_results"
           " WHERE kind = 'regression' AND drift_alert = 0 AND coalesce(mode, '') NOT LIKE 'mock-%'"
           " AND (? = 'all' OR tenant_id IN (?, 'all')) ORDER BY created_at DESC, id DESC LIMIT ?)"
           " newest WHERE quality_delta > 0 AND candidate_experiment_id IS NOT NULL"
           " AND candidate_experiment_id <> 'current' ORDER BY created_at DESC, id DESC",
};
static const struct statement read_stale = {
    .name = "recommend_stale",
    .sql = "SELECT case_id, coalesce(staleness_reason, '') AS staleness_reason"
           " FROM curated_case_status"
           " WHERE status = 'stale_needs_review' AND (? = 'all' OR tenant_id = ?)"
           " ORDER BY last_checked_at DESC, case_id LIMIT ?",
};

/* What recommendations are made from. */
struct threshold_signal {
    const char *metric;
    double current, suggested, f1_gain;
};

#define OWNER struct threshold_signal
static const struct field threshold_fields[] = {STRING(OWNER, metric), NUMBER(OWNER, current),
                                                NUMBER(OWNER, suggested), NUMBER(OWNER, f1_gain)};
#undef OWNER
static SCHEMA(threshold_schema, struct threshold_signal, "ThresholdSignal", threshold_fields);

struct green_run {
    const char *run_id, *candidate_experiment_id;
    double quality_delta;
};

#define OWNER struct green_run
static const struct field run_fields[] = {
    STRING(OWNER, run_id), STRING(OWNER, candidate_experiment_id), NUMBER(OWNER, quality_delta)};
#undef OWNER
static SCHEMA(run_schema, struct green_run, "GreenRun", run_fields);

struct stale_row {
    const char *case_id, *staleness_reason;
};

#define OWNER struct stale_row
static const struct field stale_fields[] = {STRING(OWNER, case_id),
                                            STRING(OWNER, staleness_reason)};
#undef OWNER
static SCHEMA(stale_schema, struct stale_row, "StaleSignal", stale_fields);

struct signals {
    OBJECT_LIST(struct backlog_item, backlog);
    OBJECT_LIST(struct threshold_signal, thresholds);
    OBJECT_LIST(struct green_run, regressions);
    OBJECT_LIST(struct stale_row, stale);
};

#define OWNER struct signals
static const struct field signals_fields[] = {
    OBJECTS(OWNER, backlog, backlog_item_schema), OBJECTS(OWNER, thresholds, threshold_schema),
    OBJECTS(OWNER, regressions, run_schema), OBJECTS(OWNER, stale, stale_schema)};
#undef OWNER
static SCHEMA(signals_schema, struct signals, "Signals", signals_fields);

static void add_threshold(const struct threshold_finding *finding,
                          struct threshold_signal *thresholds, size_t *count)
{
    const struct threshold_scores none = {0}, *before = finding ? finding->current_metrics : NULL,
                                  *after = finding ? finding->suggested_metrics : NULL;

    if (!finding || !finding->suggested.given)
        return;
    before = before ? before : &none;
    after = after ? after : &none;
    thresholds[(*count)++] = (struct threshold_signal){.metric = finding->name,
                                                       .current = finding->current,
                                                       .suggested = finding->suggested.value,
                                                       .f1_gain = after->f1 - before->f1};
}

/* The stored analysis; without one there are no signals. */
static enum error read_thresholds(const struct trace_call *call, struct signals *signals)
{
    struct threshold_signal *thresholds =
        ARENA_ARRAY(call->arena, struct threshold_signal, THRESHOLD__MAX);
    struct threshold_analysis analysis;
    bool found = false;
    enum error error = threshold_cached(call, THRESHOLD_DAYS, &analysis, &found);

    signals->thresholds = (struct object_list){0, thresholds};
    if (error || !found)
        return error;
    add_threshold(analysis.thresholds->quality_threshold, thresholds, &signals->thresholds.count);
    add_threshold(analysis.thresholds->fact_verification_min_score, thresholds,
                  &signals->thresholds.count);
    add_threshold(analysis.thresholds->escalation_threshold, thresholds,
                  &signals->thresholds.count);
    add_threshold(analysis.thresholds->slow_trace_threshold_ms, thresholds,
                  &signals->thresholds.count);
    return ERROR_NONE;
}

static enum error read_runs(const struct trace_call *call, struct signals *signals)
{
    struct green_run *runs = ARENA_ARRAY(call->arena, struct green_run, RUNS_MOST);
    struct query *query = db_query(call->db, &read_green);

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, RUNS_MOST);
    signals->regressions = (struct object_list){0, runs};
    while (signals->regressions.count < RUNS_MOST && query_next(query))
        query_read(query, &run_schema, &runs[signals->regressions.count++], call->arena);
    return query_end(query, call->problem);
}

static enum error read_stale_cases(const struct trace_call *call, struct signals *signals)
{
    struct stale_row *rows = ARENA_ARRAY(call->arena, struct stale_row, STALE_MOST);
    struct query *query = db_query(call->db, &read_stale);

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, STALE_MOST);
    signals->stale = (struct object_list){0, rows};
    while (signals->stale.count < STALE_MOST && query_next(query))
        query_read(query, &stale_schema, &rows[signals->stale.count++], call->arena);
    return query_end(query, call->problem);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* Leaves out the items about documents that the caller may not read. */
static struct object_list readable_items(const struct trace_call *call,
                                         const struct object_list *all)
{
    struct backlog_item *items = all->items;
    size_t kept = 0;

    for (size_t i = 0; i < all->count; i++) {
        const char *doc_id = text_of(items[i].details, "doc_id");

        if (!document_is_hidden(call->reader, doc_id))
            items[kept++] = items[i];
    }
    return (struct object_list){kept, items};
}

enum error recommend_signals(const struct trace_call *call, const struct support_settings *settings,
                             const char **json)
{
    struct backlog_document backlog;
    struct signals signals = {0};
    enum error error = backlog_current(call, settings, &backlog);

    if (!error)
        error = read_thresholds(call, &signals);
    if (!error)
        error = read_runs(call, &signals);
    if (!error)
        error = read_stale_cases(call, &signals);
    if (error)
        return error;
    signals.backlog = readable_items(call, &backlog.items);
    *json = schema_json(call->arena, SIGNALS_MOST, &signals_schema, &signals);
    return *json ? ERROR_NONE
                 : problem_set(call->problem, ERROR_TOO_LARGE, "signals_too_large",
                               "the signals are too large");
}

struct collection {
    struct arena *arena;
    struct recommendation *rows;
    size_t count;
};

static void add(struct collection *to, struct recommendation row)
{
    if (to->count < ROWS_MOST)
        to->rows[to->count++] = row;
}

static double number_of(const json_t *object, const char *name)
{
    return json_number_value(json_object_get(object, name));
}

static const char *shown(const struct collection *to, double number)
{
    char text[NUMBER_TEXT_MAX];

    number_format(number, text);
    return arena_copy_string(to->arena, text);
}

static void from_backlog(struct collection *to, const json_t *item)
{
    double priority = number_of(item, "priority");

    if (*text_of(item, "title") && priority > 0)
        add(to, (struct recommendation){.title = text_of(item, "title"),
                                        .action = text_of(item, "suggested_action"),
                                        .evidence = arena_print(to->arena, "%s: seen %.0f times",
                                                                text_of(item, "source"),
                                                                number_of(item, "frequency")),
                                        .source = "backlog",
                                        .priority = priority});
}

static void from_threshold(struct collection *to, const json_t *item)
{
    double current = number_of(item, "current"), suggested = number_of(item, "suggested"),
           gain = number_of(item, "f1_gain");

    if (!*text_of(item, "metric") ||
        (fabs(suggested - current) <= 1e-9 * fmax(1, fabs(current)) && gain <= 0))
        return;
    add(to, (struct recommendation){
                .title = arena_print(to->arena, "Adjust threshold %s", text_of(item, "metric")),
                .action = arena_print(to->arena, "set it to %s", shown(to, suggested)),
                .evidence = arena_print(to->arena, "now %s; F1 would gain %s", shown(to, current),
                                        shown(to, number_round(gain, DECIMALS))),
                .source = "threshold",
                .priority = number_round(threshold_base + gain_weight * gain, DECIMALS)});
}

static void from_regression(struct collection *to, const json_t *item)
{
    const char *id = text_of(item, "candidate_experiment_id");
    double gain = number_of(item, "quality_delta");

    if (*id && gain > 0)
        add(to, (struct recommendation){
                    .title = arena_print(to->arena, "Deploy experiment %s", id),
                    .action = "stage it, then deploy it",
                    .evidence = arena_print(
                        to->arena, "a green regression run gained %s in quality", shown(to, gain)),
                    .source = "regression",
                    .priority = number_round(regression_base + gain, DECIMALS)});
}

static void from_stale(struct collection *to, const json_t *item)
{
    const char *id = text_of(item, "case_id");

    if (*id)
        add(to, (struct recommendation){.title =
                                            arena_print(to->arena, "Re-review curated case %s", id),
                                        .action = "judge it again, or correct what it expects",
                                        .evidence = text_of(item, "staleness_reason"),
                                        .source = "stale",
                                        .priority = stale_priority});
}

static int by_priority(const void *a, const void *b)
{
    const struct recommendation *x = a, *y = b;
    int order = (x->priority < y->priority) - (x->priority > y->priority);

    if (!order)
        order = strcmp(x->source, y->source);
    return order ? order : strcmp(x->title, y->title);
}

enum error recommend_from(struct arena *arena, const char *signals, struct object_list *rows,
                          struct problem *problem)
{
    static const struct {
        const char *name;
        void (*take)(struct collection *to, const json_t *item);
    } sources[] = {{"backlog", from_backlog},
                   {"thresholds", from_threshold},
                   {"regressions", from_regression},
                   {"stale", from_stale}};
    struct collection to = {arena, ARENA_ARRAY(arena, struct recommendation, ROWS_MOST), 0};
    struct json_fault fault;
    json_t *object = NULL;
    const json_t *item;
    size_t i;

    if (json_read(arena, signals, strlen(signals), DEPTH, &object, &fault) ||
        !json_is_object(object))
        return problem_set(problem, ERROR_MALFORMED, "signals_malformed",
                           "signals must be a JSON object of backlog, thresholds, regressions and "
                           "stale");
    for (size_t source = 0; source < sizeof sources / sizeof sources[0]; source++) {
        json_array_foreach(json_object_get(object, sources[source].name), i, item) sources[source]
            .take(&to, item);
    }
    if (to.count)
        qsort(to.rows, to.count, sizeof to.rows[0], by_priority);
    *rows = (struct object_list){to.count, to.rows};
    return ERROR_NONE;
}

const char *recommend_markdown(struct arena *arena, const char *week,
                               const struct object_list *rows)
{
    const struct recommendation *items = rows->items;
    struct text text;

    text_start(&text, arena, MARKDOWN_MOST);
    text_append_format(&text, "# Recommendations — %s\n\n", week);
    if (!rows->count)
        text_append_string(&text, "There is nothing to act upon.\n");
    else
        text_append_format(&text, "%zu recommendations, the most urgent first.\n", rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        char priority[NUMBER_TEXT_MAX];

        number_format(items[i].priority, priority);
        text_append_format(&text, "\n### %zu. ", i + 1);
        batch_append_line(&text, items[i].title);
        text_append_format(&text, "\n\n- Source: %s\n- Priority: %s\n- Action: ", items[i].source,
                           priority);
        batch_append_line(&text, items[i].action);
        text_append_string(&text, "\n- Why now: ");
        batch_append_line(&text, items[i].evidence);
        text_append_byte(&text, '\n');
    }
    return text.bytes;
}
