/* Is the service there, can it work, how well is it? */
#include "livedata-system/health.h"

#include "base/log.h"
#include "http/documents.h"
#include "livedata/figures.h"
#include "livedata/shapes.h"

#include <string.h>

static const struct field health_fields[] = {TELLS_TEXT("status"), TELLS_TEXT("checked_at"),
                                             TELLS_OBJECTS("components")};
TELLING(health_schema, "HealthStatus", health_fields);
static const struct field live_fields[] = {TELLS_TEXT("status")};
TELLING(live_schema, "Liveness", live_fields);
static const struct field ready_fields[] = {TELLS_TEXT("status"), TELLS_OBJECTS("checks")};
TELLING(ready_schema, "Readiness", ready_fields);

static void look(struct request *request, struct health_report *report)
{
    struct problem problem;
    struct storage_call call;
    struct db *db = NULL;

    if (store_database(service_store(request), &db, &problem))
        db = NULL;
    call = service_storage(request, db);
    call.problem = &problem;
    health_look(&call, service_settings(request), report);
}

enum error health_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct db_pool_figures pool;
    struct health_report report;

    look(request, &report);
    db_pool_read(store_handle(service_store(request)), &pool);
    health_write(&writer, &report, service_key(request) != NULL, &pool);
    return ERROR_NONE;
}

enum error live_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);

    (void)request;
    writer_open_object(&writer);
    writer_key_string(&writer, "status", "alive");
    writer_close_object(&writer);
    return ERROR_NONE;
}

static void write_check(struct json_writer *writer, const char *name, bool good)
{
    writer_open_object(writer);
    writer_key_string(writer, "name", name);
    writer_key_string(writer, "status", good ? "ok" : "error");
    writer_close_object(writer);
}

enum error ready_handle(struct request *request, struct reply *reply)
{
    struct json_writer writer = service_writer(reply);
    struct db_schema_state state = {0};
    struct db_health health;
    struct problem problem;
    struct db *db = NULL;
    bool backend, schema, control;

    control = store_database(service_store(request), &db, &problem) == ERROR_NONE;
    db_health(store_handle(service_store(request)), &health);
    if (control && !health.writable)
        log_event(LOG_WARNING, "not_ready", health.write_detail);
    control = control && health.writable;
    backend = health.reachable;
    schema =
        backend &&
        db_schema_state(store_handle(service_store(request)), store_schema(service_store(request)),
                        &state, &problem) == ERROR_NONE &&
        !state.pending;
    reply->status = backend && schema && control ? 200 : 503;
    writer_open_object(&writer);
    writer_key_string(&writer, "status", reply->status == 200 ? "ready" : "not_ready");
    writer_key(&writer, "checks");
    writer_open_array(&writer);
    write_check(&writer, "serving_backend", backend);
    if (backend)
        write_check(&writer, "serving_schema", schema);
    write_check(&writer, "control_plane", control);
    writer_close_array(&writer);
    writer_close_object(&writer);
    return ERROR_NONE;
}

enum error figures_handle(struct request *request, struct reply *reply)
{
    struct health_report report;

    look(request, &report);
    for (size_t i = 0; i < report.count; i++)
        metric_set(request->server->metrics, FIGURE_HEALTH,
                   (const char *const[]){report.components[i].name},
                   1 - 0.5 * (double)report.components[i].word);
    return metrics_handle(request, reply);
}

enum error document_handle(struct request *request, struct reply *reply)
{
    if (service_settings(request)->profile == PROFILE_PRODUCTION)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "openapi_not_composed", "Not Found");
    return openapi_handle(request, reply);
}
