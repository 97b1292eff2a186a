/* Deletes old rows, kind by kind. */
#include "livedata/maintenance/retention.h"

#include "base/clock.h"
#include "db/query.h"
#include "livedata/alerts/rules.h"
#include "livedata/nodes/edge.h"
#include "livedata/timestamp.h"
#include "livedata/webhooks/outbound.h"

static const struct statement forget_journal = {
    .name = "retention_journal",
    .sql = "DELETE FROM pipeline_events WHERE seq IN (SELECT seq FROM pipeline_events AS old"
           " WHERE old.processed_at < ? AND NOT (old.entity_data IS NOT NULL AND NOT EXISTS"
           " (SELECT 1 FROM pipeline_events AS newer WHERE newer.tenant_id = old.tenant_id"
           " AND newer.entity_id = old.entity_id AND newer.entity_type = old.entity_type"
           " AND newer.entity_data IS NOT NULL AND newer.seq > old.seq))"
           " ORDER BY old.seq LIMIT ?)",
};
static const struct statement forget_sessions = {
    .name = "retention_sessions",
    .sql = "DELETE FROM api_sessions WHERE id IN (SELECT id FROM api_sessions WHERE at < ?"
           " ORDER BY at LIMIT ?)",
};
static const struct statement forget_usage = {
    .name = "retention_usage",
    .sql = "DELETE FROM api_usage WHERE id IN (SELECT id FROM api_usage WHERE at < ?"
           " ORDER BY at LIMIT ?)",
};
static const struct statement forget_deleted = {
    .name = "retention_deleted",
    .sql = "DELETE FROM deleted_entities WHERE deleted_ts IN (SELECT deleted_ts"
           " FROM deleted_entities WHERE deleted_ts < ? ORDER BY deleted_ts LIMIT ?)",
};
static const struct statement forget_own_deleted = {
    .name = "retention_own_deleted",
    .sql = "DELETE FROM own_deleted WHERE deleted_at IN (SELECT deleted_at FROM own_deleted"
           " WHERE deleted_at < ? ORDER BY deleted_at LIMIT ?)",
};
static const struct statement forget_own_counted = {
    .name = "retention_own_counted",
    .sql = "DELETE FROM own_counted WHERE counted_at IN (SELECT counted_at FROM own_counted"
           " WHERE counted_at < ? ORDER BY counted_at LIMIT ?)",
};
static const struct statement forget_sources = {
    .name = "retention_sources",
    .sql = "DELETE FROM source_watermarks WHERE beat_at < ?",
};
static const struct statement forget_points = {
    .name = "retention_series_points",
    .sql = "DELETE FROM series_points WHERE starts_at IN (SELECT starts_at FROM series_points"
           " WHERE starts_at < ? ORDER BY starts_at LIMIT ?)",
};
/* What points that are still kept are checked against stays. */
static const struct statement forget_changes = {
    .name = "retention_series_changes",
    .sql = "DELETE FROM series_changes WHERE hour_at IN (SELECT hour_at FROM series_changes"
           " WHERE hour_at < ? AND NOT EXISTS (SELECT 1 FROM series_points"
           " WHERE starts_at < series_changes.hour_at + 3600000000) ORDER BY hour_at LIMIT ?)",
};
static const struct statement forget_answers = {
    .name = "retention_answers",
    .sql = "DELETE FROM idempotency_keys WHERE started_at < ?",
};

/* Deletes at most `most` rows; all if it is negative. */
static enum error forget(struct db *db, const struct statement *statement, int64_t before,
                         int64_t most, struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_integer(query, before);
    if (most >= 0)
        query_bind_integer(query, most);
    return query_end(query, problem);
}

/* Points that are used begin later; changes stay a day longer, for hosts whose clocks differ. */
static enum error forget_series(struct db *db, int64_t before, int64_t most,
                                struct problem *problem)
{
    enum error error = forget(db, &forget_points, before, most, problem);

    return error ? error : forget(db, &forget_changes, before - us_per_day, most, problem);
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
    error = forget(db, &forget_journal, journal, most, problem);
    if (!error)
        error = forget(db, &forget_deleted, journal, most, problem);
    if (!error)
        error = forget(db, &forget_own_deleted, journal, most, problem);
    if (!error)
        error = forget(db, &forget_own_counted, journal, most, problem);
    if (!error)
        error = forget(db, &forget_sources, journal, -1, problem);
    if (!error)
        error = forget_series(db, now - settings->series_days * us_per_day, most, problem);
    if (!error)
        error = edge_forget(db, journal, most, problem);
    if (!error)
        error = forget(db, &forget_sessions, now - logs, most, problem);
    if (!error)
        error = forget(db, &forget_usage, now - logs, most, problem);
    if (!error)
        error = forget(db, &forget_answers, now - us_per_day, -1, problem);
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
