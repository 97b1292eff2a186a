/* Liveness, readiness and health of the service. */
#include "orchestrator-system/health.h"

#include "base/clock.h"
#include "orchestrator/service.h"

struct live {
    const char *status;
};

#define OWNER struct live
static const struct field live_fields[] = {STRING(OWNER, status)};
#undef OWNER
SCHEMA(live_schema, struct live, "Live", live_fields);

struct health {
    int status;
    const char *service, *version, *environment, *storage_backend;
    struct optional_integer active_model_executions;
    struct string_list saturated_models;
};

#define OWNER struct health
static const struct field health_fields[] = {
    CHOICE(OWNER, status, component_state_names, .choice_count = COMPONENT_STATE__MAX),
    STRING(OWNER, service, .omit_if_null = true),
    STRING(OWNER, version, .omit_if_null = true),
    STRING(OWNER, environment, .omit_if_null = true),
    STRING(OWNER, storage_backend, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, active_model_executions, .omit_if_null = true),
    STRINGS(OWNER, saturated_models, .nullable = true, .omit_if_null = true),
};
#undef OWNER
SCHEMA(health_schema, struct health, "Health", health_fields);

struct readiness_answer {
    int status;
    const char *environment;
    int execution_profile;
    OBJECT_LIST(struct component, components);
};

#define OWNER struct readiness_answer
static const struct field readiness_fields[] = {
    CHOICE(OWNER, status, component_state_names, .choice_count = COMPONENT_STATE__MAX),
    STRING(OWNER, environment),
    CHOICE(OWNER, execution_profile, execution_profile_names,
           .choice_count = EXECUTION_PROFILE__MAX),
    OBJECTS(OWNER, components, component_schema),
};
#undef OWNER
SCHEMA(readiness_schema, struct readiness_answer, "Readiness", readiness_fields);

struct key_row {
    const char *name, *status;
};

#define OWNER struct key_row
static const struct field key_fields[] = {STRING(OWNER, name), STRING(OWNER, status)};
#undef OWNER
static SCHEMA(key_schema, struct key_row, "AdapterKey", key_fields);

struct embeddings_row {
    const char *status;
    int64_t cache_size;
};

#define OWNER struct embeddings_row
static const struct field embeddings_fields[] = {STRING(OWNER, status), INTEGER(OWNER, cache_size)};
#undef OWNER
static SCHEMA(embeddings_schema, struct embeddings_row, "Embeddings", embeddings_fields);

struct detailed {
    const char *status;
    double uptime_seconds;
    OBJECT_LIST(struct key_row, adapters);
    const struct embeddings_row *embeddings;
    int64_t total_adapters;
};

#define OWNER struct detailed
static const struct field detailed_fields[] = {
    STRING(OWNER, status),
    NUMBER(OWNER, uptime_seconds, ROUNDED(1)),
    OBJECTS(OWNER, adapters, key_schema),
    OBJECT(OWNER, embeddings, embeddings_schema),
    INTEGER(OWNER, total_adapters),
};
#undef OWNER
SCHEMA(detailed_schema, struct detailed, "DetailedHealth", detailed_fields);

enum error live_handle(struct request *request, struct reply *reply)
{
    struct live *live = ARENA_NEW(request->arena, struct live);

    live->status = "ok";
    reply->object = live;
    return ERROR_NONE;
}

enum error ready_handle(struct request *request, struct reply *reply)
{
    struct problem problem = {0};
    struct db_health health = {.reachable = false};
    struct db *db;

    if (!store_database(service_store(request), &db, &problem))
        db_health(db, &health);
    if (!health.reachable || !health.writable)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "not_ready",
                           "Storage unavailable");
    return live_handle(request, reply);
}

enum error health_handle(struct request *request, struct reply *reply)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct readiness *readiness = ARENA_NEW(request->arena, struct readiness);
    struct health *health = ARENA_NEW(request->arena, struct health);

    service_check_readiness(request, readiness);
    *health = (struct health){.status = readiness->status};
    if (settings->health_exposes_details) {
        health->service = "orch";
        health->version = settings->version;
        health->environment = settings->environment;
        health->storage_backend = readiness->store.backend;
        health->active_model_executions = GIVEN_INTEGER(readiness->active);
        health->saturated_models =
            readiness_saturated(request->arena, service_worker(request)->catalog, readiness);
    }
    reply->object = health;
    return ERROR_NONE;
}

enum error readiness_handle(struct request *request, struct reply *reply)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct readiness *readiness = ARENA_NEW(request->arena, struct readiness);
    struct readiness_answer *answer = ARENA_NEW(request->arena, struct readiness_answer);

    service_check_readiness(request, readiness);
    *answer = (struct readiness_answer){
        .status = readiness->status,
        .environment = settings->environment,
        .execution_profile = settings->profile,
        .components = {readiness->component_count, readiness->components}};
    reply->object = answer;
    return ERROR_NONE;
}

static double uptime(const struct server *server)
{
    return server->region
               ? (double)(clock_unix_microseconds() - shm_region_created_at(server->region)) / 1e6
               : 0;
}

static const char *key_status(const struct provider_settings *settings)
{
    return settings->api_key ? "ok" : "no_key";
}

enum error detailed_handle(struct request *request, struct reply *reply)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct key_row *rows = ARENA_ARRAY(request->arena, struct key_row, 2);
    struct embeddings_row *embeddings = ARENA_NEW(request->arena, struct embeddings_row);
    struct detailed *answer = ARENA_NEW(request->arena, struct detailed);
    bool has_all_keys =
        settings->openai.api_key && settings->anthropic.api_key && settings->mistral.api_key;

    rows[0] = (struct key_row){.name = "openai", .status = key_status(&settings->openai)};
    rows[1] = (struct key_row){.name = "anthropic", .status = key_status(&settings->anthropic)};
    embeddings->status = key_status(&settings->mistral);
    *answer = (struct detailed){.status = has_all_keys ? "healthy" : "degraded",
                                .uptime_seconds = uptime(request->server),
                                .adapters = {2, rows},
                                .embeddings = embeddings,
                                .total_adapters = 2};
    reply->object = answer;
    return ERROR_NONE;
}
