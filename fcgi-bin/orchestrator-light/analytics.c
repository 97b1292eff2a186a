/* How models have done in the last tasks. */
#include "orchestrator-light/analytics.h"

#include "base/number.h"
#include "orchestrator/service.h"

#include <stdlib.h>
#include <string.h>

enum { ANALYSED_TASKS = 100, TOP_MODELS = 5 };

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
