/* The schemas of tasks in answers, and the answer of an orchestration. */
#include "orchestrator/task_answer.h"
#include "orchestrator/front_error.h"

#include "orchestrator/service.h"

#include <string.h>

enum { DETAIL_MAX = 4096 };

#define OWNER struct model_name
static const struct field model_name_fields[] = {STRING(OWNER, id), STRING(OWNER, display_name)};
#undef OWNER
SCHEMA(model_name_schema, struct model_name, "ModelName", model_name_fields);

#define OWNER struct step_record
static const struct field step_result_fields[] = {
    INTEGER(OWNER, step_index, .help = "From 1, in the order of the plan."),
    STRING(OWNER, model_id),
    STRING(OWNER, model_display_name),
    STRING(OWNER, adapter_name),
    CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),
    STRING(OWNER, output_text, .nullable = true),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    NULLABLE_INTEGER(OWNER, duration_ms),
    NULLABLE_INTEGER(OWNER, input_tokens),
    NULLABLE_INTEGER(OWNER, output_tokens),
    NULLABLE_NUMBER(OWNER, cost_usd),
    MOMENT(OWNER, started_at, .time = TIME_Z, .help = "When its call began; null: none was made."),
    MOMENT(OWNER, completed_at, .time = TIME_Z),
};
SCHEMA(step_result_schema, struct step_record, "StepResult", step_result_fields);

static const struct field task_step_fields[] = {
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
    MOMENT(OWNER, started_at, .time = TIME_Z,
           .help = "When its call began; null where none was made, or it is not known."),
    MOMENT(OWNER, completed_at, .time = TIME_Z),
    MOMENT(OWNER, first_output_at, .time = TIME_Z,
           .help = "When the first piece of its answer came; null for answers that came whole."),
};
#undef OWNER
static SCHEMA(task_step_schema, struct step_record, "TaskStep", task_step_fields);

#define OWNER struct event_record
static const struct field task_event_fields[] = {
    STRING(OWNER, event_id),
    INTEGER(OWNER, sequence_no),
    CHOICE(OWNER, event_type, event_type_names, .choice_count = EVENT_TYPE__MAX),
    TIME(OWNER, created_at, .time = TIME_Z),
    WRITTEN_JSON(OWNER, payload),
};
#undef OWNER
static SCHEMA(task_event_schema, struct event_record, "TaskEvent", task_event_fields);

#define OWNER struct refusal_answer
static const struct field refusal_fields[] = {
    STRING(OWNER, model_id),
    STRING(OWNER, reason),
    STRING(OWNER, message, .nullable = true),
};
#undef OWNER
static SCHEMA(refusal_schema, struct refusal_answer, "Refusal", refusal_fields);

#define OWNER struct accounting_answer
static const struct field accounting_fields[] = {
    INTEGER(OWNER, calls, .help = "Of models, those inside of a pattern included."),
    NULLABLE_INTEGER(OWNER, input_tokens, .help = "null when a provider did not tell."),
    NULLABLE_INTEGER(OWNER, output_tokens),
    NULLABLE_INTEGER(OWNER, cached_input_tokens, .omit_if_null = true,
                     .help = "Part of the input, as the next one."),
    NULLABLE_INTEGER(OWNER, cache_write_tokens, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, reasoning_tokens, .omit_if_null = true, .help = "Part of the output."),
    NULLABLE_NUMBER(OWNER, cost_usd, .help = "What was booked, cancelled calls included."),
    INTEGER(OWNER, waited_ms, .help = "For places of models, all steps together."),
    OBJECTS(OWNER, refused, refusal_schema, .help = "Calls that gave no answer, and why."),
};
#undef OWNER
SCHEMA(accounting_schema, struct accounting_answer, "Accounting", accounting_fields);

#define OWNER struct task_answer
#define TASK_HEAD                                                                                  \
    STRING(OWNER, task_id),                                                                        \
        CHOICE(OWNER, status, run_status_names, .choice_count = RUN_STATUS__MAX),                  \
        TIME(OWNER, accepted_at, .time = TIME_Z), MOMENT(OWNER, completed_at, .time = TIME_Z),     \
        NULLABLE_INTEGER(OWNER, duration_ms),                                                      \
        CHOICE(OWNER, execution_mode, execution_mode_names, .choice_count = EXECUTION_MODE__MAX),  \
        STRING(OWNER, adapter_name)
#define TASK_FAILURE                                                                               \
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,             \
           .nullable = true),                                                                      \
        STRING(OWNER, failure_message, .nullable = true)
#define TASK_RESULT                                                                                \
    TASK_HEAD, TASK_FAILURE, OBJECT(OWNER, model, model_name_schema, .nullable = true),            \
        OBJECTS(OWNER, requested_models, model_name_schema),                                       \
        STRING(OWNER, output_text, .nullable = true), BOOLEAN(OWNER, was_decomposed),              \
        INTEGER(OWNER, subtask_count),                                                             \
        OBJECTS(OWNER, results, step_result_schema, .omit_if_null = true,                          \
                .help = "One per step of a live run."),                                            \
        STRING(OWNER, trace_id, .nullable = true)

static const struct field answer_fields[] = {
    TASK_RESULT,
    OBJECT(OWNER, accounting, accounting_schema),
};
SCHEMA(task_answer_schema, struct task_answer, "Orchestration", answer_fields);

static const struct field item_fields[] = {
    TASK_HEAD,
    OBJECT(OWNER, model, model_name_schema, .nullable = true),
    BOOLEAN(OWNER, dry_run),
    INTEGER(OWNER, model_count),
    OBJECTS(OWNER, requested_models, model_name_schema),
    INTEGER(OWNER, cancelled_step_count),
    STRING(OWNER, cancel_reason, .nullable = true),
    TASK_FAILURE,
    STRING(OWNER, prompt_preview, .help = "The first 120 characters."),
    STRING(OWNER, session_id, .nullable = true),
    NULLABLE_NUMBER(OWNER, cost_usd),
};
SCHEMA(task_item_schema, struct task_answer, "TaskItem", item_fields);

static const struct field detail_fields[] = {
    TASK_RESULT,
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
    OBJECTS(OWNER, steps, task_step_schema),
    OBJECTS(OWNER, events, task_event_schema),
    INTEGER(OWNER, events_total),
};
#undef TASK_RESULT
#undef TASK_FAILURE
#undef TASK_HEAD
#undef OWNER
SCHEMA(task_detail_schema, struct task_answer, "TaskDetail", detail_fields);

struct task_answer task_answer_of(const struct task_record *task)
{
    return (struct task_answer){.task_id = task->task_id,
                                .status = task->status,
                                .accepted_at = task->accepted_at,
                                .completed_at = task->completed_at,
                                .duration_ms = task->duration_ms,
                                .execution_mode = task->execution_mode,
                                .failure_code = task->failure_code,
                                .failure_message = task->failure_message,
                                .output_text = task->output_text,
                                .was_decomposed = task->was_decomposed,
                                .subtask_count = task->subtask_count,
                                .dry_run = task->dry_run,
                                .model_count = task->model_count,
                                .session_id = task->session_id,
                                .prompt = task->prompt,
                                .reasoning = task->reasoning,
                                .quorum = task->quorum,
                                .merge_strategy = task->merge_strategy,
                                .adapter_hint = task->adapter_hint,
                                .cancel_on_quorum = task->cancel_on_quorum,
                                .retry_of_task_id = task->retry_of_task_id};
}

struct object_list step_results(struct arena *arena, const struct task_record *task,
                                const struct step_list *steps)
{
    struct step_record *results = ARENA_ARRAY(arena, struct step_record, steps->count);

    for (size_t i = 0; i < steps->count; i++) {
        results[i] = steps->items[i];
        results[i].adapter_name =
            arena_print(arena, "%s.%s", backend_names[results[i].backend], results[i].provider);
    }
    return (struct object_list){task->dry_run ? 0 : steps->count, results};
}

/* A sum without an answer that was given would be no sum. */
static bool reports_tokens(const struct step_record *step)
{
    return step->backend != BACKEND_API || step->status != RUN_SUCCEEDED ||
           (step->input_tokens.given && step->output_tokens.given);
}

const struct accounting_answer *accounting_of(const struct run *run, const struct result *results,
                                              size_t count)
{
    struct accounting_answer *answer = ARENA_NEW(run->arena, struct accounting_answer);
    struct refusal_answer *refused = ARENA_ARRAY(run->arena, struct refusal_answer, count + 1);
    bool is_known = true;

    answer->calls = run->calls;
    answer->cached_input_tokens = run->cached_tokens;
    answer->cache_write_tokens = run->cache_write_tokens;
    answer->reasoning_tokens = run->reasoning_tokens;
    answer->refused.items = refused;
    for (size_t i = 0; i < run->steps.count; i++) {
        const struct step_record *step = &run->steps.items[i];

        run_add_count(&answer->input_tokens, step->input_tokens);
        run_add_count(&answer->output_tokens, step->output_tokens);
        if (step->cost_usd.given)
            answer->cost_usd = GIVEN_NUMBER(answer->cost_usd.value + step->cost_usd.value);
        is_known = is_known && reports_tokens(step);
    }
    if (!is_known)
        answer->input_tokens = answer->output_tokens = (struct optional_integer){0};
    for (size_t i = 0; i < count; i++) {
        answer->waited_ms += results[i].waited_ms;
        if (results[i].status == RUN_FAILED)
            refused[answer->refused.count++] =
                (struct refusal_answer){.model_id = results[i].executed->id,
                                        .reason = failure_name(results[i].failure_code),
                                        .message = results[i].failure_message};
    }
    return answer;
}

/* The `detail` of the refusal when no user is signed in. */
struct sign_in_detail {
    const char *code, *message, *trace_id, *task_id;
};

#define OWNER struct sign_in_detail
static const struct field sign_in_fields[] = {
    STRING(OWNER, code),
    STRING(OWNER, message),
    STRING(OWNER, trace_id, .nullable = true),
    STRING(OWNER, task_id),
};
#undef OWNER
static SCHEMA(sign_in_schema, struct sign_in_detail, "SignInRequired", sign_in_fields);

enum error task_answer_refuse(struct request *request, struct reply *reply,
                              const struct task_run *task_run, const struct outcome *outcome)
{
    const struct sign_in_detail detail = {.code = "model_auth_required",
                                          .message = outcome->failure_message
                                                         ? outcome->failure_message
                                                         : "Browser session is not authenticated.",
                                          .trace_id = task_run->run.trace_id,
                                          .task_id = task_run->run.task_id};

    if (task_run->run.trace_id)
        reply_add_header(reply, "x-trace-id", task_run->run.trace_id);
    if (outcome->status == RUN_FAILED && task_run->run.key_refusal.message)
        return key_refuse(request, reply, &task_run->run.key_refusal);
    if (outcome->status != RUN_FAILED || outcome->failure_code != FAILURE_AUTH)
        return ERROR_NONE;
    request->detail_json = schema_json(request->arena, DETAIL_MAX, &sign_in_schema, &detail);
    return problem_set(&request->problem, ERROR_UNAVAILABLE, detail.code, "%s", detail.message);
}

/* The time of the whole request was up, and the operator had set one. */
static enum error refuse_late(struct request *request, const struct orchestration *orchestration)
{
    if (service_settings(request)->orchestrate_timeout_seconds <= 0 ||
        !orchestration->task_run.run.reached_deadline ||
        orchestration->outcome.status == RUN_SUCCEEDED)
        return ERROR_NONE;
    service_caller(request)->late_task = orchestration->task_run.run.task_id;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, "orchestration_timeout",
                       "Orchestration request timed out.");
}

static struct object_list requested(struct arena *arena, const struct plan *plan)
{
    struct model_name *names = ARENA_ARRAY(arena, struct model_name, plan->count);

    for (size_t i = 0; i < plan->count; i++)
        names[i] = (struct model_name){.id = plan->models[i]->id,
                                       .display_name = plan->models[i]->display_name};
    return (struct object_list){plan->count, names};
}

static const struct model_name *winner_of(struct arena *arena,
                                          const struct orchestration *orchestration)
{
    const struct outcome *outcome = &orchestration->outcome;
    struct model_name *name;

    if (orchestration->task_run.run.dry_run || outcome->status != RUN_SUCCEEDED || !outcome->winner)
        return NULL;
    name = ARENA_NEW(arena, struct model_name);
    *name = (struct model_name){.id = outcome->winner->id,
                                .display_name = outcome->winner->display_name};
    return name;
}

enum error task_answer_make(struct request *request, struct reply *reply,
                            const struct orchestration *orchestration)
{
    const struct task_run *task_run = &orchestration->task_run;
    struct task_answer *answer = ARENA_NEW(request->arena, struct task_answer);
    enum error error = task_answer_refuse(request, reply, task_run, &orchestration->outcome);

    if (!error)
        error = refuse_late(request, orchestration);
    if (error)
        return error;
    *answer = task_answer_of(&task_run->task);
    answer->adapter_name = orchestration->outcome.adapter_name;
    answer->model = winner_of(request->arena, orchestration);
    answer->requested_models = requested(request->arena, &orchestration->plan);
    answer->results = step_results(request->arena, &task_run->task, &task_run->run.steps);
    answer->trace_id = task_run->run.trace_id;
    answer->accounting =
        accounting_of(&task_run->run, orchestration->results, orchestration->count);
    reply->object = answer;
    return ERROR_NONE;
}
