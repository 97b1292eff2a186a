/* A span for each call of a model, and one for each attempt below it. */
#include "orchestrator/runs/step_spans.h"

#include "telemetry/tracer.h"

#include <math.h>
#include <string.h>

static struct trace_context add_step(const struct run *run, const struct step_record *step)
{
    const char *executed = step->executed_model_id ? step->executed_model_id : step->model_id;
    const char *failure =
        step->status == RUN_FAILED ? failure_code_names[step->failure_code] : NULL;
    struct span span = {.name = arena_print(run->arena, "chat %s", executed),
                        .kind = SPAN_CLIENT,
                        .started_at = step->started_at.value,
                        .ended_at = step->completed_at.value,
                        .failure = failure};

    trace_context_begin_child(run->worker->trace, &span.context);
    memcpy(span.parent, run->worker->trace->span_id, SPAN_ID_BYTES);
    span_set_text(&span, "gen_ai.operation.name", "chat");
    span_set_text(&span, "gen_ai.provider.name", step->provider);
    span_set_text(&span, "gen_ai.request.model", step->model_id);
    span_set_text(&span, "gen_ai.response.model", executed);
    span_set_integer(&span, "gen_ai.usage.input_tokens", step->input_tokens);
    span_set_integer(&span, "gen_ai.usage.output_tokens", step->output_tokens);
    if (step->cost_usd.given)
        span_set_integer(&span, "assay.cost_nano_usd",
                         GIVEN_INTEGER(llround(step->cost_usd.value * NANO_PER_DOLLAR)));
    span_set_text(&span, "error.type", failure);
    span_set_text(&span, "assay.task_id", run->task_id);
    span_set_integer(&span, "assay.step", GIVEN_INTEGER(step->step_index));
    tracer_add(&span);
    return span.context;
}

/* Without tokens and cost, which are those of the step: sums over all spans count them once. */
static void add_attempt(const struct run *run, const struct trace_context *step,
                        const struct traced_attempt *attempt)
{
    struct span span = {.name = arena_print(run->arena, "chat %s", attempt->model_name),
                        .kind = SPAN_CLIENT,
                        .started_at = attempt->started_at,
                        .ended_at = attempt->ended_at,
                        .failure = attempt->failure};

    if (!trace_context_read(attempt->trace, &span.context))
        trace_context_begin_child(step, &span.context);
    memcpy(span.parent, step->span_id, SPAN_ID_BYTES);
    span_set_text(&span, "gen_ai.operation.name", "chat");
    span_set_text(&span, "gen_ai.provider.name", attempt->provider);
    span_set_text(&span, "gen_ai.request.model", attempt->model_name);
    span_set_text(&span, "server.address", attempt->server);
    span_set_integer(&span, "http.response.status_code",
                     (struct optional_integer){attempt->status != 0, attempt->status});
    span_set_integer(&span, "http.request.resend_count",
                     (struct optional_integer){attempt->number > 1, attempt->number - 1});
    span_set_text(&span, "error.type", attempt->failure);
    span_set_text(&span, "assay.task_id", run->task_id);
    span_set_integer(&span, "assay.attempt", GIVEN_INTEGER(attempt->number));
    tracer_add(&span);
}

/* Steps that were joined have their attempts below the first one. */
static bool belongs_to(const struct traced_attempt *attempt, const struct step_record *step,
                       size_t steps)
{
    int64_t index = attempt->step_index <= (int64_t)steps ? attempt->step_index : 1;

    return index == step->step_index;
}

void step_spans_send(const struct run *run)
{
    const struct worker_context *worker = run->worker;

    if (!worker->trace || !worker->trace->sampled)
        return;
    for (size_t i = 0; i < run->steps.count; i++) {
        const struct step_record *step = &run->steps.items[i];
        struct trace_context context;

        if (!step->started_at.given || !step->completed_at.given)
            continue;
        context = add_step(run, step);
        for (size_t j = 0; j < run->traced.count; j++)
            if (belongs_to(&run->traced.items[j], step, run->steps.count))
                add_attempt(run, &context, &run->traced.items[j]);
    }
}
