/* Spans of requests by OpenTelemetry's conventions for HTTP servers, and errors. */
#include "http/tracing.h"

#include "base/clock.h"
#include "base/log.h"
#include "http/http_internal.h"
#include "telemetry/error_report.h"
#include "telemetry/tracer.h"

#include <stdlib.h>
#include <string.h>

static const int64_t day_microseconds = INT64_C(86400000000);

void tracing_open(struct server *server)
{
    const struct http_policy *policy = &server->policy;

    server->errors.socket = -1;
    if (policy->span_socket && server->run_directory)
        tracer_open(server->run_directory, policy->span_socket);
    if (policy->error_socket && server->run_directory)
        outbox_open(&server->errors, server->run_directory, policy->error_socket);
}

void tracing_close(struct server *server)
{
    tracer_close();
    outbox_close(&server->errors);
}

/* The trace goes on below any caller; only some of them decide whether it is recorded. */
static void continue_trace(const struct serving *serving, struct trace_context *context)
{
    const struct http_policy *policy = serving->policy;

    trace_context_begin_child(&serving->caller, context);
    if (!policy_networks_contain(&policy->trace_callers, serving->request.client.resolved))
        trace_context_sample(context, policy->trace_share);
}

/* Without spans of our own, what the request calls continues the trace of the caller. */
void tracing_begin(struct serving *serving)
{
    struct request *request = &serving->request;
    struct trace_context passed_on;
    bool given = trace_context_read(request_header(request, "HTTP_TRACEPARENT"), &serving->caller);

    if (!serving->policy->span_socket)
        passed_on = serving->caller;
    else if (given)
        continue_trace(serving, &request->trace);
    else
        trace_context_begin(&request->trace, serving->policy->trace_share);
    if (serving->policy->span_socket)
        passed_on = request->trace;
    traced_begin(&serving->traced, request->id, &passed_on);
    cause_set(&serving->traced.cause);
}

/* When nginx read the first byte of the request, of "SECONDS SINCE": the time when it had the head,
 * and how long that took, in seconds. 0 where there is no such nginx, or its clock is another. */
static int64_t nginx_began_at(const struct request *request, int64_t now)
{
    const char *told = request_header(request, "NGINX_RECEIVED");
    char *end = NULL;
    double at = told ? strtod(told, &end) : 0, since = end && *end == ' ' ? strtod(end, &end) : 0;
    int64_t began = (int64_t)((at - since) * 1e6);

    return told && began > now - day_microseconds && began <= now ? began : 0;
}

/* The span of nginx, between the caller's and that of the responder. */
static void add_nginx(const struct serving *serving, struct span *below)
{
    const struct request *request = &serving->request;
    struct span span = {.name = "nginx", .kind = SPAN_SERVER, .ended_at = below->ended_at};

    span.started_at = nginx_began_at(request, below->ended_at);
    if (!span.started_at)
        return;
    if (span.started_at > below->started_at) /* its clock counts milliseconds */
        span.started_at = below->started_at;
    trace_context_begin_child(&request->trace, &span.context);
    memcpy(span.parent, below->parent, SPAN_ID_BYTES);
    memcpy(below->parent, span.context.span_id, SPAN_ID_BYTES);
    span_set_text(&span, "http.request.method", method_names[request->method]);
    span_set_text(&span, "url.path", request_shown_path(request));
    span_set_integer(&span, "http.response.status_code", GIVEN_INTEGER(serving->reply.status));
    span_set_text(&span, "assay.request_id", request->id);
    tracer_add(&span);
}

static void add_span(struct serving *serving)
{
    const struct request *request = &serving->request;
    const char *method = method_names[request->method];
    const char *route = request->route ? request->route->path : NULL;
    int64_t now = clock_unix_microseconds();
    struct span span = {.context = request->trace,
                        .name =
                            route ? arena_print(request->arena, "%s %s", method, route) : method,
                        .kind = SPAN_SERVER,
                        .started_at = now - (clock_monotonic_microseconds() - serving->started),
                        .ended_at = now,
                        .failure = serving->reply.status >= 500 ? serving->error_code : NULL};

    memcpy(span.parent, serving->caller.span_id, SPAN_ID_BYTES);
    add_nginx(serving, &span);
    span_set_text(&span, "http.request.method", method);
    span_set_text(&span, "http.route", route);
    span_set_text(&span, "url.path", request_shown_path(request));
    span_set_integer(&span, "http.response.status_code", GIVEN_INTEGER(serving->reply.status));
    span_set_text(&span, "error.type", serving->error_code);
    span_set_text(&span, "assay.family", serving->server->family->name);
    span_set_text(&span, "assay.request_id", request->id);
    traced_end(&serving->traced, &span);
    tracer_add(&span);
    tracer_flush();
}

static void send_error(const struct serving *serving)
{
    const struct request *request = &serving->request;
    char traceparent[TRACEPARENT_MAX] = "";
    const struct error_event event = {.code = serving->error_code ? serving->error_code
                                                                  : "internal_error",
                                      .service = serving->server->family->service->name,
                                      .family = serving->server->family->name,
                                      .method = method_names[request->method],
                                      .route = request->route ? request->route->path : NULL,
                                      .status = serving->reply.status,
                                      .request_id = request->id,
                                      .trace_id = traceparent,
                                      .timestamp = (double)clock_unix_microseconds() / 1e6};
    const char *message;

    trace_context_write(&request->trace, traceparent);
    message = error_event_write(request->arena, &event);
    if (message)
        (void)!outbox_send(&serving->server->errors, message, strlen(message));
}

/* The memory of the request may be gone, as after a stream that was broken off for it. */
void tracing_end(struct serving *serving)
{
    struct arena *arena = serving->request.arena;
    jmp_buf exhausted;

    if (setjmp(exhausted) == 0) {
        arena_on_exhausted(arena, &exhausted);
        if (serving->request.trace.sampled)
            add_span(serving);
        if (serving->policy->error_socket && serving->reply.status >= 500)
            send_error(serving);
    } else {
        log_event(LOG_WARNING, "span_not_sent", "out of memory");
    }
    arena_on_exhausted(arena, NULL);
}
