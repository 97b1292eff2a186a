/* The audit log of accounts, whether the service can do its work, and its metrics. */
#include "accounts-people/system.h"

#include "accounts/account_audit.h"
#include "accounts/people.h"
#include "accounts/service_metrics.h"
#include "base/log.h"
#include "http/documents.h"
#include "limits/limits.h"
#include "telemetry/health_fault.h"

struct audit_query {
    int64_t limit;
};

#define OWNER struct audit_query
static const struct field query_fields[] = {
    INTEGER(OWNER, limit, .default_value = 100, .lower = AT_LEAST(1),
            .upper = AT_MOST(ACCOUNT_AUDIT_LIMIT_MAX)),
};
#undef OWNER
SCHEMA(audit_query_schema, struct audit_query, "AuditQuery", query_fields);

struct audit {
    OBJECT_LIST(struct account_event, entries);
};

#define OWNER struct audit
static const struct field audit_fields[] = {OBJECTS(OWNER, entries, account_event_schema)};
#undef OWNER
SCHEMA(audit_schema, struct audit, "AccountAudit", audit_fields);

struct health {
    const char *status;
    const char *database;
    const char *limits; /* NULL = they are those of this host */
    OBJECT_LIST(struct health_fault, faults);
};

#define OWNER struct health
static const struct field health_fields[] = {
    STRING(OWNER, status, .help = "ok or unhealthy."),
    STRING(OWNER, database, .help = "ok or error."),
    STRING(OWNER, limits, .nullable = true, .omit_if_null = true,
           .help = "With ASSAY_LIMITS_URL: over how many hosts they hold."),
    OBJECTS(OWNER, faults, health_fault_schema),
};
#undef OWNER
SCHEMA(health_schema, struct health, "Health", health_fields);

enum error audit_handle(struct request *request, struct reply *reply)
{
    const struct audit_query *query = request->query;
    struct audit *answer = ARENA_NEW(request->arena, struct audit);
    struct accounts_call call;
    enum error error = service_call(request, &call);

    if (!error)
        error = account_audit_list(&call, query->limit, &answer->entries);
    reply->object = answer;
    return error;
}

enum error live_handle(struct request *request, struct reply *reply)
{
    static const struct health alive = {.status = "ok", .database = "ok"};

    (void)request;
    reply->object = &alive;
    return ERROR_NONE;
}

enum { FAULTS_MAX = 2 };

static void add_fault(struct arena *arena, struct health *health, enum health_code code)
{
    struct health_fault *faults = health->faults.items;

    if (!faults)
        health->faults.items = faults = ARENA_ARRAY(arena, struct health_fault, FAULTS_MAX);
    faults[health->faults.count++] = *health_fault(code);
}

enum error health_handle(struct request *request, struct reply *reply)
{
    struct health *health = ARENA_NEW(request->arena, struct health);
    struct limits_state limits;
    struct accounts_call call;
    int64_t count;
    enum error error = service_call(request, &call);

    if (!error)
        error = people_count(&call, &count);
    if (error)
        log_event(LOG_WARNING, "unhealthy", request->problem.text);
    limits_read_state(request->server->region, &limits);
    *health = (struct health){.status = error ? "unhealthy" : "ok",
                              .database = error ? "error" : "ok",
                              .limits = limits_sentence(request->arena, &limits)};
    if (error)
        add_fault(request->arena, health, HEALTH_DATABASE_UNREACHABLE);
    if (limits.is_shared && !limits.answers)
        add_fault(request->arena, health, HEALTH_LIMITS_SERVER_UNREACHABLE);
    reply->object = health;
    reply->status = error ? 503 : 200;
    return ERROR_NONE;
}

/* What is known when somebody asks. Nobody's count of people is better than an old one. */
enum error accounts_metrics_handle(struct request *request, struct reply *reply)
{
    struct metrics *metrics = request->server->metrics;
    struct accounts_call call;
    int64_t count;
    enum error error = service_call(request, &call);

    if (!error)
        error = people_count(&call, &count);
    metric_set(metrics, SERVICE_METRIC_DATABASE_UP, NULL, !error);
    if (error)
        metric_clear(metrics, SERVICE_METRIC_PEOPLE);
    else
        metric_set(metrics, SERVICE_METRIC_PEOPLE, NULL, (double)count);
    return metrics_handle(request, reply);
}
