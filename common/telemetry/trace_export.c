/* Collects spans into batches and posts them. */
#include "telemetry/trace_export.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/protobuf.h"
#include "net/fetch.h"
#include "telemetry/outbox.h"
#include "telemetry/trace.h"

#include <stdlib.h>
#include <string.h>

/* Fields of opentelemetry/proto/collector/trace/v1/trace_service.proto and its imports. */
enum {
    REQUEST_RESOURCE_SPANS = 1,
    RESOURCE_SPANS_RESOURCE = 1,
    RESOURCE_SPANS_SCOPE_SPANS = 2,
    RESOURCE_ATTRIBUTES = 1,
    SCOPE_SPANS_SCOPE = 1,
    SCOPE_NAME = 1,
    KEY = 1,
    VALUE = 2,
    VALUE_STRING = 1
};

enum {
    WAIT_MILLISECONDS = 100,
    OLDEST_MICROSECONDS = 1000000, /* of a span that waits here */
    BATCH_BYTES = 512 * 1024,
    REQUEST_MAX = 1024 * 1024,
    ANSWER_MAX = 65536,
    MEMORY = 8 * 1024 * 1024,
    MESSAGES_MAX = 256, /* at a time */
    COMPLAINT_MICROSECONDS = 60 * 1000000
};

struct trace_exporter {
    const struct trace_export_settings *settings;
    struct inbox *inbox;
    struct arena *arena; /* of a batch */
    struct fetch_request request;
    char *spans; /* fields of ScopeSpans */
    size_t length;
    int64_t oldest_at;     /* monotonic microseconds, of the first span */
    uint64_t lost;         /* messages since the last complaint */
    int64_t complained_at; /* monotonic microseconds */
};

/* "name=value" of the setting, split in place. */
static enum error read_headers(struct trace_exporter *exporter, struct problem *problem)
{
    const struct string_list *headers = &exporter->settings->headers;
    struct fetch_request *request = &exporter->request;

    request->headers[request->header_count++] =
        (struct fetch_header){"Content-Type", "application/x-protobuf"};
    for (size_t i = 0; i < headers->count && request->header_count < FETCH_HEADERS_MAX; i++) {
        char *name = strdup(headers->items[i]);
        char *end = name ? strchr(name, '=') : NULL;

        if (!end || end == name) {
            free(name);
            return problem_set(problem, ERROR_INVALID, "tracing_headers",
                               "header %zu of the collector is not name=value", i + 1);
        }
        *end = '\0';
        request->headers[request->header_count++] = (struct fetch_header){name, end + 1};
    }
    return ERROR_NONE;
}

static void prepare_request(struct trace_exporter *exporter)
{
    const struct trace_export_settings *settings = exporter->settings;

    exporter->request =
        (struct fetch_request){.url = settings->endpoint,
                               .method = "POST",
                               .answer_max = ANSWER_MAX,
                               .may_be_cut = true,
                               .private_too = true,
                               .policy = {.connect_seconds = settings->timeout_seconds,
                                          .attempt_seconds = settings->timeout_seconds,
                                          .total_seconds = settings->timeout_seconds,
                                          .attempts = 3,
                                          .first_pause_seconds = 0.2,
                                          .pause_factor = 2,
                                          .jitter = true,
                                          .retry_after_seconds = settings->timeout_seconds}};
}

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
    prepare_request(made);
    error = made->spans && made->arena
                ? read_headers(made, problem)
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
    for (size_t i = 1; i < exporter->request.header_count; i++)
        free((char *)(uintptr_t)exporter->request.headers[i].name);
    arena_destroy(exporter->arena);
    free(exporter->spans);
    free(exporter);
}

static void append_resource(struct text *out, const char *key, const char *value)
{
    size_t attribute = protobuf_begin(out, RESOURCE_ATTRIBUTES), any;

    protobuf_string(out, KEY, key);
    any = protobuf_begin(out, VALUE);
    protobuf_string(out, VALUE_STRING, value);
    protobuf_end(out, any);
    protobuf_end(out, attribute);
}

static void compose(const struct trace_exporter *exporter, struct text *out)
{
    size_t spans, part, scope;

    text_start(out, exporter->arena, REQUEST_MAX);
    text_reserve(out, exporter->length + OUTBOX_MESSAGE_MAX);
    spans = protobuf_begin(out, REQUEST_RESOURCE_SPANS);
    part = protobuf_begin(out, RESOURCE_SPANS_RESOURCE);
    append_resource(out, "service.namespace", "assay");
    append_resource(out, "service.name", exporter->settings->service_name);
    append_resource(out, "service.version", exporter->settings->version);
    protobuf_end(out, part);
    part = protobuf_begin(out, RESOURCE_SPANS_SCOPE_SPANS);
    scope = protobuf_begin(out, SCOPE_SPANS_SCOPE);
    protobuf_string(out, SCOPE_NAME, "assay");
    protobuf_end(out, scope);
    text_append(out, exporter->spans, exporter->length);
    protobuf_end(out, part);
    protobuf_end(out, spans);
}

/* Once a minute. */
static void complain(struct trace_exporter *exporter, const struct fetch_answer *answer)
{
    int64_t now = clock_monotonic_microseconds();
    struct log_line line;

    if (exporter->complained_at && now - exporter->complained_at < COMPLAINT_MICROSECONDS)
        return;
    log_begin(&line, LOG_WARNING, "spans_not_exported");
    log_integer(&line, "messages", (int64_t)exporter->lost);
    log_text(&line, "outcome", fetch_outcome_name(answer->outcome));
    log_integer(&line, "status_code", answer->status);
    log_write(&line);
    exporter->complained_at = now;
    exporter->lost = 0;
}

static void send_batch(struct trace_exporter *exporter)
{
    struct fetch_answer answer;
    struct text body;

    arena_reset(exporter->arena);
    compose(exporter, &body);
    exporter->request.body = body.bytes;
    exporter->request.body_length = body.length;
    fetch(exporter->arena, &exporter->request, &answer);
    if (answer.outcome != FETCH_ANSWERED || answer.status / 100 != 2) {
        exporter->lost++;
        complain(exporter, &answer);
    }
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

void trace_exporter_run(struct trace_exporter *exporter, bool all)
{
    size_t received =
        inbox_receive(exporter->inbox, all ? 0 : WAIT_MILLISECONDS, MESSAGES_MAX, take, exporter);

    if (exporter->length &&
        (all || clock_monotonic_microseconds() - exporter->oldest_at >= OLDEST_MICROSECONDS))
        send_batch(exporter);
    if (all && received == MESSAGES_MAX)
        trace_exporter_run(exporter, true);
}
