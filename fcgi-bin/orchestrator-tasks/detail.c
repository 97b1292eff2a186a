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

struct step_row {
    int64_t step_index;
    const char *model_id, *model_display_name;
    int backend;
    const char *provider;
    int status, failure_code;
    const char *failure_message, *output_text;
    bool output_truncated;
    struct optional_integer duration_ms, input_tokens, output_tokens;
    struct optional_number cost_usd;
    const char *executed_model_id, *started_at, *completed_at;
};

#define OWNER struct step_row
static const struct field step_fields[] = {
    INTEGER(OWNER, step_index),
    STRING(OWNER, model_id),
    STRING(OWNER, model_display_name),
    CHOICE(OWNER, backend, backend_names, .choice_count = BACKEND__MAX),
    STRING(OWNER, provider),
    CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    STRING(OWNER, output_text, .nullable = true, .help = "Its first 20000 characters."),
    BOOLEAN(OWNER, output_truncated),
    NULLABLE_INTEGER(OWNER, duration_ms),
    NULLABLE_INTEGER(OWNER, input_tokens),
    NULLABLE_INTEGER(OWNER, output_tokens),
    NULLABLE_NUMBER(OWNER, cost_usd),
    STRING(OWNER, executed_model_id, .nullable = true, .help = "The model that stood in."),
    STRING(OWNER, started_at, .nullable = true,
           .help = "When its call began; null where none was made, or it is not known."),
    STRING(OWNER, completed_at, .nullable = true),
};
#undef OWNER
static SCHEMA(step_schema, struct step_row, "TaskStep", step_fields);

struct event_row {
    const char *event_id;
    int64_t sequence_no;
    int event_type;
    const char *created_at;
    json_t *payload;
};

#define OWNER struct event_row
static const struct field event_fields[] = {
    STRING(OWNER, event_id),
    INTEGER(OWNER, sequence_no),
    CHOICE(OWNER, event_type, event_type_names, .choice_count = EVENT_TYPE__MAX),
    STRING(OWNER, created_at),
    JSON_OBJECT(OWNER, payload),
};
#undef OWNER
static SCHEMA(event_schema, struct event_row, "TaskEvent", event_fields);

struct task_detail {
    const char *task_id;
    int status;
    const char *accepted_at, *completed_at;
    struct optional_integer duration_ms;
    int execution_mode;
    const char *adapter_name;
    int failure_code;
    const char *failure_message;
    const struct model_name *model;
    OBJECT_LIST(struct model_name, requested_models);
    const char *output_text;
    bool was_decomposed;
    int64_t subtask_count;
    OBJECT_LIST(struct step_answer, results);
    const char *trace_id, *prompt;
    bool reasoning, dry_run;
    json_t *metadata;
    int64_t quorum;
    int merge_strategy, adapter_hint;
    bool cancel_on_quorum;
    const char *retry_of_task_id, *session_id;
    struct optional_integer winning_step_index;
    json_t *cancelled_steps;
    const char *cancel_reason;
    json_t *execution_details;
    OBJECT_LIST(struct step_row, steps);
    OBJECT_LIST(struct event_row, events);
    int64_t events_total;
};

#define OWNER struct task_detail
static const struct field detail_fields[] = {
    STRING(OWNER, task_id),
    CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),
    STRING(OWNER, accepted_at),
    STRING(OWNER, completed_at, .nullable = true),
    NULLABLE_INTEGER(OWNER, duration_ms),
    CHOICE(OWNER, execution_mode, execution_mode_names, .choice_count = EXECUTION_MODE__MAX),
    STRING(OWNER, adapter_name),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    OBJECT(OWNER, model, model_name_schema, .nullable = true),
    OBJECTS(OWNER, requested_models, model_name_schema),
    STRING(OWNER, output_text, .nullable = true),
    BOOLEAN(OWNER, was_decomposed),
    INTEGER(OWNER, subtask_count),
    OBJECTS(OWNER, results, step_answer_schema, .omit_if_null = true),
    STRING(OWNER, trace_id, .nullable = true),
    STRING(OWNER, prompt),
    BOOLEAN(OWNER, reasoning),
    BOOLEAN(OWNER, dry_run),
    JSON_OBJECT(OWNER, metadata),
    INTEGER(OWNER, quorum),
    CHOICE(OWNER, merge_strategy, merge_strategy_names, .choice_count = MERGE_STRATEGY__MAX),
    CHOICE(OWNER, adapter_hint, adapter_hint_names, .choice_count = ADAPTER_HINT__MAX),
    BOOLEAN(OWNER, cancel_on_quorum),
    STRING(OWNER, retry_of_task_id, .nullable = true),
    STRING(OWNER, session_id, .nullable = true),
    NULLABLE_INTEGER(OWNER, winning_step_index),
    JSON_VALUE(OWNER, cancelled_steps),
    STRING(OWNER, cancel_reason, .nullable = true),
    JSON_OBJECT(OWNER, execution_details),
    OBJECTS(OWNER, steps, step_schema),
    OBJECTS(OWNER, events, event_schema),
    INTEGER(OWNER, events_total),
};
#undef OWNER
SCHEMA(task_detail_schema, struct task_detail, "TaskDetail", detail_fields);

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

static enum error read_task(struct request *request, struct db **db, struct task_record *task)
{
    enum error error;

    if (!is_id(request->arguments[0]))
        return request_fault(request, "path", "task_id", "string_pattern_mismatch",
                             "String should be a lower-case UUID");
    error = service_database(request, db);
    if (!error)
        error = task_get(*db, request->arena, request->arguments[0], task, &request->problem);
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

static struct object_list step_rows(struct arena *arena, const struct step_list *steps)
{
    struct step_row *rows = ARENA_ARRAY(arena, struct step_row, steps->count);

    for (size_t i = 0; i < steps->count; i++) {
        const struct step_record *step = &steps->items[i];
        const char *shown =
            step->output_text ? text_beginning(arena, step->output_text, SHOWN_CHARACTERS) : NULL;

        rows[i] = (struct step_row){step->step_index,
                                    step->model_id,
                                    step->model_display_name,
                                    step->backend,
                                    step->provider,
                                    step->status,
                                    step->failure_code,
                                    step->failure_message,
                                    shown,
                                    shown && strlen(shown) < strlen(step->output_text),
                                    step->duration_ms,
                                    step->input_tokens,
                                    step->output_tokens,
                                    step->cost_usd,
                                    step->executed_model_id,
                                    shown_time(arena, step->started_at),
                                    shown_time(arena, step->completed_at)};
    }
    return (struct object_list){steps->count, rows};
}

static struct object_list event_rows(struct arena *arena, const struct event_list *events)
{
    struct event_row *rows = ARENA_ARRAY(arena, struct event_row, events->count);

    for (size_t i = 0; i < events->count; i++)
        rows[i] = (struct event_row){events->items[i].event_id, events->items[i].sequence_no,
                                     events->items[i].event_type,
                                     shown_time(arena, events->items[i].created_at),
                                     read_json(arena, events->items[i].payload)};
    return (struct object_list){events->count, rows};
}

static struct object_list result_rows(struct arena *arena, const struct task_record *task,
                                      const struct step_list *steps)
{
    struct step_answer *rows = ARENA_ARRAY(arena, struct step_answer, steps->count);

    for (size_t i = 0; i < steps->count; i++)
        rows[i] = step_answer_of(arena, &steps->items[i]);
    return (struct object_list){task->dry_run ? 0 : steps->count, rows};
}

/* The first event and the last, whatever page of them is asked for. */
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

static const struct task_detail *detail_of(struct request *request, const struct task_record *task,
                                           const struct step_list *steps,
                                           const struct event_list *events, int64_t total,
                                           const struct task_summary *summary)
{
    struct arena *arena = request->arena;
    struct task_detail *detail = ARENA_NEW(arena, struct task_detail);
    json_t *metadata = read_json(arena, task->metadata);

    *detail = (struct task_detail){
        .task_id = task->task_id,
        .status = task->status,
        .accepted_at = shown_time(arena, task->accepted_at),
        .completed_at = shown_time(arena, task->completed_at),
        .duration_ms = task->duration_ms,
        .execution_mode = task->execution_mode,
        .adapter_name = task_adapter(arena, task, steps->items, steps->count),
        .failure_code = task->failure_code,
        .failure_message = task->failure_message,
        .model = task_winner(arena, task, summary, steps->items, steps->count),
        .requested_models = summary->requested_models,
        .output_text = task->output_text,
        .was_decomposed = task->was_decomposed,
        .subtask_count = task->subtask_count,
        .results = result_rows(arena, task, steps),
        .trace_id = trace_id_of(arena, metadata),
        .prompt = task->prompt,
        .reasoning = task->reasoning,
        .dry_run = task->dry_run,
        .metadata = metadata,
        .quorum = task->quorum,
        .merge_strategy = task->merge_strategy,
        .adapter_hint = task->adapter_hint,
        .cancel_on_quorum = task->cancel_on_quorum,
        .retry_of_task_id = task->retry_of_task_id,
        .session_id = task->session_id,
        .winning_step_index = summary->winning_step,
        .cancelled_steps =
            summary->cancelled_steps ? summary->cancelled_steps : read_json(arena, "[]"),
        .cancel_reason = summary->cancel_reason,
        .execution_details = summary->details ? summary->details : read_json(arena, "{}"),
        .steps = step_rows(arena, steps),
        .events = event_rows(arena, events),
        .events_total = total};
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
    error = orchestration_rebuild(request->arena, db, &task, &wanted, &request->problem);
    if (!error)
        error = orchestrate(service_worker(request), request->arena, db, &wanted, orchestration,
                            &request->problem);
    if (error)
        return service_storage_error(request, error, "replace_task_snapshot");
    return task_answer_make(request, reply, orchestration);
}
