/* Liveness, readiness, and the composed API document. */
#include "experiments-system/health.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "experiments/service.h"

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
};

struct readiness {
    const char *status;
    const char *generated_at;
    struct object_list checks;
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
};
#undef OWNER
static const struct schema check_schema = {.name = "ReadinessCheck",
                                           .size = sizeof(struct check),
                                           .fields = check_fields,
                                           .field_count = COUNT_OF(check_fields)};

#define OWNER struct readiness
static const struct field readiness_fields[] = {
    STRING(OWNER, status, .help = "ready or degraded; degraded answers 503."),
    STRING(OWNER, generated_at),
    OBJECTS(OWNER, checks, &check_schema),
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

static struct check check_shared_memory(struct request *request)
{
    char created[CLOCK_TEXT_MAX];

    clock_format(shm_region_created_at(request->server->region), created);
    return (struct check){"shared_memory", true, arena_print(request->arena, "since %s", created)};
}

static struct check check_frontend(struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);
    const char *index = arena_print(request->arena, "%s/index.html", settings->frontend_dist_path);

    if (!settings->serve_frontend_dist)
        return (struct check){"frontend_dist", true, "disabled"};
    if (access(index, R_OK) == 0)
        return (struct check){"frontend_dist", true, "present"};
    return (struct check){"frontend_dist", false, "missing"};
}

static struct check check_logging(struct request *request)
{
    const struct experiments_settings *settings = service_settings(request);

    return (struct check){"logging_config", true,
                          arena_print(request->arena, "%s / %s",
                                      log_level_names[settings->log_level],
                                      log_format_names[settings->log_format])};
}

static struct check (*const checks[])(struct request *request) = {
    check_shared_memory,
    check_frontend,
    check_logging,
};

enum error readiness_handle(struct request *request, struct reply *reply)
{
    struct readiness *readiness = ARENA_NEW(request->arena, struct readiness);
    struct check *done = ARENA_ARRAY(request->arena, struct check, COUNT_OF(checks));
    char *now = arena_alloc(request->arena, CLOCK_TEXT_MAX);
    bool ready = true;

    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        done[i] = checks[i](request);
        ready = ready && done[i].ok;
    }
    clock_format(clock_unix_microseconds(), now);
    *readiness = (struct readiness){.status = ready ? "ready" : "degraded",
                                    .generated_at = now,
                                    .checks = {COUNT_OF(checks), done}};
    reply->status = ready ? 200 : 503;
    reply->object = readiness;
    return ERROR_NONE;
}

/* The document is composed by the launcher from what each responder says of itself. */
enum error openapi_handle(struct request *request, struct reply *reply)
{
    const char *path = getenv("ASSAY_OPENAPI_FILE");
    struct json_writer writer;
    json_t *document;
    enum error error;

    if (!path)
        return problem_set(&request->problem, ERROR_NOT_FOUND, "openapi_not_composed",
                           "No API document has been composed");
    error = json_read_file(request->arena, path, &document, &request->problem);
    if (error)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "openapi_not_composed",
                           "The API document cannot be read");
    writer_start(&writer, &reply->body);
    writer_value(&writer, document);
    return ERROR_NONE;
}
