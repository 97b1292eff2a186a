/* Answers and verdicts, read in one pass whatever their number. */
#include "support/trends/labels.h"
#include "db/query.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

enum { SECONDS_A_DAY = 86400 };

#define WINDOW                                                                                     \
    " FROM traces t WHERE (? = 'all' OR t.tenant_id = ?) AND t.started_at >= {now_plus:?}"         \
    " AND t.origin = 'live'"
static const struct statement count_traces = {
    .name = "labelled_traces",
    .sql = "SELECT count(*)" WINDOW,
};
static const struct statement read_traces = {
    .name = "labelled_read",
    .sql = "SELECT t.final_quality, t.factuality_score, t.final_relevance, t.duration_ms,"
           " t.final_route, r.status FROM traces t LEFT JOIN review_queue r"
           " ON r.trace_id = t.trace_id AND r.status IN ('confirmed_good', 'confirmed_bad')"
           " WHERE (? = 'all' OR t.tenant_id = ?) AND t.started_at >= {now_plus:?}"
           " AND t.origin = 'live'",
    .streams = true,
};
static const struct statement count_verdicts = {
    .name = "labelled_verdicts",
    .sql = "SELECT tenant_id, status, count(*) FROM review_queue"
           " WHERE status IN ('confirmed_good', 'confirmed_bad') AND (? = 'all' OR tenant_id = ?)"
           " GROUP BY tenant_id, status ORDER BY tenant_id, status",
};
#define VERDICTS_SINCE(column)                                                                     \
    "SELECT count(*), coalesce(sum(CASE WHEN r.status = 'confirmed_bad' THEN 1 ELSE 0 END), 0)"    \
    " FROM review_queue r JOIN traces t ON t.trace_id = r.trace_id WHERE r.tenant_id = ?"          \
    " AND r.status IN ('confirmed_good', 'confirmed_bad')"                                         \
    " AND coalesce(r.reviewed_at, r.created_at) >= ? AND t." column " >= ?"
static const struct statement count_given[] = {
    [THRESHOLD_QUALITY] = {.name = "labelled_quality", .sql = VERDICTS_SINCE("final_quality")},
    [THRESHOLD_FACTS] = {.name = "labelled_facts", .sql = VERDICTS_SINCE("factuality_score")},
};

static struct query *ask(const struct trace_call *call, const struct statement *statement)
{
    struct query *query = db_query(call->db, statement);

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    return query;
}

static enum error read_verdicts(const struct trace_call *call, struct labelled *labelled)
{
    struct query *query = ask(call, &count_verdicts);
    int64_t bad = 0, most = 0;

    while (query_next(query)) {
        const char *tenant = query_text(query, 0, call->arena);
        bool is_bad = strcmp(query_text(query, 1, call->arena), "confirmed_bad") == 0;
        int64_t count = query_integer(query, 2);

        labelled->labels += count;
        bad += is_bad ? count : 0;
        if (is_bad && count > most) {
            most = count;
            labelled->heavy_tenant = tenant;
        }
    }
    labelled->by_people = labelled->labels > 0;
    labelled->heavy_share = bad ? (double)most / (double)bad : 0;
    if (labelled->heavy_share < 0.5 || strcmp(call->tenant, EVERYBODY) != 0)
        labelled->heavy_tenant = NULL;
    return query_end(query, call->problem);
}

static enum error read_count(const struct trace_call *call, int64_t days, struct labelled *labelled)
{
    struct query *query = ask(call, &count_traces);

    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    labelled->traces = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

/* Whether an answer was judged, and as what. */
static bool judged(struct query *query, struct arena *arena, bool by_people, bool *bad)
{
    const char *word = query_text_or_null(query, by_people ? 5 : 4, arena);

    *bad = word && strcmp(word, by_people ? "confirmed_bad" : "human") == 0;
    return by_people ? word != NULL : true;
}

static enum error read_values(const struct trace_call *call, int64_t days,
                              struct labelled *labelled)
{
    size_t most = (size_t)labelled->traces, counts[THRESHOLD__MAX] = {0}, place = 0;
    struct threshold_sample *samples[THRESHOLD__MAX];
    struct query *query = ask(call, &read_traces);
    enum error error;

    for (size_t i = 0; i < THRESHOLD__MAX; i++) {
        samples[i] = ARENA_ARRAY(call->arena, struct threshold_sample, most);
        labelled->metrics[i].values = ARENA_ARRAY(call->arena, double, most);
    }
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    for (; place < most && query_next(query); place++) {
        bool bad, is_judged = judged(query, call->arena, labelled->by_people, &bad);

        for (int i = 0; i < THRESHOLD__MAX; i++) {
            struct labelled_metric *metric = &labelled->metrics[i];

            if (query_is_null(query, i))
                continue;
            metric->values[metric->count++] = query_number(query, i);
            if (is_judged)
                samples[i][counts[i]++] =
                    (struct threshold_sample){metric->values[metric->count - 1], bad};
        }
    }
    error = query_end(query, call->problem);
    for (size_t i = 0; i < THRESHOLD__MAX && !error; i++) {
        struct labelled_metric *metric = &labelled->metrics[i];

        sort_doubles(metric->values, ARENA_ARRAY(call->arena, double, most), metric->count);
        threshold_sort(call->arena, samples[i], counts[i], &metric->samples);
    }
    return error;
}

enum error labelled_read(const struct trace_call *call, int64_t days, struct labelled *labelled)
{
    enum error error = db_begin(call->db, DB_READ, call->problem);

    *labelled = (struct labelled){0};
    if (error)
        return error;
    error = read_verdicts(call, labelled);
    if (!error)
        error = read_count(call, days, labelled);
    if (!error)
        error = read_values(call, days, labelled);
    if (!labelled->by_people)
        labelled->labels = labelled->traces;
    return db_finish(call->db, error, call->problem);
}

enum error labelled_count(const struct trace_call *call, enum threshold_metric metric,
                          double cutoff, const char *since, int64_t *given, int64_t *wrong)
{
    struct query *query = db_query(call->db, &count_given[metric]);

    query_bind_text(query, call->tenant);
    query_bind_text(query, since);
    query_bind_number(query, cutoff);
    *given = *wrong = 0;
    if (query_next(query)) {
        *given = query_integer(query, 0);
        *wrong = query_integer(query, 1);
    }
    return query_end(query, call->problem);
}
