/* Is the service there, can it work, and what does it stand on? */
#include "orchestrator-system/health.h"

#include "base/clock.h"
#include "orchestrator/readiness.h"

#include <string.h>

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
    json_t *saturated_models;
};

#define OWNER struct health
static const struct field health_fields[] = {
    CHOICE(OWNER, status, component_state_names, .choice_count = COMPONENT_STATE__MAX),
    STRING(OWNER, service, .omit_if_null = true),
    STRING(OWNER, version, .omit_if_null = true),
    STRING(OWNER, environment, .omit_if_null = true),
    STRING(OWNER, storage_backend, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, active_model_executions, .omit_if_null = true),
    JSON_VALUE(OWNER, saturated_models, .omit_if_null = true),
};
#undef OWNER
SCHEMA(health_schema, struct health, "Health", health_fields);

struct component_row {
    const char *name, *kind;
    int status;
    bool required;
    json_t *details;
};

#define OWNER struct component_row
static const struct field component_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, kind),
    CHOICE(OWNER, status, component_state_names, .choice_count = COMPONENT_STATE__MAX),
    BOOLEAN(OWNER, required),
    JSON_OBJECT(OWNER, details),
};
#undef OWNER
static SCHEMA(component_schema, struct component_row, "Component", component_fields);

struct readiness_answer {
    int status;
    const char *environment;
    int execution_profile;
    OBJECT_LIST(struct component_row, components);
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

static json_t *read_json(struct arena *arena, const char *text)
{
    struct json_fault fault;
    json_t *json = NULL;

    return json_read(arena, text, strlen(text), JSON_DEPTH_LIMIT, &json, &fault) ? NULL : json;
}

static json_t *list_json(struct arena *arena, const struct string_list *list)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, 65536);
    writer_start(&writer, &text);
    writer_open_array(&writer);
    for (size_t i = 0; i < list->count; i++)
        writer_string(&writer, list->items[i]);
    writer_close_array(&writer);
    return read_json(arena, text.bytes);
}

enum error health_handle(struct request *request, struct reply *reply)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct readiness *readiness = ARENA_NEW(request->arena, struct readiness);
    struct health *health = ARENA_NEW(request->arena, struct health);
    struct string_list saturated;

    readiness_check(request, readiness);
    *health = (struct health){.status = readiness->status};
    if (settings->health_exposes_details) {
        saturated = readiness_saturated(request, readiness);
        health->service = "orch";
        health->version = settings->version;
        health->environment = settings->environment;
        health->storage_backend = readiness->backend;
        health->active_model_executions = GIVEN_INTEGER(readiness->active);
        health->saturated_models = list_json(request->arena, &saturated);
    }
    reply->object = health;
    return ERROR_NONE;
}

enum error readiness_handle(struct request *request, struct reply *reply)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct readiness *readiness = ARENA_NEW(request->arena, struct readiness);
    struct readiness_answer *answer = ARENA_NEW(request->arena, struct readiness_answer);
    struct component_row *rows;

    readiness_check(request, readiness);
    rows = ARENA_ARRAY(request->arena, struct component_row, readiness->component_count);
    for (size_t i = 0; i < readiness->component_count; i++) {
        const struct component *component = &readiness->components[i];

        rows[i] = (struct component_row){component->name, component->kind, component->status,
                                         component->required,
                                         read_json(request->arena, component->details)};
    }
    *answer = (struct readiness_answer){readiness->status,
                                        settings->environment,
                                        settings->profile,
                                        {{readiness->component_count, rows}}};
    reply->object = answer;
    return ERROR_NONE;
}

static double uptime(const struct server *server)
{
    return server->region
               ? (double)(clock_unix_microseconds() - shm_region_created_at(server->region)) / 1e6
               : 0;
}

enum error detailed_handle(struct request *request, struct reply *reply)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct key_row *rows = ARENA_ARRAY(request->arena, struct key_row, 2);
    struct embeddings_row *embeddings = ARENA_NEW(request->arena, struct embeddings_row);
    struct detailed *answer = ARENA_NEW(request->arena, struct detailed);
    bool well =
        settings->openai.api_key && settings->anthropic.api_key && settings->mistral.api_key;

    rows[0] = (struct key_row){"openai", settings->openai.api_key ? "ok" : "no_key"};
    rows[1] = (struct key_row){"anthropic", settings->anthropic.api_key ? "ok" : "no_key"};
    embeddings->status = settings->mistral.api_key ? "ok" : "no_key";
    *answer = (struct detailed){
        well ? "healthy" : "degraded", uptime(request->server), {{2, rows}}, embeddings, 2};
    reply->object = answer;
    return ERROR_NONE;
}
