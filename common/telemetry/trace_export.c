/* Collects spans into batches and posts them. */
#include "telemetry/trace_export.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/protobuf.h"
#include "telemetry/otlp.h"
#include "telemetry/outbox.h"

#include <stdlib.h>
#include <string.h>

/* Fields of opentelemetry/proto/collector/trace/v1/trace_service.proto and its imports. */
enum {
    REQUEST_RESOURCE_SPANS = 1,
    RESOURCE_SPANS_RESOURCE = 1,
    RESOURCE_SPANS_SCOPE_SPANS = 2,
    SCOPE_SPANS_SCOPE = 1
};

enum {
    WAIT_MILLISECONDS = 100,
    OLDEST_MICROSECONDS = 1000000, /* of a span that waits here */
    BATCH_BYTES = 512 * 1024,
    REQUEST_MAX = 1024 * 1024,
    MEMORY = 8 * 1024 * 1024,
    SETTINGS_MEMORY = 64 * 1024,
    MESSAGES_MAX = 8 /* at a time: the program looks for signals between */
};

struct trace_exporter {
    const struct trace_export_settings *settings;
    struct inbox *inbox;
    struct arena *lasting; /* of the collector */
    struct arena *arena;   /* of a batch */
    struct otlp_collector collector;
    char *spans; /* fields of ScopeSpans */
    size_t length;
    int64_t oldest_at; /* monotonic microseconds, of the first span */
};

enum error trace_exporter_open(const struct trace_export_settings *settings,
                               const char *run_directory, const char *socket_name,
                               struct trace_exporter **exporter, struct problem *problem)
{
    struct trace_exporter *made = calloc(1, sizeof *made);
    enum error error;

    *exporter = made;
    if (!made)
        return problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    made->settings = settings;
    made->spans = malloc(BATCH_BYTES + OUTBOX_MESSAGE_MAX);
    made->arena = arena_create(MEMORY);
    made->lasting = arena_create(SETTINGS_MEMORY);
    error = made->spans && made->arena && made->lasting
                ? otlp_collector_set(made->lasting, settings->endpoint, &settings->headers,
                                     settings->timeout_seconds, &made->collector, problem)
                : problem_set(problem, ERROR_SYSTEM, "out_of_memory", "out of memory");
    if (!error)
        error = inbox_open(run_directory, socket_name, &made->inbox, problem);
    if (error) {
        trace_exporter_close(made);
        *exporter = NULL;
    }
    return error;
}

void trace_exporter_close(struct trace_exporter *exporter)
{
    if (!exporter)
        return;
    inbox_close(exporter->inbox);
    arena_destroy(exporter->arena);
    arena_destroy(exporter->lasting);
    free(exporter->spans);
    free(exporter);
}

static void compose(const struct trace_exporter *exporter, struct text *out)
{
    size_t spans, part;

    text_start(out, exporter->arena, REQUEST_MAX);
    text_reserve(out, exporter->length + OUTBOX_MESSAGE_MAX);
    spans = protobuf_begin(out, REQUEST_RESOURCE_SPANS);
    otlp_append_resource(out, RESOURCE_SPANS_RESOURCE, exporter->settings->service_name);
    part = protobuf_begin(out, RESOURCE_SPANS_SCOPE_SPANS);
    otlp_append_scope(out, SCOPE_SPANS_SCOPE);
    text_append(out, exporter->spans, exporter->length);
    protobuf_end(out, part);
    protobuf_end(out, spans);
}

/* What the collector may take later stays while there is room for more. */
static void send_batch(struct trace_exporter *exporter)
{
    enum otlp_outcome outcome = OTLP_LATER;
    struct text body;

    if (otlp_may_call(&exporter->collector)) {
        arena_reset(exporter->arena);
        compose(exporter, &body);
        outcome = otlp_send(&exporter->collector, exporter->arena, &body, "spans_not_exported");
    }
    if (outcome != OTLP_LATER || exporter->length >= BATCH_BYTES)
        exporter->length = 0;
}

static void take(const void *bytes, size_t length, void *context)
{
    struct trace_exporter *exporter = context;

    if (exporter->length == 0)
        exporter->oldest_at = clock_monotonic_microseconds();
    memcpy(exporter->spans + exporter->length, bytes, length);
    exporter->length += length;
    if (exporter->length >= BATCH_BYTES)
        send_batch(exporter);
}

void trace_exporter_run(struct trace_exporter *exporter)
{
    (void)inbox_receive(exporter->inbox, WAIT_MILLISECONDS, MESSAGES_MAX, take, exporter);
    if (exporter->length &&
        clock_monotonic_microseconds() - exporter->oldest_at >= OLDEST_MICROSECONDS)
        send_batch(exporter);
}

void trace_exporter_finish(struct trace_exporter *exporter)
{
    int64_t end =
        clock_monotonic_microseconds() + (int64_t)(exporter->settings->timeout_seconds * 1000000);

    while (inbox_receive(exporter->inbox, 0, MESSAGES_MAX, take, exporter) > 0 &&
           clock_monotonic_microseconds() < end) {
    }
    if (exporter->length)
        send_batch(exporter);
}
