/* How models have done in the last tasks. */
#include "orchestrator-light/analytics.h"

#include "base/number.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/task_store.h"

#include <stdlib.h>
#include <string.h>

enum { ANALYSED_TASKS = 100, TOP_MODELS = 5 };

struct analytics {
    int64_t total_models, total_executions;
    OBJECT_LIST(struct model_statistics, models);
    OBJECT_LIST(struct model_statistics, top_models);
};

#define OWNER struct analytics
static const struct field analytics_fields[] = {
    INTEGER(OWNER, total_models),
    INTEGER(OWNER, total_executions),
    OBJECTS(OWNER, models, model_statistics_schema),
    OBJECTS(OWNER, top_models, model_statistics_schema,
            .help = "The first five by success, then by speed."),
};
#undef OWNER
SCHEMA(analytics_schema, struct analytics, "Analytics", analytics_fields);

static int compare_rows(const void *a, const void *b)
{
    const struct model_statistics *one = a, *other = b;

    if (one->success_rate != other->success_rate)
        return one->success_rate > other->success_rate ? -1 : 1;
    if (one->avg_duration_ms != other->avg_duration_ms)
        return one->avg_duration_ms < other->avg_duration_ms ? -1 : 1;
    return strcmp(one->model_id, other->model_id);
}

enum error analytics_handle(struct request *request, struct reply *reply)
{
    struct analytics *answer = ARENA_NEW(request->arena, struct analytics);
    struct statistics_list list;
    struct model_statistics *top;
    struct db *db;
    enum error error = service_database(request, &db);

    if (!error)
        error = task_statistics(db, request->arena, ANALYSED_TASKS, &list, &request->problem);
    if (error)
        return problem_set(&request->problem, ERROR_UNAVAILABLE, "not_ready",
                           "Storage unavailable.");
    for (size_t i = 0; i < list.count; i++) {
        struct model_statistics *item = &list.items[i];

        item->success_rate =
            number_round((double)item->successful / (double)item->total_executions, 3);
        item->avg_duration_ms = number_round(item->avg_duration_ms, 1);
        answer->total_executions += item->total_executions;
    }
    top = ARENA_ARRAY(request->arena, struct model_statistics, list.count);
    if (list.count)
        memcpy(top, list.items, list.count * sizeof *top);
    qsort(top, list.count, sizeof *top, compare_rows);
    answer->total_models = (int64_t)list.count;
    answer->models = (struct object_list){list.count, list.items};
    answer->top_models =
        (struct object_list){list.count < TOP_MODELS ? list.count : TOP_MODELS, top};
    reply->object = answer;
    return ERROR_NONE;
}
