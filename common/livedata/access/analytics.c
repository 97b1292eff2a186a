/* The log of requests summed up: by tenant, endpoint, question, entity and hour. */
#include "livedata/access/analytics.h"

#include "base/list.h"
#include "base/number.h"
#include "db/query.h"
#include "livedata/timestamp.h"

#include <string.h>

static const double anomaly_ratio = 3;

static const struct statement usage_by_tenant = {
    .name = "usage_by_tenant",
    .sql = "SELECT tenant_id AS tenant, count(*) AS requests_last_24h FROM api_usage WHERE at >= ? "
           "GROUP BY tenant_id"
           " ORDER BY tenant_id",
};
static const struct statement tenant_sums = {
    .name = "session_tenants",
    .sql = "SELECT tenant_id AS tenant, count(*) AS total_requests,"
           " sum(CASE WHEN status_code >= 400 THEN 1 ELSE 0 END) AS errors,"
           " sum(CASE WHEN cache_hit = 1 THEN 1 ELSE 0 END) AS hits, count(cache_hit) AS cached,"
           " CAST(sum(duration_us) AS BIGINT) AS duration_us FROM api_sessions WHERE at >= ?"
           " AND (CAST(? AS TEXT) IS NULL OR tenant_id = ?) GROUP BY tenant_id ORDER BY tenant_id",
};
static const struct statement top_endpoints = {
    .name = "session_endpoints",
    .sql = "SELECT endpoint FROM api_sessions WHERE at >= ? AND tenant_id = ? GROUP BY endpoint"
           " ORDER BY count(*) DESC, endpoint LIMIT 3",
};
static const struct statement top_queries = {
    .name = "session_top_queries",
    .sql = "SELECT query_text AS query, count(*) AS count FROM api_sessions WHERE at >= ? AND "
           "query_text IS NOT NULL"
           " GROUP BY query_text ORDER BY count(*) DESC, query_text LIMIT ?",
};
static const struct statement top_entities = {
    .name = "session_top_entities",
    .sql = "SELECT entity_type, entity_id, count(*) AS count FROM api_sessions WHERE at >= ?"
           " AND entity_id IS NOT NULL GROUP BY entity_type, entity_id"
           " ORDER BY count(*) DESC, entity_type, entity_id LIMIT ?",
};
static const struct statement latencies = {
    .name = "session_latency",
    .sql = "SELECT endpoint, max(n) AS requests,"
           " min(CASE WHEN nth >= 0.50 * n THEN duration_us END) AS p50_us,"
           " min(CASE WHEN nth >= 0.95 * n THEN duration_us END) AS p95_us,"
           " min(CASE WHEN nth >= 0.99 * n THEN duration_us END) AS p99_us"
           " FROM (SELECT endpoint, duration_us,"
           " row_number() OVER (PARTITION BY endpoint ORDER BY duration_us) AS nth,"
           " count(*) OVER (PARTITION BY endpoint) AS n FROM api_sessions WHERE at >= ?) AS ranked"
           " GROUP BY endpoint ORDER BY endpoint LIMIT 200",
};
static const struct statement hours = {
    .name = "session_hours",
    .sql = "SELECT tenant_id, at / 3600000000 AS hour, count(*) FROM api_sessions WHERE at >= ?"
           " GROUP BY tenant_id, at / 3600000000 ORDER BY tenant_id, hour",
};
static const struct statement key_day = {
    .name = "usage_key_day",
    .sql = "SELECT count(*) FROM api_usage WHERE key_id = ? AND at >= ?",
};
static const struct statement key_old_hour = {
    .name = "usage_key_old",
    .sql = "SELECT count(*) FROM api_usage WHERE key_id = ? AND at >= ?"
           " AND key_slot = 'previous'",
};
static const struct statement last_minute = {
    .name = "session_rate",
    .sql = "SELECT count(*) FROM api_sessions WHERE at >= ?",
};

#define OWNER struct tenant_usage
static const struct field usage_row_fields[] = {STRING(OWNER, tenant),
                                                INTEGER(OWNER, requests_last_24h)};
#undef OWNER
static SCHEMA(usage_row_schema, struct tenant_usage, "TenantUsage", usage_row_fields);

#define OWNER struct usage_answer
static const struct field usage_fields[] = {OBJECTS(OWNER, usage, usage_row_schema)};
#undef OWNER
SCHEMA(usage_schema, struct usage_answer, "Usage", usage_fields);

#define OWNER struct tenant_analytics
static const struct field tenant_fields[] = {
    STRING(OWNER, tenant),
    INTEGER(OWNER, total_requests),
    NUMBER(OWNER, error_rate),
    NUMBER(OWNER, cache_hit_rate),
    NUMBER(OWNER, avg_duration_ms),
    STRINGS(OWNER, top_endpoints),
    INTEGER(OWNER, errors, .internal = true),
    INTEGER(OWNER, hits, .internal = true),
    INTEGER(OWNER, cached, .internal = true),
    INTEGER(OWNER, duration_us, .internal = true),
};
#undef OWNER
static SCHEMA(tenant_schema, struct tenant_analytics, "TenantFigures", tenant_fields);

#define OWNER struct query_count
static const struct field query_count_fields[] = {STRING(OWNER, query), INTEGER(OWNER, count)};
#undef OWNER
static SCHEMA(query_count_schema, struct query_count, "QueryCount", query_count_fields);

#define OWNER struct entity_count
static const struct field entity_count_fields[] = {STRING(OWNER, entity_type, .nullable = true),
                                                   STRING(OWNER, entity_id), INTEGER(OWNER, count)};
#undef OWNER
static SCHEMA(entity_count_schema, struct entity_count, "EntityCount", entity_count_fields);

#define OWNER struct endpoint_latency
static const struct field latency_fields[] = {
    STRING(OWNER, endpoint),
    INTEGER(OWNER, requests),
    NUMBER(OWNER, p50_ms),
    NUMBER(OWNER, p95_ms),
    NUMBER(OWNER, p99_ms),
    INTEGER(OWNER, p50_us, .internal = true),
    INTEGER(OWNER, p95_us, .internal = true),
    INTEGER(OWNER, p99_us, .internal = true),
};
#undef OWNER
static SCHEMA(latency_schema, struct endpoint_latency, "EndpointLatency", latency_fields);

#define OWNER struct busy_tenant
static const struct field busy_fields[] = {
    STRING(OWNER, tenant), INTEGER(OWNER, current_hour_requests), NUMBER(OWNER, hourly_average),
    NUMBER(OWNER, spike_ratio)};
#undef OWNER
static SCHEMA(busy_schema, struct busy_tenant, "BusyTenant", busy_fields);

/* Each answer is the window and one list. */
#define ANALYTICS(variable, type, title, list, item)                                               \
    static const struct field variable##_fields[] = {STRING(type, window),                         \
                                                     OBJECTS(type, list, item)};                   \
    SCHEMA(variable, type, title, variable##_fields)
ANALYTICS(tenants_schema, struct tenants_answer, "TenantAnalytics", tenants, tenant_schema);
ANALYTICS(queries_schema, struct queries_answer, "QueryAnalytics", queries, query_count_schema);
ANALYTICS(entities_schema, struct entities_answer, "EntityAnalytics", entities,
          entity_count_schema);
ANALYTICS(endpoints_schema, struct endpoints_answer, "LatencyAnalytics", endpoints, latency_schema);
ANALYTICS(anomalies_schema, struct anomalies_answer, "AnomalyAnalytics", anomalies, busy_schema);

static struct query *since(const struct analytics_question *question,
                           const struct statement *statement)
{
    struct query *query = db_query(question->db, statement);

    query_bind_integer(query, question->now - question->window);
    return query;
}

/* All rows of the query as items of `schema`. */
static enum error read_rows(const struct analytics_question *question, struct query *query,
                            const struct schema *schema, struct object_list *list)
{
    *list = (struct object_list){0};
    while (query_next(query))
        query_read(query, schema,
                   list_add(question->arena, &list->items, &list->count, schema->size),
                   question->arena);
    return query_end(query, question->problem);
}

enum error analytics_usage(const struct analytics_question *question, void *answer)
{
    struct usage_answer *usage = answer;

    return read_rows(question, since(question, &usage_by_tenant), &usage_row_schema, &usage->usage);
}

static enum error read_endpoints(const struct analytics_question *question,
                                 struct tenant_analytics *tenant)
{
    struct query *query = since(question, &top_endpoints);

    query_bind_text(query, tenant->tenant);
    while (query_next(query))
        *LIST_ADD(question->arena, &tenant->top_endpoints) = query_text(query, 0, question->arena);
    return query_end(query, question->problem);
}

static double share(int64_t part, int64_t whole)
{
    return whole ? number_round((double)part / (double)whole, 4) : 0;
}

enum error analytics_tenants(const struct analytics_question *question, void *answer)
{
    struct tenants_answer *tenants = answer;
    struct query *query = since(question, &tenant_sums);
    struct tenant_analytics *items;
    enum error error;

    tenants->window = question->window_text;
    query_bind_text(query, question->tenant);
    query_bind_text(query, question->tenant);
    error = read_rows(question, query, &tenant_schema, &tenants->tenants);
    items = tenants->tenants.items;
    for (size_t i = 0; !error && i < tenants->tenants.count; i++) {
        struct tenant_analytics *tenant = &items[i];

        tenant->error_rate = share(tenant->errors, tenant->total_requests);
        tenant->cache_hit_rate = share(tenant->hits, tenant->cached);
        tenant->avg_duration_ms =
            number_round((double)tenant->duration_us / (double)tenant->total_requests / 1000, 3);
        error = read_endpoints(question, tenant);
    }
    return error;
}

enum error analytics_top_queries(const struct analytics_question *question, void *answer)
{
    struct queries_answer *queries = answer;
    struct query *query = since(question, &top_queries);

    queries->window = question->window_text;
    query_bind_integer(query, question->limit);
    return read_rows(question, query, &query_count_schema, &queries->queries);
}

enum error analytics_top_entities(const struct analytics_question *question, void *answer)
{
    struct entities_answer *entities = answer;
    struct query *query = since(question, &top_entities);

    entities->window = question->window_text;
    query_bind_integer(query, question->limit);
    return read_rows(question, query, &entity_count_schema, &entities->entities);
}

static double milliseconds(int64_t microseconds)
{
    return number_round((double)microseconds / 1000, 3);
}

enum error analytics_latency(const struct analytics_question *question, void *answer)
{
    struct endpoints_answer *endpoints = answer;
    struct endpoint_latency *items;
    enum error error =
        read_rows(question, since(question, &latencies), &latency_schema, &endpoints->endpoints);

    endpoints->window = question->window_text;
    items = endpoints->endpoints.items;
    for (size_t i = 0; i < endpoints->endpoints.count; i++) {
        items[i].p50_ms = milliseconds(items[i].p50_us);
        items[i].p95_ms = milliseconds(items[i].p95_us);
        items[i].p99_ms = milliseconds(items[i].p99_us);
    }
    return error;
}

/* One tenant's hours, of which the last is compared with the mean of those before. */
struct busy_hours {
    const char *tenant;
    int64_t last, earlier, count;
};

static void add_anomaly(const struct analytics_question *question, const struct busy_hours *busy,
                        struct anomalies_answer *anomalies)
{
    double average = busy->count > 1 ? (double)busy->earlier / (double)(busy->count - 1) : 0;
    struct busy_tenant *added;

    if (average <= 0 || (double)busy->last / average <= anomaly_ratio)
        return;
    added = list_add(question->arena, &anomalies->anomalies.items, &anomalies->anomalies.count,
                     sizeof *added);
    *added = (struct busy_tenant){.tenant = busy->tenant,
                                  .current_hour_requests = busy->last,
                                  .hourly_average = number_round(average, 1),
                                  .spike_ratio = number_round((double)busy->last / average, 2)};
}

enum error analytics_anomalies(const struct analytics_question *question, void *answer)
{
    struct anomalies_answer *anomalies = answer;
    struct query *query = since(question, &hours);
    struct busy_hours busy = {.tenant = ""};

    anomalies->window = question->window_text;
    while (query_next(query)) {
        const char *tenant = query_text(query, 0, question->arena);

        if (strcmp(tenant, busy.tenant) != 0) {
            add_anomaly(question, &busy, anomalies);
            busy = (struct busy_hours){.tenant = tenant};
        }
        busy.earlier += busy.last;
        busy.last = query_integer(query, 2);
        busy.count++;
    }
    add_anomaly(question, &busy, anomalies);
    return query_end(query, question->problem);
}

static enum error count_use(const struct analytics_question *question,
                            const struct statement *statement, const char *key_id, int64_t since_at,
                            int64_t *count)
{
    struct query *query = db_query(question->db, statement);

    query_bind_text(query, key_id);
    query_bind_integer(query, since_at);
    *count = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, question->problem);
}

enum error analytics_key_use(const struct analytics_question *question, const char *key_id,
                             int64_t *day, int64_t *old_hour)
{
    enum error error = count_use(question, &key_day, key_id, question->now - us_per_day, day);

    return error
               ? error
               : count_use(question, &key_old_hour, key_id, question->now - us_per_hour, old_hour);
}

enum error analytics_rate(const struct analytics_question *question, double *rate)
{
    const double seconds = 60;
    struct query *query = db_query(question->db, &last_minute);

    query_bind_integer(query, question->now - us_per_minute);
    *rate = query_next(query) ? number_round((double)query_integer(query, 0) / seconds, 2) : 0;
    return query_end(query, question->problem);
}
