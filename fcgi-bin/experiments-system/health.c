/* Liveness, readiness, and the composed API document. */
#include "experiments-system/health.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/number.h"
#include "experiments/service.h"
#include "experiments/storage/storage_state.h"
#include "kafka/offsets.h"
#include "limits/limits.h"
#include "telemetry/health_fault.h"

#include <stdlib.h>
#include <unistd.h>

struct health {
    const char *status;
    const char *service;
    const char *version;
    const char *git_sha;
    const char *environment;
};

struct check {
    const char *name;
    bool ok;
    const char *detail;
    const struct health_fault *fault; /* NULL = none */
};

struct readiness {
    const char *status;
    const char *generated_at;
    OBJECT_LIST(struct check, checks);
};

#define OWNER struct health
static const struct field health_fields[] = {
    STRING(OWNER, status),  STRING(OWNER, service),     STRING(OWNER, version),
    STRING(OWNER, git_sha), STRING(OWNER, environment),
};
#undef OWNER
const struct schema health_reply_schema = {.name = "Health",
                                           .size = sizeof(struct health),
                                           .fields = health_fields,
                                           .field_count = COUNT_OF(health_fields)};

#define OWNER struct check
static const struct field check_fields[] = {
    STRING(OWNER, name),
    BOOLEAN(OWNER, ok),
    STRING(OWNER, detail),
    OBJECT(OWNER, fault, health_fault_schema, .nullable = true, .omit_if_null = true),
};
#undef OWNER
static const struct schema check_schema = {.name = "ReadinessCheck",
                                           .size = sizeof(struct check),
                                           .fields = check_fields,
                                           .field_count = COUNT_OF(check_fields)};
SCHEMA_ITEM(check_schema, struct check);

#define OWNER struct readiness
static const struct field readiness_fields[] = {
    STRING(OWNER, status, .help = "ready or degraded; degraded answers 503."),
    STRING(OWNER, generated_at),
    OBJECTS(OWNER, checks, check_schema),
};
#undef OWNER
const struct schema readiness_reply_schema = {.name = "Readiness",
                                              .size = sizeof(struct readiness),
                                              .fields = readiness_fields,
                                              .field_count = COUNT_OF(readiness_fields)};

enum error health_handle(struct request *request, struct reply *reply)
{
    const struct experiments_settings *settings = service_settings(request);
    struct health *health = ARENA_NEW(request->arena, struct health);

    *health = (struct health){.status = "ok",
                              .service = settings->app_name,
                              .version = settings->app_version,
                              .git_sha = settings->build_sha,
                              .environment = settings->environment};
    reply->object = health;
    return ERROR_NONE;
}

enum { CHECKS_MAX = 12 };

/* The checks made so far. */
struct checklist {
    struct request *request;
    struct check items[CHECKS_MAX];
    size_t count;
    bool ready;
};

/* A check that does not decide on readiness. */
static void add_note(struct checklist *list, const char *name, enum health_code code,
                     const char *detail)
{
    list->items[list->count++] =
        (struct check){.name = name, .ok = true, .detail = detail, .fault = health_fault(code)};
}

/* `code` is the fault of a check that fails. */
static void add_check(struct checklist *list, const char *name, bool ok, enum health_code code,
                      const char *detail)
{
    add_note(list, name, ok ? HEALTH_GOOD : code, detail);
    list->items[list->count - 1].ok = ok;
    list->ready = list->ready && ok;
}

static const char *check_name(struct arena *arena, const struct storage_state *state,
                              const char *what)
{
    return arena_print(arena, "%s_%s", state->engine == DB_SQLITE ? "sqlite" : "postgres", what);
}

static void check_schema_version(struct checklist *list, const struct storage_state *state)
{
    struct arena *arena = list->request->arena;
    const char *word = state->engine == DB_SQLITE ? "user_version" : "schema_version";
    bool current = state->schema_known && state->schema.current == state->schema.required;

    add_check(list, check_name(arena, state, "schema_version"), current, HEALTH_SCHEMA_DIFFERS,
              state->schema_known ? arena_print(arena, "%s=%d expected=%d", word,
                                                state->schema.current, state->schema.required)
                                  : state->schema_detail);
}

static void check_journal(struct checklist *list, const struct storage_state *state)
{
    const struct experiments_settings *settings = service_settings(list->request);

    if (state->engine == DB_SQLITE)
        add_check(list, "sqlite_journal_mode", state->health.journal_mode_as_configured,
                  HEALTH_JOURNAL_MODE_DIFFERS,
                  arena_print(list->request->arena, "journal_mode=%s expected=%s",
                              state->health.journal_mode,
                              db_journal_mode_names[settings->sqlite_journal_mode]));
}

/* With fewer connections than configured the service works, but more slowly. */
static void check_pool(struct checklist *list, const struct storage_state *state)
{
    struct arena *arena = list->request->arena;
    const struct db_health *health = &state->health;

    if (!health->pool.size)
        return;
    add_note(list, "postgres_pool", HEALTH_GOOD,
             health->pool.limit < health->pool.size
                 ? arena_print(arena, "settled at %d of %d connections: the server allows no more",
                               health->pool.limit, health->pool.size)
                 : arena_print(arena, "up to %d connections", health->pool.size));
}

/* An unreachable database is one failed check; further checks would only repeat the error. */
static void check_storage(struct checklist *list)
{
    struct arena *arena = list->request->arena;
    struct storage_state *state = ARENA_NEW(arena, struct storage_state);
    struct db *db;

    /* Brings the schema up to date first; a failure shows in the state. */
    (void)!service_database(list->request, &db);
    storage_read_state(service_store(list->request), arena, state);
    add_check(list, check_name(arena, state, "storage"), state->health.reachable,
              HEALTH_DATABASE_UNREACHABLE, state->health.detail);
    if (!state->health.reachable)
        return;
    check_schema_version(list, state);
    check_journal(list, state);
    add_check(list, check_name(arena, state, "write_probe"), state->health.writable,
              HEALTH_DATABASE_NOT_WRITABLE, state->health.write_detail);
    check_pool(list, state);
}

/* How far the bridge is. HTTP works without it, so that this host stays ready. */
static void check_kafka(struct checklist *list)
{
    struct request *request = list->request;
    struct problem problem;
    struct kafka_lag *lags, all;
    size_t count;
    struct db *db;
    bool silent;

    if (!service_settings(request)->kafka.brokers ||
        store_database(service_store(request), &db, &problem) ||
        kafka_lags_read(db, request->arena, &lags, &count, &problem))
        return;
    all = kafka_lag_of_all(lags, count);
    silent = clock_unix_microseconds() - all.seen_at > KAFKA_SILENCE_SECONDS * (int64_t)1000000;
    add_note(list, "kafka",
             !count   ? HEALTH_KAFKA_WITHOUT_TOPICS
             : silent ? HEALTH_KAFKA_SILENT
                      : HEALTH_GOOD,
             count ? arena_print(request->arena, "lag=%lld records, broker heard of %.0f s ago%s",
                                 (long long)all.records,
                                 (double)(clock_unix_microseconds() - all.seen_at) / 1e6,
                                 kafka_lag_text(request->arena, &all))
                   : "the bridge has not found a topic yet");
}

static void check_frontend(struct checklist *list)
{
    const struct experiments_settings *settings = service_settings(list->request);
    const char *index =
        arena_print(list->request->arena, "%s/index.html", settings->frontend_dist_path);
    bool present = access(index, R_OK) == 0;

    if (!settings->serve_frontend_dist)
        add_note(list, "frontend_dist", HEALTH_GOOD, "disabled");
    else
        add_check(list, "frontend_dist", present, HEALTH_PAGES_MISSING,
                  present ? "present" : "missing");
}

static void check_llm(struct checklist *list)
{
    const struct experiments_settings *settings = service_settings(list->request);
    char seconds[NUMBER_TEXT_MAX];

    number_format(settings->llm_timeout_seconds, seconds);
    add_note(list, "llm_config", HEALTH_GOOD,
             arena_print(list->request->arena, "%lld attempt(s), timeout %ss",
                         (long long)settings->llm_max_attempts, seconds));
}

static void check_logging(struct checklist *list)
{
    const struct experiments_settings *settings = service_settings(list->request);

    add_note(list, "logging_config", HEALTH_GOOD,
             arena_print(list->request->arena, "%s / %s", log_level_names[settings->log_level],
                         log_format_names[settings->log_format]));
}

/* Only where there is something to say of it. */
static void check_shared_memory(struct checklist *list)
{
    const struct shm_region *region = list->request->server->region;
    char since[CLOCK_TEXT_MAX];

    if (!shm_region_is_sound(region)) {
        add_check(list, "shared_memory", false, HEALTH_SHARED_MEMORY_DAMAGED,
                  "damaged: workers are leaving for a fresh file");
    } else if (shm_region_damaged_at(region)) {
        clock_format(shm_region_damaged_at(region), since);
        add_note(list, "shared_memory", HEALTH_GOOD,
                 arena_print(list->request->arena, "was damaged, replaced at %s", since));
    }
}

/* The service works without the server of the limits. */
static void check_limits(struct checklist *list)
{
    struct limits_state state;

    limits_read_state(list->request->server->region, &state);
    if (state.is_shared)
        add_note(list, "limits", state.answers ? HEALTH_GOOD : HEALTH_LIMITS_SERVER_UNREACHABLE,
                 limits_sentence(list->request->arena, &state));
}

enum error readiness_handle(struct request *request, struct reply *reply)
{
    struct readiness *readiness = ARENA_NEW(request->arena, struct readiness);
    struct checklist *list = ARENA_NEW(request->arena, struct checklist);

    list->request = request;
    list->ready = true;
    check_storage(list);
    check_kafka(list);
    check_frontend(list);
    check_llm(list);
    check_logging(list);
    check_shared_memory(list);
    check_limits(list);
    *readiness = (struct readiness){.status = list->ready ? "ready" : "degraded",
                                    .generated_at = store_now(request->arena),
                                    .checks = {list->count, list->items}};
    reply->status = list->ready ? 200 : 503;
    reply->object = readiness;
    return ERROR_NONE;
}
