/* Statistics over the request log, for administrators. */
#ifndef ASSAY_LIVEDATA_ACCESS_ANALYTICS_H
#define ASSAY_LIVEDATA_ACCESS_ANALYTICS_H

#include "base/schema.h"
#include "db/db.h"

/* Windows in microseconds. */
struct analytics_question {
    struct db *db;
    struct arena *arena;
    struct problem *problem;
    int64_t now;
    int64_t window;
    const char *window_text;
    const char *tenant; /* NULL = all */
    int64_t limit;
};

struct tenant_usage {
    const char *tenant;
    int64_t requests_last_24h;
};
struct usage_answer {
    OBJECT_LIST(struct tenant_usage, usage);
};
SCHEMA_OF(usage_schema, struct usage_answer);

struct tenant_analytics {
    const char *tenant;
    int64_t total_requests;
    double error_rate, cache_hit_rate, avg_duration_ms;
    struct string_list top_endpoints;
    int64_t errors, hits, cached, duration_us; /* sums from which the rates are computed */
};
struct tenants_answer {
    const char *window;
    OBJECT_LIST(struct tenant_analytics, tenants);
};
SCHEMA_OF(tenants_schema, struct tenants_answer);

struct query_count {
    const char *query;
    int64_t count;
};
struct queries_answer {
    const char *window;
    OBJECT_LIST(struct query_count, queries);
};
SCHEMA_OF(queries_schema, struct queries_answer);

struct entity_count {
    const char *entity_type, *entity_id;
    int64_t count;
};
struct entities_answer {
    const char *window;
    OBJECT_LIST(struct entity_count, entities);
};
SCHEMA_OF(entities_schema, struct entities_answer);

struct endpoint_latency {
    const char *endpoint;
    int64_t requests;
    double p50_ms, p95_ms, p99_ms;
    int64_t p50_us, p95_us, p99_us; /* as stored */
};
struct endpoints_answer {
    const char *window;
    OBJECT_LIST(struct endpoint_latency, endpoints);
};
SCHEMA_OF(endpoints_schema, struct endpoints_answer);

/* A tenant whose last hour has more than three times the mean of the previous hours. */
struct busy_tenant {
    const char *tenant;
    int64_t current_hour_requests;
    double hourly_average, spike_ratio;
};
struct anomalies_answer {
    const char *window;
    OBJECT_LIST(struct busy_tenant, anomalies);
};
SCHEMA_OF(anomalies_schema, struct anomalies_answer);

/* Each fills the zeroed answer of its name. */
MUST_CHECK enum error analytics_usage(const struct analytics_question *question, void *answer);
MUST_CHECK enum error analytics_tenants(const struct analytics_question *question, void *answer);
MUST_CHECK enum error analytics_top_queries(const struct analytics_question *question,
                                            void *answer);
MUST_CHECK enum error analytics_top_entities(const struct analytics_question *question,
                                             void *answer);
MUST_CHECK enum error analytics_latency(const struct analytics_question *question, void *answer);
MUST_CHECK enum error analytics_anomalies(const struct analytics_question *question, void *answer);

/* Number of uses of a key in the last day, and of its old key in the last hour. */
MUST_CHECK enum error analytics_key_use(const struct analytics_question *question,
                                        const char *key_id, int64_t *day, int64_t *old_hour);
/* Requests per second over the last minute. */
MUST_CHECK enum error analytics_rate(const struct analytics_question *question, double *rate);

#endif
