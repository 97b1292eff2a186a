/* SQL that reads tasks. */
#include "orchestrator/storage/task_rows.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/list.h"
#include "text/fold.h"

enum { IDS_JSON_MAX = 1 << 20 };

#define OWNER struct model_statistics
static const struct field statistics_fields[] = {
    STRING(OWNER, model_id),
    INTEGER(OWNER, total_executions, .help = "Cancelled ones included."),
    INTEGER(OWNER, successful),
    INTEGER(OWNER, failed),
    NUMBER(OWNER, success_rate),
    NUMBER(OWNER, avg_duration_ms),
};
#undef OWNER
SCHEMA(model_statistics_schema, struct model_statistics, "ModelStatistics", statistics_fields);

static const struct statement read_task = {
    .name = "orch_task_read",
    .sql = "SELECT " TASK_COLUMNS " FROM orch_tasks WHERE task_id = ?",
};
static const struct statement list_tasks = {
    .name = "orch_task_list",
    .sql = "SELECT " TASK_COLUMNS " FROM orch_tasks"
           " WHERE (? = '' OR status = ?) AND (? = '' OR execution_mode = ?)"
           " AND (? = '' OR failure_code = ?) AND (? < 0 OR dry_run = ?)"
           " AND (? = '' OR accepted_at < ?) AND (? = '' OR prompt_folded LIKE ? ESCAPE '\\')"
           " AND (? = '' OR key_id = ?) ORDER BY accepted_at DESC, task_id DESC LIMIT ?",
};
static const struct statement list_newest = {
    .name = "orch_task_newest",
    .sql =
        "SELECT " TASK_COLUMNS " FROM orch_tasks ORDER BY accepted_at DESC, task_id DESC LIMIT ?",
};
static const struct statement list_session = {
    .name = "orch_task_session",
    .sql = "SELECT prompt, output_text FROM (SELECT prompt, output_text, accepted_at, task_id"
           " FROM orch_tasks WHERE session_id = ? AND status <> 'accepted'"
           " AND coalesce(key_id, '') = ? ORDER BY accepted_at DESC, task_id DESC LIMIT ?) AS turns"
           " ORDER BY accepted_at, task_id",
};
static const struct statement read_steps = {
    .name = "orch_steps_read",
    .sql =
        "SELECT " STEP_COLUMNS_READ " FROM orch_task_steps WHERE task_id = ? ORDER BY step_index",
};
static const struct statement read_steps_of = {
    .name = "orch_steps_of",
    .sql = "SELECT " STEP_COLUMNS_READ " FROM orch_task_steps WHERE task_id IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?}) ORDER BY task_id, step_index",
};
static const struct statement read_events = {
    .name = "orch_events_read",
    .sql = "SELECT " EVENT_COLUMNS " FROM orch_task_events WHERE task_id = ?"
           " ORDER BY sequence_no LIMIT ? OFFSET ?",
};
static const struct statement count_events = {
    .name = "orch_events_count",
    .sql = "SELECT count(*) FROM orch_task_events WHERE task_id = ?",
};
static const struct statement read_terminal = {
    .name = "orch_event_terminal",
    .sql = "SELECT " EVENT_COLUMNS " FROM orch_task_events WHERE task_id = ? AND event_type IN"
           " ('task.completed', 'task.failed', 'task.cancelled')"
           " ORDER BY sequence_no DESC LIMIT 1",
};
static const struct statement read_events_of = {
    .name = "orch_events_of",
    .sql = "SELECT " EVENT_COLUMNS " FROM orch_task_events WHERE task_id IN"
           " (SELECT CAST(value AS TEXT) FROM {json_text_rows:?})"
           " AND (? = 0 OR event_type LIKE 'task.%') ORDER BY task_id, sequence_no",
};
static const struct statement read_statistics = {
    .name = "orch_statistics",
    .sql = "SELECT model_id, count(*) AS total_executions,"
           " CAST(sum(CASE WHEN status = 'succeeded' THEN 1 ELSE 0 END) AS BIGINT) AS successful,"
           " CAST(sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS BIGINT) AS failed,"
           " CAST(coalesce(avg(duration_ms), 0) AS DOUBLE PRECISION) AS avg_duration_ms"
           " FROM orch_task_steps WHERE task_id IN (SELECT task_id FROM orch_tasks"
           " ORDER BY accepted_at DESC, task_id DESC LIMIT ?)"
           " GROUP BY model_id ORDER BY model_id",
};

enum error task_get(struct db *db, struct arena *arena, const char *task_id,
                    struct task_record *task, struct problem *problem)
{
    struct query *query = db_query(db, &read_task);
    enum error error;
    bool found;

    query_bind_text(query, task_id);
    error = query_read_one(query, &task_record_schema, task, arena, &found, problem);
    if (!error && !found)
        error = problem_set(problem, ERROR_NOT_FOUND, "task_not_found", "Task not found");
    return error;
}

/* Binds a name twice: the statement tests whether the filter is set, then compares. */
static void bind_name(struct query *query, const char *word)
{
    query_bind_text(query, word ? word : "");
    query_bind_text(query, word ? word : "");
}

static const char *name_at(const char *const *names, int position)
{
    return position < 0 ? NULL : names[position];
}

static bool filters_nothing(const struct task_filter *filter)
{
    return filter->status < 0 && filter->execution_mode < 0 && filter->failure_code < 0 &&
           !filter->dry_run.given && !filter->before.given && !filter->prompt_contains &&
           !filter->key_id;
}

static struct query *query_tasks(struct db *db, struct arena *arena,
                                 const struct task_filter *filter)
{
    struct query *query = db_query(db, filters_nothing(filter) ? &list_newest : &list_tasks);
    char before[CLOCK_TEXT_MAX] = "";
    const char *folded;

    if (filters_nothing(filter)) {
        query_bind_integer(query, filter->limit);
        return query;
    }
    folded = filter->prompt_contains ? text_fold(arena, filter->prompt_contains) : NULL;
    bind_name(query, name_at(run_status_names, filter->status));
    bind_name(query, name_at(execution_mode_names, filter->execution_mode));
    bind_name(query, name_at(failure_code_names, filter->failure_code));
    query_bind_integer(query, filter->dry_run.given ? 0 : -1);
    query_bind_integer(query, filter->dry_run.value);
    if (filter->before.given)
        clock_format(filter->before.value, before);
    bind_name(query, arena_copy_string(arena, before));
    query_bind_text(query, folded ? folded : "");
    query_bind_text(query, folded ? db_like_contains(arena, folded) : "");
    bind_name(query, filter->key_id);
    query_bind_integer(query, filter->limit);
    return query;
}

enum error task_list_recent(struct db *db, struct arena *arena, const struct task_filter *filter,
                            struct task_list *list, struct problem *problem)
{
    struct query *query = query_tasks(db, arena, filter);

    *list = (struct task_list){0};
    while (query_next(query))
        query_read(query, &task_record_schema, LIST_ADD(arena, list), arena);
    return query_end(query, problem);
}

enum error task_list_session(struct db *db, struct arena *arena, const char *session_id,
                             const char *key_id, int64_t most, struct task_list *list,
                             struct problem *problem)
{
    struct query *query = db_query(db, &list_session);

    *list = (struct task_list){0};
    query_bind_text(query, session_id);
    query_bind_text(query, key_id ? key_id : "");
    query_bind_integer(query, most);
    while (query_next(query))
        query_read(query, &task_record_schema, LIST_ADD(arena, list), arena);
    return query_end(query, problem);
}

static enum error collect_steps(struct query *query, struct arena *arena, struct step_list *steps,
                                struct problem *problem)
{
    *steps = (struct step_list){0};
    while (query_next(query))
        query_read(query, &step_record_schema, LIST_ADD(arena, steps), arena);
    return query_end(query, problem);
}

static enum error collect_events(struct query *query, struct arena *arena,
                                 struct event_list *events, struct problem *problem)
{
    *events = (struct event_list){0};
    while (query_next(query))
        query_read(query, &event_record_schema, LIST_ADD(arena, events), arena);
    return query_end(query, problem);
}

enum error task_steps(struct db *db, struct arena *arena, const char *task_id,
                      struct step_list *steps, struct problem *problem)
{
    struct query *query = db_query(db, &read_steps);

    query_bind_text(query, task_id);
    return collect_steps(query, arena, steps, problem);
}

static enum error read_count(struct db *db, const char *task_id, int64_t *total,
                             struct problem *problem)
{
    struct query *query = db_query(db, &count_events);

    query_bind_text(query, task_id);
    *total = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

enum error task_events(struct db *db, struct arena *arena, const char *task_id, int64_t limit,
                       int64_t offset, struct event_list *events, int64_t *total,
                       struct problem *problem)
{
    struct query *query = db_query(db, &read_events);
    enum error error;

    query_bind_text(query, task_id);
    query_bind_integer(query, limit ? limit : DB_ROWS_MAX - 1);
    query_bind_integer(query, offset);
    error = collect_events(query, arena, events, problem);
    return error || !total ? error : read_count(db, task_id, total, problem);
}

enum error task_terminal_event(struct db *db, struct arena *arena, const char *task_id,
                               struct event_list *event, struct problem *problem)
{
    struct query *query = db_query(db, &read_terminal);

    query_bind_text(query, task_id);
    return collect_events(query, arena, event, problem);
}

static const char *json_list(struct arena *arena, const struct string_list *texts)
{
    return json_of_strings(arena, IDS_JSON_MAX, texts->items, texts->count);
}

enum error task_steps_of(struct db *db, struct arena *arena, const struct string_list *task_ids,
                         struct step_list *steps, struct problem *problem)
{
    struct query *query = db_query(db, &read_steps_of);

    query_bind_json(query, json_list(arena, task_ids));
    return collect_steps(query, arena, steps, problem);
}

enum error task_events_of(struct db *db, struct arena *arena, const struct string_list *task_ids,
                          bool outer_only, struct event_list *events, struct problem *problem)
{
    struct query *query = db_query(db, &read_events_of);

    query_bind_json(query, json_list(arena, task_ids));
    query_bind_integer(query, outer_only);
    return collect_events(query, arena, events, problem);
}

enum error task_statistics(struct db *db, struct arena *arena, int64_t tasks,
                           struct statistics_list *list, struct problem *problem)
{
    struct query *query = db_query(db, &read_statistics);
    enum { MODELS_MAX = 1000 };

    *list =
        (struct statistics_list){.items = ARENA_ARRAY(arena, struct model_statistics, MODELS_MAX)};
    query_bind_integer(query, tasks);
    while (list->count < MODELS_MAX && query_next(query))
        query_read(query, &model_statistics_schema, &list->items[list->count++], arena);
    return query_end(query, problem);
}
