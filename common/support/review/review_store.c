/* Cases for review in the database. */
#include "support/review/review_store.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/log.h"
#include "base/timestamp.h"
#include "db/query.h"
#include "support/metrics.h"
#include "text/fold.h"

#include <math.h>
#include <string.h>

enum { SECONDS_A_DAY = 86400 };

const char *const review_reason_names[REVIEW_REASON__MAX] = {
    "thumbs_down", "low_quality", "escalated", "fact_fail", "slow_trace", "manual"};
const char *const review_status_names[REVIEW_STATUS__MAX] = {
    "pending", "in_review", "confirmed_good", "confirmed_bad", "dismissed"};

#define OWNER struct review_row
static const struct field row_fields[] = {INTEGER(OWNER, id),
                                          STRING(OWNER, trace_id),
                                          STRING(OWNER, tenant_id),
                                          STRING(OWNER, reason),
                                          STRING(OWNER, status),
                                          STRING(OWNER, notes),
                                          STRING(OWNER, created_at),
                                          STRING(OWNER, reviewed_at, .nullable = true),
                                          STRING(OWNER, reviewed_by, .nullable = true),
                                          WRITTEN_JSON(OWNER, snapshot, .nullable = true),
                                          NULLABLE_NUMBER(OWNER, quality),
                                          NULLABLE_NUMBER(OWNER, fact_score),
                                          NULLABLE_NUMBER(OWNER, duration_ms),
                                          STRING(OWNER, question, .nullable = true),
                                          STRING(OWNER, asked_at, .nullable = true),
                                          BOOLEAN(OWNER, drawn),
                                          STRING(OWNER, chosen, .nullable = true),
                                          NUMBER(OWNER, doubt),
                                          STRING(OWNER, doubt_kind, .nullable = true),
                                          STRING(OWNER, doubt_about)};
#undef OWNER
static SCHEMA(row_schema, struct review_row, "ReviewRow", row_fields);

#define OWNER struct review_key
static const struct field key_fields[] = {INTEGER(OWNER, id), STRING(OWNER, trace_id),
                                          STRING(OWNER, created_at)};
#undef OWNER
static SCHEMA(key_schema, struct review_key, "ReviewKey", key_fields);

/* The traces that need a review, each with its reason. */
#define WANTED                                                                                     \
    "(SELECT trace_id, tenant_id, started_at, CASE"                                                \
    " WHEN EXISTS (SELECT 1 FROM feedback f WHERE f.trace_id = t.trace_id AND f.linked = 1"        \
    " AND f.tenant_id = t.tenant_id AND f.rating = 'down') THEN 'thumbs_down'"                     \
    " WHEN final_quality < ? THEN 'low_quality'"                                                   \
    " WHEN final_route IN ('human', 'error_escalation') OR EXISTS (SELECT 1 FROM"                  \
    " escalated_tickets e WHERE e.trace_id = t.trace_id) THEN 'escalated'"                         \
    " WHEN factuality_score < ? THEN 'fact_fail'"                                                  \
    " WHEN duration_ms > ? THEN 'slow_trace' END AS reason"                                        \
    " FROM traces t WHERE origin = 'live' AND started_at >= {now_plus:?}"                          \
    " AND (? = '' OR tenant_id = ?)) w"
#define PLACE(column)                                                                              \
    "CASE " column " WHEN 'thumbs_down' THEN 0 WHEN 'low_quality' THEN 1 WHEN 'escalated' THEN 2"  \
    " WHEN 'fact_fail' THEN 3 WHEN 'slow_trace' THEN 4 ELSE 5 END"

/* A case that the program chose without a sign gets the reason of a sign that comes later. */
#define NOT_BY_HAND " AND (review_queue.reason <> 'manual' OR review_queue.chosen IS NOT NULL)"

static const struct statement count_wanted = {
    .name = "review_wanted",
    .sql = "SELECT count(*) FROM " WANTED " WHERE w.reason IS NOT NULL",
};
static const struct statement upgrade_cases = {
    .name = "review_upgrade",
    .sql = "UPDATE review_queue SET reason = w.reason FROM " WANTED
           " WHERE w.trace_id = review_queue.trace_id AND w.reason IS NOT NULL"
           " AND review_queue.status = 'pending'" NOT_BY_HAND
           " AND " PLACE("w.reason") " < " PLACE("review_queue.reason"),
};
static const struct statement insert_cases = {
    .name = "review_insert",
    .sql = "INSERT INTO review_queue (trace_id, tenant_id, reason, status, created_at)"
           " SELECT trace_id, tenant_id, reason, 'pending', {now} FROM " WANTED
           " WHERE w.reason IS NOT NULL ORDER BY started_at, trace_id"
           " ON CONFLICT (trace_id) DO NOTHING",
};
#define CASE_COLUMNS                                                                               \
    "r.id, r.trace_id, r.tenant_id, r.reason, r.status, coalesce(r.reviewer_notes, '') AS notes,"  \
    " r.created_at, r.reviewed_at, r.reviewed_by, r.snapshot_json AS snapshot,"                    \
    " t.final_quality AS quality, t.factuality_score AS fact_score, t.duration_ms, t.question,"    \
    " t.started_at AS asked_at, r.drawn, r.chosen, r.doubt, r.doubt_kind, r.doubt_about"           \
    " FROM review_queue r LEFT JOIN traces t ON t.trace_id = r.trace_id"
#define OF_WORDS                                                                                   \
    " AND (? = '' OR r.trace_id = ?)"                                                              \
    " AND (? = '' OR t.question LIKE ? ESCAPE '\\' OR lower(t.question) LIKE ? ESCAPE '\\')"       \
    " AND (? = 0 OR r.drawn = 1)"
static const struct statement list_cases = {
    .name = "review_list",
    .sql = "SELECT " CASE_COLUMNS " WHERE (? = '' OR r.tenant_id = ?)"
           " AND (? = '' OR r.status = ?) AND (? = '' OR r.reason = ?)" OF_WORDS
           " ORDER BY r.created_at DESC, r.id DESC LIMIT ? OFFSET ?",
};
#define OF_TENANT                                                                                  \
    "SELECT " CASE_COLUMNS " WHERE r.tenant_id = ? AND (? = '' OR r.reason = ?)" OF_WORDS
#define OF_STATUS                                                                                  \
    "SELECT " CASE_COLUMNS                                                                         \
    " WHERE r.tenant_id = ? AND r.status = ? AND (? = '' OR r.reason = ?)" OF_WORDS
#define NEWEST_FIRST " ORDER BY r.created_at DESC, r.id DESC LIMIT ? OFFSET ?"
#define UNSURE_FIRST " ORDER BY r.doubt DESC, r.id DESC LIMIT ? OFFSET ?"
/* Of a tenant: by whether a status is asked for, and by the order. */
static const struct statement list_tenants[2][2] = {
    {{.name = "review_list_of_tenant", .sql = OF_TENANT NEWEST_FIRST},
     {.name = "review_list_unsure", .sql = OF_TENANT UNSURE_FIRST}},
    {{.name = "review_list_of", .sql = OF_STATUS NEWEST_FIRST},
     {.name = "review_list_unsure_of", .sql = OF_STATUS UNSURE_FIRST}},
};
static const struct statement list_confirmed = {
    .name = "review_confirmed",
    .sql = "SELECT id, trace_id, created_at FROM review_queue WHERE (? = '' OR tenant_id = ?)"
           " AND (status = 'confirmed_good' OR (? = 1 AND status = 'confirmed_bad'))"
           " ORDER BY created_at, id",
    .streams = true,
};
static const struct statement list_revoked = {
    .name = "review_revoked",
    .sql = "SELECT trace_id FROM review_queue WHERE (? = '' OR tenant_id = ?)"
           " AND status NOT IN ('confirmed_good', 'confirmed_bad') ORDER BY trace_id",
    .streams = true,
};
static const struct statement find_case = {
    .name = "review_find",
    .sql = "SELECT " CASE_COLUMNS " WHERE (? = '' OR r.tenant_id = ?) AND r.id = ?",
};
static const struct statement lock_case = {
    .name = "review_lock",
    .sql = "SELECT trace_id, tenant_id, status FROM review_queue"
           " WHERE (? = '' OR tenant_id = ?) AND id = ? {for_update}",
};
static const struct statement decide_case = {
    .name = "review_decide",
    .sql = "UPDATE review_queue SET status = ?, reviewer_notes = ?,"
           " reviewed_at = CASE WHEN ? = 'pending' THEN NULL ELSE {now} END,"
           " reviewed_by = ?, snapshot_json = coalesce(?, snapshot_json) WHERE id = ?",
};
static const struct statement insert_case = {
    .name = "review_add",
    .sql = "INSERT INTO review_queue (trace_id, tenant_id, reason, status, reviewer_notes,"
           " created_at) SELECT trace_id, tenant_id, 'manual', 'pending', ?, {now} FROM traces"
           " WHERE tenant_id = ? AND trace_id = ? ON CONFLICT (trace_id) DO NOTHING RETURNING id",
};
static const struct statement insert_voted = {
    .name = "review_add_vote",
    .sql = "INSERT INTO review_queue (trace_id, tenant_id, reason, status, created_at)"
           " SELECT trace_id, tenant_id, 'thumbs_down', 'pending', {now} FROM traces"
           " WHERE tenant_id = ? AND trace_id = ? AND origin = 'live' AND finished_at IS NOT NULL"
           " ON CONFLICT (trace_id) DO UPDATE SET reason = 'thumbs_down'"
           " WHERE review_queue.status = 'pending'" NOT_BY_HAND,
};
static const struct statement find_any_trace = {
    .name = "review_trace",
    .sql = "SELECT 1 FROM traces WHERE tenant_id = ? AND trace_id = ?",
};
static const struct statement count_cases = {
    .name = "review_count",
    .sql = "SELECT status, reason, sum(cases) FROM review_totals"
           " WHERE (? = '' OR tenant_id = ?) GROUP BY status, reason",
};
#define OLDEST "SELECT created_at FROM review_queue WHERE status = 'pending'"
static const struct statement find_oldest = {
    .name = "review_oldest",
    .sql = OLDEST " ORDER BY created_at LIMIT 1",
};
static const struct statement find_tenants_oldest = {
    .name = "review_oldest_of",
    .sql = OLDEST " AND tenant_id = ? ORDER BY created_at LIMIT 1",
};
static void bind_tenant(struct query *query, const struct trace_call *call)
{
    query_bind_text(query, call->tenant ? call->tenant : "");
    query_bind_text(query, call->tenant ? call->tenant : "");
}

static enum error run_wanted(const struct trace_call *call, const struct support_settings *settings,
                             int64_t days, const struct statement *statement, int64_t *count)
{
    struct query *query = db_query(call->db, statement);
    bool counts = statement == &count_wanted;

    query_bind_integer(query, settings->quality_threshold);
    query_bind_integer(query,
                       settings->fact_verification ? settings->fact_verification_min_score : -1);
    query_bind_number(query, (double)settings->slow_trace_ms);
    query_bind_number(query, -(double)(days > 0 ? days : 0) * SECONDS_A_DAY);
    bind_tenant(query, call);
    if (counts)
        *count = query_next(query) ? query_integer(query, 0) : 0;
    else
        *count = query_changes(query);
    return query_end(query, call->problem);
}

enum error review_build(const struct trace_call *call, const struct support_settings *settings,
                        int64_t days, struct review_built *built)
{
    enum error error;

    *built = (struct review_built){0, 0, 0};
    if (!settings->review_queue)
        return ERROR_NONE;
    error = db_begin(call->db, DB_WRITE, call->problem);
    if (error)
        return error;
    error = run_wanted(call, settings, days, &count_wanted, &built->matched);
    if (!error)
        error = run_wanted(call, settings, days, &upgrade_cases, &built->upgraded);
    if (!error)
        error = run_wanted(call, settings, days, &insert_cases, &built->inserted);
    return db_finish(call->db, error, call->problem);
}

static void case_row(struct query *query, struct arena *arena, struct review_row *row)
{
    *row = (struct review_row){0};
    query_read(query, &row_schema, row, arena);
    if (row->snapshot && !row->question) {
        struct extract kept;

        extract_read(arena, row->snapshot, &kept);
        row->question = kept.query;
        row->quality = kept.quality;
        row->fact_score = kept.fact_score;
        row->duration_ms = kept.duration_ms;
    }
}

static void bind_words(struct query *query, const struct trace_call *call,
                       const struct review_filter *filter)
{
    const char *trace = filter->trace_id ? filter->trace_id : "",
               *words = filter->words ? filter->words : "";

    query_bind_text(query, trace);
    query_bind_text(query, trace);
    query_bind_text(query, words);
    query_bind_text(query, db_like_contains(call->arena, words));
    query_bind_text(query, db_like_contains(call->arena, text_lower(call->arena, words)));
    query_bind_boolean(query, filter->drawn);
}

enum error review_list(const struct trace_call *call, const struct review_filter *filter,
                       struct object_list *rows)
{
    struct review_row *items =
        ARENA_ARRAY(call->arena, struct review_row, (size_t)filter->limit + 1);
    struct query *query = db_query(
        call->db,
        call->tenant ? &list_tenants[*filter->status != '\0'][filter->unsure_first] : &list_cases);

    if (call->tenant)
        query_bind_text(query, call->tenant);
    else
        bind_tenant(query, call);
    if (!call->tenant)
        query_bind_text(query, filter->status);
    if (!call->tenant || *filter->status)
        query_bind_text(query, filter->status);
    query_bind_text(query, filter->reason);
    query_bind_text(query, filter->reason);
    bind_words(query, call, filter);
    query_bind_integer(query, filter->limit);
    query_bind_integer(query, filter->offset);
    *rows = (struct object_list){.items = items};
    while (rows->count < (size_t)filter->limit && query_next(query))
        case_row(query, call->arena, &items[rows->count++]);
    return query_end(query, call->problem);
}

enum error review_confirmed(const struct trace_call *call, bool bad, struct object_list *rows)
{
    struct query *query = db_query(call->db, &list_confirmed);

    bind_tenant(query, call);
    query_bind_boolean(query, bad);
    *rows = (struct object_list){0};
    while (query_next(query))
        query_read(query, &key_schema,
                   list_add(call->arena, &rows->items, &rows->count, sizeof(struct review_key)),
                   call->arena);
    return query_end(query, call->problem);
}

enum error review_revoked(const struct trace_call *call, struct string_list *trace_ids)
{
    struct query *query = db_query(call->db, &list_revoked);

    *trace_ids = (struct string_list){0};
    bind_tenant(query, call);
    while (query_next(query))
        *LIST_ADD(call->arena, trace_ids) = query_text(query, 0, call->arena);
    return query_end(query, call->problem);
}

enum error review_find(const struct trace_call *call, int64_t id, struct review_row *row)
{
    struct query *query = db_query(call->db, &find_case);
    bool found;
    enum error error;

    bind_tenant(query, call);
    query_bind_integer(query, id);
    found = query_next(query);
    if (found)
        case_row(query, call->arena, row);
    error = query_end(query, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "review_not_found", "review item not found");
}

enum error review_extract(const struct trace_call *call, const struct review_row *row,
                          struct extract *extract)
{
    struct trace_call of_case = *call;
    bool found;
    enum error error;

    of_case.tenant = row->tenant_id;
    error = extract_trace(&of_case, row->trace_id, extract, &found);
    if (!error && !found)
        extract_read(call->arena, row->snapshot, extract);
    return error;
}

struct locked_case {
    const char *trace_id, *tenant_id, *status;
};

#define OWNER struct locked_case
static const struct field locked_fields[] = {STRING(OWNER, trace_id), STRING(OWNER, tenant_id),
                                             STRING(OWNER, status)};
#undef OWNER
static SCHEMA(locked_schema, struct locked_case, "LockedCase", locked_fields);

static enum error lock_one(const struct trace_call *call, int64_t id, struct locked_case *locked)
{
    struct query *query = db_query(call->db, &lock_case);
    bool found;
    enum error error;

    bind_tenant(query, call);
    query_bind_integer(query, id);
    error = query_read_one(query, &locked_schema, locked, call->arena, &found, call->problem);
    if (error || found)
        return error;
    return problem_set(call->problem, ERROR_NOT_FOUND, "review_not_found", "review item not found");
}

/* Allowed transitions: a pending case may get any status, a claimed one any except claimed; a
 * judged one can only be reopened. */
static bool may_become(const char *status, const struct review_verdict *verdict)
{
    bool pending = strcmp(status, review_status_names[REVIEW_PENDING]) == 0,
         in_hand = strcmp(status, review_status_names[REVIEW_IN_REVIEW]) == 0;

    if (verdict->status == REVIEW_PENDING && !verdict->pending_only)
        return true;
    if (verdict->status == REVIEW_IN_REVIEW || verdict->pending_only)
        return pending;
    return pending || in_hand;
}

/* The copy of the content of a judged case, because the trace may be deleted. NULL = nothing to
 * store. */
static enum error keep_extract(const struct trace_call *call, const struct locked_case *locked,
                               const struct review_verdict *verdict, const char **snapshot)
{
    struct trace_call of_case = *call;
    struct extract extract;
    bool found;
    enum error error;

    *snapshot = NULL;
    if (verdict->status == REVIEW_PENDING || verdict->status == REVIEW_IN_REVIEW)
        return ERROR_NONE;
    of_case.tenant = locked->tenant_id;
    error = extract_trace(&of_case, locked->trace_id, &extract, &found);
    if (error || !found)
        return error;
    extract.tags = verdict->tags;
    *snapshot = extract_json(call->arena, &extract);
    return ERROR_NONE;
}

static enum error write_verdict(const struct trace_call *call, int64_t id,
                                const struct review_verdict *verdict, const char *snapshot)
{
    struct query *query = db_query(call->db, &decide_case);
    const char *status = review_status_names[verdict->status];

    query_bind_text(query, status);
    query_bind_text(query, verdict->notes);
    query_bind_text(query, status);
    query_bind_text(query, verdict->status == REVIEW_PENDING ? NULL : verdict->reviewer);
    query_bind_json(query, snapshot);
    query_bind_integer(query, id);
    return query_end(query, call->problem);
}

enum error review_decide(const struct trace_call *call, int64_t id,
                         const struct review_verdict *verdict)
{
    struct locked_case locked = {"", "", ""};
    const char *snapshot = NULL;
    enum error error = db_begin(call->db, DB_WRITE, call->problem);

    if (error)
        return error;
    error = lock_one(call, id, &locked);
    if (!error && !may_become(locked.status, verdict))
        error = problem_set(call->problem, ERROR_CONFLICT, "review_not_pending",
                            "review item is not pending");
    if (!error)
        error = keep_extract(call, &locked, verdict, &snapshot);
    if (!error)
        error = write_verdict(call, id, verdict, snapshot);
    return db_finish(call->db, error, call->problem);
}

enum error review_hold(const struct trace_call *call, int64_t id)
{
    struct locked_case locked;

    return lock_one(call, id, &locked);
}

static enum error why_not_added(const struct trace_call *call, const char *trace_id)
{
    struct query *query = db_query(call->db, &find_any_trace);
    bool found;
    enum error error;

    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    found = query_next(query);
    error = query_end(query, call->problem);
    if (error)
        return error;
    return found
               ? problem_set(call->problem, ERROR_CONFLICT, "review_exists",
                             "there is a review item of this trace")
               : problem_set(call->problem, ERROR_NOT_FOUND, "trace_not_found", "trace not found");
}

enum error review_add(const struct trace_call *call, const char *trace_id, const char *notes,
                      int64_t *id)
{
    struct query *query = db_query(call->db, &insert_case);
    bool added;
    enum error error;

    query_bind_text(query, notes);
    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    added = query_next(query);
    if (added)
        *id = query_integer(query, 0);
    error = query_end(query, call->problem);
    return error || added ? error : why_not_added(call, trace_id);
}

static size_t place_of(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static void count_row(struct query *query, struct arena *arena, struct review_counts *counts)
{
    size_t status = place_of(review_status_names, REVIEW_STATUS__MAX, query_text(query, 0, arena)),
           reason = place_of(review_reason_names, REVIEW_REASON__MAX, query_text(query, 1, arena));
    int64_t count = query_integer(query, 2);

    if (status == REVIEW_STATUS__MAX || reason == REVIEW_REASON__MAX)
        return;
    counts->status[status] += count;
    counts->reason[reason] += count;
    if (status == REVIEW_PENDING)
        counts->pending[reason] += count;
}

static enum error read_oldest(const struct trace_call *call, double *seconds)
{
    struct query *query = db_query(call->db, call->tenant ? &find_tenants_oldest : &find_oldest);
    int64_t since;

    if (call->tenant)
        query_bind_text(query, call->tenant);
    *seconds = 0;
    if (query_next(query) && timestamp_from_text(query_text(query, 0, call->arena), &since))
        *seconds = fmax(0, (double)(clock_unix_microseconds() - since) / 1e6);
    return query_end(query, call->problem);
}

enum error review_add_vote(const struct trace_call *call, const char *trace_id)
{
    struct query *query = db_query(call->db, &insert_voted);

    query_bind_text(query, call->tenant);
    query_bind_text(query, trace_id);
    return query_end(query, call->problem);
}

enum error review_count(const struct trace_call *call, struct review_counts *counts)
{
    struct query *query = db_query(call->db, &count_cases);
    enum error error;

    *counts = (struct review_counts){.oldest_pending_seconds = 0};
    bind_tenant(query, call);
    while (query_next(query))
        count_row(query, call->arena, counts);
    error = query_end(query, call->problem);
    return error ? error : read_oldest(call, &counts->oldest_pending_seconds);
}

void review_show(struct db *db, struct arena *arena, struct metrics *metrics)
{
    static const char *const good = "good", *const bad = "bad";
    struct problem problem = {0};
    struct review_counts counts;
    const struct trace_call call = {db, arena, NULL, &problem};

    if (!metrics)
        return;
    if (review_count(&call, &counts)) {
        log_event(LOG_WARNING, "review_not_counted", problem.text);
        return;
    }
    for (size_t i = 0; i < REVIEW_REASON__MAX; i++)
        metric_set(metrics, METRIC_REVIEW_PENDING, &review_reason_names[i],
                   (double)counts.pending[i]);
    metric_set(metrics, METRIC_REVIEW_CONFIRMED, &good,
               (double)counts.status[REVIEW_CONFIRMED_GOOD]);
    metric_set(metrics, METRIC_REVIEW_CONFIRMED, &bad, (double)counts.status[REVIEW_CONFIRMED_BAD]);
    metric_set(metrics, METRIC_REVIEW_OLDEST, NULL, counts.oldest_pending_seconds);
}
