/* One task, with all that is kept of it. */
#include "orchestrator-tasks/detail.h"

#include "orchestrator/plan/prompts.h"
#include "orchestrator/service.h"
#include "orchestrator/task_view.h"

#include <string.h>

enum { SHOWN_CHARACTERS = 20000, ID_LENGTH = 36 };

struct detail_query {
    struct optional_integer events_limit;
    int64_t events_offset;
};

#define OWNER struct detail_query
static const struct field query_fields[] = {
    NULLABLE_INTEGER(OWNER, events_limit, .lower = AT_LEAST(1), .upper = AT_MOST(1000)),
    INTEGER(OWNER, events_offset, .default_value = 0, .lower = AT_LEAST(0)),
};
#undef OWNER
SCHEMA(detail_query_schema, struct detail_query, "TaskDetailQuery", query_fields);

/* 8-4-4-4-12 lower-case hexadecimal digits. */
static bool is_id(const char *id)
{
    if (strlen(id) != ID_LENGTH)
        return false;
    for (int i = 0; i < ID_LENGTH; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? id[i] != '-' : !strchr("0123456789abcdef", id[i]))
            return false;
    }
    return true;
}

/* A virtual key sees its own tasks only. */
static bool may_see(const struct request *request, const struct task_record *task)
{
    const char *key_id = service_key_id(request);

    return !key_id || (task->key_id && strcmp(task->key_id, key_id) == 0);
}

enum error task_check_access(struct request *request, struct db *db, const char *task_id)
{
    struct task_record task = {0};
    enum error error;

    if (!service_key_id(request))
        return ERROR_NONE;
    error = task_get(db, request->arena, task_id, &task, &request->problem);
    if (!error && !may_see(request, &task))
        return problem_set(&request->problem, ERROR_NOT_FOUND, "task_not_found", "Task not found");
    return error;
}

static enum error read_task(struct request *request, struct db **db, struct task_record *task)
{
    enum error error;

    if (!is_id(request->arguments[0]))
        return request_fault(request, "path", "task_id", "string_pattern_mismatch",
                             "String should be a lower-case UUID");
    error = service_database(request, db);
    if (!error)
        error = task_get(*db, request->arena, request->arguments[0], task, &request->problem);
    if (!error && !may_see(request, task))
        return problem_set(&request->problem, ERROR_NOT_FOUND, "task_not_found", "Task not found");
    return service_storage_error(request, error, "get_task");
}

static json_t *read_json(struct arena *arena, const char *text)
{
    struct json_fault fault;
    json_t *json = NULL;

    if (!text)
        return NULL;
    return json_read(arena, text, strlen(text), JSON_DEPTH_LIMIT, &json, &fault) ? NULL : json;
}

/* Copies of the steps whose long texts are cut. */
static struct object_list shown_steps(struct arena *arena, const struct step_list *steps)
{
    struct step_record *shown = ARENA_ARRAY(arena, struct step_record, steps->count);

    for (size_t i = 0; i < steps->count; i++) {
        const char *text = steps->items[i].output_text;

        shown[i] = steps->items[i];
        if (!text)
            continue;
        shown[i].output_text = text_beginning(arena, text, SHOWN_CHARACTERS);
        shown[i].output_truncated = strlen(shown[i].output_text) < strlen(text);
    }
    return (struct object_list){steps->count, shown};
}

/* Reads the first event and the last, whichever page of events is requested. */
static enum error read_summary(struct request *request, struct db *db,
                               const struct step_list *steps, struct task_summary *summary)
{
    const char *task_id = request->arguments[0];
    struct event_record outer[2];
    struct event_list first, last;
    size_t count = 0;
    enum error error =
        task_events(db, request->arena, task_id, 1, 0, &first, NULL, &request->problem);

    if (!error)
        error = task_terminal_event(db, request->arena, task_id, &last, &request->problem);
    if (error)
        return service_storage_error(request, error, "list_task_events");
    if (first.count)
        outer[count++] = first.items[0];
    if (last.count)
        outer[count++] = last.items[0];
    task_summary_read(request->arena, outer, count, steps->items, steps->count, summary);
    return ERROR_NONE;
}

static const struct task_answer *detail_of(struct request *request, const struct task_record *task,
                                           const struct step_list *steps,
                                           const struct event_list *events, int64_t total,
                                           const struct task_summary *summary)
{
    struct arena *arena = request->arena;
    struct task_answer *detail = ARENA_NEW(arena, struct task_answer);

    *detail = task_answer_of(task);
    detail->adapter_name = task_adapter(arena, task, steps->items, steps->count);
    detail->model = task_winner(arena, task, summary, steps->items, steps->count);
    detail->requested_models = summary->requested_models;
    detail->results = step_results(arena, task, steps);
    detail->metadata = read_json(arena, task->metadata);
    detail->trace_id = trace_id_of(arena, detail->metadata);
    detail->winning_step_index = summary->winning_step;
    detail->cancelled_steps =
        summary->cancelled_steps ? summary->cancelled_steps : read_json(arena, "[]");
    detail->cancel_reason = summary->cancel_reason;
    detail->execution_details = summary->details ? summary->details : read_json(arena, "{}");
    detail->steps = shown_steps(arena, steps);
    detail->events = (struct object_list){events->count, events->items};
    detail->events_total = total;
    return detail;
}

enum error task_detail_handle(struct request *request, struct reply *reply)
{
    const struct detail_query *query = request->query;
    struct task_record task = {0};
    struct task_summary summary = {0};
    struct step_list steps = {0};
    struct event_list events = {0};
    int64_t total = 0;
    struct db *db = NULL;
    enum error error = read_task(request, &db, &task);

    if (error)
        return error;
    error = task_steps(db, request->arena, task.task_id, &steps, &request->problem);
    if (error)
        return service_storage_error(request, error, "list_task_steps");
    error = task_events(db, request->arena, task.task_id,
                        query->events_limit.given ? query->events_limit.value : 0,
                        query->events_offset, &events, &total, &request->problem);
    if (error)
        return service_storage_error(request, error, "list_task_events_paginated");
    error = read_summary(request, db, &steps, &summary);
    if (error)
        return error;
    reply->object = detail_of(request, &task, &steps, &events, total, &summary);
    return ERROR_NONE;
}

static void line(struct text *out, const char *name, const char *value)
{
    text_append_format(out, "%s: %s\n", name, value ? value : "null");
}

enum error task_export_handle(struct request *request, struct reply *reply)
{
    struct task_record task = {0};
    struct db *db = NULL;
    struct text *out = &reply->body;
    enum error error = read_task(request, &db, &task);

    if (error)
        return error;
    text_append_string(out, "---\n");
    line(out, "task_id", task.task_id);
    line(out, "status", run_status_names[task.status]);
    line(out, "accepted_at", shown_time(request->arena, task.accepted_at));
    line(out, "duration_ms",
         task.duration_ms.given
             ? arena_print(request->arena, "%lld", (long long)task.duration_ms.value)
             : NULL);
    line(out, "model_count", arena_print(request->arena, "%lld", (long long)task.model_count));
    line(out, "dry_run", task.dry_run ? "true" : "false");
    text_append_format(out, "---\n\n## Prompt\n\n%s\n\n## Output\n\n%s\n", task.prompt,
                       task.output_text ? task.output_text : "_No output returned._");
    return ERROR_NONE;
}

enum error task_retry_handle(struct request *request, struct reply *reply)
{
    struct orchestration *orchestration = ARENA_NEW(request->arena, struct orchestration);
    struct orchestration_request wanted;
    struct task_record task = {0};
    struct db *db = NULL;
    enum error error = read_task(request, &db, &task);

    if (error)
        return error;
    if (task.status != RUN_FAILED && task.status != RUN_CANCELLED)
        return problem_set(&request->problem, ERROR_CONFLICT, "not_retriable",
                           "Only failed or cancelled tasks can be retried. Current status: %s",
                           run_status_names[task.status]);
    if (!*task.prompt)
        return problem_set(&request->problem, ERROR_CONFLICT, "not_retriable",
                           "The prompt of this task was not stored.");
    error = orchestration_rebuild(request->arena, db, &task, &wanted, &request->problem);
    if (!error)
        error = orchestrate(service_worker(request), request->arena, db, &wanted, orchestration,
                            &request->problem);
    if (error)
        return service_storage_error(request, error, "replace_task_snapshot");
    return task_answer_make(request, reply, orchestration);
}
