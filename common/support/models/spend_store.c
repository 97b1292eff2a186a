/* Costs and use of providers. */
#include "support/models/spend_store.h"
#include "db/query.h"

static const struct statement read_today = {
    .name = "spend_today",
    .sql = "SELECT (SELECT coalesce(sum(cost_usd), 0.0) FROM trace_steps"
           " WHERE provider_name IS NOT NULL AND cost_usd > 0 AND ts >= substr({now}, 1, 10))"
           " + (SELECT coalesce(sum(cost_usd), 0.0) FROM model_spend"
           " WHERE day = substr({now}, 1, 10))",
};
static const struct statement add = {
    .name = "spend_add",
    .sql = "INSERT INTO model_spend (day, purpose, cost_usd) VALUES (substr({now}, 1, 10), ?, ?)"
           " ON CONFLICT (day, purpose) DO UPDATE"
           " SET cost_usd = model_spend.cost_usd + excluded.cost_usd",
};
static const struct statement read_minute = {
    .name = "spend_minute",
    .sql = "SELECT count(*), coalesce(sum(s.prompt_tokens + s.completion_tokens), 0)"
           " FROM trace_steps s JOIN traces t ON t.trace_id = s.trace_id"
           " WHERE s.provider_name = ? AND t.tenant_id = ? AND s.ts >= {now_plus:-60}",
};
static const struct statement read_day = {
    .name = "spend_day",
    .sql = "SELECT coalesce(sum(s.cost_usd), 0.0) FROM trace_steps s"
           " JOIN traces t ON t.trace_id = s.trace_id"
           " WHERE s.provider_name = ? AND t.tenant_id = ? AND s.ts >= {now_plus:-86400}",
};
static const struct statement read_last = {
    .name = "spend_last",
    .sql = "SELECT s.ts FROM trace_steps s JOIN traces t ON t.trace_id = s.trace_id"
           " WHERE s.provider_name = ? AND t.tenant_id = ? ORDER BY s.ts DESC LIMIT 1",
};

enum error model_spend_today(struct db *db, double *dollars, struct problem *problem)
{
    struct query *query = db_query(db, &read_today);

    *dollars = query_next(query) ? query_number(query, 0) : 0;
    return query_end(query, problem);
}

enum error spend_add(struct db *db, const char *purpose, double dollars, struct problem *problem)
{
    struct query *query = db_query(db, &add);

    query_bind_text(query, purpose);
    query_bind_number(query, dollars);
    return query_end(query, problem);
}

static struct query *about(struct db *db, const struct statement *statement, const char *tenant,
                           const char *provider)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, provider);
    query_bind_text(query, tenant);
    return query;
}

enum error spend_of_provider(struct db *db, struct arena *arena, const char *tenant,
                             const char *provider, struct provider_use *use,
                             struct problem *problem)
{
    struct query *query = about(db, &read_minute, tenant, provider);
    enum error error;

    *use = (struct provider_use){.requests = 0};
    if (query_next(query)) {
        use->requests = query_integer(query, 0);
        use->tokens = query_integer(query, 1);
    }
    error = query_end(query, problem);
    if (error)
        return error;
    query = about(db, &read_day, tenant, provider);
    use->cost = query_next(query) ? query_number(query, 0) : 0;
    error = query_end(query, problem);
    if (error)
        return error;
    query = about(db, &read_last, tenant, provider);
    use->last_used_at = query_next(query) ? query_text(query, 0, arena) : NULL;
    return query_end(query, problem);
}
