/* Splits, their sides and their events in the database. */
#include "support/candidates/split_store.h"
#include "crypto/digest.h"
#include "db/query.h"

#include <math.h>
#include <string.h>

enum { NAME_DIGITS = 32, BASELINE_DAYS = 30, SECONDS_A_DAY = 86400 };

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
    "s.split_id, s.tenant_id, s.experiment_id, s.percentage, s.started_at, s.project_id,"          \
    " s.verdict, s.confidence, s.read_at, s.reasons, s.withdrawn_at,"                              \
    " CASE WHEN a.tenant_id IS NULL THEN 0 ELSE 1 END,"                                            \
    " (SELECT count(*) FROM split_events e WHERE e.split_id = s.split_id AND e.sent = 0)"
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
    .sql = "SELECT " SPLIT ", " EXPOSED("0") ", " EXPOSED("1") SPLITS
    " WHERE s.experiment_id = ? AND (? = '' OR s.tenant_id = ?)"
    " ORDER BY s.started_at DESC, s.split_id LIMIT ?",
};
#define WAITING                                                                                    \
    "SELECT id, event_key, unit, metric, arm, value, occurred_at FROM split_events"                \
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
/* By conversation; a question outside of any is one of its own. */
static const struct statement read_baseline = {
    .name = "split_baseline",
    .sql = "SELECT count(*), coalesce(avg(quality), 0), coalesce(avg(quality * quality), 0),"
           " coalesce(sum(down), 0), coalesce(sum(escalated), 0), coalesce(sum(answers), 0) FROM"
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

    return (struct split_arm){id, short_digest(arena, arena_print(arena, "%s:%s", id, bucket_key)),
                              *assignment, inside};
}

static enum error put_row(const struct trace_call *call, const struct split_arm *side)
{
    struct query *query = db_query(call->db, &put_split);

    query_bind_text(query, side->split_id);
    query_bind_text(query, side->assignment.tenant_id);
    query_bind_text(query, side->assignment.experiment_id);
    query_bind_integer(query, side->assignment.percentage);
    query_bind_text(query, side->assignment.rolled_out_at);
    return query_end(query, call->problem);
}

static enum error put_side(const struct trace_call *call, const struct split_arm *side,
                           const char *trace_id)
{
    struct query *query = db_query(call->db, &put_answer);

    query_bind_text(query, trace_id);
    query_bind_text(query, call->tenant);
    query_bind_text(query, side->split_id);
    query_bind_text(query, side->unit);
    query_bind_integer(query, side->arm);
    return query_end(query, call->problem);
}

static enum error put(const struct trace_call *call, const struct split_arm *side,
                      const char *trace_id, const char *key, const char *metric, double value)
{
    struct query *query = db_query(call->db, &put_event);

    query_bind_text(query, key);
    query_bind_text(query, side->split_id);
    query_bind_text(query, trace_id);
    query_bind_text(query, side->unit);
    query_bind_integer(query, side->arm);
    query_bind_text(query, metric);
    query_bind_number(query, value);
    return query_end(query, call->problem);
}

static const char *key_of(struct arena *arena, const char *whose, const char *metric)
{
    return arena_print(arena, "%s:%s", whose, metric);
}

enum error split_note_answer(const struct trace_call *call, const struct split_arm *side,
                             const char *trace_id, double quality, bool escalated)
{
    enum error error = put_row(call, side);

    if (!error)
        error = put_side(call, side, trace_id);
    if (!error)
        error = put(call, side, trace_id, key_of(call->arena, side->unit, "exposed"), NULL, 1);
    if (!error)
        error = put(call, side, trace_id, key_of(call->arena, side->unit, "quality"), "quality",
                    quality);
    if (!error && escalated)
        error =
            put(call, side, trace_id, key_of(call->arena, trace_id, "escalated"), "escalated", 1);
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

static struct split as_split(struct query *query, struct arena *arena, bool counted)
{
    return (struct split){
        query_text(query, 0, arena),
        query_text(query, 1, arena),
        query_text(query, 2, arena),
        query_integer(query, 3),
        query_text(query, 4, arena),
        query_text_or_null(query, 5, arena),
        query_text_or_null(query, 6, arena),
        query_text_or_null(query, 7, arena),
        query_text_or_null(query, 8, arena),
        query_json_or_null(query, 9, arena),
        query_text_or_null(query, 10, arena),
        query_integer(query, 11) == 1,
        query_integer(query, 12),
        {counted ? query_integer(query, 13) : 0, counted ? query_integer(query, 14) : 0}};
}

static enum error read_splits(struct query *query, struct arena *arena, bool counted,
                              struct object_list *rows, struct problem *problem)
{
    struct split *items = ARENA_ARRAY(arena, struct split, SPLITS_MOST);

    query_bind_integer(query, SPLITS_MOST);
    *rows = (struct object_list){.items = items};
    while (rows->count < SPLITS_MOST && query_next(query))
        items[rows->count++] = as_split(query, arena, counted);
    return query_end(query, problem);
}

enum error split_list_open(struct db *db, struct arena *arena, struct object_list *rows,
                           struct problem *problem)
{
    return read_splits(db_query(db, &list_open), arena, false, rows, problem);
}

enum error split_list(struct db *db, struct arena *arena, const char *experiment_id,
                      const char *tenant, struct object_list *rows, struct problem *problem)
{
    struct query *query = db_query(db, &list_of);

    query_bind_text(query, experiment_id);
    query_bind_text(query, tenant ? tenant : "");
    query_bind_text(query, tenant ? tenant : "");
    return read_splits(query, arena, true, rows, problem);
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
        items[rows->count++] =
            (struct split_event){query_integer(query, 0),     query_text(query, 1, arena),
                                 query_text(query, 2, arena), query_text_or_null(query, 3, arena),
                                 query_integer(query, 4),     query_number(query, 5),
                                 query_text(query, 6, arena)};
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

    *baseline = (struct split_baseline){0};
    query_bind_text(query, tenant);
    query_bind_number(query, -(double)BASELINE_DAYS * SECONDS_A_DAY);
    if (query_next(query) && query_integer(query, 0) > 0) {
        double conversations = (double)query_integer(query, 0), mean = query_number(query, 1),
               variance = query_number(query, 2) - mean * mean;

        *baseline =
            (struct split_baseline){.answers = query_integer(query, 5),
                                    .conversations = query_integer(query, 0),
                                    .quality_mean = mean,
                                    .quality_deviation = sqrt(fmax(variance, 0)),
                                    .down_rate = query_number(query, 3) / conversations,
                                    .escalated_rate = query_number(query, 4) / conversations};
    }
    return query_end(query, problem);
}
