/* Splits, their arms and their events in the database. */
#include "support/candidates/split_store.h"
#include "crypto/digest.h"
#include "db/query.h"

#include <math.h>
#include <string.h>

enum { NAME_DIGITS = 32, BASELINE_DAYS = 30, SECONDS_A_DAY = 86400 };

#define OWNER struct split_reason
static const struct field reason_fields[] = {STRING(OWNER, code, .nullable = true),
                                             STRING(OWNER, text, .nullable = true)};
#undef OWNER
SCHEMA(split_reason_schema, struct split_reason, "SplitReason", reason_fields);

#define OWNER struct split
static const struct field split_fields[] = {
    STRING(OWNER, split_id, .internal = true),
    STRING(OWNER, tenant_id),
    STRING(OWNER, experiment_id, .internal = true),
    INTEGER(OWNER, rollout_percentage),
    STRING(OWNER, started_at),
    BOOLEAN(OWNER, live, .help = "It is what is assigned now."),
    STRING(OWNER, project_id, .nullable = true, .help = "At the experiments service."),
    STRING(OWNER, verdict, .nullable = true, .help = "ship, no_ship or keep_running."),
    STRING(OWNER, confidence, .nullable = true),
    OBJECTS(OWNER, reasons, split_reason_schema, .nullable = true, .help = "Null: not read yet."),
    STRING(OWNER, read_at, .nullable = true),
    STRING(OWNER, withdrawn_at, .nullable = true, .help = "It was ended because it harms."),
    INTEGER(OWNER, waiting, .help = "Events that were not sent yet."),
    INTEGER(OWNER, control_exposed, .help = "Conversations answered as before."),
    INTEGER(OWNER, treatment_exposed, .help = "Conversations answered by the experiment.")};
#undef OWNER
SCHEMA(split_schema, struct split, "Split", split_fields);

#define OWNER struct split_event
static const struct field event_fields[] = {INTEGER(OWNER, id),
                                            STRING(OWNER, idempotency_key),
                                            STRING(OWNER, user_id),
                                            STRING(OWNER, metric, .nullable = true),
                                            INTEGER(OWNER, variation_index),
                                            NUMBER(OWNER, value),
                                            STRING(OWNER, occurred_at)};
#undef OWNER
static SCHEMA(event_schema, struct split_event, "SplitEvent", event_fields);

/* Sums over the conversations of a tenant. */
struct baseline_row {
    int64_t conversations;
    double mean, mean_square;
    int64_t down, escalated, answers;
};

#define OWNER struct baseline_row
static const struct field baseline_fields[] = {
    INTEGER(OWNER, conversations), NUMBER(OWNER, mean),       NUMBER(OWNER, mean_square),
    INTEGER(OWNER, down),          INTEGER(OWNER, escalated), INTEGER(OWNER, answers)};
#undef OWNER
static SCHEMA(baseline_schema, struct baseline_row, "SplitBaseline", baseline_fields);

static const struct statement put_split = {
    .name = "split_put",
    .sql = "INSERT INTO traffic_splits (split_id, tenant_id, experiment_id, percentage, started_at)"
           " VALUES (?, ?, ?, ?, ?) ON CONFLICT (split_id) DO NOTHING",
};
static const struct statement put_answer = {
    .name = "split_put_answer",
    .sql = "INSERT INTO split_answers (trace_id, tenant_id, split_id, unit, arm)"
           " VALUES (?, ?, ?, ?, ?)",
};
#define PUT_EVENT                                                                                  \
    "INSERT INTO split_events (event_key, split_id, trace_id, unit, arm, metric, value,"           \
    " occurred_at, sent)"
#define ONCE " ON CONFLICT (event_key) DO NOTHING"
static const struct statement put_event = {
    .name = "split_put_event",
    .sql = PUT_EVENT " VALUES (?, ?, ?, ?, ?, ?, ?, {now}, 0)" ONCE,
};
static const struct statement put_vote = {
    .name = "split_put_vote",
    .sql = PUT_EVENT " SELECT ?, split_id, trace_id, unit, arm, ?, 1, {now}, 0 FROM split_answers"
                     " WHERE trace_id = ? AND tenant_id = ?" ONCE,
};
static const struct statement find_newest = {
    .name = "split_newest_of_session",
    .sql = "SELECT a.trace_id FROM traces t JOIN split_answers a ON a.trace_id = t.trace_id"
           " WHERE t.tenant_id = ? AND t.session_id = ? ORDER BY t.started_at DESC LIMIT 1",
};
#define SPLIT                                                                                      \
    "s.split_id, s.tenant_id, s.experiment_id, s.percentage AS rollout_percentage, s.started_at,"  \
    " s.project_id,"                                                                               \
    " s.verdict, s.confidence, s.read_at, s.reasons, s.withdrawn_at,"                              \
    " CASE WHEN a.tenant_id IS NULL THEN 0 ELSE 1 END AS live,"                                    \
    " (SELECT count(*) FROM split_events e WHERE e.split_id = s.split_id AND e.sent = 0)"          \
    " AS waiting"
#define EXPOSED(arm)                                                                               \
    "(SELECT count(*) FROM split_events e WHERE e.split_id = s.split_id AND e.metric IS NULL"      \
    " AND e.arm = " arm ")"
#define SPLITS                                                                                     \
    " FROM traffic_splits s LEFT JOIN experiment_assignments a ON a.tenant_id = s.tenant_id"       \
    " AND a.experiment_id = s.experiment_id AND a.rolled_out_at = s.started_at"
static const struct statement list_open = {
    .name = "split_list_open",
    .sql = "SELECT " SPLIT SPLITS
           " WHERE a.tenant_id IS NOT NULL OR EXISTS (SELECT 1 FROM split_events e"
           " WHERE e.split_id = s.split_id AND e.sent = 0) ORDER BY s.started_at, s.split_id"
           " LIMIT ?",
};
static const struct statement list_of = {
    .name = "split_list",
    .sql = "SELECT " SPLIT ", " EXPOSED("0") " AS control_exposed, " EXPOSED(
        "1") " AS treatment_exposed" SPLITS
             " WHERE s.experiment_id = ? AND (? = '' OR s.tenant_id = ?)"
             " ORDER BY s.started_at DESC, s.split_id LIMIT ?",
};
#define WAITING                                                                                    \
    "SELECT id, event_key AS idempotency_key, unit AS user_id, metric, arm AS variation_index,"    \
    " value, occurred_at FROM split_events"                                                        \
    " WHERE split_id = ? AND sent = 0 AND metric IS "
static const struct statement list_exposures = {
    .name = "split_exposures",
    .sql = WAITING "NULL ORDER BY id LIMIT ?",
};
static const struct statement list_outcomes = {
    .name = "split_outcomes",
    .sql = WAITING "NOT NULL ORDER BY id LIMIT ?",
};
static const struct statement note_sent = {
    .name = "split_sent",
    .sql = "UPDATE split_events SET sent = 1 WHERE id = ?",
};
static const struct statement set_project = {
    .name = "split_set_project",
    .sql = "UPDATE traffic_splits SET project_id = ? WHERE split_id = ?",
};
static const struct statement set_verdict = {
    .name = "split_set_verdict",
    .sql = "UPDATE traffic_splits SET verdict = ?, confidence = ?, reasons = ?, read_at = {now}"
           " WHERE split_id = ?",
};
static const struct statement end_assignment = {
    .name = "split_end_assignment",
    .sql = "DELETE FROM experiment_assignments WHERE tenant_id = ? AND experiment_id = ?"
           " AND rolled_out_at = ?",
};
static const struct statement note_withdrawn = {
    .name = "split_withdraw",
    .sql = "UPDATE traffic_splits SET withdrawn_at = {now} WHERE split_id = ?",
};
/* By conversation; a question without a conversation is its own. */
static const struct statement read_baseline = {
    .name = "split_baseline",
    .sql = "SELECT count(*) AS conversations, coalesce(avg(quality), 0) AS mean,"
           " coalesce(avg(quality * quality), 0) AS mean_square, coalesce(sum(down), 0) AS down,"
           " coalesce(sum(escalated), 0) AS escalated, coalesce(sum(answers), 0) AS answers FROM"
           " (SELECT avg(CAST(t.final_quality AS DOUBLE PRECISION)) AS quality,"
           " max(CASE WHEN f.rating = 'down' THEN 1 ELSE 0 END) AS down,"
           " max(CASE WHEN t.final_route = 'human' THEN 1 ELSE 0 END) AS escalated,"
           " count(*) AS answers FROM traces t LEFT JOIN feedback f ON f.trace_id = t.trace_id"
           " AND f.tenant_id = t.tenant_id WHERE t.tenant_id = ? AND t.origin = 'live'"
           " AND t.experiment_id IS NULL AND t.final_quality IS NOT NULL"
           " AND t.started_at >= {now_plus:?} GROUP BY coalesce(t.session_id, t.trace_id)) c",
};

static const char *short_digest(struct arena *arena, const char *text)
{
    char digest[DIGEST_SHA256_TEXT];

    digest_sha256_hex(text, strlen(text), digest);
    return arena_copy(arena, digest, NAME_DIGITS);
}

struct split_arm split_arm_of(struct arena *arena, const struct assignment *assignment,
                              const char *bucket_key, bool inside)
{
    const char *id =
        short_digest(arena, arena_print(arena, "%s:%s:%s", assignment->tenant_id,
                                        assignment->experiment_id, assignment->rolled_out_at));

    return (struct split_arm){.split_id = id,
                              .unit =
                                  short_digest(arena, arena_print(arena, "%s:%s", id, bucket_key)),
                              .assignment = *assignment,
                              .arm = inside};
}

static enum error put_row(const struct trace_call *call, const struct split_arm *arm)
{
    struct query *query = db_query(call->db, &put_split);

    query_bind_text(query, arm->split_id);
    query_bind_text(query, arm->assignment.tenant_id);
    query_bind_text(query, arm->assignment.experiment_id);
    query_bind_integer(query, arm->assignment.rollout_percentage);
    query_bind_text(query, arm->assignment.rolled_out_at);
    return query_end(query, call->problem);
}

static enum error put_arm(const struct trace_call *call, const struct split_arm *arm,
                          const char *trace_id)
{
    struct query *query = db_query(call->db, &put_answer);

    query_bind_text(query, trace_id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, arm->split_id);
    query_bind_text(query, arm->unit);
    query_bind_integer(query, arm->arm);
    return query_end(query, call->problem);
}

static enum error put(const struct trace_call *call, const struct split_arm *arm,
                      const char *trace_id, const char *key, const char *metric, double value)
{
    struct query *query = db_query(call->db, &put_event);

    query_bind_text(query, key);
    query_bind_text(query, arm->split_id);
    query_bind_text(query, trace_id);
    query_bind_text(query, arm->unit);
    query_bind_integer(query, arm->arm);
    query_bind_text(query, metric);
    query_bind_number(query, value);
    return query_end(query, call->problem);
}

static const char *key_of(struct arena *arena, const char *whose, const char *metric)
{
    return arena_print(arena, "%s:%s", whose, metric);
}

enum error split_note_answer(const struct trace_call *call, const struct split_arm *arm,
                             const char *trace_id, double quality, bool escalated)
{
    enum error error = put_row(call, arm);

    if (!error)
        error = put_arm(call, arm, trace_id);
    if (!error)
        error = put(call, arm, trace_id, key_of(call->arena, arm->unit, "exposed"), NULL, 1);
    if (!error)
        error =
            put(call, arm, trace_id, key_of(call->arena, arm->unit, "quality"), "quality", quality);
    if (!error && escalated)
        error =
            put(call, arm, trace_id, key_of(call->arena, trace_id, "escalated"), "escalated", 1);
    return error;
}

static enum error put_of_trace(const struct trace_call *call, const char *trace_id,
                               const char *metric)
{
    struct query *query = db_query(call->db, &put_vote);

    query_bind_text(query, key_of(call->arena, trace_id, metric));
    query_bind_text(query, metric);
    query_bind_text(query, trace_id);
    query_bind_text(query, call->tenant);
    return query_end(query, call->problem);
}

enum error split_note_vote(const struct trace_call *call, const char *trace_id, const char *rating)
{
    return put_of_trace(call, trace_id, strcmp(rating, "down") == 0 ? "thumbs_down" : "thumbs_up");
}

enum error split_note_escalation(const struct trace_call *call, const char *session_id)
{
    struct query *query = db_query(call->db, &find_newest);
    const char *trace_id = NULL;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, session_id);
    if (query_next(query))
        trace_id = query_text(query, 0, call->arena);
    error = query_end(query, call->problem);
    return error || !trace_id ? error : put_of_trace(call, trace_id, "escalated");
}

static enum error read_splits(struct query *query, struct arena *arena, struct object_list *rows,
                              struct problem *problem)
{
    struct split *items = ARENA_ARRAY(arena, struct split, SPLITS_MOST);

    query_bind_integer(query, SPLITS_MOST);
    *rows = (struct object_list){.items = items};
    while (rows->count < SPLITS_MOST && query_next(query))
        query_read(query, &split_schema, &items[rows->count++], arena);
    return query_end(query, problem);
}

enum error split_list_open(struct db *db, struct arena *arena, struct object_list *rows,
                           struct problem *problem)
{
    return read_splits(db_query(db, &list_open), arena, rows, problem);
}

enum error split_list(struct db *db, struct arena *arena, const char *experiment_id,
                      const char *tenant, struct object_list *rows, struct problem *problem)
{
    struct query *query = db_query(db, &list_of);

    query_bind_text(query, experiment_id);
    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    return read_splits(query, arena, rows, problem);
}

enum error split_waiting(struct db *db, struct arena *arena, const char *split_id, bool exposures,
                         struct object_list *rows, struct problem *problem)
{
    struct split_event *items = ARENA_ARRAY(arena, struct split_event, SPLIT_EVENTS_MOST);
    struct query *query = db_query(db, exposures ? &list_exposures : &list_outcomes);

    query_bind_text(query, split_id);
    query_bind_integer(query, SPLIT_EVENTS_MOST);
    *rows = (struct object_list){.items = items};
    while (rows->count < SPLIT_EVENTS_MOST && query_next(query))
        query_read(query, &event_schema, &items[rows->count++], arena);
    return query_end(query, problem);
}

enum error split_sent(struct db *db, const struct object_list *events, struct problem *problem)
{
    const struct split_event *items = events->items;
    enum error error = db_begin(db, DB_WRITE, problem);
    struct query *query;

    if (error)
        return error;
    query = db_query(db, &note_sent);
    for (size_t i = 0; i < events->count; i++) {
        query_bind_integer(query, items[i].id);
        query_repeat(query, NULL);
    }
    return db_finish(db, query_end(query, problem), problem);
}

enum error split_set_project(struct db *db, const char *split_id, const char *project_id,
                             struct problem *problem)
{
    struct query *query = db_query(db, &set_project);

    query_bind_text(query, project_id);
    query_bind_text(query, split_id);
    return query_end(query, problem);
}

enum error split_set_verdict(struct db *db, const char *split_id, const char *verdict,
                             const char *confidence, const char *reasons, struct problem *problem)
{
    struct query *query = db_query(db, &set_verdict);

    query_bind_text(query, verdict);
    query_bind_text(query, confidence);
    query_bind_json(query, reasons);
    query_bind_text(query, split_id);
    return query_end(query, problem);
}

static enum error write_withdrawal(struct db *db, const struct split *split,
                                   struct problem *problem)
{
    struct query *query = db_query(db, &end_assignment);
    enum error error;

    query_bind_text(query, split->tenant_id);
    query_bind_text(query, split->experiment_id);
    query_bind_text(query, split->started_at);
    error = query_end(query, problem);
    if (error)
        return error;
    query = db_query(db, &note_withdrawn);
    query_bind_text(query, split->split_id);
    return query_end(query, problem);
}

enum error split_withdraw(struct db *db, const struct split *split, struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    return error ? error : db_finish(db, write_withdrawal(db, split, problem), problem);
}

enum error split_read_baseline(struct db *db, const char *tenant, struct split_baseline *baseline,
                               struct problem *problem)
{
    struct query *query = db_query(db, &read_baseline);
    struct baseline_row row = {0};

    *baseline = (struct split_baseline){0};
    query_bind_text(query, tenant);
    query_bind_number(query, -(double)BASELINE_DAYS * SECONDS_A_DAY);
    if (query_next(query))
        query_read(query, &baseline_schema, &row, NULL);
    if (row.conversations > 0) {
        double conversations = (double)row.conversations;

        *baseline = (struct split_baseline){
            .answers = row.answers,
            .conversations = row.conversations,
            .quality_mean = row.mean,
            .quality_deviation = sqrt(fmax(row.mean_square - row.mean * row.mean, 0)),
            .down_rate = (double)row.down / conversations,
            .escalated_rate = (double)row.escalated / conversations};
    }
    return query_end(query, problem);
}
