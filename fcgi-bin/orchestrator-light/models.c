/* The catalog, and how its models have done. */
#include "orchestrator-light/models.h"

#include "base/number.h"
#include "orchestrator/runs/task_run.h"
#include "orchestrator/service.h"

#include <stdlib.h>
#include <string.h>

enum { ANALYSED_TASKS = 100, TOP_MODELS = 5 };

static const char *const latency_names[] = {"fast", "slow", NULL};

struct model_row {
    const char *id, *display_name;
    struct string_list aliases;
    int adapter_kind;
    const char *provider;
    bool reasoning_capable;
    int64_t timeout_seconds;
    int expected_latency_class;
    int64_t concurrency_limit;
    struct optional_boolean available;
    const char *availability_status, *availability_checked_at, *availability_source;
    const char *last_verified_at;
    struct optional_number usd_per_1000_input, usd_per_1000_output;
};

#define OWNER struct model_row
static const struct field model_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, display_name),
    STRINGS(OWNER, aliases),
    CHOICE(OWNER, adapter_kind, backend_names, .choice_count = BACKEND__MAX),
    STRING(OWNER, provider),
    BOOLEAN(OWNER, reasoning_capable),
    INTEGER(OWNER, timeout_seconds),
    CHOICE(OWNER, expected_latency_class, latency_names, .choice_count = 2),
    INTEGER(OWNER, concurrency_limit),
    NULLABLE_BOOLEAN(OWNER, available),
    STRING(OWNER, availability_status,
           .help = "static, unknown, observed_available, observed_unverified or "
                   "observed_unavailable."),
    STRING(OWNER, availability_checked_at, .nullable = true),
    STRING(OWNER, availability_source, .nullable = true),
    STRING(OWNER, last_verified_at, .nullable = true),
    NULLABLE_NUMBER(OWNER, usd_per_1000_input, .help = "Price of a thousand tokens."),
    NULLABLE_NUMBER(OWNER, usd_per_1000_output),
};
#undef OWNER
static SCHEMA(model_schema, struct model_row, "Model", model_fields);

struct models {
    const char *last_checked, *source;
    OBJECT_LIST(struct model_row, models);
    const char *refreshed_at;
};

#define OWNER struct models
static const struct field models_fields[] = {
    STRING(OWNER, last_checked),
    STRING(OWNER, source),
    OBJECTS(OWNER, models, model_schema),
};
SCHEMA(models_schema, struct models, "Models", models_fields);

static const struct field refreshed_fields[] = {
    STRING(OWNER, last_checked),
    STRING(OWNER, source),
    OBJECTS(OWNER, models, model_schema),
    STRING(OWNER, refreshed_at),
};
#undef OWNER
SCHEMA(refreshed_models_schema, struct models, "RefreshedModels", refreshed_fields);

static struct optional_number per_1000(const struct model *model, int64_t price)
{
    return (struct optional_number){model->priced, (double)price * 1000 / NANO_PER_DOLLAR};
}

static struct model_row row_of(const struct catalog *catalog, const struct model *model,
                               const char *checked_at)
{
    bool api = model->backend == BACKEND_API;
    bool is_static = strcmp(catalog->source, "web-provider-model-menu") != 0;

    return (struct model_row){.id = model->id,
                              .display_name = model->display_name,
                              .aliases = model->aliases,
                              .adapter_kind = model->backend,
                              .provider = model->provider,
                              .reasoning_capable = model->reasoning_capable,
                              .timeout_seconds = model->timeout_seconds,
                              .expected_latency_class = model->fast ? 0 : 1,
                              .concurrency_limit = model->concurrency_limit,
                              .available = {!api && !is_static, true},
                              .availability_status = api         ? "static"
                                                     : is_static ? "unknown"
                                                                 : "observed_unverified",
                              .availability_checked_at = api ? NULL : checked_at,
                              .availability_source = api ? NULL : catalog->source,
                              .usd_per_1000_input = per_1000(model, model->input_price),
                              .usd_per_1000_output = per_1000(model, model->output_price)};
}

enum error models_handle(struct request *request, struct reply *reply)
{
    const struct catalog *catalog = service_house(request)->catalog;
    struct models *answer = ARENA_NEW(request->arena, struct models);
    struct model_row *rows = ARENA_ARRAY(request->arena, struct model_row, catalog->count);
    const char *now = shown_time(request->arena, store_now(request->arena));
    const char *checked_at = catalog->checked_at ? catalog->checked_at : now;

    for (size_t i = 0; i < catalog->count; i++)
        rows[i] = row_of(catalog, &catalog->models[i], checked_at);
    *answer = (struct models){checked_at, catalog->source, {{catalog->count, rows}}, now};
    reply->object = answer;
    return ERROR_NONE;
}

enum error models_refresh_handle(struct request *request, struct reply *reply)
{
    return models_handle(request, reply);
}

struct statistics_row {
    const char *model_id;
    int64_t total_executions, successful, failed;
    double success_rate, avg_duration_ms;
};

#define OWNER struct statistics_row
static const struct field statistics_fields[] = {
    STRING(OWNER, model_id),
    INTEGER(OWNER, total_executions, .help = "Cancelled ones included."),
    INTEGER(OWNER, successful),
    INTEGER(OWNER, failed),
    NUMBER(OWNER, success_rate),
    NUMBER(OWNER, avg_duration_ms),
};
#undef OWNER
static SCHEMA(statistics_schema, struct statistics_row, "ModelStatistics", statistics_fields);

struct analytics {
    int64_t total_models, total_executions;
    OBJECT_LIST(struct statistics_row, models);
    OBJECT_LIST(struct statistics_row, top_models);
};

#define OWNER struct analytics
static const struct field analytics_fields[] = {
    INTEGER(OWNER, total_models),
    INTEGER(OWNER, total_executions),
    OBJECTS(OWNER, models, statistics_schema),
    OBJECTS(OWNER, top_models, statistics_schema,
            .help = "The first five by success, then by speed."),
};
#undef OWNER
SCHEMA(analytics_schema, struct analytics, "Analytics", analytics_fields);

static int compare_rows(const void *a, const void *b)
{
    const struct statistics_row *one = a, *other = b;

    if (one->success_rate != other->success_rate)
        return one->success_rate > other->success_rate ? -1 : 1;
    if (one->avg_duration_ms != other->avg_duration_ms)
        return one->avg_duration_ms < other->avg_duration_ms ? -1 : 1;
    return strcmp(one->model_id, other->model_id);
}

enum error analytics_handle(struct request *request, struct reply *reply)
{
    struct analytics *answer = ARENA_NEW(request->arena, struct analytics);
    struct statistics_row *rows, *top;
    struct statistics_list list;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = task_statistics(db, request->arena, ANALYSED_TASKS, &list, &request->problem);
    if (error)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "not_ready",
                           "Storage unavailable.");
    rows = ARENA_ARRAY(request->arena, struct statistics_row, list.count);
    top = ARENA_ARRAY(request->arena, struct statistics_row, list.count);
    for (size_t i = 0; i < list.count; i++) {
        const struct model_statistics *item = &list.items[i];

        rows[i] =
            (struct statistics_row){item->model_id,
                                    item->total,
                                    item->successful,
                                    item->failed,
                                    number_round((double)item->successful / (double)item->total, 3),
                                    number_round(item->average_ms, 1)};
        answer->total_executions += item->total;
    }
    if (list.count)
        memcpy(top, rows, list.count * sizeof *rows);
    qsort(top, list.count, sizeof *top, compare_rows);
    answer->total_models = (int64_t)list.count;
    answer->models = (struct object_list){list.count, rows};
    answer->top_models =
        (struct object_list){list.count < TOP_MODELS ? list.count : TOP_MODELS, top};
    reply->object = answer;
    return ERROR_NONE;
}
