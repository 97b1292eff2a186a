/* Values by key in the database. */
#include "support/cache.h"
#include "db/query.h"

static const struct statement put_value = {
    .name = "cache_put",
    .sql = "INSERT INTO kv_cache (cache_key, tenant_id, value, expires_at)"
           " VALUES (?, ?, ?, {now_microseconds} + CAST(? AS BIGINT))"
           " ON CONFLICT (cache_key) DO UPDATE SET tenant_id = excluded.tenant_id,"
           " value = excluded.value, expires_at = excluded.expires_at",
};
static const struct statement get_value = {
    .name = "cache_get",
    .sql = "SELECT value FROM kv_cache WHERE cache_key = ? AND tenant_id = ?"
           " AND expires_at > {now_microseconds}",
};
static const struct statement purge_values = {
    .name = "cache_purge",
    .sql = "DELETE FROM kv_cache WHERE cache_key IN (SELECT cache_key FROM kv_cache"
           " WHERE expires_at <= {now_microseconds} ORDER BY expires_at LIMIT 500)",
};

enum error cache_put(struct db *db, const char *tenant, const char *key, const char *value,
                     int64_t seconds, struct problem *problem)
{
    struct query *query = db_query(db, &put_value);

    query_bind_text(query, key);
    query_bind_text(query, tenant);
    query_bind_json(query, value);
    query_bind_integer(query, seconds * 1000000);
    return query_end(query, problem);
}

enum error cache_get(struct db *db, struct arena *arena, const char *tenant, const char *key,
                     const char **value, struct problem *problem)
{
    struct query *query = db_query(db, &get_value);

    query_bind_text(query, key);
    query_bind_text(query, tenant);
    *value = query_next(query) ? query_json(query, 0, arena) : NULL;
    return query_end(query, problem);
}

enum error cache_purge(struct db *db, int64_t *count, struct problem *problem)
{
    struct query *query = db_query(db, &purge_values);

    *count = query_changes(query);
    return query_end(query, problem);
}
