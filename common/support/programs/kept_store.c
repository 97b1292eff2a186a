/* Rows of kv_cache. A key is its tenant's alone: another one's is not found. */
#include "support/programs/kept_store.h"
#include "db/query.h"

enum { MICROSECONDS = 1000000 };

static const struct statement put_kept = {
    .name = "kept_put",
    .sql = "INSERT INTO kv_cache (cache_key, tenant_id, value, expires_at)"
           " VALUES (?, ?, ?, {now_microseconds} + ?) ON CONFLICT (cache_key) DO UPDATE SET"
           " tenant_id = excluded.tenant_id, value = excluded.value,"
           " expires_at = excluded.expires_at",
};
static const struct statement get_kept = {
    .name = "kept_get",
    .sql = "SELECT value FROM kv_cache WHERE cache_key = ? AND tenant_id = ?"
           " AND expires_at > {now_microseconds}",
};

enum error kept_put(const struct trace_call *call, const char *key, const char *value,
                    int64_t seconds)
{
    struct query *query = db_query(call->db, &put_kept);

    query_bind_text(query, key);
    query_bind_text(query, call->tenant);
    query_bind_json(query, value);
    query_bind_integer(query, seconds * MICROSECONDS);
    return query_end(query, call->problem);
}

enum error kept_get(const struct trace_call *call, const char *key, const char **value)
{
    struct query *query = db_query(call->db, &get_kept);

    query_bind_text(query, key);
    query_bind_text(query, call->tenant);
    *value = query_next(query) ? query_json(query, 0, call->arena) : NULL;
    return query_end(query, call->problem);
}
