/* What workers have counted, and what is true at the moment of the scrape. */
#include "support-system/exposition.h"
#include "http/documents.h"
#include "shm/admission.h"
#include "shm/breaker.h"
#include "support/conversation/conversation.h"
#include "support/documents/document_store.h"
#include "support/figures.h"
#include "support/service.h"

#include <string.h>

enum { TENANTS_MOST = 1000, STALE_DAYS = 90, STALE_MOST = 20 };

static void set(struct request *request, unsigned figure, const char *label, double value)
{
    metric_set(request->server->metrics, figure, label ? &label : NULL, value);
}

/* Questions that run, and those that were refused because others did. */
static void set_pipelines(struct request *request)
{
    struct admission_figures figures;

    admission_read_figures(request->server->region, &figures);
    set(request, FIGURE_INFLIGHT, NULL, figures.heavy_in_flight + figures.cheap_in_flight);
    for (int i = ADMISSION_GRANTED + 1; i < ADMISSION_OUTCOME__MAX; i++) {
        if (figures.rejected_by[i])
            set(request, FIGURE_PIPELINE_REJECTIONS, admission_outcome_name(i),
                (double)figures.rejected_by[i]);
    }
}

/* A SQLite file has no pool: one connection a worker, none of which is waited for. */
static bool set_database(struct request *request, struct db **db)
{
    bool on_server = service_settings(request)->database_url != NULL;
    struct db_health health;
    bool works = service_database(request, db) == ERROR_NONE;

    if (works) {
        db_health(*db, &health);
        works = health.reachable && health.writable;
        set(request, FIGURE_POOL_SIZE, NULL, on_server ? health.pool_size : 1);
        set(request, FIGURE_POOL_TAKEN, NULL, on_server ? health.pool_held : 0);
    }
    set(request, FIGURE_COMPONENT_UP, on_server ? "postgres" : "sqlite", works);
    return works;
}

/* What cannot be read keeps the figure of the last time. */
static bool set_knowledge(struct request *request, struct db *db)
{
    struct string_list tenants;
    int64_t chunks = 0, stale = 0, sessions = 0;
    bool works = !document_count_chunks(db, NULL, &chunks, &request->problem) &&
                 !document_tenants(db, request->arena, TENANTS_MOST, &tenants, &request->problem) &&
                 !document_count_stale(db, STALE_DAYS, STALE_MOST, &stale, &request->problem) &&
                 !session_count_active(db, service_settings(request)->session_ttl_seconds,
                                       &sessions, &request->problem);

    if (!works)
        return false;
    set(request, FIGURE_INDEXED_CHUNKS, NULL, (double)chunks);
    set(request, FIGURE_STALE_DOCUMENTS, NULL, (double)stale);
    set(request, FIGURE_ACTIVE_SESSIONS, NULL, (double)sessions);
    for (size_t i = 0; i < tenants.count; i++)
        set(request, FIGURE_LEXICAL_ENABLED, tenants.items[i], 1);
    return true;
}

/* The breakers of the providers that the registry names. */
static void set_breakers(struct request *request)
{
    static const double values[BREAKER_STATE__MAX] = {
        [BREAKER_CLOSED] = 0, [BREAKER_HALF_OPEN] = 1, [BREAKER_OPEN] = 2};
    struct models *models = service_models(request);
    const struct registry *registry;

    if (!models)
        return;
    models_refresh(models);
    registry = models_registry(models);
    metric_clear(request->server->metrics, FIGURE_BREAKER_STATE);
    for (size_t i = 0; registry && i < registry->provider_count; i++) {
        const struct registry_provider *provider = &registry->providers[i];

        if (provider->kind != PROVIDER_EMBEDDED)
            set(request, FIGURE_BREAKER_STATE, provider->id,
                values[breaker_read_state(request->server->region,
                                          models_breaker_name(request->arena, provider->id))]);
    }
}

/* Labels that dashboards expect from the start. */
static void set_presets(struct request *request)
{
    static const char *const reasons[] = {"thumbs_down", "low_quality", "escalated",
                                          "fact_fail",   "slow_trace",  "manual"};
    static const char *const verdicts[] = {"good", "bad"};

    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        metric_add(request->server->metrics, FIGURE_REVIEW_PENDING, &reasons[i], 0);
    for (size_t i = 0; i < COUNT_OF(verdicts); i++)
        metric_add(request->server->metrics, FIGURE_REVIEW_CONFIRMED, &verdicts[i], 0);
}

enum error exposition_handle(struct request *request, struct reply *reply)
{
    struct db *db = NULL;
    bool works = set_database(request, &db);

    set_pipelines(request);
    set(request, FIGURE_COMPONENT_UP, "kb_index", works && set_knowledge(request, db));
    set_presets(request);
    set_breakers(request);
    return metrics_handle(request, reply);
}
