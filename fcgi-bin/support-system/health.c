/* Is the service there, and can it work? */
#include "support-system/health.h"
#include "support-system/condition.h"
#include "support/service.h"

struct live {
    const char *status;
    const char *service;
};

#define OWNER struct live
static const struct field live_fields[] = {STRING(OWNER, status), STRING(OWNER, service)};
#undef OWNER
SCHEMA(live_schema, struct live, "Live", live_fields);

struct component {
    const char *status; /* ok, error, or unavailable where it is not configured */
    struct optional_number latency_ms;
    const char *detail;
};

#define OWNER struct component
static const struct field component_fields[] = {
    STRING(OWNER, status),
    NULLABLE_NUMBER(OWNER, latency_ms, ROUNDED(1)),
    STRING(OWNER, detail, .nullable = true),
};
#undef OWNER
static SCHEMA(component_schema, struct component, "Component", component_fields);

struct components {
    const struct component *sqlite, *postgres, *redis;
    const struct component *kb_index, *chromadb; /* the second is an older name of the first */
};

#define OWNER struct components
static const struct field components_fields[] = {
    OBJECT(OWNER, sqlite, component_schema),   OBJECT(OWNER, postgres, component_schema),
    OBJECT(OWNER, redis, component_schema),    OBJECT(OWNER, kb_index, component_schema),
    OBJECT(OWNER, chromadb, component_schema),
};
#undef OWNER
static SCHEMA(components_schema, struct components, "Components", components_fields);

struct features {
    bool streaming_enabled;
};

#define OWNER struct features
static const struct field features_fields[] = {BOOLEAN(OWNER, streaming_enabled)};
#undef OWNER
static SCHEMA(features_schema, struct features, "Features", features_fields);

struct breaker {
    const char *name, *state;
};

#define OWNER struct breaker
static const struct field breaker_fields[] = {STRING(OWNER, name), STRING(OWNER, state)};
#undef OWNER
static SCHEMA(breaker_schema, struct breaker, "Breaker", breaker_fields);

struct health {
    const char *status;
    const struct components *components;
    bool vector_store_loaded, pipeline_available;
    int64_t sessions_count;
    OBJECT_LIST(struct breaker, circuit_breakers);
    const struct features *features;
};

#define OWNER struct health
static const struct field health_fields[] = {
    STRING(OWNER, status),
    OBJECT(OWNER, components, components_schema),
    BOOLEAN(OWNER, vector_store_loaded, .help = "Whether anything is indexed."),
    INTEGER(OWNER, sessions_count),
    BOOLEAN(OWNER, pipeline_available),
    OBJECTS(OWNER, circuit_breakers, breaker_schema),
    OBJECT(OWNER, features, features_schema),
};
#undef OWNER
SCHEMA(health_schema, struct health, "Health", health_fields);

enum error live_handle(struct request *request, struct reply *reply)
{
    static const struct live live = {"alive", "support-answering"};

    (void)request;
    reply->object = &live;
    return ERROR_NONE;
}

static const struct component *component_of(struct request *request, const struct part *part,
                                            const char *failure)
{
    struct component *component = ARENA_NEW(request->arena, struct component);

    *component = (struct component){.status = part->works ? "ok" : "error",
                                    .latency_ms = GIVEN_NUMBER(part->milliseconds),
                                    .detail = part->works ? NULL : failure};
    return component;
}

static struct object_list breakers_of(struct request *request)
{
    struct provider_state states[PROVIDER_STATES_MAX];
    size_t count = condition_providers(request, states);
    struct breaker *breakers = ARENA_ARRAY(request->arena, struct breaker, count + 1);

    for (size_t i = 0; i < count; i++)
        breakers[i] = (struct breaker){states[i].id, states[i].breaker};
    return (struct object_list){count, breakers};
}

enum error health_handle(struct request *request, struct reply *reply)
{
    static const struct component unavailable = {.status = "unavailable"};
    static const struct features features = {.streaming_enabled = true};
    struct health *health = ARENA_NEW(request->arena, struct health);
    struct components *components = ARENA_NEW(request->arena, struct components);
    bool on_server = service_settings(request)->database_url != NULL, works;
    const struct component *store, *index;
    struct condition condition;

    condition_look(request, &condition);
    works = condition.store.works && condition.index.works;
    store = component_of(request, &condition.store, "the store cannot be used");
    index = component_of(request, &condition.index, "what is indexed cannot be read");
    *components = (struct components){.sqlite = on_server ? &unavailable : store,
                                      .postgres = on_server ? store : &unavailable,
                                      .redis = &unavailable,
                                      .kb_index = index,
                                      .chromadb = index};
    *health = (struct health){.status = works ? "ok" : "unhealthy",
                              .components = components,
                              .vector_store_loaded = condition.chunks > 0,
                              .pipeline_available = true,
                              .sessions_count = condition.sessions,
                              .circuit_breakers = breakers_of(request),
                              .features = &features};
    reply->status = works ? 200 : 503;
    reply->object = health;
    return ERROR_NONE;
}
