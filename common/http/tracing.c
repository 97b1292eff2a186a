/* Spans of requests by OpenTelemetry's conventions for HTTP servers, and errors. */
#include "http/tracing.h"

#include "base/clock.h"
#include "base/log.h"
#include "http/http_internal.h"
#include "telemetry/error_report.h"
#include "telemetry/trace.h"

#include <string.h>

enum { SPAN_MAX = 8192 };

void tracing_open(struct server *server)
{
    const struct http_policy *policy = &server->policy;

    server->spans.socket = -1;
    server->errors.socket = -1;
    if (policy->span_socket && server->run_directory)
        outbox_open(&server->spans, server->run_directory, policy->span_socket);
    if (policy->error_socket && server->run_directory)
        outbox_open(&server->errors, server->run_directory, policy->error_socket);
}

void tracing_close(struct server *server)
{
    outbox_close(&server->spans);
    outbox_close(&server->errors);
}

void tracing_begin(struct serving *serving)
{
    struct request *request = &serving->request;

    serving->cause = (struct cause){.request_id = request->id};
    cause_set(&serving->cause);
    if (!serving->policy->span_socket)
        return;
    if (trace_context_read(request_header(request, "HTTP_TRACEPARENT"), &serving->caller))
        trace_context_begin_child(&serving->caller, &request->trace);
    else
        trace_context_begin(&request->trace, serving->policy->trace_share);
    if (request->trace.sampled)
        trace_context_write(&request->trace, serving->cause.trace);
}

static void send_span(const struct serving *serving)
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
    struct text bytes;

    memcpy(span.parent, serving->caller.span_id, SPAN_ID_BYTES);
    span_set_text(&span, "http.request.method", method);
    span_set_text(&span, "http.route", route);
    span_set_text(&span, "url.path", request->path);
    span_set_integer(&span, "http.response.status_code", GIVEN_INTEGER(serving->reply.status));
    span_set_text(&span, "error.type", serving->error_code);
    span_set_text(&span, "assay.family", serving->server->family->name);
    span_set_text(&span, "assay.request_id", request->id);
    text_start(&bytes, request->arena, SPAN_MAX);
    span_append(&span, &bytes);
    (void)!outbox_send(&serving->server->spans, bytes.bytes, bytes.length);
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
            send_span(serving);
        if (serving->policy->error_socket && serving->reply.status >= 500)
            send_error(serving);
    } else {
        log_event(LOG_WARNING, "span_not_sent", "out of memory");
    }
    arena_on_exhausted(arena, NULL);
}
