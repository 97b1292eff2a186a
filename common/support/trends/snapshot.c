/* A day of evaluations in three statements, and the evaluators run over stored answers. */
#include "support/trends/snapshot.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "db/query.h"
#include "support/models/models.h"
#include "support/programs/batch.h"
#include "support/programs/data_files.h"
#include "support/traces/evaluator_switch.h"
#include "support/trends/labels.h"
#include "support/trends/threshold_choice.h"

#include <string.h>

enum { DAY_TEXT = 10, VERDICTS_MOST = 1000, WORST_MOST = 10, FILE_MOST = 1 << 20, BATCH = 200 };
static const int64_t day_microseconds = INT64_C(86400000000);

static const struct statement read_verdicts = {
    .name = "snapshot_verdicts",
    .sql = "SELECT evaluator_name, verdict, count(*) AS count, sum(score) AS sum"
           " FROM trace_evaluations"
           " WHERE evaluated_at >= ? AND evaluated_at < ?"
           " GROUP BY evaluator_name, verdict ORDER BY evaluator_name, verdict LIMIT ?",
};
#define WORST(order)                                                                               \
    "SELECT trace_id, score, verdict, evaluated_at FROM trace_evaluations"                         \
    " WHERE evaluator_name = ? AND evaluated_at >= ? AND evaluated_at < ?"                         \
    " AND verdict NOT IN ('error', 'timeout') ORDER BY score" order ", evaluated_at, trace_id"     \
    " LIMIT ?"
static const struct statement read_lowest = {.name = "snapshot_lowest", .sql = WORST("")};
static const struct statement read_highest = {.name = "snapshot_highest", .sql = WORST(" DESC")};

/* Answers behind a place in the order of time and id. */
static const struct statement read_answers = {
    .name = "snapshot_answers",
    .sql = "SELECT t.trace_id, t.tenant_id, t.started_at, t.question, t.answer FROM traces t"
           " WHERE (? = 'all' OR t.tenant_id = ?) AND t.origin = 'live'"
           " AND t.finished_at IS NOT NULL AND t.answer IS NOT NULL"
           " AND (t.started_at > ? OR (t.started_at = ? AND t.trace_id > ?))"
           " AND (? = 1 OR NOT EXISTS (SELECT 1 FROM trace_evaluations e"
           " WHERE e.trace_id = t.trace_id)) ORDER BY t.started_at, t.trace_id LIMIT ?",
};
static const struct statement read_relevances = {
    .name = "snapshot_relevances",
    .sql = "SELECT metadata FROM trace_docs WHERE trace_id = ? ORDER BY ref LIMIT ?",
};

bool snapshot_is_date(const char *text)
{
    int64_t moment;

    return strlen(text) == DAY_TEXT && text[4] == '-' && timestamp_from_text(text, &moment);
}

const char *snapshot_yesterday(struct arena *arena)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(clock_unix_microseconds() - day_microseconds, text);
    return arena_copy(arena, text, DAY_TEXT);
}

struct verdict_row {
    const char *evaluator_name, *verdict;
    int64_t count;
    double sum;
};

#define OWNER struct verdict_row
static const struct field verdict_fields[] = {STRING(OWNER, evaluator_name), STRING(OWNER, verdict),
                                              INTEGER(OWNER, count), NUMBER(OWNER, sum)};
#undef OWNER
static SCHEMA(verdict_schema, struct verdict_row, "VerdictRow", verdict_fields);

struct worst_trace {
    const char *trace_id;
    double score;
    const char *verdict, *evaluated_at;
};

#define OWNER struct worst_trace
static const struct field worst_fields[] = {STRING(OWNER, trace_id), NUMBER(OWNER, score),
                                            STRING(OWNER, verdict), STRING(OWNER, evaluated_at)};
#undef OWNER
static SCHEMA(worst_schema, struct worst_trace, "WorstTrace", worst_fields);

struct evaluator_day {
    struct optional_number mean_score; /* absent where every run failed */
    const char *verdict_counts;        /* JSON, by verdict */
    OBJECT_LIST(struct worst_trace, worst_traces);
};

#define OWNER struct evaluator_day
static const struct field evaluator_fields[] = {NULLABLE_NUMBER(OWNER, mean_score, ROUNDED(6)),
                                                WRITTEN_JSON(OWNER, verdict_counts),
                                                OBJECTS(OWNER, worst_traces, worst_schema)};
#undef OWNER
static SCHEMA(evaluator_schema, struct evaluator_day, "EvaluatorDay", evaluator_fields);

struct promises {
    int64_t checked, broken;
};

#define OWNER struct promises
static const struct field promises_fields[] = {INTEGER(OWNER, checked), INTEGER(OWNER, broken)};
#undef OWNER
static SCHEMA(promises_schema, struct promises, "SnapshotPromises", promises_fields);

struct snapshot_file {
    const char *date, *generated_at;
    json_t *evaluators; /* by name: struct evaluator_day */
    const struct promises *promises;
};

#define OWNER struct snapshot_file
static const struct field file_fields[] = {STRING(OWNER, date), STRING(OWNER, generated_at),
                                           JSON_OBJECT(OWNER, evaluators),
                                           OBJECT(OWNER, promises, promises_schema)};
#undef OWNER
static SCHEMA(file_schema, struct snapshot_file, "EvaluationSnapshot", file_fields);

struct day {
    const struct trace_call *call;
    char from[CLOCK_TEXT_MAX], to[CLOCK_TEXT_MAX];
    struct verdict_row *rows;
    size_t count;
};

static enum error read_day(struct day *day, const char *date)
{
    const struct trace_call *call = day->call;
    int64_t start = 0;
    struct query *query;

    if (!timestamp_from_text(date, &start))
        return problem_set(call->problem, ERROR_INVALID, "date", "%s is no date", date);
    clock_format(start, day->from);
    clock_format(start + day_microseconds, day->to);
    day->rows = ARENA_ARRAY(call->arena, struct verdict_row, VERDICTS_MOST);
    query = db_query(call->db, &read_verdicts);
    query_bind_text(query, day->from);
    query_bind_text(query, day->to);
    query_bind_integer(query, VERDICTS_MOST);
    while (day->count < VERDICTS_MOST && query_next(query))
        query_read(query, &verdict_schema, &day->rows[day->count++], call->arena);
    return query_end(query, call->problem);
}

static enum error read_worst(const struct day *day, const char *evaluator,
                             struct object_list *traces)
{
    const struct trace_call *call = day->call;
    struct worst_trace *items = ARENA_ARRAY(call->arena, struct worst_trace, WORST_MOST);
    struct query *query =
        db_query(call->db, evaluator_lower_is_better(evaluator) ? &read_highest : &read_lowest);

    *traces = (struct object_list){0, items};
    query_bind_text(query, evaluator);
    query_bind_text(query, day->from);
    query_bind_text(query, day->to);
    query_bind_integer(query, WORST_MOST);
    while (traces->count < WORST_MOST && query_next(query))
        query_read(query, &worst_schema, &items[traces->count++], call->arena);
    return query_end(query, call->problem);
}

static bool is_scored(const struct verdict_row *row)
{
    return strcmp(row->verdict, "error") != 0 && strcmp(row->verdict, "timeout") != 0;
}

/* Writes one evaluator, whose rows stand together. Gives how many they are. */
static size_t write_evaluator(struct json_writer *writer, const struct day *day, size_t first,
                              enum error *error)
{
    const struct verdict_row *rows = day->rows + first;
    struct evaluator_day evaluator = {0};
    struct json_writer counts;
    struct text text;
    size_t count = 0;
    int64_t scored = 0;
    double sum = 0;

    text_start(&text, day->call->arena, FILE_MOST);
    writer_start(&counts, &text);
    writer_open_object(&counts);
    while (first + count < day->count &&
           strcmp(rows[count].evaluator_name, rows[0].evaluator_name) == 0) {
        scored += is_scored(&rows[count]) ? rows[count].count : 0;
        sum += is_scored(&rows[count]) ? rows[count].sum : 0;
        writer_key_integer(&counts, rows[count].verdict, rows[count].count);
        count++;
    }
    writer_close_object(&counts);
    evaluator.verdict_counts = text.bytes;
    if (scored)
        evaluator.mean_score = (struct optional_number)GIVEN_NUMBER(sum / (double)scored);
    *error = read_worst(day, rows[0].evaluator_name, &evaluator.worst_traces);
    writer_key(writer, rows[0].evaluator_name);
    schema_write(writer, &evaluator_schema, &evaluator);
    return count;
}

static enum error write_file(const struct day *day, const struct support_settings *settings,
                             struct snapshot_result *result)
{
    struct arena *arena = day->call->arena;
    const struct promises promises = {.checked = result->promises,
                                      .broken = result->promises_broken};
    struct snapshot_file file = {.date = result->date,
                                 .generated_at = batch_time(arena, clock_unix_microseconds()),
                                 .promises = &promises};
    struct json_writer writer;
    struct json_fault fault;
    struct text text;
    const char *json;
    enum error error = ERROR_NONE;

    text_start(&text, arena, FILE_MOST);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    for (size_t i = 0; i < day->count && !error; result->evaluators++)
        i += write_evaluator(&writer, day, i, &error);
    writer_close_object(&writer);
    if (error)
        return error;
    if (json_read(arena, text.bytes, text.length, JSON_DEPTH_LIMIT, &file.evaluators, &fault))
        return problem_set(day->call->problem, ERROR_TOO_LARGE, "snapshot_too_large",
                           "the evaluations of the day are too many for a file");
    json = data_file_json(arena, FILE_MOST, &file_schema, &file);
    return data_file_write(arena, data_file_path(arena, settings, result->path), json, strlen(json),
                           day->call->problem);
}

enum error snapshot_take(const struct trace_call *call, const struct support_settings *settings,
                         const char *date, struct snapshot_result *result)
{
    struct day day = {.call = call};
    enum error error = read_day(&day, date);

    *result = (struct snapshot_result){
        .date = date, .path = arena_print(call->arena, "reports/eval_daily/%s.json", date)};
    if (!error)
        error = threshold_check_choices(call, &result->promises, &result->promises_broken);
    return error ? error : write_file(&day, settings, result);
}

struct answer_row {
    const char *trace_id, *tenant_id, *started_at, *question, *answer;
};

#define OWNER struct answer_row
static const struct field answer_fields[] = {STRING(OWNER, trace_id), STRING(OWNER, tenant_id),
                                             STRING(OWNER, started_at), STRING(OWNER, question),
                                             STRING(OWNER, answer)};
#undef OWNER
static SCHEMA(answer_schema, struct answer_row, "AnswerRow", answer_fields);

static enum error read_batch(const struct trace_call *call, const struct answer_row *behind,
                             bool force, struct answer_row *rows, size_t *count)
{
    struct query *query = db_query(call->db, &read_answers);

    query_bind_text(query, call->tenant);
    query_bind_text(query, call->tenant);
    query_bind_text(query, behind->started_at);
    query_bind_text(query, behind->started_at);
    query_bind_text(query, behind->trace_id);
    query_bind_boolean(query, force);
    query_bind_integer(query, BATCH);
    *count = 0;
    while (*count < BATCH && query_next(query))
        query_read(query, &answer_schema, &rows[(*count)++], call->arena);
    return query_end(query, call->problem);
}

static struct optional_number relevance_of(struct arena *arena, const char *metadata)
{
    struct json_fault fault;
    json_t *object;
    const json_t *score;

    if (json_read(arena, metadata, strlen(metadata), JSON_DEPTH_LIMIT, &object, &fault))
        return (struct optional_number){0};
    score = json_object_get(object, "relevance_score");
    return json_is_number(score) ? (struct optional_number)GIVEN_NUMBER(json_number_value(score))
                                 : (struct optional_number){0};
}

static enum error evaluate_one(const struct trace_call *all, const struct answer_row *row)
{
    struct trace_call call = *all;
    struct optional_number relevances[ANSWER_DOCUMENTS_MAX];
    struct evaluation evaluations[EVALUATORS];
    struct evaluator_off off[EVALUATORS];
    struct evaluated evaluated = {.question = row->question,
                                  .answer = row->answer,
                                  .relevances = relevances,
                                  .answer_tokens = models_estimate_tokens(row->answer)};
    struct query *query = db_query(call.db, &read_relevances);
    enum error error;

    call.tenant = row->tenant_id;
    query_bind_text(query, row->trace_id);
    query_bind_integer(query, ANSWER_DOCUMENTS_MAX);
    while (evaluated.document_count < ANSWER_DOCUMENTS_MAX && query_next(query))
        relevances[evaluated.document_count++] =
            relevance_of(call.arena, query_json(query, 0, call.arena));
    error = query_end(query, call.problem);
    if (!error)
        error = trace_length_baseline(&call, row->trace_id, &evaluated.words_mean,
                                      &evaluated.words_deviation);
    if (!error)
        error = evaluator_switches(&call, off);
    if (error)
        return error;
    evaluate_answer(call.arena, &evaluated, evaluations);
    return trace_put_evaluations(&call, row->trace_id, evaluations,
                                 evaluations_left(off, evaluations));
}

/* A batch is a transaction. */
static enum error evaluate_batch(const struct trace_call *call, const struct answer_row *rows,
                                 size_t count)
{
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    for (size_t i = 0; i < count && !error; i++)
        error = evaluate_one(call, &rows[i]);
    return db_finish(call->db, error, call->problem);
}

enum error snapshot_evaluate(const struct trace_call *call, const char *since, bool force,
                             int64_t *evaluated)
{
    struct arena *batches = arena_create(64 * 1024 * 1024);
    struct trace_call batch = *call;
    struct answer_row behind = {.started_at = since ? since : "", .trace_id = ""};
    size_t count = 1;
    enum error error = ERROR_NONE;

    *evaluated = 0;
    if (!batches)
        return problem_set(call->problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    batch.arena = batches;
    while (count && !error) {
        struct answer_row *rows = ARENA_ARRAY(batches, struct answer_row, BATCH);

        error = read_batch(&batch, &behind, force, rows, &count);
        if (!error && count)
            error = evaluate_batch(&batch, rows, count);
        if (error || !count)
            break;
        *evaluated += (int64_t)count;
        behind.started_at = arena_copy_string(call->arena, rows[count - 1].started_at);
        behind.trace_id = arena_copy_string(call->arena, rows[count - 1].trace_id);
        arena_reset(batches);
    }
    arena_destroy(batches);
    return error;
}
