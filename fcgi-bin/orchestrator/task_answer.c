/* Orchestrations as answers. */
#include "orchestrator/task_answer.h"

#include "orchestrator/service.h"

#include <string.h>

#define OWNER struct model_name
static const struct field model_name_fields[] = {STRING(OWNER, id), STRING(OWNER, display_name)};
#undef OWNER
SCHEMA(model_name_schema, struct model_name, "ModelName", model_name_fields);

#define OWNER struct step_answer
static const struct field step_fields[] = {
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
    STRING(OWNER, started_at, .nullable = true,
           .help = "When its call began; null: none was made."),
    STRING(OWNER, completed_at, .nullable = true),
};
#undef OWNER
SCHEMA(step_answer_schema, struct step_answer, "StepResult", step_fields);

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
static const struct field answer_fields[] = {
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
    OBJECTS(OWNER, results, step_answer_schema, .omit_if_null = true,
            .help = "One per step of a live run."),
    STRING(OWNER, trace_id, .nullable = true),
    OBJECT(OWNER, accounting, accounting_schema),
};
#undef OWNER
SCHEMA(task_answer_schema, struct task_answer, "Orchestration", answer_fields);

struct step_answer step_answer_of(struct arena *arena, const struct step_record *step)
{
    return (struct step_answer){
        .step_index = step->step_index,
        .model_id = step->model_id,
        .model_display_name = step->model_display_name,
        .adapter_name = arena_print(arena, "%s.%s", backend_names[step->backend], step->provider),
        .status = step->status,
        .output_text = step->output_text,
        .failure_code = step->failure_code,
        .failure_message = step->failure_message,
        .duration_ms = step->duration_ms,
        .input_tokens = step->input_tokens,
        .output_tokens = step->output_tokens,
        .cost_usd = step->cost_usd,
        .started_at = shown_time(arena, step->started_at),
        .completed_at = shown_time(arena, step->completed_at)};
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
            refused[answer->refused.count++] = (struct refusal_answer){
                results[i].executed->id, failure_name(results[i].failure_code),
                results[i].failure_message};
    }
    return answer;
}

enum error task_answer_refuse(struct request *request, struct reply *reply,
                              const struct task_run *task_run, const struct outcome *outcome)
{
    struct json_writer writer;
    struct text text;
    const char *message = outcome->failure_message ? outcome->failure_message
                                                   : "Browser session is not authenticated.";

    if (task_run->run.trace_id)
        reply_add_header(reply, "x-trace-id", task_run->run.trace_id);
    if (outcome->status != RUN_FAILED || outcome->failure_code != FAILURE_AUTH)
        return ERROR_NONE;
    text_start(&text, request->arena, 4096);
    writer_start(&writer, &text);
    writer_open_object(&writer);
    writer_key_string(&writer, "code", "model_auth_required");
    writer_key_string(&writer, "message", message);
    writer_key_string(&writer, "trace_id", task_run->run.trace_id);
    writer_key_string(&writer, "task_id", task_run->run.task_id);
    writer_close_object(&writer);
    request->detail_json = text.bytes;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, "model_auth_required", "%s", message);
}

/* The time of the whole request was up, and the operator had set one. */
static enum error refuse_late(struct request *request, const struct orchestration *orchestration)
{
    if (service_settings(request)->orchestrate_timeout_seconds <= 0 ||
        !orchestration->task_run.run.reached_deadline ||
        orchestration->outcome.status == RUN_SUCCEEDED)
        return ERROR_NONE;
    request->who.detail = orchestration->task_run.run.task_id;
    return problem_set(&request->problem, ERROR_UNAVAILABLE, "orchestration_timeout",
                       "Orchestration request timed out.");
}

static struct object_list requested(struct arena *arena, const struct plan *plan)
{
    struct model_name *names = ARENA_ARRAY(arena, struct model_name, plan->count);

    for (size_t i = 0; i < plan->count; i++)
        names[i] = (struct model_name){plan->models[i]->id, plan->models[i]->display_name};
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
    *name = (struct model_name){outcome->winner->id, outcome->winner->display_name};
    return name;
}

static struct object_list steps_of(struct arena *arena, const struct step_list *steps)
{
    struct step_answer *answers = ARENA_ARRAY(arena, struct step_answer, steps->count);

    for (size_t i = 0; i < steps->count; i++)
        answers[i] = step_answer_of(arena, &steps->items[i]);
    return (struct object_list){steps->count, answers};
}

enum error task_answer_make(struct request *request, struct reply *reply,
                            const struct orchestration *orchestration)
{
    const struct task_run *task_run = &orchestration->task_run;
    const struct task_record *task = &task_run->task;
    struct task_answer *answer = ARENA_NEW(request->arena, struct task_answer);
    enum error error = task_answer_refuse(request, reply, task_run, &orchestration->outcome);

    if (!error)
        error = refuse_late(request, orchestration);
    if (error)
        return error;
    *answer = (struct task_answer){
        .task_id = task->task_id,
        .status = task->status,
        .accepted_at = shown_time(request->arena, task->accepted_at),
        .completed_at = shown_time(request->arena, task->completed_at),
        .duration_ms = task->duration_ms,
        .execution_mode = task->execution_mode,
        .adapter_name = orchestration->outcome.adapter_name,
        .failure_code = task->failure_code,
        .failure_message = task->failure_message,
        .model = winner_of(request->arena, orchestration),
        .requested_models = requested(request->arena, &orchestration->plan),
        .output_text = task->output_text,
        .was_decomposed = task->was_decomposed,
        .subtask_count = task->subtask_count,
        .results = steps_of(request->arena, &task_run->run.steps),
        .trace_id = task_run->run.trace_id,
        .accounting = accounting_of(&task_run->run, orchestration->results, orchestration->count)};
    reply->object = answer;
    return ERROR_NONE;
}
