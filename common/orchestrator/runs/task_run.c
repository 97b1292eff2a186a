/* Life cycle of every task. */
#include "orchestrator/runs/task_run.h"

#include "base/clock.h"
#include "crypto/token.h"
#include "db/store.h"
#include "orchestrator/dispatch/browser_state.h"
#include "orchestrator/runs/step_spans.h"
#include "orchestrator/runs/stored_texts.h"
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

/* The stored metadata with further members. */
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

/* The payload of task.accepted. */
struct planned_step {
    int64_t step_index; /* from 1 */
    const char *model_id, *display_name;
    int backend;
    const char *provider;
};

#define OWNER struct planned_step
static const struct field planned_step_fields[] = {
    INTEGER(OWNER, step_index),
    STRING(OWNER, model_id),
    STRING(OWNER, display_name),
    CHOICE(OWNER, backend, backend_names, .choice_count = BACKEND__MAX),
    STRING(OWNER, provider),
};
#undef OWNER
static SCHEMA(planned_step_schema, struct planned_step, "PlannedStep", planned_step_fields);

struct execution_plan {
    int64_t quorum;
    int merge_strategy, adapter_hint;
    bool cancel_on_quorum;
    OBJECT_LIST(struct planned_step, steps);
};

#define OWNER struct execution_plan
static const struct field plan_fields[] = {
    INTEGER(OWNER, quorum),
    CHOICE(OWNER, merge_strategy, merge_strategy_names, .choice_count = MERGE_STRATEGY__MAX),
    CHOICE(OWNER, adapter_hint, adapter_hint_names, .choice_count = ADAPTER_HINT__MAX),
    BOOLEAN(OWNER, cancel_on_quorum),
    OBJECTS(OWNER, steps, planned_step_schema),
};
#undef OWNER
static SCHEMA(plan_schema, struct execution_plan, "ExecutionPlan", plan_fields);

struct accepted_payload {
    bool dry_run;
    const struct execution_plan *execution_plan;
};

#define OWNER struct accepted_payload
static const struct field accepted_fields[] = {BOOLEAN(OWNER, dry_run),
                                               OBJECT(OWNER, execution_plan, plan_schema)};
#undef OWNER
static SCHEMA(accepted_schema, struct accepted_payload, "TaskAccepted", accepted_fields);

static const char *accepted_payload(struct arena *arena, const struct task_request *wanted)
{
    const struct plan *plan = wanted->plan;
    struct planned_step *steps = ARENA_ARRAY(arena, struct planned_step, plan->count);
    const struct execution_plan execution_plan = {.quorum = plan->quorum,
                                                  .merge_strategy = plan->merge_strategy,
                                                  .adapter_hint = plan->adapter_hint,
                                                  .cancel_on_quorum = plan->cancel_on_quorum,
                                                  .steps = {plan->count, steps}};
    const struct accepted_payload payload = {.dry_run = wanted->dry_run,
                                             .execution_plan = &execution_plan};

    for (size_t i = 0; i < plan->count; i++)
        steps[i] = (struct planned_step){.step_index = (int64_t)i + 1,
                                         .model_id = plan->models[i]->id,
                                         .display_name = plan->models[i]->display_name,
                                         .backend = (int)plan->models[i]->backend,
                                         .provider = plan->models[i]->provider};
    return schema_json(arena, PAYLOAD_MAX, &accepted_schema, &payload);
}

/* The task as it is stored. */
static struct task_record stored_task(const struct task_run *task_run)
{
    struct task_record task = task_run->task;

    stored_texts_of_task(&task_run->run, &task);
    return task;
}

static void fill_in_task(struct task_run *task_run, const struct task_request *wanted,
                         int64_t accepted_at)
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
        .decompose = wanted->decompose,
        .key_id = run->worker && run->worker->key ? run->worker->key->payer.key_id : NULL};
    task_run->accepted = (struct event_record){.sequence_no = 1,
                                               .event_type = EVENT_TASK_ACCEPTED,
                                               .created_at = accepted_at,
                                               .payload = accepted_payload(run->arena, wanted)};
}

/* Also a task that has ended without a call is stored as accepted first: its end is written to it.
 */
static enum error store(struct run *run)
{
    const struct task_run *task_run = (const struct task_run *)run;
    struct task_record task = stored_task(task_run);

    _Static_assert(offsetof(struct task_run, run) == 0, "a run is the beginning of its task's");
    task.status = RUN_ACCEPTED;
    return task_begin(run->db, &task, &task_run->accepted,
                      run_seconds_left(run) + DEADLINE_MARGIN_SECONDS, run->problem);
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
    if (worker_redacts(worker)) {
        task_run->run.redaction = redaction_start(arena);
        redaction_note_typed(task_run->run.redaction, wanted->prompt);
    }
    fill_in_task(task_run, wanted, clock_unix_microseconds());
    if (wanted->dry_run)
        return ERROR_NONE;
    task_run->run.store = store;
    return late ? ERROR_NONE : run_store(&task_run->run);
}

/* The payloads of step.completed and step.failed. */
#define OWNER struct step_record
#define STEP_HEAD                                                                                  \
    INTEGER(OWNER, step_index), STRING(OWNER, model_id), STRING(OWNER, model_display_name)
static const struct field completed_step_fields[] = {
    STEP_HEAD,
    NULLABLE_INTEGER(OWNER, duration_ms),
    WRITTEN_JSON(OWNER, details, .omit_if_null = true),
};
static SCHEMA(completed_step_schema, struct step_record, "StepCompleted", completed_step_fields);

static const struct field failed_step_fields[] = {
    STEP_HEAD,
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    WRITTEN_JSON(OWNER, details, .omit_if_null = true),
};
#undef STEP_HEAD
#undef OWNER
static SCHEMA(failed_step_schema, struct step_record, "StepFailed", failed_step_fields);

/* The payloads of task.completed, task.failed and task.cancelled. */
struct terminal_payload {
    struct optional_integer winning_step_index;
    const char *winning_model_id;
    int64_t duration_ms;
    struct integer_list cancelled_steps;
    const char *cancel_reason;
    int failure_code;
    const char *failure_message;
    OBJECT_LIST(struct step_record, failed_steps);
    const char *reason;
    const char *details;
};

#define OWNER struct terminal_payload
static const struct field completed_fields[] = {
    NULLABLE_INTEGER(OWNER, winning_step_index),
    STRING(OWNER, winning_model_id, .nullable = true),
    INTEGER(OWNER, duration_ms),
    INTEGERS(OWNER, cancelled_steps),
    STRING(OWNER, cancel_reason, .nullable = true),
    WRITTEN_JSON(OWNER, details),
};
static SCHEMA(completed_schema, struct terminal_payload, "TaskCompleted", completed_fields);

static const struct field failed_fields[] = {
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    OBJECTS(OWNER, failed_steps, failed_step_schema),
    WRITTEN_JSON(OWNER, details),
};
static SCHEMA(failed_schema, struct terminal_payload, "TaskFailed", failed_fields);

static const struct field cancelled_fields[] = {
    STRING(OWNER, reason),
    INTEGERS(OWNER, cancelled_steps),
    WRITTEN_JSON(OWNER, details),
};
#undef OWNER
static SCHEMA(cancelled_schema, struct terminal_payload, "TaskCancelled", cancelled_fields);

static const char *step_payload(struct arena *arena, const struct step_record *step)
{
    return schema_json(arena, PAYLOAD_MAX,
                       step->status == RUN_FAILED ? &failed_step_schema : &completed_step_schema,
                       step);
}

static struct integer_list cancelled_steps(struct arena *arena, const struct step_list *steps)
{
    struct integer_list list = {.items = ARENA_ARRAY(arena, int64_t, steps->count + 1)};

    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].status == RUN_CANCELLED)
            list.items[list.count++] = steps->items[i].step_index;
    return list;
}

static struct object_list failed_steps(struct arena *arena, const struct step_list *steps)
{
    struct step_record *failed = ARENA_ARRAY(arena, struct step_record, steps->count + 1);
    size_t count = 0;

    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i].status == RUN_FAILED)
            failed[count++] = steps->items[i];
    return (struct object_list){count, failed};
}

static const char *terminal_payload(struct task_run *task_run, const struct outcome *outcome)
{
    const struct run *run = &task_run->run;
    const struct terminal_payload payload = {
        .winning_step_index = {outcome->winning_step != 0, outcome->winning_step},
        .winning_model_id = outcome->winner ? outcome->winner->id : NULL,
        .duration_ms = task_run->task.duration_ms.value,
        .cancelled_steps = cancelled_steps(run->arena, &run->steps),
        .cancel_reason = outcome->cancel_reason,
        .failure_code = outcome->failure_code,
        .failure_message = outcome->failure_message,
        .failed_steps = failed_steps(run->arena, &run->steps),
        .reason = run->was_cancelled      ? "client_disconnect"
                  : run->reached_deadline ? "deadline"
                                          : "operator",
        .details = outcome->details ? outcome->details : "{}"};

    return schema_json(run->arena, PAYLOAD_MAX,
                       outcome->status == RUN_SUCCEEDED ? &completed_schema
                       : outcome->status == RUN_FAILED  ? &failed_schema
                                                        : &cancelled_schema,
                       &payload);
}

static int terminal_event(int status)
{
    if (status == RUN_SUCCEEDED)
        return EVENT_TASK_COMPLETED;
    return status == RUN_FAILED ? EVENT_TASK_FAILED : EVENT_TASK_CANCELLED;
}

/* The events of a task: one for each ended step, and its end. A dry run has only the event of its
 * beginning. */
static struct event_list make_events(struct task_run *task_run, const struct outcome *outcome)
{
    const struct run *run = &task_run->run;
    int64_t now = task_run->task.completed_at.value;
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

/* Stores the trace id with a task that failed because the browser is not signed in. */
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

static void take_outcome(struct task_record *task, const struct outcome *outcome)
{
    task->status = outcome->status;
    task->execution_mode = outcome->execution_mode;
    task->failure_code = outcome->failure_code;
    task->failure_message = outcome->failure_message;
    task->output_text = outcome->output_text;
}

void task_run_compose(struct arena *arena, const struct task_request *wanted,
                      const struct past_task *past, struct task_bundle *bundle)
{
    struct task_run *task_run = ARENA_NEW(arena, struct task_run);
    struct task_record *task = &task_run->task;
    struct event_list ended;
    struct event_record *events;

    task_run->run = (struct run){.arena = arena, .task_id = new_id(arena), .steps = past->steps};
    fill_in_task(task_run, wanted, past->accepted_at);
    task->completed_at = GIVEN_INTEGER(past->completed_at);
    task->duration_ms = GIVEN_INTEGER((past->completed_at - past->accepted_at) / 1000);
    take_outcome(task, &past->outcome);
    ended = make_events(task_run, &past->outcome);
    events = ARENA_ARRAY(arena, struct event_record, ended.count + 1);
    events[0] = task_run->accepted;
    memcpy(events + 1, ended.items, ended.count * sizeof *events);
    *bundle = (struct task_bundle){*task, past->steps, {ended.count + 1, events}};
}

/* The ended task with its steps and events, as they are stored. */
static struct task_bundle stored_bundle(struct task_run *task_run, const struct outcome *outcome)
{
    struct run *run = &task_run->run;
    const struct step_list steps = run->steps;
    struct outcome told = *outcome;
    struct task_bundle bundle;

    run->steps = stored_texts_of_steps(run);
    stored_texts_of_outcome(run, &told);
    bundle = (struct task_bundle){stored_task(task_run), run->steps, make_events(task_run, &told)};
    run->steps = steps; /* the caller gets them whole */
    return bundle;
}

/* Books what the calls did cost, and what they used on the day of the first of them. */
static enum error book_calls(struct run *run)
{
    const struct spend_call spending = run_spending(run);
    char *day = arena_alloc(run->arena, WINDOW_DAY_MAX);
    enum error error = spend_book(&spending, run->holds, run->hold_count);

    window_day(run->hold_count && run->holds[0].held_at ? run->holds[0].held_at
                                                        : clock_unix_microseconds(),
               day);
    for (size_t i = 0; i < run->usage.count; i++)
        run->usage.items[i].day = day;
    return error ? error : usage_book(run->db, &run->usage, run->problem);
}

enum error task_run_end(struct task_run *task_run, const struct outcome *outcome)
{
    struct run *run = &task_run->run;
    struct task_record *task = &task_run->task;
    struct task_bundle bundle;
    enum error error;

    browser_budget_end(run);
    task->completed_at = GIVEN_INTEGER(clock_unix_microseconds());
    task->duration_ms = GIVEN_INTEGER(
        run->dry_run ? 0 : (clock_monotonic_microseconds() - task_run->started) / 1000);
    take_outcome(task, outcome);
    keep_trace(task_run, outcome->failure_code);
    bundle = stored_bundle(task_run, outcome);
    if (run->dry_run)
        return task_replace(run->db, &bundle, run->problem);
    error = db_begin_together(run->db, run->problem);
    if (error)
        return error;
    error = run_store(run);
    if (!error)
        error = book_calls(run);
    if (!error)
        error = task_finish(run->db, &bundle, run->problem);
    error = db_finish(run->db, error, run->problem);
    step_spans_send(run);
    return error;
}
