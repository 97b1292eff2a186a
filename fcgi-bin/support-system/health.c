/* Is the service there, and can it work? */
#include "support-system/health.h"
#include "base/clock.h"
#include "support/service.h"

#include <string.h>

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
    const struct component *sqlite;
    const struct component *postgres;
};

#define OWNER struct components
static const struct field components_fields[] = {
    OBJECT(OWNER, sqlite, component_schema),
    OBJECT(OWNER, postgres, component_schema),
};
#undef OWNER
static SCHEMA(components_schema, struct components, "Components", components_fields);

struct health {
    const char *status;
    const struct components *components;
};

#define OWNER struct health
static const struct field health_fields[] = {
    STRING(OWNER, status),
    OBJECT(OWNER, components, components_schema),
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

static const struct component *probe_database(struct request *request)
{
    struct component *component = ARENA_NEW(request->arena, struct component);
    int64_t started = clock_monotonic_microseconds();
    struct db_health health;
    struct db *db;
    bool fails = service_database(request, &db);

    if (!fails) {
        db_health(db, &health);
        fails = !health.reachable || !health.writable;
    }
    *component = (struct component){
        .status = fails ? "error" : "ok",
        .latency_ms = GIVEN_NUMBER((double)(clock_monotonic_microseconds() - started) / 1000),
        .detail = fails ? "the store cannot be used" : NULL};
    return component;
}

enum error health_handle(struct request *request, struct reply *reply)
{
    static const struct component unavailable = {.status = "unavailable"};
    struct health *health = ARENA_NEW(request->arena, struct health);
    struct components *components = ARENA_NEW(request->arena, struct components);
    const struct component *database = probe_database(request);
    bool on_server = service_settings(request)->database_url != NULL;
    bool works = strcmp(database->status, "ok") == 0;

    components->sqlite = on_server ? &unavailable : database;
    components->postgres = on_server ? database : &unavailable;
    *health = (struct health){works ? "ok" : "unhealthy", components};
    reply->status = works ? 200 : 503;
    reply->object = health;
    return ERROR_NONE;
}
