/* The frame of every task. */
#include "orchestrator/runs/task_run.h"

#include "base/clock.h"
#include "crypto/token.h"
#include "db/store.h"
#include "orchestrator/dispatch/browser_state.h"
#include "text/fold.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { PAYLOAD_MAX = 32 * 1024 * 1024, DEADLINE_MARGIN_SECONDS = 15 };

static const char *new_id(struct arena *arena)
{
    char *id = arena_alloc(arena, TOKEN_UUID_TEXT);

    token_uuid_ordered(id);
    return id;
}

const char *trace_id_of(struct arena *arena, const json_t *metadata)
{
    const char *text = json_string_value(json_object_get(metadata, "trace_id"));
    size_t length;

    if (!text)
        return NULL;
    while (isspace((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    return length ? arena_copy(arena, text, length) : NULL;
}

/* Metadata as it is stored, with further members. */
static const char *write_metadata(struct arena *arena, const json_t *metadata, const char *route,
                                  const char *trace_id)
{
    struct json_writer writer;
    struct text text;
    const char *key;
    json_t *value;

    text_start(&text, arena, PAYLOAD_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    json_object_foreach((json_t *)metadata, key, value)
    {
        if ((route && strcmp(key, "route") == 0) || (trace_id && strcmp(key, "trace_id") == 0))
            continue;
        writer_key(&writer, key);
        writer_value(&writer, value);
    }
    if (route)
        writer_key_string(&writer, "route", route);
    if (trace_id)
        writer_key_string(&writer, "trace_id", trace_id);
    writer_close_object(&writer);
    return text.bytes;
}

static void write_planned_step(struct json_writer *writer, const struct model *model, size_t index)
{
    writer_open_object(writer);
    writer_key_integer(writer, "step_index", (int64_t)index);
    writer_key_string(writer, "model_id", model->id);
    writer_key_string(writer, "display_name", model->display_name);
    writer_key_string(writer, "backend", backend_names[model->backend]);
    writer_key_string(writer, "provider", model->provider);
    writer_close_object(writer);
}

static const char *accepted_payload(struct arena *arena, const struct task_request *wanted)
{
    const struct plan *plan = wanted->plan;
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PAYLOAD_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_boolean(&writer, "dry_run", wanted->dry_run);
    writer_key(&writer, "execution_plan");
    writer_open_object(&writer);
    writer_key_integer(&writer, "quorum", plan->quorum);
    writer_key_string(&writer, "merge_strategy", merge_strategy_names[plan->merge_strategy]);
    writer_key_string(&writer, "adapter_hint", adapter_hint_names[plan->adapter_hint]);
    writer_key_boolean(&writer, "cancel_on_quorum", plan->cancel_on_quorum);
    writer_key(&writer, "steps");
    writer_open_array(&writer);
    for (size_t i = 0; i < plan->count; i++)
        write_planned_step(&writer, plan->models[i], i + 1);
    writer_close_array(&writer);
    writer_close_object(&writer);
    writer_close_object(&writer);
    return text.bytes;
}

static void fill_in_task(struct task_run *task_run, const struct task_request *wanted,
                         const char *accepted_at)
{
    struct run *run = &task_run->run;
    const struct plan *plan = wanted->plan;

    task_run->task = (struct task_record){
        .task_id = run->task_id,
        .status = RUN_ACCEPTED,
        .accepted_at = accepted_at,
        .prompt = wanted->prompt,
        .prompt_folded = text_fold(run->arena, wanted->prompt),
        .reasoning = plan->reasoning,
        .execution_mode = wanted->dry_run ? MODE_DRY_RUN : plan->execution_mode,
        .dry_run = wanted->dry_run,
        .model_count = (int64_t)plan->count,
        .quorum = plan->quorum,
        .merge_strategy = plan->merge_strategy,
        .adapter_hint = plan->adapter_hint,
        .cancel_on_quorum = plan->cancel_on_quorum,
        .failure_code = FAILURE_NONE,
        .metadata = write_metadata(run->arena, wanted->metadata, wanted->route, NULL),
        .retry_of_task_id = wanted->retry_of_task_id,
        .session_id = wanted->session_id,
        .decompose = wanted->decompose};
    task_run->accepted = (struct event_record){.sequence_no = 1,
                                               .event_type = EVENT_TASK_ACCEPTED,
                                               .created_at = accepted_at,
                                               .payload = accepted_payload(run->arena, wanted)};
}

static enum error store(struct run *run)
{
    const struct task_run *task_run = (const struct task_run *)run;

    _Static_assert(offsetof(struct task_run, run) == 0, "a run is the beginning of its task's");
    return task_begin(run->db, &task_run->task, &task_run->accepted, task_run->deadline_at,
                      run->problem);
}

enum error task_run_begin(struct task_run *task_run, const struct worker_context *worker,
                          struct arena *arena, struct db *db, const struct task_request *wanted,
                          bool late, struct problem *problem)
{
    double seconds = worker->settings->orchestrate_timeout_seconds > 0
                         ? worker->settings->orchestrate_timeout_seconds
                         : ORCHESTRATOR_DEADLINE_SECONDS;
    const char *trace_id = trace_id_of(arena, wanted->metadata);

    *task_run = (struct task_run){.plan = wanted->plan, .started = clock_monotonic_microseconds()};
    task_run->run = (struct run){.worker = worker,
                                 .arena = arena,
                                 .db = db,
                                 .task_id = new_id(arena),
                                 .trace_id = trace_id || wanted->dry_run ? trace_id : new_id(arena),
                                 .dry_run = wanted->dry_run,
                                 .deadline = task_run->started + (int64_t)(seconds * 1e6),
                                 .problem = problem};
    fill_in_task(task_run, wanted, store_now(arena));
    if (wanted->dry_run)
        return ERROR_NONE;
    clock_format(clock_unix_microseconds() + (int64_t)(seconds * 1e6) +
                     DEADLINE_MARGIN_SECONDS * INT64_C(1000000),
                 task_run->deadline_at);
    task_run->run.store = store;
    return late ? ERROR_NONE : run_store(&task_run->run);
}

/* Steps as events tell them. */
static const char *step_payload(struct arena *arena, const struct step_record *step)
{
    struct json_writer writer;
    struct text text;

    text_start(&text, arena, PAYLOAD_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_integer(&writer, "step_index", step->step_index);
    writer_key_string(&writer, "model_id", step->model_id);
    writer_key_string(&writer, "model_display_name", step->model_display_name);
    if (step->status == RUN_FAILED) {
        writer_key_string(&writer, "failure_code", failure_name(step->failure_code));
        writer_key_string(&writer, "failure_message", step->failure_message);
    } else if (step->duration_ms.given) {
        writer_key_integer(&writer, "duration_ms", step->duration_ms.value);
    } else {
        writer_key_null(&writer, "duration_ms");
    }
    if (step->details) {
        writer_key(&writer, "details");
        writer_raw(&writer, step->details);
    }
    writer_close_object(&writer);
    return text.bytes;
}

static void write_cancelled(struct json_writer *writer, const struct step_list *steps)
{
    writer_key(writer, "cancelled_steps");
    writer_open_array(writer);
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].status == RUN_CANCELLED)
            writer_integer(writer, steps->items[i].step_index);
    writer_close_array(writer);
}

static void write_failed(struct json_writer *writer, struct arena *arena,
                         const struct step_list *steps)
{
    writer_key(writer, "failed_steps");
    writer_open_array(writer);
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].status == RUN_FAILED)
            writer_raw(writer, step_payload(arena, &steps->items[i]));
    writer_close_array(writer);
}

static const char *terminal_payload(struct task_run *task_run, const struct outcome *outcome)
{
    const struct run *run = &task_run->run;
    struct json_writer writer;
    struct text text;

    text_start(&text, run->arena, PAYLOAD_MAX);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    if (outcome->status == RUN_SUCCEEDED) {
        if (outcome->winning_step)
            writer_key_integer(&writer, "winning_step_index", outcome->winning_step);
        else
            writer_key_null(&writer, "winning_step_index");
        writer_key_string(&writer, "winning_model_id",
                          outcome->winner ? outcome->winner->id : NULL);
        writer_key_integer(&writer, "duration_ms", task_run->task.duration_ms.value);
        write_cancelled(&writer, &run->steps);
        writer_key_string(&writer, "cancel_reason", outcome->cancel_reason);
    } else if (outcome->status == RUN_FAILED) {
        writer_key_string(&writer, "failure_code", failure_name(outcome->failure_code));
        writer_key_string(&writer, "failure_message", outcome->failure_message);
        write_failed(&writer, run->arena, &run->steps);
    } else {
        writer_key_string(&writer, "reason",
                          run->was_cancelled      ? "client_disconnect"
                          : run->reached_deadline ? "deadline"
                                                  : "operator");
        write_cancelled(&writer, &run->steps);
    }
    writer_key(&writer, "details");
    writer_raw(&writer, outcome->details ? outcome->details : "{}");
    writer_close_object(&writer);
    return text.bytes;
}

static int terminal_event(int status)
{
    if (status == RUN_SUCCEEDED)
        return EVENT_TASK_COMPLETED;
    return status == RUN_FAILED ? EVENT_TASK_FAILED : EVENT_TASK_CANCELLED;
}

/* Accepted (when nobody has stored it), each step that came to an end, and the end of the task. A
 * dry run tells of its beginning alone. */
static struct event_list make_events(struct task_run *task_run, const struct outcome *outcome)
{
    const struct run *run = &task_run->run;
    const char *now = task_run->task.completed_at;
    struct event_record *events =
        ARENA_ARRAY(run->arena, struct event_record, run->steps.count + 2);
    int64_t sequence = 1;
    size_t count = 0;

    if (run->dry_run) {
        events[count++] = task_run->accepted;
        return (struct event_list){count, events};
    }
    for (size_t i = 0; i < run->steps.count; i++) {
        const struct step_record *step = &run->steps.items[i];

        if (step->status == RUN_CANCELLED)
            continue;
        events[count++] = (struct event_record){
            .sequence_no = ++sequence,
            .event_type = step->status == RUN_FAILED ? EVENT_STEP_FAILED : EVENT_STEP_COMPLETED,
            .created_at = now,
            .payload = step_payload(run->arena, step)};
    }
    events[count++] = (struct event_record){.sequence_no = ++sequence,
                                            .event_type = terminal_event(outcome->status),
                                            .created_at = now,
                                            .payload = terminal_payload(task_run, outcome)};
    return (struct event_list){count, events};
}

/* A task that nobody is signed in for always has a trace id to be found by. */
static void keep_trace(struct task_run *task_run, int failure_code)
{
    struct run *run = &task_run->run;
    struct json_fault fault;
    json_t *metadata;

    if (failure_code != FAILURE_AUTH || !run->trace_id ||
        json_read(run->arena, task_run->task.metadata, strlen(task_run->task.metadata),
                  JSON_DEPTH_LIMIT, &metadata, &fault))
        return;
    task_run->task.metadata = write_metadata(run->arena, metadata, NULL, run->trace_id);
}

enum error task_run_end(struct task_run *task_run, const struct outcome *outcome)
{
    struct run *run = &task_run->run;
    struct task_record *task = &task_run->task;
    struct task_bundle bundle;
    enum error error;

    browser_budget_end(run->worker->region);
    task->status = outcome->status;
    task->completed_at = store_now(run->arena);
    task->duration_ms = GIVEN_INTEGER(
        run->dry_run ? 0 : (clock_monotonic_microseconds() - task_run->started) / 1000);
    task->execution_mode = outcome->execution_mode;
    task->failure_code = outcome->failure_code;
    task->failure_message = outcome->failure_message;
    task->output_text = outcome->output_text;
    keep_trace(task_run, outcome->failure_code);
    bundle = (struct task_bundle){*task, run->steps, make_events(task_run, outcome)};
    if (run->dry_run)
        return task_replace(run->db, &bundle, run->problem);
    error = db_begin(run->db, DB_WRITE, run->problem);
    if (error)
        return error;
    error = run_store(run);
    if (!error)
        error = spend_settle(run->db, run->holds, run->hold_count, run->problem);
    if (!error)
        error = task_finish(run->db, &bundle, run->problem);
    return db_finish(run->db, error, run->problem);
}
