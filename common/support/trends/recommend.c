/* Signals are collected as JSON first, so that a file of them may take their place. */
#include "support/trends/recommend.h"
#include "base/json.h"
#include "base/number.h"
#include "db/query.h"
#include "support/cache.h"
#include "support/curated/case_status.h"
#include "support/programs/batch.h"
#include "support/trends/backlog.h"

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
    .sql = "SELECT case_id, coalesce(staleness_reason, '') FROM curated_case_status"
           " WHERE status = 'stale_needs_review' AND (? = 'all' OR tenant_id = ?)"
           " ORDER BY last_checked_at DESC, case_id LIMIT ?",
};

static void write_backlog(struct arena *arena, struct json_writer *writer, const char *document)
{
    struct json_fault fault;
    json_t *object = NULL;

    writer_key(writer, "backlog");
    if (document && !json_read(arena, document, strlen(document), DEPTH, &object, &fault) &&
        json_is_array(json_object_get(object, "items"))) {
        writer_value(writer, json_object_get(object, "items"));
        return;
    }
    writer_open_array(writer);
    writer_close_array(writer);
}

static double f1_of(const json_t *metrics)
{
    return json_number_value(json_object_get(metrics, "f1"));
}

static void write_threshold(struct json_writer *writer, const json_t *threshold)
{
    const json_t *suggested = json_object_get(threshold, "suggested");

    if (!json_is_number(suggested))
        return;
    writer_open_object(writer);
    writer_key_string(writer, "metric", json_string_value(json_object_get(threshold, "name")));
    writer_key_number(writer, "current", json_number_value(json_object_get(threshold, "current")));
    writer_key_number(writer, "suggested", json_number_value(suggested));
    writer_key_number(writer, "f1_gain",
                      f1_of(json_object_get(threshold, "suggested_metrics")) -
                          f1_of(json_object_get(threshold, "current_metrics")));
    writer_close_object(writer);
}

/* The kept analysis; none was made = there is nothing to say. */
static enum error write_thresholds(const struct trace_call *call, struct json_writer *writer)
{
    const char *document = NULL, *name;
    struct json_fault fault;
    json_t *object = NULL;
    const json_t *thresholds, *threshold;
    size_t i;
    enum error error = cache_get(
        call->db, call->arena, call->tenant,
        arena_print(call->arena, "threshold-analysis:%s:%d", call->tenant, THRESHOLD_DAYS),
        &document, call->problem);

    writer_key(writer, "thresholds");
    writer_open_array(writer);
    if (!error && document &&
        !json_read(call->arena, document, strlen(document), DEPTH, &object, &fault)) {
        thresholds = json_object_get(object, "thresholds");
        json_array_foreach(thresholds, i, threshold) write_threshold(writer, threshold);
        json_object_foreach((json_t *)thresholds, name, threshold)
            write_threshold(writer, threshold);
    }
    writer_close_array(writer);
    return error;
}

static enum error write_regressions(const struct trace_call *call, struct json_writer *writer)
{
    struct query *query = db_query(call->db, &read_green);

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, RUNS_MOST);
    writer_key(writer, "regressions");
    writer_open_array(writer);
    while (query_next(query)) {
        writer_open_object(writer);
        writer_key_string(writer, "run_id", query_text(query, 0, call->arena));
        writer_key_string(writer, "candidate_experiment_id", query_text(query, 1, call->arena));
        writer_key_number(writer, "quality_delta", query_number(query, 2));
        writer_close_object(writer);
    }
    writer_close_array(writer);
    return query_end(query, call->problem);
}

static enum error write_stale(const struct trace_call *call, struct json_writer *writer)
{
    struct query *query = db_query(call->db, &read_stale);

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    query_bind_integer(query, STALE_MOST);
    writer_key(writer, "stale");
    writer_open_array(writer);
    while (query_next(query)) {
        writer_open_object(writer);
        writer_key_string(writer, "case_id", query_text(query, 0, call->arena));
        writer_key_string(writer, "staleness_reason", query_text(query, 1, call->arena));
        writer_close_object(writer);
    }
    writer_close_array(writer);
    return query_end(query, call->problem);
}

enum error recommend_signals(const struct trace_call *call, const struct support_settings *settings,
                             const char **signals)
{
    const char *document = NULL;
    struct text text;
    struct json_writer writer;
    enum error error = backlog_current(call, settings, &document);

    if (error)
        return error;
    text_start(&text, call->arena, SIGNALS_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    write_backlog(call->arena, &writer, document);
    error = write_thresholds(call, &writer);
    if (!error)
        error = write_regressions(call, &writer);
    if (!error)
        error = write_stale(call, &writer);
    if (error)
        return error;
    writer_close_object(&writer);
    *signals = text.bytes;
    return ERROR_NONE;
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

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
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
        add(to, (struct recommendation){text_of(item, "title"), text_of(item, "suggested_action"),
                                        arena_print(to->arena, "%s: seen %.0f times",
                                                    text_of(item, "source"),
                                                    number_of(item, "frequency")),
                                        "backlog", priority});
}

static void from_threshold(struct collection *to, const json_t *item)
{
    double current = number_of(item, "current"), suggested = number_of(item, "suggested"),
           gain = number_of(item, "f1_gain");

    if (!*text_of(item, "metric") ||
        (fabs(suggested - current) <= 1e-9 * fmax(1, fabs(current)) && gain <= 0))
        return;
    add(to, (struct recommendation){
                arena_print(to->arena, "Adjust threshold %s", text_of(item, "metric")),
                arena_print(to->arena, "set it to %s", shown(to, suggested)),
                arena_print(to->arena, "now %s; F1 would gain %s", shown(to, current),
                            shown(to, number_round(gain, DECIMALS))),
                "threshold", number_round(threshold_base + gain_weight * gain, DECIMALS)});
}

static void from_regression(struct collection *to, const json_t *item)
{
    const char *id = text_of(item, "candidate_experiment_id");
    double gain = number_of(item, "quality_delta");

    if (*id && gain > 0)
        add(to, (struct recommendation){
                    arena_print(to->arena, "Deploy experiment %s", id), "stage it, then deploy it",
                    arena_print(to->arena, "a green regression run gained %s in quality",
                                shown(to, gain)),
                    "regression", number_round(regression_base + gain, DECIMALS)});
}

static void from_stale(struct collection *to, const json_t *item)
{
    const char *id = text_of(item, "case_id");

    if (*id)
        add(to,
            (struct recommendation){arena_print(to->arena, "Re-review curated case %s", id),
                                    "judge it again, or correct what it expects",
                                    text_of(item, "staleness_reason"), "stale", stale_priority});
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
