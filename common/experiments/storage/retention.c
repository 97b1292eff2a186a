/* SQL of retention: counts and deletes old rows. */
#include "experiments/storage/retention.h"
#include "base/clock.h"
#include "base/json.h"
#include "db/query.h"
#include "experiments/live/retire.h"

enum { DIFF_BYTES_MAX = 1024 };

/* Entries with pending webhook deliveries are kept. */
#define OLD                                                                                        \
    " FROM audit_log WHERE ts < ? AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d"           \
    " WHERE d.event_id = audit_log.id AND d.status IN ('pending', 'retrying'))"

static const struct statement count_audit = {
    .name = "audit_old_count",
    .sql = "SELECT count(*)" OLD,
};
static const struct statement count_deliveries = {
    .name = "delivery_old_count",
    .sql = "SELECT count(*) FROM webhook_deliveries WHERE status IN ('delivered', 'failed')"
           " AND coalesce(delivered_at, last_attempt_at) < ?",
};
static const struct statement purge_deliveries = {
    .name = "delivery_purge",
    .sql = "DELETE FROM webhook_deliveries WHERE status IN ('delivered', 'failed')"
           " AND coalesce(delivered_at, last_attempt_at) < ?",
};

/* The counting table first, from the rows that are about to go. */
#define UNCOUNT(dimension, value, which)                                                           \
    "INSERT INTO audit_totals (dimension, value, shard, entries)"                                  \
    " SELECT '" dimension "', " value ", 0, -count(*)" OLD which " GROUP BY " value                \
    " ON CONFLICT (dimension, value, shard)"                                                       \
    " DO UPDATE SET entries = audit_totals.entries + excluded.entries"

static const struct statement purge_audit[] = {
    {"audit_uncount_action", UNCOUNT("action", "action", "")},
    {"audit_uncount_key", UNCOUNT("key", "coalesce(key_id, '')", "")},
    {"audit_uncount_project", UNCOUNT("project", "coalesce(project_id, '')", "")},
    {"audit_uncount_key_action",
     UNCOUNT("key action", "key_id || ' ' || action", " AND key_id IS NOT NULL")},
    /* In one statement, which is counted once. */
    {"audit_purge_deliveries",
     "DELETE FROM webhook_deliveries WHERE event_id IN (SELECT id" OLD ")"},
    {"audit_purge", "DELETE" OLD},
};

static const int64_t day_microseconds = (int64_t)24 * 3600 * 1000000;

static enum error count_old(struct db *db, const struct statement *statement, const char *cutoff,
                            int64_t *count, struct problem *problem)
{
    struct query *query = db_query(db, statement);

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

/* Writes the audit entry with the numbers of deleted rows. */
static enum error record_purge(const struct retention_call *call, const char *cutoff,
                               const struct retention_counts *counts)
{
    struct json_writer writer;
    struct text diff;
    const struct {
        const char *name;
        int64_t count;
    } tables[] = {{"exposures", counts->exposures},
                  {"conversions", counts->conversions},
                  {"audit_log", counts->audit_log},
                  {"webhook_deliveries", counts->webhook_deliveries}};

    text_start(&diff, call->arena, DIFF_BYTES_MAX);
    writer_start(&writer, &diff);
    writer_open_object(&writer);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (tables[i].count == 0)
            continue;
        writer_key(&writer, tables[i].name);
        writer_open_array(&writer);
        writer_integer(&writer, tables[i].count);
        writer_integer(&writer, 0);
        writer_close_array(&writer);
    }
    if (counts->audit_log > 0) {
        writer_key(&writer, "older_than");
        writer_open_array(&writer);
        writer_null(&writer);
        writer_string(&writer, cutoff);
        writer_close_array(&writer);
    }
    writer_close_object(&writer);
    return audit_record(call->db, call->arena, call->actor,
                        &(struct audit_event){.action = "retention.purge", .diff = diff.bytes},
                        call->problem);
}

/* Rows before this time are too old; 0 = none is. */
static int64_t cutoff_of(int64_t days)
{
    return days > 0 ? clock_unix_microseconds() - days * day_microseconds : 0;
}

static enum error purge_events(const struct retention_call *call,
                               const struct retention_windows *windows, bool dry_run,
                               struct retention_counts *counts)
{
    struct live_retirement retirement = {.exposures_before = cutoff_of(windows->exposures_days),
                                         .conversions_before =
                                             cutoff_of(windows->conversions_days)};
    enum error error = live_retire(call->db, call->arena, dry_run, &retirement, call->problem);

    counts->exposures = retirement.exposures;
    counts->conversions = retirement.conversions;
    return error;
}

static enum error purge_ended(const struct retention_call *call, int64_t days, bool dry_run,
                              int64_t *count)
{
    char cutoff[CLOCK_TEXT_MAX];
    struct query *query;
    enum error error;

    if (days <= 0)
        return ERROR_NONE;
    clock_format(cutoff_of(days), cutoff);
    error = count_old(call->db, &count_deliveries, cutoff, count, call->problem);
    if (error || dry_run || *count == 0)
        return error;
    query = db_query(call->db, &purge_deliveries);
    query_bind_text(query, cutoff);
    return query_end(query, call->problem);
}

static int64_t rows_of(const struct retention_counts *counts)
{
    return counts->audit_log + counts->exposures + counts->conversions + counts->webhook_deliveries;
}

static enum error purge(const struct retention_call *call, const struct retention_windows *windows,
                        bool dry_run, struct retention_counts *counts)
{
    char cutoff[CLOCK_TEXT_MAX] = "";
    enum error error = purge_events(call, windows, dry_run, counts);

    if (!error)
        error = purge_ended(call, windows->webhook_deliveries_days, dry_run,
                            &counts->webhook_deliveries);
    if (!error && windows->audit_days > 0) {
        clock_format(cutoff_of(windows->audit_days), cutoff);
        error = count_old(call->db, &count_audit, cutoff, &counts->audit_log, call->problem);
    }
    if (!error && !dry_run && counts->audit_log > 0)
        error = purge_old(call->db, cutoff, call->problem);
    if (!error && !dry_run && rows_of(counts) > 0)
        error = record_purge(call, cutoff, counts);
    return error;
}

enum error retention_purge(const struct retention_call *call,
                           const struct retention_windows *windows, bool dry_run,
                           struct retention_counts *counts)
{
    struct db *db = call->db;
    enum error error;

    *counts = (struct retention_counts){0};
    if (windows->audit_days <= 0 && windows->exposures_days <= 0 &&
        windows->conversions_days <= 0 && windows->webhook_deliveries_days <= 0)
        return ERROR_NONE;
    error = db_begin(db, dry_run ? DB_READ : DB_WRITE, call->problem);
    if (error)
        return error;
    /* Two concurrent purges would both subtract the same rows from the counting table. */
    if (!dry_run)
        error = db_lock(db, "retention_purge", call->problem);
    if (!error)
        error = purge(call, windows, dry_run, counts);
    return db_finish(db, error, call->problem);
}
