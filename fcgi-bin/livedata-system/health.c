/* Liveness, readiness and health of the service, and its metrics. */
#include "livedata-system/health.h"

#include "base/log.h"
#include "http/documents.h"
#include "limits/limits.h"
#include "livedata/columnar/columnar.h"
#include "livedata/service_metrics.h"
#include "telemetry/health_fault.h"

#include <string.h>

struct liveness {
    const char *status;
};

#define OWNER struct liveness
static const struct field live_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(live_schema, struct liveness, "Liveness", live_fields);

struct readiness_check {
    const char *name, *status;
    const char *detail;               /* NULL = there is nothing to say */
    const struct health_fault *fault; /* NULL = none */
};

#define OWNER struct readiness_check
static const struct field check_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, status, .help = "ok, error, or degraded: the service works."),
    STRING(OWNER, detail, .nullable = true, .omit_if_null = true),
    OBJECT(OWNER, fault, health_fault_schema, .nullable = true, .omit_if_null = true),
};
#undef OWNER
static SCHEMA(check_schema, struct readiness_check, "ReadinessCheck", check_fields);

enum { CHECKS_MAX = 5 };
struct readiness {
    const char *status;
    OBJECT_LIST(struct readiness_check, checks);
    struct readiness_check all[CHECKS_MAX];
};

#define OWNER struct readiness
static const struct field ready_fields[] = {STRING(OWNER, status),
                                            OBJECTS(OWNER, checks, check_schema)};
#undef OWNER
SCHEMA(ready_schema, struct readiness, "Readiness", ready_fields);

static void check_health(struct request *request, struct health_report *report)
{
    struct problem problem;
    struct storage_call call;
    struct db *db = NULL;

    if (store_database(service_store(request), &db, &problem))
        db = NULL;
    call = service_storage(request, db);
    call.problem = &problem;
    health_inspect(&call, service_settings(request), report);
}

enum error health_handle(struct request *request, struct reply *reply)
{
    struct health_report *report = ARENA_NEW(request->arena, struct health_report);
    struct db_pool_figures pool;

    check_health(request, report);
    db_pool_read(store_handle(service_store(request)), &pool);
    health_show(request->arena, report, service_key(request) != NULL, &pool);
    reply->object = report;
    return ERROR_NONE;
}

enum error live_handle(struct request *request, struct reply *reply)
{
    static const struct liveness alive = {.status = "alive"};

    (void)request;
    reply->object = &alive;
    return ERROR_NONE;
}

/* What keeps all copies of large tables in ClickHouse from answering; NULL = nothing. */
static const char *read_copies(struct request *request, struct db *db,
                               struct columnar_states *states)
{
    struct problem problem = {0};
    struct storage_call call = service_storage(request, db);

    call.problem = &problem;
    if (!columnar_states(&call, service_settings(request), service_catalog(request), states) &&
        columnar_answers(&call))
        return NULL;
    return problem.text[0] ? arena_copy_string(request->arena, problem.text)
                           : "ClickHouse does not answer";
}

/* What keeps one of them from answering. */
static const char *columnar_reason(struct request *request, struct db *db)
{
    struct columnar_states states = {0};
    const char *reason = read_copies(request, db, &states);

    for (size_t i = 0; !reason && i < states.count; i++)
        if (!columnar_is_ready(service_settings(request), &states.items[i]))
            reason = arena_print(request->arena, "the copy of %s %s", states.items[i].table,
                                 states.items[i].copy.live ? "lags too far" : "is being filled");
    return reason;
}

static void set_columnar_metrics(struct request *request)
{
    struct metrics *metrics = request->server->metrics;
    struct columnar_states states = {0};
    struct problem problem;
    struct db *db;
    bool answers;

    if (!service_settings(request)->clickhouse_host ||
        store_database(service_store(request), &db, &problem))
        return;
    answers = !read_copies(request, db, &states);
    for (size_t i = 0; i < states.count; i++) {
        const struct columnar_state *state = &states.items[i];
        const char *const labels[] = {state->table};

        metric_set(metrics, SERVICE_METRIC_COLUMNAR_READY, labels,
                   answers && columnar_is_ready(service_settings(request), state));
        metric_set(metrics, SERVICE_METRIC_COLUMNAR_LAG, labels, (double)state->copy.lag / 1e6);
        metric_set(metrics, SERVICE_METRIC_COLUMNAR_WAITING, labels, (double)state->copy.waiting);
    }
}

/* Without copies the database answers, or the answer says why not. */
static void check_columnar(struct request *request, struct db *db, struct readiness *readiness)
{
    const char *reason;

    if (!service_settings(request)->clickhouse_host)
        return;
    reason = columnar_reason(request, db);
    readiness->all[readiness->checks.count++] =
        (struct readiness_check){"columnar", reason ? "degraded" : "ok", reason,
                                 health_fault(reason ? HEALTH_COLUMNAR_BEHIND : HEALTH_GOOD)};
}

/* `code` is the fault of a check that fails. */
static bool add_check(struct readiness *readiness, const char *name, bool good,
                      enum health_code code)
{
    readiness->all[readiness->checks.count++] =
        (struct readiness_check){.name = name,
                                 .status = good ? "ok" : "error",
                                 .fault = health_fault(good ? HEALTH_GOOD : code)};
    return good;
}

/* The service works without the server of the limits. */
static void check_limits(struct request *request, struct readiness *readiness)
{
    struct limits_state state;

    limits_read_state(request->server->region, &state);
    if (state.is_shared)
        readiness->all[readiness->checks.count++] = (struct readiness_check){
            "limits", state.answers ? "ok" : "degraded", limits_sentence(request->arena, &state),
            health_fault(state.answers ? HEALTH_GOOD : HEALTH_LIMITS_SERVER_UNREACHABLE)};
}

/* Whether the database has the schema of this version. */
static bool schema_is_current(struct request *request)
{
    struct store *store = service_store(request);
    struct db_schema_state state = {0};
    struct problem problem;

    return db_schema_state(store_handle(store), store_schema(store), &state, &problem) ==
               ERROR_NONE &&
           !state.pending;
}

enum error ready_handle(struct request *request, struct reply *reply)
{
    struct readiness *readiness = ARENA_NEW(request->arena, struct readiness);
    struct db_health health;
    struct problem problem;
    struct db *db = NULL;
    bool ready, control;

    control = store_database(service_store(request), &db, &problem) == ERROR_NONE;
    db_health(store_handle(service_store(request)), &health);
    if (control && !health.writable)
        log_event(LOG_WARNING, "not_ready", health.write_detail);
    ready = add_check(readiness, "serving_backend", health.reachable, HEALTH_DATABASE_UNREACHABLE);
    if (health.reachable)
        ready &= add_check(readiness, "serving_schema", schema_is_current(request),
                           HEALTH_SCHEMA_DIFFERS);
    ready &=
        add_check(readiness, "control_plane", control && health.writable,
                  health.reachable ? HEALTH_DATABASE_NOT_WRITABLE : HEALTH_DATABASE_UNREACHABLE);
    check_limits(request, readiness);
    if (control)
        check_columnar(request, db, readiness);
    readiness->checks.items = readiness->all;
    readiness->status = ready ? "ready" : "not_ready";
    reply->status = ready ? 200 : 503;
    reply->object = readiness;
    return ERROR_NONE;
}

enum error service_metrics_handle(struct request *request, struct reply *reply)
{
    struct health_report report;

    check_health(request, &report);
    for (size_t i = 0; i < report.count; i++) {
        const struct health_component *component = &report.all[i];

        metric_set(request->server->metrics, SERVICE_METRIC_HEALTH,
                   (const char *const[]){component->name}, 1 - 0.5 * (double)component->status);
        if (component->lag_records.given)
            metric_set(request->server->metrics, SERVICE_METRIC_LAG, NULL,
                       (double)component->lag_records.value);
    }
    set_columnar_metrics(request);
    return metrics_handle(request, reply);
}

enum error document_handle(struct request *request, struct reply *reply)
{
    if (service_settings(request)->profile == PROFILE_PRODUCTION)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "openapi_not_composed", "Not Found");
    return openapi_handle(request, reply);
}
