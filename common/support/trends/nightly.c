/* The answers of a day against those of the week before. */
#include "support/trends/nightly.h"
#include "base/number.h"
#include "base/text.h"
#include "db/query.h"

#include <math.h>

enum { SAMPLE_MEMORY = 64 << 20 };
static const double drift_from = 0.1;

static const struct statement read_sample = {
    .name = "nightly_sample",
    .sql = "SELECT trace_id, question, answer FROM traces WHERE origin = 'live'"
           " AND finished_at IS NOT NULL AND final_route = 'auto' AND answer IS NOT NULL"
           " AND started_at >= {now_plus:?} ORDER BY started_at DESC, trace_id DESC LIMIT ?",
};
static const struct statement read_documents = {
    .name = "nightly_documents",
    .sql = "SELECT page_content FROM trace_docs WHERE trace_id = ? ORDER BY ref LIMIT ?",
};
static const struct statement read_week = {
    .name = "nightly_week",
    .sql = "SELECT avg(value) FROM eval_results WHERE kind = 'nightly' AND metric_name = ?"
           " AND created_at >= {now_plus:?}",
};
static const struct statement put_value = {
    .name = "nightly_put",
    .sql = "INSERT INTO eval_results (created_at, tenant_id, metric_name, value, sample_size,"
           " drift_alert, kind) VALUES ({now}, 'all', ?, ?, ?, ?, 'nightly')",
};
static const struct statement read_drifting = {
    .name = "nightly_drifting",
    .sql = "SELECT e.metric_name FROM eval_results e WHERE e.kind = 'nightly'"
           " AND e.drift_alert = 1 AND e.created_at >= {now_plus:?} AND NOT EXISTS"
           " (SELECT 1 FROM eval_results n WHERE n.kind = 'nightly'"
           " AND n.metric_name = e.metric_name AND n.id > e.id) ORDER BY e.metric_name",
};

double nightly_drift(double now, struct optional_number before)
{
    return before.given && before.value != 0 ? fabs(now - before.value) / before.value : 0;
}

struct sampled {
    const char *trace_id, *question, *answer;
};

#define OWNER struct sampled
static const struct field sampled_fields[] = {STRING(OWNER, trace_id), STRING(OWNER, question),
                                              STRING(OWNER, answer)};
#undef OWNER
static SCHEMA(sampled_schema, struct sampled, "SampledAnswer", sampled_fields);

static enum error read_answers(const struct trace_call *call, struct sampled *answers,
                               int64_t *count)
{
    struct query *query = db_query(call->db, &read_sample);

    query_bind_number(query, -86400);
    query_bind_integer(query, NIGHTLY_MOST);
    for (*count = 0; *count < NIGHTLY_MOST && query_next(query); ++*count)
        query_read(query, &sampled_schema, &answers[*count], call->arena);
    return query_end(query, call->problem);
}

enum error nightly_documents(struct db *db, struct arena *arena, const char *trace_id,
                             const char *const **documents, size_t *count, struct problem *problem)
{
    const char **texts = ARENA_ARRAY(arena, const char *, NIGHTLY_DOCUMENTS_MOST);
    struct query *query = db_query(db, &read_documents);

    query_bind_text(query, trace_id);
    query_bind_integer(query, NIGHTLY_DOCUMENTS_MOST);
    for (*count = 0; *count < NIGHTLY_DOCUMENTS_MOST && query_next(query);)
        texts[(*count)++] = query_text(query, 0, arena);
    *documents = texts;
    return query_end(query, problem);
}

static enum error score_one(const struct trace_call *call, struct arena *scratch,
                            const struct sampled *sampled, double sums[MEASURE__ANSWERED])
{
    struct measured what = {.question = sampled->question, .answer = sampled->answer};
    double scores[MEASURE__MAX];
    enum error error = nightly_documents(call->db, scratch, sampled->trace_id, &what.documents,
                                         &what.document_count, call->problem);

    if (error)
        return error;
    measures_take(scratch, &what, scores);
    for (int i = 0; i < MEASURE__ANSWERED; i++)
        sums[i] += scores[i];
    arena_reset(scratch);
    return ERROR_NONE;
}

static enum error score_all(const struct trace_call *call, const struct sampled *answers,
                            struct nightly_result *result)
{
    struct arena *scratch = arena_create(SAMPLE_MEMORY);
    double sums[MEASURE__ANSWERED] = {0};
    enum error error = ERROR_NONE;

    if (!scratch)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    for (int64_t i = 0; i < result->sample_size && !error; i++)
        error = score_one(call, scratch, &answers[i], sums);
    arena_destroy(scratch);
    for (int i = 0; i < MEASURE__ANSWERED; i++)
        result->values.values[i] = number_round(sums[i] / (double)result->sample_size, 4);
    return error;
}

static enum error keep(const struct trace_call *call, int which, struct nightly_result *result)
{
    struct query *query = db_query(call->db, &read_week);
    struct optional_number before;
    enum error error;

    query_bind_text(query, measure_names[which]);
    query_bind_number(query, -7 * 86400);
    before = query_next(query) ? query_optional_number(query, 0) : (struct optional_number){0};
    error = query_end(query, call->problem);
    if (error)
        return error;
    result->drifts.values[which] =
        number_round(nightly_drift(result->values.values[which], before), 4);
    result->alerts[which] = nightly_drift(result->values.values[which], before) > drift_from;
    query = db_query(call->db, &put_value);
    query_bind_text(query, measure_names[which]);
    query_bind_number(query, result->values.values[which]);
    query_bind_integer(query, result->sample_size);
    query_bind_boolean(query, result->alerts[which]);
    return query_end(query, call->problem);
}

enum error nightly_run(const struct trace_call *call, struct nightly_result *result)
{
    struct sampled answers[NIGHTLY_MOST];
    enum error error;

    *result = (struct nightly_result){0};
    error = read_answers(call, answers, &result->sample_size);
    result->skipped = result->sample_size < NIGHTLY_LEAST;
    if (error || result->skipped)
        return error;
    error = score_all(call, answers, result);
    if (!error)
        error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    for (int i = 0; i < MEASURE__ANSWERED && !error; i++)
        error = keep(call, i, result);
    return db_finish(call->db, error, call->problem);
}

enum error nightly_drifting(struct db *db, struct arena *arena, int64_t *count, const char **names,
                            struct problem *problem)
{
    struct query *query = db_query(db, &read_drifting);
    struct text text;

    text_start(&text, arena, 4096);
    query_bind_number(query, -26 * 3600);
    *count = 0;
    while (query_next(query))
        text_append_format(&text, "%s%s", (*count)++ ? ", " : "", query_text(query, 0, arena));
    *names = text.bytes;
    return query_end(query, problem);
}
