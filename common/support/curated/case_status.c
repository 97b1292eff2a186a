/* States of curated cases in the database. */
#include "support/curated/case_status.h"
#include "db/query.h"

#define OWNER struct case_status
static const struct field case_status_fields[] = {STRING(OWNER, case_id), STRING(OWNER, tenant_id),
                                                  STRING(OWNER, status),
                                                  STRING(OWNER, staleness_reason, .nullable = true),
                                                  STRING(OWNER, last_checked_at, .nullable = true)};
#undef OWNER
SCHEMA(case_status_schema, struct case_status, "CaseStatus", case_status_fields);

static const struct statement list_stale = {
    .name = "case_status_stale",
    .sql = "SELECT case_id, tenant_id, status, staleness_reason, last_checked_at"
           " FROM curated_case_status WHERE tenant_id = ? AND status = 'stale_needs_review'"
           " ORDER BY last_checked_at DESC, case_id LIMIT ?",
};
static const struct statement put_stale = {
    .name = "case_status_put",
    .sql = "INSERT INTO curated_case_status (case_id, tenant_id, status, staleness_reason,"
           " last_checked_at) VALUES (?, ?, 'stale_needs_review', ?, {now})"
           " ON CONFLICT (case_id, tenant_id) DO UPDATE SET status = excluded.status,"
           " staleness_reason = excluded.staleness_reason,"
           " last_checked_at = excluded.last_checked_at",
};
static const struct statement put_fresh = {
    .name = "case_status_fresh",
    .sql = "UPDATE curated_case_status SET status = 'fresh', staleness_reason = NULL,"
           " last_checked_at = {now} WHERE case_id = ? AND tenant_id = ?",
};

enum error case_status_stale(const struct trace_call *call, struct object_list *rows)
{
    struct case_status *items = ARENA_ARRAY(call->arena, struct case_status, CASE_STATUS_LIST_MAX);
    struct query *query = db_query(call->db, &list_stale);

    query_bind_text(query, call->tenant);
    query_bind_integer(query, CASE_STATUS_LIST_MAX);
    *rows = (struct object_list){.items = items};
    while (rows->count < CASE_STATUS_LIST_MAX && query_next(query))
        query_read(query, &case_status_schema, &items[rows->count++], call->arena);
    return query_end(query, call->problem);
}

enum error case_status_put(const struct trace_call *call, const char *case_id, const char *reason)
{
    struct query *query = db_query(call->db, reason ? &put_stale : &put_fresh);

    query_bind_text(query, case_id);
    query_bind_text(query, call->tenant);
    if (reason)
        query_bind_text(query, reason);
    return query_end(query, call->problem);
}
