/* Liveness and readiness of the service. */
#include "support-system/health.h"
#include "http/server.h"
#include "limits/limits.h"
#include "support-system/health_checks.h"
#include "support/blobs/blobs.h"
#include "support/documents/graph_lane.h"
#include "support/service.h"
#include "support/tools.h"
#include "telemetry/health_fault.h"

#include <math.h>

enum { COMPONENTS_MAX = 65536 };

struct live {
    const char *status;
    const char *service;
};

#define OWNER struct live
static const struct field live_fields[] = {STRING(OWNER, status), STRING(OWNER, service)};
#undef OWNER
SCHEMA(live_schema, struct live, "Live", live_fields);

struct features {
    bool streaming_enabled;
};

#define OWNER struct features
static const struct field features_fields[] = {BOOLEAN(OWNER, streaming_enabled)};
#undef OWNER
static SCHEMA(features_schema, struct features, "Features", features_fields);

struct health {
    const char *status;
    const char *detail;
    json_t *components;
    bool vector_store_loaded, pipeline_available;
    int64_t index_segments, sessions_count;
    OBJECT_LIST(struct provider_breaker, circuit_breakers);
    const struct features *features;
};

#define OWNER struct health
static const struct field health_fields[] = {
    STRING(OWNER, status, .help = "ok, degraded, unhealthy or shutting_down."),
    STRING(OWNER, detail, .nullable = true, .omit_if_null = true, .help = "Of shutting_down."),
    JSON_OBJECT(OWNER, components,
                .help = "By name: `status` (ok, error, or unavailable where it is not configured), "
                        "`latency_ms` and `detail`, null where there is none. Beside the stores "
                        "and the embedder, the providers of models that the active profile asks. "
                        "What is wrong has a `fault`: `code`, `meaning` and `guide`."),
    BOOLEAN(OWNER, vector_store_loaded, .help = "Whether anything is indexed."),
    INTEGER(OWNER, index_segments,
            .help = "Of the tenant whose index has the most; `ingest` merges from 10 on."),
    INTEGER(OWNER, sessions_count),
    BOOLEAN(OWNER, pipeline_available),
    OBJECTS(OWNER, circuit_breakers, provider_breaker_schema),
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

struct component {
    const char *status;
    struct optional_number latency_ms;
    const char *detail;
    const struct health_fault *fault; /* NULL = none */
};

#define OWNER struct component
static const struct field component_fields[] = {
    STRING(OWNER, status), NULLABLE_NUMBER(OWNER, latency_ms),
    STRING(OWNER, detail, .nullable = true),
    OBJECT(OWNER, fault, health_fault_schema, .nullable = true, .omit_if_null = true)};
#undef OWNER
static SCHEMA(component_schema, struct component, "HealthComponent", component_fields);

static void write_component(struct json_writer *writer, const char *name, const char *status,
                            struct optional_number latency, enum health_code code,
                            const char *detail)
{
    const struct component component = {
        .status = status,
        .latency_ms = {latency.given, round(latency.value * 10) / 10},
        .detail = detail,
        .fault = health_fault(code)};

    writer_key(writer, name);
    schema_write(writer, &component_schema, &component);
}

static void write_part(struct json_writer *writer, const char *name, const struct part *part,
                       enum health_code code, const char *failure)
{
    struct optional_number latency = GIVEN_NUMBER(part->milliseconds);

    write_component(writer, name, part->works ? "ok" : "error", latency,
                    part->works ? HEALTH_GOOD : code, part->works ? NULL : failure);
}

/* The providers in use, and whether none is available. The embedded engine is the fallback of each:
 * without any provider the service works, with lower quality. */
static bool write_providers(struct json_writer *writer, const struct object_list *list)
{
    const struct provider_breaker *breakers = list->items;
    bool all = true;

    for (size_t i = 0; i < list->count; i++) {
        bool closed = breakers[i].kind == BREAKER_CLOSED;

        if (!breakers[i].is_active)
            continue;
        write_component(writer, breakers[i].name, closed ? "ok" : "error",
                        (struct optional_number){.given = false},
                        closed ? HEALTH_GOOD : HEALTH_PROVIDER_SUSPENDED,
                        closed ? NULL : "its circuit breaker is not closed");
        all = all && closed;
    }
    return all;
}

static void write_embedder(struct json_writer *writer, struct arena *arena,
                           const struct vector_status *vectors)
{
    static const struct optional_number none = {.given = false};
    const char *status = vectors->state == VECTORS_AWAY ? "error"
                         : vectors->model               ? "ok"
                                                        : "unavailable";
    enum health_code code = vectors->state == VECTORS_AWAY   ? HEALTH_EMBEDDER_UNREACHABLE
                            : vectors->state == VECTORS_NONE ? HEALTH_EMBEDDER_WITHOUT_MODEL
                                                             : HEALTH_GOOD;
    const char *detail = NULL;

    if (vectors->state == VECTORS_AWAY)
        detail = "the embedder does not answer; questions are answered by words";
    else if (vectors->state == VECTORS_NONE)
        detail = "there is no model; questions are answered by words (embedder --fetch gets it)";
    else if (vectors->state == VECTORS_WORKING)
        detail = arena_print(arena, "%lld of %lld chunks have their vectors",
                             (long long)vectors->embedded, (long long)vectors->chunks);
    write_component(writer, "embedder", status, none, code, detail);
}

static void write_engine(struct json_writer *writer, struct arena *arena,
                         const struct search_engine_status *engine)
{
    struct part part = {engine->answers, engine->milliseconds};
    const char *lag = engine->lag       ? arena_print(arena, "%lld documents are not indexed yet",
                                                      (long long)engine->lag)
                      : engine->vectors ? "documents are found by words and by meaning"
                                        : "documents are found by words; it holds no vectors";

    if (engine->answers)
        write_component(writer, "search_engine", "ok", GIVEN_NUMBER(part.milliseconds), HEALTH_GOOD,
                        lag);
    else
        write_part(writer, "search_engine", &part, HEALTH_SEARCH_ENGINE_UNREACHABLE,
                   engine->failure);
}

static void write_graph_lane(struct json_writer *writer, struct request *request, int64_t chunks)
{
    static const struct optional_number none = {.given = false};
    const struct support_settings *settings = service_settings(request);
    struct graph_lane lane = graph_lane_decide(request->arena, settings, chunks);
    bool is_used = graph_lane_is_used(settings);

    write_component(writer, "graph_retrieval", is_used ? "ok" : "unavailable", none, HEALTH_GOOD,
                    arena_print(request->arena, "%s: %s; RAG_RETRIEVAL_STRATEGY is %s",
                                lane.active ? "active" : "inactive", lane.reason,
                                settings->retrieval_strategy));
}

/* Only where limits are shared. The service works without the server that shares them. */
static void write_limits(struct json_writer *writer, struct arena *arena,
                         const struct limits_state *state)
{
    static const struct optional_number none = {.given = false};

    if (state->is_shared)
        write_component(writer, "limits", state->answers ? "ok" : "error", none,
                        state->answers ? HEALTH_GOOD : HEALTH_LIMITS_SERVER_UNREACHABLE,
                        limits_sentence(arena, state));
}

static json_t *list_components(struct request *request, const struct health_checks *checks,
                               const struct limits_state *limits,
                               const struct object_list *breakers, bool *providers_work)
{
    static const struct optional_number none = {.given = false};
    bool on_server = service_settings(request)->database_url != NULL;
    enum health_code index_code =
        checks->store.works ? HEALTH_INDEX_UNREADABLE : checks->store_code;
    struct json_writer writer;
    struct text text;

    text_start(&text, request->arena, COMPONENTS_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    write_part(&writer, on_server ? "postgres" : "sqlite", &checks->store, checks->store_code,
               "the store cannot be used");
    write_component(&writer, on_server ? "sqlite" : "postgres", "unavailable", none, HEALTH_GOOD,
                    NULL);
    write_component(&writer, "redis", "unavailable", none, HEALTH_GOOD, NULL);
    write_part(&writer, "kb_index", &checks->index, index_code, "what is indexed cannot be read");
    write_part(&writer, "chromadb", &checks->index, /* an older name of the same */
               index_code, "what is indexed cannot be read");
    if (blobs_have_store(service_settings(request)))
        write_part(&writer, "object_store", &checks->blobs, HEALTH_OBJECT_STORE_UNREACHABLE,
                   checks->blobs_detail);
    write_embedder(&writer, request->arena, &checks->vectors);
    if (checks->engine.used)
        write_engine(&writer, request->arena, &checks->engine);
    if (graph_lane_is_asked(service_settings(request)) ||
        graph_lane_is_used(service_settings(request)))
        write_graph_lane(&writer, request, checks->chunks);
    write_limits(&writer, request->arena, limits);
    *providers_work = write_providers(&writer, breakers);
    writer_close_object(&writer);
    return service_json(request, text.bytes);
}

enum error health_handle(struct request *request, struct reply *reply)
{
    static const struct features features = {.streaming_enabled = true};
    struct health *health = ARENA_NEW(request->arena, struct health);
    struct object_list breakers = health_checks_breakers(request);
    struct health_checks checks;
    struct limits_state limits;
    bool draining = server_draining(request->server), works, degraded, providers_work;
    json_t *components;

    health_checks_run(request, &checks);
    limits_read_state(request->server->region, &limits);
    works = checks.store.works && checks.index.works;
    components = list_components(request, &checks, &limits, &breakers, &providers_work);
    degraded = !providers_work || checks.vectors.state == VECTORS_AWAY || !checks.blobs.works ||
               (limits.is_shared && !limits.answers) ||
               (checks.engine.used && !checks.engine.answers);
    *health = (struct health){.status = draining   ? "shutting_down"
                                        : !works   ? "unhealthy"
                                        : degraded ? "degraded"
                                                   : "ok",
                              .detail = draining ? "send requests elsewhere" : NULL,
                              .components = components,
                              .vector_store_loaded = checks.chunks > 0,
                              .pipeline_available = true,
                              .index_segments = checks.segments,
                              .sessions_count = checks.sessions,
                              .circuit_breakers = breakers,
                              .features = &features};
    reply->status = works && !draining ? 200 : 503;
    reply->object = health;
    return ERROR_NONE;
}
