/* Looks at the database, at what is indexed, and at the breakers of models. */
#include "support-system/condition.h"
#include "base/clock.h"
#include "shm/breaker.h"
#include "support/conversation/conversation.h"
#include "support/documents/document_store.h"
#include "support/figures.h"
#include "support/service.h"

static double milliseconds_since(int64_t started)
{
    return (double)(clock_monotonic_microseconds() - started) / 1000;
}

static void tell(const struct request *request, const char *component, const struct part *part)
{
    metric_set(request->server->metrics, FIGURE_COMPONENT_UP, &component, part->works);
}

static struct part look_at_store(struct request *request, struct db **db, struct db_health *health)
{
    int64_t started = clock_monotonic_microseconds();
    bool works = service_database(request, db) == ERROR_NONE;

    if (works) {
        db_health(*db, health);
        works = health->reachable && health->writable;
    }
    return (struct part){works, milliseconds_since(started)};
}

static struct part look_at_index(struct request *request, struct db *db,
                                 struct condition *condition)
{
    int64_t started = clock_monotonic_microseconds();
    bool works = !document_count_chunks(db, NULL, &condition->chunks, &request->problem) &&
                 !session_count_active(db, service_settings(request)->session_ttl_seconds,
                                       &condition->sessions, &request->problem);

    return (struct part){works, milliseconds_since(started)};
}

void condition_look(struct request *request, struct condition *condition)
{
    bool on_server = service_settings(request)->database_url != NULL;
    struct db *db = NULL;

    *condition = (struct condition){.chunks = 0};
    condition->store = look_at_store(request, &db, &condition->health);
    if (condition->store.works)
        condition->index = look_at_index(request, db, condition);
    tell(request, on_server ? "postgres" : "sqlite", &condition->store);
    tell(request, "kb_index", &condition->index);
}

size_t condition_providers(struct request *request,
                           struct provider_state states[PROVIDER_STATES_MAX])
{
    static const double figures[BREAKER_STATE__MAX] = {
        [BREAKER_CLOSED] = 0, [BREAKER_HALF_OPEN] = 1, [BREAKER_OPEN] = 2};
    struct models *models = service_models(request);
    const struct registry *registry;
    size_t count = 0;

    if (!models)
        return 0;
    models_refresh(models);
    registry = models_registry(models);
    for (size_t i = 0; registry && i < registry->provider_count && count < PROVIDER_STATES_MAX;
         i++) {
        const struct registry_provider *provider = &registry->providers[i];
        enum breaker_state state;

        if (provider->kind == PROVIDER_EMBEDDED)
            continue;
        state = breaker_read_state(request->server->region,
                                   models_breaker_name(request->arena, provider->id));
        states[count++] =
            (struct provider_state){provider->id, breaker_state_name(state), figures[state]};
    }
    return count;
}
