/* Taking away old rows: all SQL about that is here. */
#include "experiments/storage/retention.h"
#include "base/clock.h"
#include "db/query.h"

static const struct statement count_audit = {
    .name = "audit_old_count",
    .sql = "SELECT count(*) FROM audit_log WHERE ts < ?",
};

/* The counting table first, from the rows that are about to go. */
#define UNCOUNT(dimension, value, which)                                                           \
    "INSERT INTO audit_totals (dimension, value, shard, entries)"                                  \
    " SELECT '" dimension "', " value ", 0, -count(*) FROM audit_log WHERE ts < ?" which           \
    " GROUP BY " value " ON CONFLICT (dimension, value, shard)"                                    \
    " DO UPDATE SET entries = audit_totals.entries + excluded.entries"

static const struct statement purge_audit[] = {
    {"audit_uncount_action", UNCOUNT("action", "action", "")},
    {"audit_uncount_key", UNCOUNT("key", "coalesce(key_id, '')", "")},
    {"audit_uncount_project", UNCOUNT("project", "coalesce(project_id, '')", "")},
    {"audit_uncount_key_action",
     UNCOUNT("key action", "key_id || ' ' || action", " AND key_id IS NOT NULL")},
    {"audit_purge", "DELETE FROM audit_log WHERE ts < ?"},
};

static const int64_t day_microseconds = (int64_t)24 * 3600 * 1000000;

static enum error count_old(struct db *db, const char *cutoff, int64_t *count,
                            struct problem *problem)
{
    struct query *query = db_query(db, &count_audit);

    query_bind_text(query, cutoff);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

static enum error purge_old(struct db *db, const char *cutoff, struct problem *problem)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < sizeof purge_audit / sizeof purge_audit[0]; i++) {
        struct query *query = db_query(db, &purge_audit[i]);

        query_bind_text(query, cutoff);
        error = query_end(query, problem);
    }
    return error;
}

/* Says who took away how many: rows older than the window, before and after. */
static enum error record_purge(const struct retention_call *call, const char *cutoff,
                               const struct retention_counts *counts)
{
    const struct audit_event event = {
        .action = "retention.purge",
        .diff = arena_print(call->arena, "{\"audit_log\":[%lld,0],\"older_than\":[null,\"%s\"]}",
                            (long long)counts->audit_log, cutoff)};

    return audit_record(call->db, call->arena, call->actor, &event, call->problem);
}

enum error retention_purge(const struct retention_call *call,
                           const struct retention_windows *windows, bool dry_run,
                           struct retention_counts *counts)
{
    char cutoff[CLOCK_TEXT_MAX];
    struct db *db = call->db;
    enum error error;

    *counts = (struct retention_counts){0};
    if (windows->audit_days <= 0)
        return ERROR_NONE;
    clock_format(clock_unix_microseconds() - windows->audit_days * day_microseconds, cutoff);
    error = db_begin(db, dry_run ? DB_READ : DB_WRITE, call->problem);
    if (error)
        return error;
    /* Two at a time would both take the same rows off the counting table. */
    if (!dry_run)
        error = db_lock(db, "retention_purge", call->problem);
    if (!error)
        error = count_old(db, cutoff, &counts->audit_log, call->problem);
    if (!error && !dry_run && counts->audit_log > 0)
        error = purge_old(db, cutoff, call->problem);
    if (!error && !dry_run && counts->audit_log > 0)
        error = record_purge(call, cutoff, counts);
    return db_finish(db, error, call->problem);
}
