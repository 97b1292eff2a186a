/* Deletes old rows, kind by kind. */
#include "livedata/maintenance/retention.h"

#include "base/clock.h"
#include "base/list.h"
#include "base/string_list.h"
#include "db/query.h"
#include "livedata/alerts/rules.h"
#include "livedata/journal/journal.h"
#include "livedata/nodes/edge.h"
#include "livedata/timestamp.h"
#include "livedata/webhooks/outbound.h"

enum { MEMORY = 16 * 1024 * 1024 };

/* The `+` keeps SQLite from taking the index of the tenant, which has rows of every age; COALESCE
 * from taking that of types instead of that of entities. */
static const struct statement forget_journal = {
    .name = "retention_journal",
#define OLD_EVENTS                                                                                 \
    "seq IN (SELECT old.seq FROM pipeline_events AS old WHERE old.tenant_id = ?"                   \
    " AND old.processed_at < ? AND NOT (old.entity_data IS NOT NULL AND NOT EXISTS (SELECT 1"      \
    " FROM pipeline_events AS newer WHERE newer.tenant_id = ? AND newer.entity_id = old.entity_id" \
    " AND COALESCE(newer.entity_type, '') = old.entity_type AND newer.entity_data IS NOT NULL"     \
    " AND newer.seq > old.seq)) ORDER BY old.processed_at LIMIT ?)"
    .sqlite = "DELETE FROM pipeline_events AS gone WHERE +gone.tenant_id = ? AND gone." OLD_EVENTS,
    .postgres = "DELETE FROM pipeline_events AS gone WHERE gone.tenant_id = ? AND gone." OLD_EVENTS,
};

/* Rows that go by their age alone: the oldest of all tenants, and then those of each. */
struct aging {
    struct statement oldest, forget;
};
#define AGING(table, column) AGING_UNLESS(table, column, "", "")
#define AGING_UNLESS(table, column, sqlite_more, postgres_more)                                    \
    {                                                                                              \
        {.name = "oldest_" table,                                                                  \
         .sql = "SELECT tenant_id, max(" column ") FROM (SELECT tenant_id, " column " FROM " table \
                " WHERE " column " < ? ORDER BY " column " LIMIT ?) AS page GROUP BY tenant_id"},  \
        {                                                                                          \
            .name = "retention_" table,                                                            \
            .sqlite =                                                                              \
                "DELETE FROM " table " WHERE +tenant_id = ? AND " column " <= ?" sqlite_more,      \
            .postgres =                                                                            \
                "DELETE FROM " table " WHERE tenant_id = ? AND " column " <= ?" postgres_more      \
        }                                                                                          \
    }
static const struct aging old_sessions = AGING("api_sessions", "at"),
                          old_usage = AGING("api_usage", "at"),
                          old_deleted = AGING("deleted_entities", "deleted_ts"),
                          old_own_deleted = AGING("own_deleted", "deleted_at"),
                          old_own_counted = AGING("own_counted", "counted_at"),
                          old_points = AGING("series_points", "starts_at");
/* What points that are still kept are checked against stays. */
static const struct aging old_changes =
#define NO_POINT(tenant)                                                                           \
    " AND NOT EXISTS (SELECT 1 FROM series_points AS kept"                                         \
    " WHERE " tenant " = series_changes.tenant_id"                                                 \
    " AND kept.starts_at < series_changes.hour_at + 3600000000)"
    AGING_UNLESS("series_changes", "hour_at", NO_POINT("+kept.tenant_id"),
                 NO_POINT("kept.tenant_id"));
static const struct statement forget_sources = {
    .name = "retention_sources",
    .sql = "DELETE FROM source_watermarks WHERE beat_at < ?",
};
static const struct statement forget_answers = {
    .name = "retention_answers",
    .sql = "DELETE FROM idempotency_keys WHERE started_at < ?",
};

static enum error forget_all(const struct storage_call *call, const struct statement *statement,
                             int64_t before)
{
    struct query *query = db_query(call->db, statement);

    query_bind_integer(query, before);
    return query_end(query, call->problem);
}

struct old_rows {
    size_t count;
    struct old_row {
        const char *tenant;
        int64_t last;
    } * items;
};

static enum error find_oldest(const struct storage_call *call, const struct aging *aging,
                              int64_t before, int64_t most, struct old_rows *rows)
{
    struct query *query = db_query(call->db, &aging->oldest);

    *rows = (struct old_rows){0};
    query_bind_integer(query, before);
    query_bind_integer(query, most);
    while (query_next(query))
        *LIST_ADD(call->arena, rows) =
            (struct old_row){query_text(query, 0, call->arena), query_integer(query, 1)};
    return query_end(query, call->problem);
}

/* Deletes about `most` rows: those of one moment go together. */
static enum error forget(const struct storage_call *call, const struct aging *aging, int64_t before,
                         int64_t most)
{
    struct old_rows rows;
    enum error error = find_oldest(call, aging, before, most, &rows);

    for (size_t i = 0; !error && i < rows.count; i++) {
        struct query *query = db_query(call->db, &aging->forget);

        query_bind_text(query, rows.items[i].tenant);
        query_bind_integer(query, rows.items[i].last);
        error = query_end(query, call->problem);
    }
    return error;
}

static enum error forget_events(const struct storage_call *call, const char *tenant, int64_t before,
                                int64_t most, int64_t *deleted)
{
    struct query *query = db_query(call->db, &forget_journal);

    for (int i = 0; i < 2; i++)
        query_bind_text(query, tenant);
    query_bind_integer(query, before);
    query_bind_text(query, tenant);
    query_bind_integer(query, most);
    *deleted = query_changes(query);
    return query_end(query, call->problem);
}

/* Each tenant has the same share; what some leave goes to those with more. */
static enum error forget_journals(const struct storage_call *call, int64_t before, int64_t most)
{
    struct string_list tenants = {0};
    enum error error = journal_tenants(call, &tenants);
    int64_t share = tenants.count ? most / (int64_t)tenants.count + 1 : most;
    bool *is_done = ARENA_ARRAY(call->arena, bool, tenants.count + 1);

    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < tenants.count && !error && most > 0; i++) {
            int64_t deleted = 0, part = !round && share < most ? share : most;

            if (is_done[i])
                continue;
            error = forget_events(call, tenants.items[i], before, part, &deleted);
            is_done[i] = deleted < part;
            most -= deleted;
        }
    return error;
}

/* Points that are used begin later; changes stay a day longer, for hosts whose clocks differ. */
static enum error forget_series(const struct storage_call *call, int64_t before, int64_t most)
{
    enum error error = forget(call, &old_points, before, most);

    return error ? error : forget(call, &old_changes, before - us_per_day, most);
}

static enum error forget_of_tenants(const struct storage_call *call,
                                    const struct livedata_settings *settings, int64_t most)
{
    int64_t journal = call->now - settings->journal_retention_days * us_per_day;
    int64_t logs = call->now - settings->log_retention_days * us_per_day;
    enum error error = forget_journals(call, journal, most);

    if (!error)
        error = forget(call, &old_deleted, journal, most);
    if (!error)
        error = forget(call, &old_own_deleted, journal, most);
    if (!error)
        error = forget(call, &old_own_counted, journal, most);
    if (!error)
        error = forget_all(call, &forget_sources, journal);
    if (!error)
        error = forget_series(call, call->now - settings->series_days * us_per_day, most);
    if (!error)
        error = forget(call, &old_sessions, logs, most);
    if (!error)
        error = forget(call, &old_usage, logs, most);
    return error ? error : forget_all(call, &forget_answers, call->now - us_per_day);
}

static enum error forget_with_memory(struct db *db, const struct livedata_settings *settings,
                                     int64_t now, struct problem *problem)
{
    struct storage_call call = {
        .db = db, .problem = problem, .now = now, .arena = arena_create(MEMORY)};
    enum error error;

    if (!call.arena)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "no memory");
    error = forget_of_tenants(&call, settings, settings->purge_rows);
    arena_destroy(call.arena);
    return error;
}

enum error retention_keep(struct db *db, const struct livedata_settings *settings,
                          struct problem *problem)
{
    struct problem moved;
    int64_t now = clock_unix_microseconds(), count;
    int64_t logs = settings->log_retention_days * us_per_day, most = settings->purge_rows;
    int64_t journal = now - settings->journal_retention_days * us_per_day;
    enum error error;

    if (clock_check(settings->state_directory, "livedata", &settings->clock, &moved))
        return ERROR_NONE; /* it is logged */
    error = forget_with_memory(db, settings, now, problem);
    if (!error)
        error = edge_forget(db, journal, most, problem);
    if (!error)
        error = webhook_forget_history(db, (double)logs / 1e6, most, &count, problem);
    if (!error)
        error = job_forget(db, &live_webhook_kind.job, JOB_IS_DONE, (double)logs / 1e6, most,
                           &count, problem);
    if (!error)
        error = job_forget(db, &live_alert_kind.job, JOB_IS_DONE, (double)logs / 1e6, most, &count,
                           problem);
    if (!error)
        error = job_forget(db, &live_alert_kind.job, JOB_IS_DEAD, (double)logs / 1e6, most, &count,
                           problem);
    return error ? error : alert_forget_history(db, now - logs, most, problem);
}
