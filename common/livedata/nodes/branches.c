/* All SQL of the events received from branches. */
#include "livedata/nodes/branches.h"

#include "db/query.h"
#include "livedata/timestamp.h"

static const struct statement count_event = {
    .name = "branch_count",
    .sql = "INSERT INTO node_branches (tenant_id, branch, entity_type, events, day, day_events,"
           " last_seen) VALUES (?, ?, ?, 1, ?, 1, ?)"
           " ON CONFLICT (tenant_id, branch, entity_type) DO UPDATE"
           " SET events = node_branches.events + 1, day_events = CASE WHEN node_branches.day ="
           " excluded.day THEN node_branches.day_events + 1 ELSE 1 END, day = excluded.day,"
           " last_seen = excluded.last_seen",
};
static const struct statement read_counts = {
    .name = "branch_read",
    .sql = "SELECT CAST(coalesce(sum(events), 0) AS BIGINT), CAST(coalesce(sum(CASE WHEN day = ?"
           " THEN day_events ELSE 0 END), 0) AS BIGINT), coalesce(max(last_seen), 0)"
           " FROM node_branches WHERE tenant_id = ? AND branch = ?"
           " AND (CAST(? AS TEXT) IS NULL OR replace(?, ',' || entity_type || ',', '') <> ?)",
};
enum { TYPES_TIMES = 3 };

enum error branch_count(const struct storage_call *call, const char *branch,
                        const char *entity_type)
{
    struct query *query = db_query(call->db, &count_event);

    query_bind_text(query, call->tenant);
    query_bind_text(query, branch);
    query_bind_text(query, entity_type);
    query_bind_integer(query, call->now / us_per_day);
    query_bind_integer(query, call->now);
    return query_end(query, call->problem);
}

enum error branch_read(const struct storage_call *call, const char *branch, const char *types,
                       struct branch_counts *counts)
{
    struct query *query = db_query(call->db, &read_counts);

    *counts = (struct branch_counts){0};
    query_bind_integer(query, call->now / us_per_day);
    query_bind_text(query, call->tenant);
    query_bind_text(query, branch);
    for (int i = 0; i < TYPES_TIMES; i++)
        query_bind_text(query, types);
    if (query_next(query))
        *counts =
            (struct branch_counts){.before = query_integer(query, 0) - query_integer(query, 1),
                                   .today = query_integer(query, 1),
                                   .last_seen = query_integer(query, 2)};
    return query_end(query, call->problem);
}
