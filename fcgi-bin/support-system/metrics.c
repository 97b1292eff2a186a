/* The metrics of the workers, and gauges computed at the scrape. */
#include "support-system/metrics.h"
#include "http/documents.h"
#include "shm/admission.h"
#include "support-system/health_checks.h"
#include "support/documents/document_store.h"
#include "support/metrics.h"
#include "support/service.h"

#include <string.h>

enum { TENANTS_MOST = 1000, STALE_DAYS = 90, STALE_MOST = 20 };

static void set(struct request *request, unsigned figure, const char *label, double value)
{
    metric_set(request->server->metrics, figure, label ? &label : NULL, value);
}

/* Running questions, and questions refused because of the limit of concurrent ones. */
static void set_pipelines(struct request *request)
{
    struct admission_figures figures;

    admission_read_figures(request->server->region, &figures);
    set(request, METRIC_INFLIGHT, NULL, figures.heavy_in_flight + figures.cheap_in_flight);
    for (int i = ADMISSION_GRANTED + 1; i < ADMISSION_OUTCOME__MAX; i++) {
        if (figures.rejected_by[i])
            set(request, METRIC_PIPELINE_REJECTIONS, admission_outcome_name(i),
                (double)figures.rejected_by[i]);
    }
}

/* A SQLite file has no pool: each worker has one connection, without waiting. */
static void set_pool(struct request *request, const struct db_health *health)
{
    bool on_server = service_settings(request)->database_url != NULL;

    set(request, METRIC_POOL_SIZE, NULL, on_server ? health->pool.size : 1);
    set(request, METRIC_POOL_TAKEN, NULL, on_server ? health->pool.held : 0);
}

/* A gauge that cannot be read keeps its last value. */
static void set_knowledge(struct request *request, const struct health_checks *checks)
{
    struct string_list tenants;
    int64_t stale = 0;
    struct db *db;

    set(request, METRIC_INDEXED_CHUNKS, NULL, (double)checks->chunks);
    set(request, METRIC_ACTIVE_SESSIONS, NULL, (double)checks->sessions);
    if (service_database(request, &db) ||
        document_tenants(db, request->arena, TENANTS_MOST, &tenants, &request->problem) ||
        document_count_stale(db, STALE_DAYS, STALE_MOST, &stale, &request->problem))
        return;
    set(request, METRIC_STALE_DOCUMENTS, NULL, (double)stale);
    for (size_t i = 0; i < tenants.count; i++)
        set(request, METRIC_LEXICAL_ENABLED, tenants.items[i], 1);
}

/* The breakers of the providers in the registry. */
static void set_breakers(struct request *request)
{
    static const double figures[BREAKER_STATE__MAX] = {
        [BREAKER_CLOSED] = 0, [BREAKER_HALF_OPEN] = 1, [BREAKER_OPEN] = 2};
    struct object_list list = health_checks_breakers(request);
    const struct provider_breaker *breakers = list.items;

    metric_clear(request->server->metrics, METRIC_BREAKER_STATE);
    for (size_t i = 0; i < list.count; i++)
        set(request, METRIC_BREAKER_STATE, breakers[i].name, figures[breakers[i].kind]);
}

/* Labels that dashboards expect from the start. */
static void set_presets(struct request *request)
{
    static const char *const reasons[] = {"thumbs_down", "low_quality", "escalated",
                                          "fact_fail",   "slow_trace",  "manual"};
    static const char *const verdicts[] = {"good", "bad"};

    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        metric_add(request->server->metrics, METRIC_REVIEW_PENDING, &reasons[i], 0);
    for (size_t i = 0; i < COUNT_OF(verdicts); i++)
        metric_add(request->server->metrics, METRIC_REVIEW_CONFIRMED, &verdicts[i], 0);
}

enum error support_metrics_handle(struct request *request, struct reply *reply)
{
    struct health_checks checks;

    health_checks_run(request, &checks);
    if (checks.store.works)
        set_pool(request, &checks.health);
    if (checks.index.works)
        set_knowledge(request, &checks);
    set_pipelines(request);
    set_presets(request);
    set_breakers(request);
    return metrics_handle(request, reply);
}
