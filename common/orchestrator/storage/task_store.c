/* SQL that writes tasks. */
#include "orchestrator/storage/task_rows.h"

#include "base/clock.h"
#include "base/text.h"
#include "crypto/token.h"
#include "db/store.h"
#include "orchestrator/keys/usage_store.h"
#include "orchestrator/storage/spend_store.h"

#include <string.h>

enum { SWEEP_BATCH = 50, EVICT_BATCH = 500 };

static const double nano_per_dollar = 1e9;

static const struct statement insert_task = {
    .name = "orch_task_insert",
    .sql = "INSERT INTO orch_tasks (" TASK_COLUMNS ", prompt_folded) VALUES (?, ?, ?, ?, ?, ?, ?,"
           " ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement end_task = {
    .name = "orch_task_end",
    .sql = "UPDATE orch_tasks SET status = ?, completed_at = ?, duration_ms = ?,"
           " execution_mode = ?, failure_code = ?, failure_message = ?, output_text = ?,"
           " metadata = ?, was_decomposed = ?, subtask_count = ?"
           " WHERE task_id = ? AND status = 'accepted'",
};
static const struct statement delete_task = {
    .name = "orch_task_delete",
    .sql = "DELETE FROM orch_tasks WHERE task_id = ?",
};
static const struct statement insert_step = {
    .name = "orch_step_insert",
    .sql = "INSERT INTO orch_task_steps (" STEP_COLUMNS
           ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};
static const struct statement insert_event = {
    .name = "orch_event_insert",
    .sql = "INSERT INTO orch_task_events (" EVENT_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?)",
};
static const struct statement insert_run = {
    .name = "orch_run_insert",
    .sql = "INSERT INTO orch_runs (task_id, deadline_at) VALUES (?, {now_plus:?})",
};
static const struct statement delete_run = {
    .name = "orch_run_delete",
    .sql = "DELETE FROM orch_runs WHERE task_id = ?",
};
static const struct statement late_runs = {
    .name = "orch_runs_late",
    .sql = "SELECT task_id FROM orch_runs WHERE deadline_at < {now} ORDER BY deadline_at LIMIT ?",
};
static const struct statement last_sequence = {
    .name = "orch_event_last",
    .sql = "SELECT CAST(coalesce(max(sequence_no), 0) AS BIGINT) FROM orch_task_events"
           " WHERE task_id = ?",
};
static const struct statement oldest_kept = {
    .name = "orch_task_oldest_kept",
    .sql = "SELECT accepted_at FROM orch_tasks ORDER BY accepted_at DESC, task_id DESC"
           " LIMIT 1 OFFSET ?",
};
static const struct statement evict_tasks = {
    .name = "orch_task_evict",
    .sql = "DELETE FROM orch_tasks WHERE task_id IN (SELECT task_id FROM orch_tasks"
           " WHERE accepted_at < ? ORDER BY accepted_at LIMIT ?)",
};

/* Timestamps are stored as text, which must live until the query ends. */
typedef char time_text[CLOCK_TEXT_MAX];

static void bind_time(struct query *query, struct optional_integer time, time_text text)
{
    if (time.given)
        clock_format(time.value, text);
    query_bind_text(query, time.given ? text : NULL);
}

static void bind_task(struct query *query, const struct task_record *task, time_text times[2])
{
    query_bind_text(query, task->task_id);
    query_bind_text(query, run_status_names[task->status]);
    bind_time(query, GIVEN_INTEGER(task->accepted_at), times[0]);
    bind_time(query, task->completed_at, times[1]);
    query_bind_optional_integer(query, task->duration_ms);
    query_bind_text(query, task->prompt);
    query_bind_boolean(query, task->reasoning);
    query_bind_text(query, execution_mode_names[task->execution_mode]);
    query_bind_boolean(query, task->dry_run);
    query_bind_integer(query, task->model_count);
    query_bind_integer(query, task->quorum);
    query_bind_text(query, merge_strategy_names[task->merge_strategy]);
    query_bind_text(query, adapter_hint_names[task->adapter_hint]);
    query_bind_boolean(query, task->cancel_on_quorum);
    query_bind_text(query, failure_name(task->failure_code));
    query_bind_text(query, task->failure_message);
    query_bind_text(query, task->output_text);
    query_bind_text(query, task->metadata);
    query_bind_text(query, task->retry_of_task_id);
    query_bind_text(query, task->session_id);
    query_bind_boolean(query, task->was_decomposed);
    query_bind_integer(query, task->subtask_count);
    query_bind_boolean(query, task->decompose);
    query_bind_text(query, task->key_id);
}

static enum error write_task(struct db *db, const struct task_record *task, struct problem *problem)
{
    struct query *query = db_query(db, &insert_task);
    time_text times[2];

    bind_task(query, task, times);
    query_bind_text(query, task->prompt_folded);
    return query_end(query, problem);
}

static enum error write_step(struct db *db, const char *task_id, const struct step_record *step,
                             struct problem *problem)
{
    struct query *query = db_query(db, &insert_step);
    time_text started_at, completed_at, first_output_at;

    query_bind_text(query, task_id);
    query_bind_integer(query, step->step_index);
    query_bind_text(query, step->model_id);
    query_bind_text(query, step->model_display_name);
    query_bind_text(query, backend_names[step->backend]);
    query_bind_text(query, step->provider);
    query_bind_text(query, run_status_names[step->status]);
    query_bind_text(query, failure_name(step->failure_code));
    query_bind_text(query, step->failure_message);
    query_bind_text(query, step->output_text);
    query_bind_optional_integer(query, step->duration_ms);
    query_bind_optional_integer(query, step->input_tokens);
    query_bind_optional_integer(query, step->output_tokens);
    query_bind_optional_number(query, step->cost_usd);
    query_bind_text(query, step->executed_model_id);
    bind_time(query, step->started_at, started_at);
    bind_time(query, step->completed_at, completed_at);
    bind_time(query, step->first_output_at, first_output_at);
    return query_end(query, problem);
}

static enum error write_event(struct db *db, const char *task_id, const struct event_record *event,
                              struct problem *problem)
{
    struct query *query = db_query(db, &insert_event);
    char id[TOKEN_UUID_TEXT];
    time_text created_at;

    token_uuid_ordered(id);
    query_bind_text(query, event->event_id ? event->event_id : id);
    query_bind_text(query, task_id);
    query_bind_integer(query, event->sequence_no);
    query_bind_text(query, event_type_names[event->event_type]);
    bind_time(query, GIVEN_INTEGER(event->created_at), created_at);
    query_bind_text(query, event->payload);
    return query_end(query, problem);
}

static enum error write_rest(struct db *db, const struct task_bundle *bundle,
                             struct problem *problem)
{
    enum error error = ERROR_NONE;

    for (size_t i = 0; !error && i < bundle->steps.count; i++)
        error = write_step(db, bundle->task.task_id, &bundle->steps.items[i], problem);
    for (size_t i = 0; !error && i < bundle->events.count; i++)
        error = write_event(db, bundle->task.task_id, &bundle->events.items[i], problem);
    return error;
}

static enum error run_with_id(struct db *db, const struct statement *statement, const char *task_id,
                              struct problem *problem)
{
    struct query *query = db_query(db, statement);

    query_bind_text(query, task_id);
    return query_end(query, problem);
}

static enum error write_run(struct db *db, const char *task_id, double seconds,
                            struct problem *problem)
{
    struct query *query = db_query(db, &insert_run);

    query_bind_text(query, task_id);
    query_bind_number(query, seconds);
    return query_end(query, problem);
}

enum error task_begin(struct db *db, const struct task_record *task,
                      const struct event_record *accepted, double seconds, struct problem *problem)
{
    enum error error = db_begin_together(db, problem);

    if (error)
        return error;
    error = write_task(db, task, problem);
    if (!error)
        error = write_event(db, task->task_id, accepted, problem);
    if (!error)
        error = write_run(db, task->task_id, seconds, problem);
    return db_finish(db, error, problem);
}

static enum error update_task(struct db *db, const struct task_record *task,
                              struct problem *problem)
{
    struct query *query = db_query(db, &end_task);
    time_text completed_at;
    int64_t changed;
    enum error error;

    query_bind_text(query, run_status_names[task->status]);
    bind_time(query, task->completed_at, completed_at);
    query_bind_optional_integer(query, task->duration_ms);
    query_bind_text(query, execution_mode_names[task->execution_mode]);
    query_bind_text(query, failure_name(task->failure_code));
    query_bind_text(query, task->failure_message);
    query_bind_text(query, task->output_text);
    query_bind_text(query, task->metadata);
    query_bind_boolean(query, task->was_decomposed);
    query_bind_integer(query, task->subtask_count);
    query_bind_text(query, task->task_id);
    changed = query_changes(query);
    error = query_end(query, problem);
    if (!error && changed == 0)
        error = problem_set(problem, ERROR_CONFLICT, "task_ended", "The task has ended already.");
    return error;
}

enum error task_finish(struct db *db, const struct task_bundle *bundle, struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = update_task(db, &bundle->task, problem);
    if (!error)
        error = run_with_id(db, &delete_run, bundle->task.task_id, problem);
    if (!error)
        error = write_rest(db, bundle, problem);
    return db_finish(db, error, problem);
}

enum error task_replace(struct db *db, const struct task_bundle *bundle, struct problem *problem)
{
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = run_with_id(db, &delete_task, bundle->task.task_id, problem);
    if (!error)
        error = write_task(db, &bundle->task, problem);
    if (!error)
        error = write_rest(db, bundle, problem);
    return db_finish(db, error, problem);
}

static enum error read_last_sequence(struct db *db, const char *task_id, int64_t *last,
                                     struct problem *problem)
{
    struct query *query = db_query(db, &last_sequence);

    query_bind_text(query, task_id);
    *last = query_next(query) ? query_integer(query, 0) : 0;
    return query_end(query, problem);
}

/* A step for each call whose end nobody saw, with the cost that is booked for it. */
static struct step_list abandoned_steps(struct arena *arena, const struct abandoned_holds *holds,
                                        const char *message)
{
    struct step_record *steps = ARENA_ARRAY(arena, struct step_record, holds->count);

    for (size_t i = 0; i < holds->count; i++)
        steps[i] = (struct step_record){
            .step_index = (int64_t)i + 1,
            .model_id = holds->items[i].model_id,
            .model_display_name = holds->items[i].model_id,
            .backend = BACKEND_API,
            .provider = holds->items[i].provider,
            .status = RUN_FAILED,
            .failure_code = FAILURE_UNKNOWN,
            .failure_message = message,
            .cost_usd = GIVEN_NUMBER((double)holds->items[i].nano_usd / nano_per_dollar)};
    return (struct step_list){holds->count, steps};
}

static enum error book_abandoned_usage(struct db *db, struct arena *arena,
                                       const struct abandoned_holds *holds, struct problem *problem)
{
    struct usage_list usage = {0};

    for (size_t i = 0; i < holds->count; i++)
        usage_add(arena, &usage,
                  &(struct usage){.day = holds->items[i].day,
                                  .key_id = holds->items[i].key_id,
                                  .team_id = holds->items[i].team_id,
                                  .customer_id = holds->items[i].customer_id,
                                  .model_id = holds->items[i].model_id,
                                  .provider = holds->items[i].provider,
                                  .calls = 1,
                                  .failures = 1,
                                  .nano_usd = holds->items[i].nano_usd});
    return usage_book(db, &usage, problem);
}

/* Ends an abandoned task as failed and books what it holds. */
static enum error end_abandoned(struct db *db, struct arena *arena, const char *task_id,
                                int64_t *swept, struct problem *problem)
{
    static const char message[] = "The worker that ran this task is gone.";
    struct event_record event = {.event_type = EVENT_TASK_FAILED,
                                 .payload =
                                     "{\"failure_code\":\"unknown_error\",\"failure_message\""
                                     ":\"The worker that ran this task is gone.\","
                                     "\"failed_steps\":[],\"details\":{}}"};
    struct task_bundle bundle = {.events = {1, &event}};
    const struct spend_call spending = {
        .db = db, .arena = arena, .task_id = task_id, .problem = problem};
    struct abandoned_holds holds = {0};
    enum error error = db_begin(db, DB_WRITE, problem);

    if (error)
        return error;
    error = spend_book_abandoned(&spending, &holds);
    if (!error)
        error = task_get(db, arena, task_id, &bundle.task, problem);
    if (!error)
        error = read_last_sequence(db, task_id, &event.sequence_no, problem);
    if (!error && bundle.task.status == RUN_ACCEPTED) {
        event.sequence_no++;
        event.created_at = clock_unix_microseconds();
        bundle.task.completed_at = GIVEN_INTEGER(event.created_at);
        bundle.task.status = RUN_FAILED;
        bundle.task.failure_code = FAILURE_UNKNOWN;
        bundle.task.failure_message = message;
        bundle.steps = abandoned_steps(arena, &holds, message);
        error = task_finish(db, &bundle, problem);
        ++*swept;
    } else if (!error) {
        error = run_with_id(db, &delete_run, task_id, problem);
    }
    if (!error)
        error = book_abandoned_usage(db, arena, &holds, problem);
    return db_finish(db, error, problem);
}

static enum error find_late(struct db *db, struct arena *arena, struct string_list *late,
                            struct problem *problem)
{
    struct query *query = db_query(db, &late_runs);

    late->count = 0;
    query_bind_integer(query, SWEEP_BATCH);
    while (late->count < SWEEP_BATCH && query_next(query))
        late->items[late->count++] = query_text(query, 0, arena);
    return query_end(query, problem);
}

enum error task_sweep(struct db *db, struct arena *arena, int64_t *swept, struct problem *problem)
{
    struct string_list late = {.items = ARENA_ARRAY(arena, const char *, SWEEP_BATCH)};
    enum error error;

    *swept = 0;
    do {
        error = find_late(db, arena, &late, problem);
        for (size_t i = 0; !error && i < late.count; i++) {
            error = end_abandoned(db, arena, late.items[i], swept, problem);
            if (error == ERROR_CONFLICT) /* its worker was only slow, and ended the task first */
                error = ERROR_NONE;
        }
    } while (!error && late.count == SWEEP_BATCH);
    return error;
}

enum error task_evict(struct db *db, struct arena *arena, int64_t most, struct problem *problem)
{
    struct query *query = db_query(db, &oldest_kept);
    const char *oldest = NULL;
    enum error error;

    query_bind_integer(query, most - 1);
    if (query_next(query))
        oldest = query_text(query, 0, arena);
    error = query_end(query, problem);
    if (!error && oldest) {
        query = db_query(db, &evict_tasks);
        query_bind_text(query, oldest);
        query_bind_integer(query, EVICT_BATCH);
        error = query_end(query, problem);
    }
    return error;
}
