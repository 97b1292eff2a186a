/* The snapshot of metrics: figures over windows of traces and votes. */
#include "support/traces/metrics_snapshot.h"
#include "base/list.h"
#include "base/number.h"
#include "db/query.h"

#include <math.h>
#include <stdlib.h>

enum { LATENCIES_MOST = 1000000, DAY = 86400, FAILED_AFTER = 900, LOW_QUALITY = 60 };

#define OF_TENANT "(? = '' OR tenant_id = ?)"

static const struct statement read_latencies = {
    .name = "metrics_latencies",
    .sql = "SELECT duration_ms FROM traces WHERE origin = 'live' AND " OF_TENANT
           " AND started_at >= {now_plus:?}"
           " AND duration_ms IS NOT NULL ORDER BY duration_ms",
    .streams = true,
};
static const struct statement read_day = {
    .name = "metrics_day",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN final_route = 'human' THEN 1 ELSE 0 END), 0),"
           " coalesce(sum(CASE WHEN finished_at IS NULL AND started_at < {now_plus:?} THEN 1 ELSE 0"
           " END), 0), coalesce(sum(CASE WHEN final_route IN ('error_escalation', 'timeout') THEN 1"
           " ELSE 0 END), 0) FROM traces WHERE origin = 'live' AND " OF_TENANT
           " AND started_at >= {now_plus:?}",
};
static const struct statement read_week = {
    .name = "metrics_week",
    .sql = "SELECT count(final_quality), coalesce(avg(final_quality), 0),"
           " coalesce(sum(CASE WHEN final_quality < ? THEN 1 ELSE 0 END), 0)"
           " FROM traces WHERE origin = 'live' AND " OF_TENANT " AND started_at >= {now_plus:?}",
};
static const struct statement read_votes = {
    .name = "metrics_votes",
    .sql = "SELECT count(*), coalesce(sum(CASE WHEN rating = 'down' THEN 1 ELSE 0 END), 0)"
           " FROM feedback WHERE " OF_TENANT " AND ts >= {now_plus:?}",
};

static void bind_window(struct query *query, const struct trace_call *call, int days)
{
    query_bind_text(query, call->tenant ? call->tenant : "");
    query_bind_text(query, call->tenant ? call->tenant : "");
    query_bind_number(query, -(double)days * DAY);
}

static struct optional_number rounded(double value, int decimals)
{
    return (struct optional_number)GIVEN_NUMBER(number_round_figure(value, decimals));
}

static struct optional_number percent(int64_t part, int64_t whole)
{
    return whole ? rounded(100.0 * (double)part / (double)whole, 1)
                 : (struct optional_number){.given = false};
}

double metrics_percentile(const double *sorted, size_t count, double p)
{
    size_t rank = (size_t)ceil((double)count * p - 1e-9);

    return sorted[rank > 0 ? rank - 1 : 0];
}

static enum error latency(const struct trace_call *call, struct metrics_snapshot *snapshot)
{
    struct query *query = db_query(call->db, &read_latencies);
    double *seconds = NULL;
    size_t count = 0;

    bind_window(query, call, 1);
    while (count < LATENCIES_MOST && query_next(query))
        *ARRAY_ADD(call->arena, seconds, count) = query_number(query, 0) / 1000;
    snapshot->timed_traces = (int64_t)count;
    if (count) {
        snapshot->p50_sec = rounded(metrics_percentile(seconds, count, 0.5), 2);
        snapshot->p95_sec = rounded(metrics_percentile(seconds, count, 0.95), 2);
        snapshot->p99_sec = rounded(metrics_percentile(seconds, count, 0.99), 2);
    }
    return query_end(query, call->problem);
}

static enum error day(const struct trace_call *call, struct metrics_snapshot *snapshot)
{
    struct query *query = db_query(call->db, &read_day);

    query_bind_number(query, -(double)FAILED_AFTER);
    bind_window(query, call, 1);
    if (query_next(query)) {
        snapshot->total_traces = snapshot->total_started = query_integer(query, 0);
        snapshot->escalated = query_integer(query, 1);
        snapshot->likely_failed = query_integer(query, 2);
        snapshot->failed = query_integer(query, 3);
        snapshot->escalation_rate_pct = percent(snapshot->escalated, snapshot->total_traces);
        snapshot->likely_failure_rate_pct =
            percent(snapshot->likely_failed, snapshot->total_started);
    }
    return query_end(query, call->problem);
}

static enum error week(const struct trace_call *call, struct metrics_snapshot *snapshot)
{
    struct query *query = db_query(call->db, &read_week);

    query_bind_integer(query, LOW_QUALITY);
    bind_window(query, call, 7);
    if (query_next(query)) {
        snapshot->scored_traces = query_integer(query, 0);
        if (snapshot->scored_traces) {
            snapshot->avg_quality = rounded(query_number(query, 1), 1);
            snapshot->low_quality_share_pct =
                percent(query_integer(query, 2), snapshot->scored_traces);
        }
    }
    return query_end(query, call->problem);
}

static enum error votes(const struct trace_call *call, struct metrics_snapshot *snapshot)
{
    struct query *query = db_query(call->db, &read_votes);

    bind_window(query, call, 7);
    if (query_next(query)) {
        snapshot->votes = query_integer(query, 0);
        snapshot->thumbs_down = query_integer(query, 1);
        snapshot->thumbs_down_rate_pct = percent(snapshot->thumbs_down, snapshot->votes);
    }
    return query_end(query, call->problem);
}

enum error metrics_snapshot(const struct trace_call *call, struct metrics_snapshot *snapshot)
{
    enum error error;

    *snapshot = (struct metrics_snapshot){.total_traces = 0};
    error = latency(call, snapshot);
    if (!error)
        error = day(call, snapshot);
    if (!error)
        error = week(call, snapshot);
    return error ? error : votes(call, snapshot);
}
