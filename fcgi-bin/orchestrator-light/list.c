/* The newest tasks, filtered. Routes of lists only; details are another family. */
#include "orchestrator-light/list.h"

#include "orchestrator/plan/prompts.h"
#include "orchestrator/service.h"
#include "orchestrator/task_view.h"

#include <string.h>

enum { PREVIEW_CHARACTERS = 120 };

struct task_query {
    int64_t limit;
    const char *status, *execution_mode, *failure_code;
    struct optional_boolean dry_run;
    const char *before, *prompt_contains;
};

#define OWNER struct task_query
static const struct field query_fields[] = {
    INTEGER(OWNER, limit, .default_value = 20, .lower = AT_LEAST(1), .upper = AT_MOST(100)),
    STRING(OWNER, status, .nullable = true, .help = "accepted, succeeded, failed or cancelled."),
    STRING(OWNER, execution_mode, .nullable = true, .help = "dry_run, api, browser or mixed."),
    STRING(OWNER, failure_code, .nullable = true),
    NULLABLE_BOOLEAN(OWNER, dry_run),
    STRING(OWNER, before, .nullable = true, .help = "ISO time; only tasks accepted earlier."),
    STRING(OWNER, prompt_contains, .nullable = true, .max_length = 200,
           .help = "A part of the prompt, in any case."),
};
#undef OWNER
SCHEMA(task_query_schema, struct task_query, "TaskQuery", query_fields);

static enum error bad_query(struct request *request, const char *field, const char *message)
{
    return request_fault(request, "query", field, "value_error", message);
}

/* The position of a name in a list, -1 when it is not given; false for unknown names. */
static bool find_name(const char *given, int (*find)(const char *), int *position)
{
    *position = given ? find(given) : -1;
    return !given || *position >= 0;
}

static int find_failure(const char *word)
{
    return name_find(failure_code_names, word);
}

static enum error read_filter(struct request *request, struct task_filter *filter)
{
    const struct task_query *query = request->query;

    *filter = (struct task_filter){
        .limit = query->limit, .dry_run = query->dry_run, .key_id = service_key_id(request)};
    if (!find_name(query->status, status_find, &filter->status))
        return bad_query(request, "status",
                         "Input should be 'accepted', 'succeeded', 'failed' or 'cancelled'");
    if (!find_name(query->execution_mode, execution_mode_find, &filter->execution_mode))
        return bad_query(request, "execution_mode",
                         "Input should be 'dry_run', 'api', 'browser' or 'mixed'");
    if (!find_name(query->failure_code, find_failure, &filter->failure_code))
        return bad_query(request, "failure_code", "Input should be a failure code");
    if (query->before && *query->before) {
        filter->before.given = read_time(query->before, &filter->before.value);
        if (!filter->before.given)
            return bad_query(request, "before", "Input should be a valid datetime");
    }
    if (query->prompt_contains && *query->prompt_contains)
        filter->prompt_contains = query->prompt_contains;
    return ERROR_NONE;
}

/* The rows of one task in a list that is ordered by tasks. */
#define SLICE(list, id, found)                                                                     \
    ({                                                                                             \
        size_t start_ = 0;                                                                         \
        while (start_ < (list)->count && strcmp((list)->items[start_].task_id, (id)) != 0)         \
            start_++;                                                                              \
        (found) = 0;                                                                               \
        while (start_ + (found) < (list)->count &&                                                 \
               strcmp((list)->items[start_ + (found)].task_id, (id)) == 0)                         \
            (found)++;                                                                             \
        (list)->items + start_;                                                                    \
    })

static int64_t count_cancelled(const struct step_record *steps, size_t count)
{
    int64_t cancelled = 0;

    for (size_t i = 0; i < count; i++)
        cancelled += steps[i].status == RUN_CANCELLED;
    return cancelled;
}

static struct optional_number cost_of(const struct step_record *steps, size_t count)
{
    struct optional_number cost = {0};

    for (size_t i = 0; i < count; i++)
        if (steps[i].cost_usd.given)
            cost = GIVEN_NUMBER(cost.value + steps[i].cost_usd.value);
    return cost;
}

static void fill_in(struct arena *arena, const struct task_record *task,
                    const struct step_list *all_steps, const struct event_list *all_events,
                    struct task_answer *item)
{
    size_t step_count, event_count;
    const struct step_record *steps = SLICE(all_steps, task->task_id, step_count);
    const struct event_record *events = SLICE(all_events, task->task_id, event_count);
    struct task_summary summary;

    task_summary_read(arena, events, event_count, steps, step_count, &summary);
    *item = task_answer_of(task);
    item->adapter_name = task_adapter(arena, task, steps, step_count);
    item->model = task_winner(arena, task, &summary, steps, step_count);
    item->requested_models = summary.requested_models;
    item->cancelled_step_count = summary.cancelled_steps
                                     ? (int64_t)json_array_size(summary.cancelled_steps)
                                     : count_cancelled(steps, step_count);
    item->cancel_reason = summary.cancel_reason;
    item->prompt_preview = text_beginning(arena, task->prompt, PREVIEW_CHARACTERS);
    item->cost_usd = cost_of(steps, step_count);
}

enum error task_list_handle(struct request *request, struct reply *reply)
{
    struct string_list ids = {0};
    struct task_filter filter;
    struct task_list tasks;
    struct step_list steps;
    struct event_list events;
    struct task_answer *items;
    struct object_list *list;
    struct db *db;
    enum error error = read_filter(request, &filter);

    if (error)
        return error;
    error = service_database(request, &db);
    if (!error)
        error = task_list_recent(db, request->arena, &filter, &tasks, &request->problem);
    if (error)
        return service_storage_error(request, error, "list_recent_tasks");
    ids.items = ARENA_ARRAY(request->arena, const char *, tasks.count);
    for (size_t i = 0; i < tasks.count; i++)
        ids.items[ids.count++] = tasks.items[i].task_id;
    error = task_steps_of(db, request->arena, &ids, &steps, &request->problem);
    if (error)
        return service_storage_error(request, error, "list_steps_batch");
    error = task_events_of(db, request->arena, &ids, true, &events, &request->problem);
    if (error)
        return service_storage_error(request, error, "list_events_batch");
    items = ARENA_ARRAY(request->arena, struct task_answer, tasks.count);
    for (size_t i = 0; i < tasks.count; i++)
        fill_in(request->arena, &tasks.items[i], &steps, &events, &items[i]);
    list = ARENA_NEW(request->arena, struct object_list);
    *list = (struct object_list){tasks.count, items};
    reply->object = list;
    return ERROR_NONE;
}
