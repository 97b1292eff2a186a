/* Checks the database, the index, and the breakers of models. */
#include "support-system/health_checks.h"
#include "base/clock.h"
#include "support/blobs/blobs.h"
#include "support/conversation/conversation.h"
#include "support/documents/document_store.h"
#include "support/metrics.h"
#include "support/service.h"

static double milliseconds_since(int64_t started)
{
    return (double)(clock_monotonic_microseconds() - started) / 1000;
}

static void set_component_metric(const struct request *request, const char *component,
                                 const struct part *part)
{
    metric_set(request->server->metrics, METRIC_COMPONENT_UP, &component, part->works);
}

static struct part check_store(struct request *request, struct db **db, struct db_health *health)
{
    int64_t started = clock_monotonic_microseconds();
    bool works = service_database(request, db) == ERROR_NONE;

    if (works) {
        db_health(*db, health);
        works = health->reachable && health->writable;
    }
    return (struct part){works, milliseconds_since(started)};
}

static struct part check_index(struct request *request, struct db *db, struct health_checks *checks)
{
    int64_t started = clock_monotonic_microseconds();
    bool works =
        !document_count_chunks(db, NULL, &checks->chunks, &request->problem) &&
        !document_most_segments(db, &checks->segments, &request->problem) &&
        !session_count_active(db, service_settings(request)->session_ttl_seconds, &checks->sessions,
                              &request->problem) &&
        !vector_status_read(db, request->arena, service_settings(request), NULL, &checks->vectors,
                            &request->problem) &&
        !search_engine_status_read(db, request->arena, service_settings(request),
                                   request->server->region, &checks->engine, &request->problem);

    return (struct part){works, milliseconds_since(started)};
}

/* Questions are answered without it; uploads are not taken. */
static void check_blobs(struct request *request, struct health_checks *checks)
{
    int64_t started = clock_monotonic_microseconds();
    struct problem problem;
    bool works = !blobs_check(request->arena, service_settings(request), &problem);

    checks->blobs = (struct part){works, milliseconds_since(started)};
    if (!works)
        checks->blobs_detail = arena_copy_string(request->arena, problem.text);
    if (blobs_have_store(service_settings(request)))
        set_component_metric(request, "object_store", &checks->blobs);
}

void health_checks_run(struct request *request, struct health_checks *checks)
{
    bool on_server = service_settings(request)->database_url != NULL;
    struct db *db = NULL;

    *checks = (struct health_checks){.chunks = 0};
    checks->store = check_store(request, &db, &checks->health);
    checks->store_code = checks->store.works        ? HEALTH_GOOD
                         : checks->health.reachable ? HEALTH_DATABASE_NOT_WRITABLE
                                                    : HEALTH_DATABASE_UNREACHABLE;
    if (checks->store.works)
        checks->index = check_index(request, db, checks);
    check_blobs(request, checks);
    set_component_metric(request, on_server ? "postgres" : "sqlite", &checks->store);
    set_component_metric(request, "kb_index", &checks->index);
    if (!checks->engine.used)
        return;
    set_component_metric(request, "search_engine",
                         &(struct part){checks->engine.answers, checks->engine.milliseconds});
    metric_set(request->server->metrics, METRIC_SEARCH_LAG, NULL, (double)checks->engine.lag);
}

struct object_list health_checks_breakers(struct request *request)
{
    struct models *models = service_models(request);

    if (models)
        models_refresh(models);
    return models && models_registry(models)
               ? provider_breakers_read(request->server->region, request->arena,
                                        models_registry(models))
               : (struct object_list){.count = 0};
}
