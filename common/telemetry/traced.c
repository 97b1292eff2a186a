/* Spans of what a request or a job uses. */
#include "telemetry/traced.h"

#include "base/clock.h"
#include "telemetry/tracer.h"

#include <stdio.h>
#include <string.h>

enum { HOST_MAX = 256, NAME_MAX_BYTES = 128 };

/* What is added to a monotonic time to make it one since 1970. */
static int64_t behind(void)
{
    return clock_unix_microseconds() - clock_monotonic_microseconds();
}

static struct traced *traced_of(struct cause *cause)
{
    return (struct traced *)cause;
}

/* A span below the one at hand, or below `parent`. */
static struct span span_below(const struct cause *cause, const char *trace, const char *parent)
{
    struct trace_context above;
    struct span span = {.kind = SPAN_CLIENT};

    if (trace)
        (void)trace_context_read(trace, &span.context);
    (void)trace_context_read(parent ? parent : cause->trace, &above);
    memcpy(span.parent, above.span_id, SPAN_ID_BYTES);
    return span;
}

static void call_begins(struct cause *cause, const char *parent, char trace[CAUSE_TRACE])
{
    struct trace_context above, below;

    if (!trace_context_read(parent ? parent : cause->trace, &above))
        return;
    trace_context_begin_child(&above, &below);
    trace_context_write(&below, trace);
}

/* "host" of "https://host:443". */
static void host_of(const char *origin, char host[HOST_MAX])
{
    const char *start = strstr(origin, "://"), *end;

    start = start ? start + 3 : origin;
    end = *start == '[' ? strchr(start, ']') : strchr(start, ':');
    start += *start == '[';
    (void)!snprintf(host, HOST_MAX, "%.*s", (int)(end ? (size_t)(end - start) : strlen(start)),
                    start);
}

static void call_ended(struct cause *cause, const struct cause_call *call)
{
    struct traced *traced = traced_of(cause);
    struct span span = span_below(cause, call->trace, call->parent);
    char host[HOST_MAX];

    if (traced->call_spans++ >= TRACED_SPANS_MAX)
        return;
    host_of(call->origin, host);
    span.name = call->method;
    span.started_at = call->started_at + behind();
    span.ended_at = call->ended_at + behind();
    span.failure = call->failure;
    span_set_text(&span, "http.request.method", call->method);
    span_set_text(&span, "server.address", host);
    span_set_integer(&span, "http.response.status_code",
                     (struct optional_integer){call->status != 0, call->status});
    span_set_integer(&span, "http.request.resend_count",
                     (struct optional_integer){call->number > 1, (int64_t)call->number - 1});
    span_set_text(&span, "error.type", call->failure);
    tracer_add(&span);
}

static void database_used(struct cause *cause, const struct cause_database *use)
{
    struct traced *traced = traced_of(cause);
    struct span span;

    traced->statements += use->statements;
    traced->database_microseconds += use->ended_at - use->started_at;
    if (traced->database_spans++ >= TRACED_SPANS_MAX)
        return;
    span = span_below(cause, NULL, NULL);
    trace_context_begin_child(&traced->context, &span.context);
    span.name = use->name;
    span.started_at = use->started_at + behind();
    span.ended_at = use->ended_at + behind();
    span.failure = use->failure;
    span_set_text(&span, "db.system.name", use->system);
    span_set_text(&span, "db.query.summary", use->name);
    span_set_integer(&span, "assay.db.statements", GIVEN_INTEGER(use->statements));
    span_set_text(&span, "error.type", use->failure);
    tracer_add(&span);
}

static struct optional_integer known(int64_t value)
{
    return (struct optional_integer){value >= 0, value};
}

static void model_asked(struct cause *cause, const struct cause_model *model)
{
    struct span span = span_below(cause, model->trace, NULL);
    char name[NAME_MAX_BYTES];

    (void)!snprintf(name, sizeof name, "%s %s", model->operation,
                    model->asked_model ? model->asked_model : "");
    span.name = name;
    span.started_at = model->started_at + behind();
    span.ended_at = model->ended_at + behind();
    span.failure = model->failure;
    span_set_text(&span, "gen_ai.operation.name", model->operation);
    span_set_text(&span, "gen_ai.provider.name", model->provider);
    span_set_text(&span, "gen_ai.request.model", model->asked_model);
    span_set_text(&span, "gen_ai.response.model", model->answering_model);
    span_set_integer(&span, "gen_ai.usage.input_tokens", known(model->input_tokens));
    span_set_integer(&span, "gen_ai.usage.output_tokens", known(model->output_tokens));
    span_set_integer(&span, "assay.cost_nano_usd", known(model->cost_nano_dollars));
    span_set_text(&span, "error.type", model->failure);
    tracer_add(&span);
}

static const struct cause_watcher watcher = {.call_begins = call_begins,
                                             .call_ended = call_ended,
                                             .database_used = database_used,
                                             .model_asked = model_asked};

void traced_begin(struct traced *traced, const char *request_id,
                  const struct trace_context *context)
{
    static const struct trace_context none;

    *traced = (struct traced){.cause = {.request_id = request_id}, .context = *context};
    if (memcmp(context->trace_id, none.trace_id, TRACE_ID_BYTES) != 0)
        trace_context_write(context, traced->cause.trace);
    if (context->sampled && tracer_is_open())
        traced->cause.watcher = &watcher;
}

void traced_end(struct traced *traced, struct span *span)
{
    if (traced->statements) {
        span_set_integer(span, "assay.db.statements", GIVEN_INTEGER(traced->statements));
        span_set_number(span, "assay.db.seconds",
                        GIVEN_NUMBER((double)traced->database_microseconds / 1e6));
    }
    traced->cause.watcher = NULL;
}
