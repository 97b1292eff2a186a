/* Traces: writing them once an answer is there, reading them back whole, purging old ones. */
#include "support/traces/trace_store.h"
#include "base/json.h"
#include "base/schema.h"
#include "db/query.h"
#include "support/metrics.h"
#include "support/traces/readable.h"
#include "support/traces/redact.h"
#include "text/fold.h"

#include <math.h>
#include <string.h>

enum {
    BASELINE_LEAST = 30,
    ROWS_MOST = 2000,
    STATE_DEPTH = 32,
    STATE_MOST = 1 << 24,
    CATEGORIES_MOST = 64
};

#define OWNER struct trace_row
static const struct field trace_row_fields[] = {
    STRING(OWNER, trace_id),
    STRING(OWNER, started_at),
    STRING(OWNER, finished_at, .nullable = true),
    STRING(OWNER, final_route, .nullable = true),
    NULLABLE_INTEGER(OWNER, final_quality),
    NULLABLE_NUMBER(OWNER, final_relevance),
    NULLABLE_NUMBER(OWNER, duration_ms),
    STRING(OWNER, question),
    STRING(OWNER, answer, .nullable = true, .internal = true),
    STRING(OWNER, session_id, .nullable = true, .internal = true),
    STRING(OWNER, request_id, .nullable = true, .internal = true),
    NUMBER(OWNER, cost_usd, .internal = true),
};
#undef OWNER
SCHEMA(trace_row_schema, struct trace_row, "TraceEntry", trace_row_fields);

#define OWNER struct trace_vote
static const struct field vote_fields[] = {STRING(OWNER, rating), STRING(OWNER, ts)};
#undef OWNER
SCHEMA(trace_vote_schema, struct trace_vote, "TraceVote", vote_fields);

#define OWNER struct trend_point
static const struct field trend_point_fields[] = {STRING(OWNER, date), NUMBER(OWNER, mean_score),
                                                  INTEGER(OWNER, runs)};
#undef OWNER
SCHEMA(trend_point_schema, struct trend_point, "TrendPoint", trend_point_fields);

#define OWNER struct trace_evaluation_row
static const struct field evaluation_fields[] = {STRING(OWNER, trace_id),
                                                 STRING(OWNER, evaluator_name),
                                                 NUMBER(OWNER, score),
                                                 STRING(OWNER, verdict),
                                                 WRITTEN_JSON(OWNER, metadata),
                                                 STRING(OWNER, evaluated_at),
                                                 STRING(OWNER, question, .nullable = true)};
#undef OWNER
static SCHEMA(evaluation_schema, struct trace_evaluation_row, "EvaluationRow", evaluation_fields);

struct trace_document {
    const char *page_content, *metadata; /* the latter JSON */
};

#define OWNER struct trace_document
static const struct field document_fields[] = {STRING(OWNER, page_content),
                                               WRITTEN_JSON(OWNER, metadata)};
#undef OWNER
static SCHEMA(document_schema, struct trace_document, "TraceDocument", document_fields);

#define OWNER struct trace_step_row
static const struct field step_fields[] = {INTEGER(OWNER, order), STRING(OWNER, node),
                                           WRITTEN_JSON(OWNER, state), STRING(OWNER, ts)};
#undef OWNER
static SCHEMA(step_schema, struct trace_step_row, "StepRow", step_fields);

static const struct statement begin_trace = {
    .name = "trace_begin",
    .sql = "INSERT INTO traces (trace_id, tenant_id, started_at, request_id, session_id, user_id,"
           " question, channel, knowledge_gap, cost_usd, experiment_id, origin)"
           " VALUES (?, ?, {now}, ?, ?, ?, ?, ?, 0, 0, ?, ?)",
};
static const struct statement finish_trace = {
    .name = "trace_finish",
    .sql = "UPDATE traces SET finished_at = {now}, final_route = ?, final_quality = ?,"
           " final_relevance = ?, answer = ?, language = ?, knowledge_gap = ?, complexity = ?,"
           " factuality_score = ?, duration_ms = ?, kb_version = ?, answer_words = ?, categories = "
           "?, cost_usd = ?"
           " WHERE trace_id = ?",
};
static const struct statement put_step = {
    .name = "trace_step_put",
    .sql =
        "INSERT INTO trace_steps (trace_id, step_order, node_name, state_json, ts, prompt_tokens,"
        " completion_tokens, model_name, provider_name, cost_usd)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement put_document = {
    .name = "trace_doc_put",
    .sql = "INSERT INTO trace_docs (trace_id, ref, doc_id, title, page_content, metadata)"
           " VALUES (?, ?, ?, ?, ?, ?)",
};
static const struct statement put_evaluation = {
    .name = "trace_evaluation_put",
    .sql = "INSERT INTO trace_evaluations (trace_id, tenant_id, evaluator_name, score, verdict,"
           " metadata, evaluated_at) VALUES (?, ?, ?, ?, ?, ?, {now})"
           " ON CONFLICT (trace_id, evaluator_name) DO UPDATE SET score = excluded.score,"
           " verdict = excluded.verdict, metadata = excluded.metadata,"
           " evaluated_at = excluded.evaluated_at",
};
static const struct statement read_lengths = {
    .name = "trace_lengths",
    .sql = "SELECT answer_words FROM traces WHERE tenant_id = ? AND trace_id <> ?"
           " AND origin = 'live' AND answer_words IS NOT NULL ORDER BY started_at DESC LIMIT 500",
};
#define TRACE_COLUMNS                                                                              \
    "trace_id, started_at, finished_at, final_route, final_quality, final_relevance, duration_ms," \
    " question, answer, session_id, request_id, cost_usd"
#define TRACE_FILTER                                                                               \
    " FROM traces WHERE tenant_id = ? AND origin = 'live' AND (? = '' OR final_route = ?)"         \
    " AND (? = '' OR question LIKE ? ESCAPE '\\' OR lower(question) LIKE ? ESCAPE '\\'"            \
    " OR (? = 1 AND answer LIKE ? ESCAPE '\\'))"
static const struct statement list_traces = {
    .name = "trace_list",
    .sql = "SELECT " TRACE_COLUMNS TRACE_FILTER
           " ORDER BY started_at DESC, trace_id DESC LIMIT ? OFFSET ?",
};
static const struct statement count_traces = {
    .name = "trace_list_count",
    .sql = "SELECT count(*)" TRACE_FILTER,
};
static const struct statement find_trace = {
    .name = "trace_find",
    .sql = "SELECT " TRACE_COLUMNS " FROM traces WHERE tenant_id = ? AND trace_id = ?",
};
static const struct statement find_by_question = {
    .name = "trace_of_question",
    .sql = "SELECT " TRACE_COLUMNS " FROM traces WHERE tenant_id = ? AND session_id = ?"
           " AND question = ? ORDER BY started_at DESC LIMIT 1",
};
static const struct statement read_steps = {
    .name = "trace_steps",
    .sql = "SELECT step_order AS \"order\", node_name AS node, state_json AS state, ts"
           " FROM trace_steps WHERE trace_id = ? ORDER BY step_order",
};
static const struct statement read_documents = {
    .name = "trace_docs",
    .sql = "SELECT page_content, metadata FROM trace_docs WHERE trace_id = ? ORDER BY ref",
};
static const struct statement read_votes = {
    .name = "trace_votes",
    .sql = "SELECT rating, ts FROM feedback WHERE tenant_id = ? AND trace_id = ? AND linked = 1"
           " ORDER BY id",
};
#define EVALUATION_COLUMNS "trace_id, evaluator_name, score, verdict, metadata, evaluated_at"
static const struct statement read_evaluations = {
    .name = "trace_evaluations",
    .sql = "SELECT " EVALUATION_COLUMNS " FROM trace_evaluations WHERE tenant_id = ?"
           " AND trace_id = ? ORDER BY evaluator_name LIMIT ?",
};
/* Lower is worse, also if 1 is bad: as in evaluator_lower_is_better() and in the indexes
 * trace_evaluations_worst, which are read only as far as needed. The limit is hidden from planners:
 * without statistics they would expect fewer rows, and sort all of them. */
#define GOODNESS                                                                                   \
    "CASE WHEN evaluator_name IN ('answer_length_anomaly', 'language_mismatch',"                   \
    " 'pii_leak_suspicion', 'refusal_detected') THEN -score ELSE score END"
#define WORST                                                                                      \
    " evaluator_name = ? AND verdict NOT IN ('error', 'timeout')"                                  \
    " ORDER BY " GOODNESS ", evaluated_at, trace_id LIMIT (SELECT CAST(? AS BIGINT))"
#define WORST_COLUMNS                                                                              \
    EVALUATION_COLUMNS ", (SELECT question FROM traces"                                            \
                       " WHERE traces.trace_id = trace_evaluations.trace_id) AS question"
static const struct statement read_worst = {
    .name = "trace_worst",
    .sql = "SELECT " WORST_COLUMNS " FROM trace_evaluations WHERE tenant_id = ? AND" WORST,
};
static const struct statement read_all_worst = {
    .name = "trace_worst_all",
    .sql = "SELECT " WORST_COLUMNS " FROM trace_evaluations WHERE" WORST,
};
/* Failed evaluators count as runs, but not in the mean. */
#define DAILY                                                                                      \
    "SELECT substr(evaluated_at, 1, 10) AS date, coalesce(avg(CASE WHEN verdict NOT IN"            \
    " ('error', 'timeout') THEN score END), 0e0) AS mean_score, count(*) AS runs"                  \
    " FROM trace_evaluations"
#define BY_DAY                                                                                     \
    " AND evaluated_at >= {now_plus:?} GROUP BY substr(evaluated_at, 1, 10)"                       \
    " ORDER BY substr(evaluated_at, 1, 10)"
static const struct statement read_trend = {
    .name = "trace_trend",
    .sql = DAILY " WHERE tenant_id = ? AND evaluator_name = ?" BY_DAY,
};
static const struct statement read_all_trend = {
    .name = "trace_trend_all",
    .sql = DAILY " WHERE evaluator_name = ?" BY_DAY,
};
/* Traces that wait for a verdict are kept for twice as long. */
#define OLD_TRACES                                                                                 \
    " IN (SELECT trace_id FROM traces WHERE (? = '' OR tenant_id = ?)"                             \
    " AND started_at < {now_plus:?} AND (started_at < {now_plus:?} OR NOT EXISTS"                  \
    " (SELECT 1 FROM review_queue r WHERE r.trace_id = traces.trace_id"                            \
    " AND r.status IN ('pending', 'in_review'))) ORDER BY started_at, trace_id LIMIT 500)"
static const struct statement dismiss_cases = {
    .name = "trace_purge_cases",
    .sql = "UPDATE review_queue SET status = 'dismissed', reviewer_notes = 'trace purged'"
           " WHERE status IN ('pending', 'in_review') AND trace_id" OLD_TRACES,
};
static const struct statement purge_steps = {
    .name = "trace_purge_steps",
    .sql = "DELETE FROM trace_steps WHERE trace_id" OLD_TRACES,
};
static const struct statement purge_feedback = {
    .name = "trace_purge_feedback",
    .sql = "DELETE FROM feedback WHERE linked = 1 AND trace_id" OLD_TRACES,
};
static const struct statement purge_evaluations = {
    .name = "trace_purge_evaluations",
    .sql = "DELETE FROM trace_evaluations WHERE trace_id" OLD_TRACES,
};
static const struct statement purge_split_answers = {
    .name = "trace_purge_split_answers",
    .sql = "DELETE FROM split_answers WHERE trace_id" OLD_TRACES,
};
static const struct statement purge_split_events = {
    .name = "trace_purge_split_events",
    .sql = "DELETE FROM split_events WHERE trace_id" OLD_TRACES,
};
static const struct statement purge_traces = {
    .name = "trace_purge",
    .sql = "DELETE FROM traces WHERE trace_id" OLD_TRACES,
};

enum { SECONDS_A_DAY = 86400 };

enum error trace_begin(const struct trace_call *call, const struct trace_start *start)
{
    struct query *query = db_query(call->db, &begin_trace);

    query_bind_text(query, start->trace_id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, start->request_id);
    query_bind_text(query, start->session_id);
    query_bind_text(query, start->user_id);
    query_bind_text(query, redact_text(call->arena, start->question));
    query_bind_text(query, start->channel);
    query_bind_text(query, start->experiment_id);
    query_bind_text(query, start->origin ? start->origin : "live");
    return query_end(query, call->problem);
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

/* Adds the categories that the document's metadata name. */
static size_t add_categories(struct arena *arena, const char *metadata, const char **names,
                             size_t count)
{
    struct json_fault fault;
    json_t *object, *name;
    size_t i;

    if (json_read(arena, metadata, strlen(metadata), STATE_DEPTH, &object, &fault))
        return count;
    json_array_foreach(json_object_get(object, "categories"), i, name)
    {
        if (json_is_string(name) && count < CATEGORIES_MOST &&
            !is_listed(names, count, json_string_value(name)))
            names[count++] = json_string_value(name);
    }
    return count;
}

/* The categories of the cited documents, or else of the retrieved ones. */
static const char *categories_of(struct arena *arena, const struct graph_outcome *outcome)
{
    const struct graph_source *sources = outcome->source_count ? outcome->sources : outcome->found;
    size_t sources_count = outcome->source_count ? outcome->source_count : outcome->found_count;
    const char *names[CATEGORIES_MOST];
    size_t count = 0;

    for (size_t i = 0; i < sources_count; i++)
        count = add_categories(arena, sources[i].metadata, names, count);
    if (count == 0)
        names[count++] = "uncategorized";
    return json_of_strings(arena, 65536, names, count);
}

static enum error update_trace(const struct trace_call *call, const char *trace_id,
                               const struct graph_outcome *outcome, double duration_ms)
{
    struct query *query = db_query(call->db, &finish_trace);

    query_bind_text(query, route_kind_names[outcome->route]);
    query_bind_integer(query, outcome->quality);
    query_bind_number(query, outcome->relevance);
    query_bind_text(query, redact_text(call->arena, outcome->answer));
    query_bind_text(query, language_codes[outcome->language]);
    query_bind_boolean(query, outcome->knowledge_gap);
    query_bind_text(query, outcome->complexity);
    query_bind_integer(query, outcome->factuality);
    query_bind_number(query, duration_ms);
    query_bind_integer(query, outcome->kb_version);
    query_bind_integer(query, evaluate_count_words(outcome->answer));
    query_bind_json(query, categories_of(call->arena, outcome));
    query_bind_number(query, outcome->cost);
    query_bind_text(query, trace_id);
    return query_end(query, call->problem);
}

static void bind_usage(struct query *query, const struct model_usage *usage)
{
    struct optional_integer input = {usage->provider != NULL, usage->input_tokens},
                            output = {usage->provider != NULL, usage->output_tokens};
    struct optional_number cost = {usage->provider != NULL, usage->cost};

    query_bind_optional_integer(query, input);
    query_bind_optional_integer(query, output);
    query_bind_text(query, usage->model);
    query_bind_text(query, usage->provider);
    query_bind_optional_number(query, cost);
}

static enum error put_steps(const struct trace_call *call, const char *trace_id,
                            const struct graph_outcome *outcome)
{
    struct query *query = db_query(call->db, &put_step);

    for (size_t i = 0; i < outcome->step_count; i++) {
        const struct graph_step *step = &outcome->steps[i];

        query_bind_text(query, trace_id);
        query_bind_integer(query, (int64_t)i);
        query_bind_text(query, step->node);
        query_bind_json(query, redact_state(call->arena, step->state));
        query_bind_text(query, step->ts);
        bind_usage(query, &step->usage);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

static enum error put_documents(const struct trace_call *call, const char *trace_id,
                                const struct graph_outcome *outcome)
{
    struct query *query = db_query(call->db, &put_document);

    for (size_t i = 0; i < outcome->found_count; i++) {
        const struct graph_source *source = &outcome->found[i];

        query_bind_text(query, trace_id);
        query_bind_integer(query, (int64_t)i);
        query_bind_text(query, source->doc_id);
        query_bind_text(query, source->title);
        query_bind_text(query, source->text);
        query_bind_json(query, arena_print(call->arena, "{\"relevance_score\":%.3f,%s",
                                           source->relevance, source->metadata + 1));
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

enum error trace_finish(const struct trace_call *call, const char *trace_id,
                        const struct graph_outcome *outcome, double duration_ms)
{
    enum error error = update_trace(call, trace_id, outcome, duration_ms);

    if (!error && outcome->step_count)
        error = put_steps(call, trace_id, outcome);
    if (!error && outcome->found_count)
        error = put_documents(call, trace_id, outcome);
    if (!error && outcome->used.count)
        error = readable_note(call->db, trace_id, &outcome->used, call->problem);
    return error;
}

enum error trace_put_evaluations(const struct trace_call *call, const char *trace_id,
                                 const struct evaluation *evaluations, size_t count)
{
    struct query *query = db_query(call->db, &put_evaluation);

    for (size_t i = 0; i < count; i++) {
        query_bind_text(query, trace_id);
        query_bind_text(query, call->tenant);
        query_bind_text(query, evaluations[i].evaluator);
        query_bind_number(query, evaluations[i].score);
        query_bind_text(query, evaluations[i].verdict);
        query_bind_json(query, evaluations[i].metadata);
        query_repeat(query, NULL);
    }
    return query_end(query, call->problem);
}

enum error trace_length_baseline(const struct trace_call *call, const char *trace_id, double *mean,
                                 double *deviation)
{
    struct query *query = db_query(call->db, &read_lengths);
    double count = 0, squares = 0;

    *mean = *deviation = 0;
    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    while (query_next(query)) { /* Welford 1962 */
        double words = (double)query_integer(query, 0), away = words - *mean;

        *mean += away / ++count;
        squares += away * (words - *mean);
    }
    if (count >= BASELINE_LEAST)
        *deviation = sqrt(squares / (count - 1));
    return query_end(query, call->problem);
}

static void bind_filter(struct query *query, const struct trace_call *call,
                        const struct trace_filter *filter)
{
    const char *words = db_like_contains(call->arena, filter->words);

    query_bind_text(query, call->tenant);
    query_bind_text(query, filter->route);
    query_bind_text(query, filter->route);
    query_bind_text(query, filter->words);
    query_bind_text(query, words);
    query_bind_text(query, db_like_contains(call->arena, text_lower(call->arena, filter->words)));
    query_bind_integer(query, call->reader == NULL); /* else answers are not searched */
    query_bind_text(query, words);
}

enum error trace_list(const struct trace_call *call, const struct trace_filter *filter,
                      struct object_list *rows, int64_t *total)
{
    struct trace_row *items = ARENA_ARRAY(call->arena, struct trace_row, (size_t)filter->limit + 1);
    struct query *query = db_query(call->db, &list_traces);
    enum error error;

    bind_filter(query, call, filter);
    query_bind_integer(query, filter->limit);
    query_bind_integer(query, filter->offset);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)filter->limit && query_next(query))
        query_read(query, &trace_row_schema, &items[rows->count++], call->arena);
    error = query_end(query, call->problem);
    if (error)
        return error;
    query = db_query(call->db, &count_traces);
    bind_filter(query, call, filter);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, call->problem);
}

enum error trace_find(const struct trace_call *call, const char *trace_id, struct trace_row *row)
{
    struct query *query = db_query(call->db, &find_trace);
    bool found;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    error = query_read_one(query, &trace_row_schema, row, call->arena, &found, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "trace_not_found", "trace not found");
}

enum error trace_of_question(const struct trace_call *call, const char *session_id,
                             const char *question, struct trace_row *row, bool *found)
{
    struct query *query = db_query(call->db, &find_by_question);

    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    query_bind_text(query, redact_text(call->arena, question));
    return query_read_one(query, &trace_row_schema, row, call->arena, found, call->problem);
}

/* The documents of a trace, each as the object that takes the place of a reference. */
static enum error documents_of(const struct trace_call *call, const char *trace_id,
                               struct string_list *documents)
{
    struct query *query = db_query(call->db, &read_documents);

    documents->items = ARENA_ARRAY(call->arena, const char *, ANSWER_DOCUMENTS_MAX);
    documents->count = 0;
    query_bind_text(query, trace_id);
    while (documents->count < ANSWER_DOCUMENTS_MAX && query_next(query)) {
        struct trace_document document = {0};

        query_read(query, &document_schema, &document, call->arena);
        documents->items[documents->count++] =
            schema_json(call->arena, STATE_MOST, &document_schema, &document);
    }
    return query_end(query, call->problem);
}

/* The state with `{"ref":n}` replaced by documents. Earlier answers of the conversation are left
 * out for a reader: they may quote what this trace has nothing of. */
static const char *expand(const struct trace_call *call, const char *state,
                          const struct string_list *documents)
{
    struct arena *arena = call->arena;
    struct json_fault fault;
    json_t *object, *value;
    struct text text;
    struct json_writer writer;
    const char *key;

    if (json_read(arena, state, strlen(state), STATE_DEPTH, &object, &fault))
        return call->reader ? "{}" : state;
    if (call->reader)
        json_object_del(object, "chat_history");
    text_start(&text, arena, STATE_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    json_object_foreach(object, key, value)
    {
        size_t length = strlen(key);

        writer_key(&writer, key);
        if (length < 5 || strcmp(key + length - 5, "_docs") != 0 || !json_is_array(value)) {
            writer_value(&writer, value);
            continue;
        }
        writer_open_array(&writer);
        for (size_t i = 0; i < json_array_size(value); i++) {
            const json_t *ref = json_object_get(json_array_get(value, i), "ref");
            size_t place = (size_t)json_integer_value(ref);

            if (place < documents->count)
                writer_raw(&writer, documents->items[place]);
        }
        writer_close_array(&writer);
    }
    writer_close_object(&writer);
    return text.bytes;
}

enum error trace_steps(const struct trace_call *call, const char *trace_id,
                       struct object_list *rows)
{
    struct trace_step_row *items = ARENA_ARRAY(call->arena, struct trace_step_row, GRAPH_STEPS_MAX);
    struct string_list documents;
    enum error error = documents_of(call, trace_id, &documents);
    struct query *query;

    *rows = (struct object_list){.items = items};
    if (error)
        return error;
    query = db_query(call->db, &read_steps);
    query_bind_text(query, trace_id);
    while (rows->count < GRAPH_STEPS_MAX && query_next(query)) {
        struct trace_step_row *row = &items[rows->count++];

        query_read(query, &step_schema, row, call->arena);
        if (row->state)
            row->state = expand(call, row->state, &documents);
    }
    return query_end(query, call->problem);
}

enum error trace_votes(const struct trace_call *call, const char *trace_id,
                       struct object_list *rows)
{
    struct trace_vote *items = ARENA_ARRAY(call->arena, struct trace_vote, ROWS_MOST);
    struct query *query = db_query(call->db, &read_votes);

    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    *rows = (struct object_list){.items = items};
    while (rows->count < ROWS_MOST && query_next(query))
        query_read(query, &trace_vote_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

static enum error list_evaluations(const struct trace_call *call, const struct statement *statement,
                                   bool of_all, const char *name, int64_t limit,
                                   struct object_list *rows)
{
    struct trace_evaluation_row *items =
        ARENA_ARRAY(call->arena, struct trace_evaluation_row, (size_t)limit + 1);
    struct query *query = db_query(call->db, statement);

    if (!of_all)
        query_bind_text(query, call->tenant);
    query_bind_text(query, name);
    query_bind_integer(query, limit);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)limit && query_next(query))
        query_read(query, &evaluation_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

enum error trace_evaluations(const struct trace_call *call, const char *trace_id,
                             struct object_list *rows)
{
    return list_evaluations(call, &read_evaluations, false, trace_id, 100, rows);
}

enum error trace_worst(const struct trace_call *call, const char *evaluator, int64_t limit,
                       struct object_list *rows)
{
    bool of_all = !call->tenant;

    return list_evaluations(call, of_all ? &read_all_worst : &read_worst, of_all, evaluator, limit,
                            rows);
}

enum error trace_trend(const struct trace_call *call, const char *evaluator, int64_t days,
                       struct object_list *rows)
{
    struct trend_point *items = ARENA_ARRAY(call->arena, struct trend_point, (size_t)days + 3);
    struct query *query = db_query(call->db, call->tenant ? &read_trend : &read_all_trend);

    if (call->tenant)
        query_bind_text(query, call->tenant);
    query_bind_text(query, evaluator);
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)days + 2 && query_next(query))
        query_read(query, &trend_point_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

static enum error purge_rows(struct db *db, const struct statement *statement, const char *tenant,
                             int64_t days, int64_t *count, struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    query_bind_number(query, -(double)days * SECONDS_A_DAY);
    query_bind_number(query, -(double)days * 2 * SECONDS_A_DAY);
    *count = query_changes(query);
    return query_end(query, problem);
}

enum error trace_purge_batch(struct db *db, const char *tenant, int64_t days,
                             struct purge_counts *batch, struct problem *problem)
{
    int64_t cases, others;
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = purge_rows(db, &dismiss_cases, tenant, days, &cases, problem);
    if (!error)
        error = purge_rows(db, &purge_steps, tenant, days, &batch->steps, problem);
    if (!error)
        error = purge_rows(db, &purge_feedback, tenant, days, &batch->feedback, problem);
    if (!error)
        error = purge_rows(db, &purge_evaluations, tenant, days, &batch->evaluations, problem);
    if (!error)
        error = purge_rows(db, &purge_split_answers, tenant, days, &others, problem);
    if (!error)
        error = purge_rows(db, &purge_split_events, tenant, days, &others, problem);
    if (!error)
        error = purge_rows(db, &purge_traces, tenant, days, &batch->traces, problem);
    return db_finish(db, error, problem);
}

enum error trace_purge(struct db *db, const char *tenant, int64_t days, struct purge_counts *counts,
                       struct problem *problem)
{
    struct purge_counts batch = {.traces = 1};
    enum error error = ERROR_NONE;

    *counts = (struct purge_counts){0, 0, 0, 0};
    while (days > 0 && batch.traces && !error) {
        error = trace_purge_batch(db, tenant, days, &batch, problem);
        if (error)
            return error;
        counts->traces += batch.traces;
        counts->steps += batch.steps;
        counts->feedback += batch.feedback;
        counts->evaluations += batch.evaluations;
    }
    return error;
}

void trace_count_purged(struct metrics *metrics, const struct purge_counts *counts)
{
    const struct {
        const char *table;
        int64_t rows;
    } tables[] = {{"traces", counts->traces},
                  {"trace_steps", counts->steps},
                  {"feedback", counts->feedback},
                  {"trace_evaluations", counts->evaluations}};

    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        if (tables[i].rows)
            metric_add(metrics, METRIC_TRACES_PURGED, &tables[i].table, (double)tables[i].rows);
    }
}
