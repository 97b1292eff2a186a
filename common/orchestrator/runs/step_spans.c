/* A span for each call of a model. */
#include "orchestrator/runs/step_spans.h"

#include <math.h>
#include <string.h>

enum { SPANS_MAX = OUTBOX_MESSAGE_MAX };

static void append(const struct run *run, const struct step_record *step, struct text *out)
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
    span_append(&span, out);
}

void step_spans_send(const struct run *run)
{
    const struct worker_context *worker = run->worker;
    struct text out;

    if (!worker->trace || !worker->trace->sampled)
        return;
    text_start(&out, run->arena, SPANS_MAX);
    for (size_t i = 0; i < run->steps.count; i++) {
        size_t before = out.length;

        if (!run->steps.items[i].started_at.given || !run->steps.items[i].completed_at.given)
            continue;
        append(run, &run->steps.items[i], &out);
        if (!out.overflowed)
            continue;
        text_cut(&out, before);
        (void)!outbox_send(worker->spans, out.bytes, out.length);
        text_cut(&out, 0);
        append(run, &run->steps.items[i], &out);
    }
    if (out.length)
        (void)!outbox_send(worker->spans, out.bytes, out.length);
}
