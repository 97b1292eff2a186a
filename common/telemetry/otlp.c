/* Calls to a collector and their outcome. Knows no signal. */
#include "telemetry/otlp.h"

#include "base/clock.h"
#include "base/help.h"
#include "base/log.h"
#include "base/protobuf.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Fields of opentelemetry/proto/common/v1/common.proto and resource/v1/resource.proto. */
enum {
    KEY = 1,
    VALUE = 2,
    VALUE_STRING = 1,
    VALUE_INTEGER = 3,
    VALUE_NUMBER = 4,
    RESOURCE_ATTRIBUTES = 1,
    SCOPE_NAME = 1,
    SCOPE_VERSION = 2
};

/* Fields of an answer, the same for every signal. */
enum { ANSWER_PARTIAL = 1, PARTIAL_REJECTED = 1 };

enum {
    ANSWER_MAX = 65536,
    TEXT_MAX = 16384, /* bytes of a value; longer ones are cut */
    HOST_MAX = 256,
    COMPLAINT_MICROSECONDS = 60 * 1000000
};
static const double first_pause_seconds = 1, most_pause_seconds = 60, most_asked_seconds = 3600;

static struct fetch_header header_of(struct arena *arena, const char *text)
{
    char *name = arena_copy_string(arena, text), *end = strchr(name, '=');

    *end = '\0';
    return (struct fetch_header){name, end + 1};
}

enum error otlp_collector_set(struct arena *arena, const char *url,
                              const struct string_list *headers, double timeout_seconds,
                              struct otlp_collector *collector, struct problem *problem)
{
    size_t most = sizeof collector->headers / sizeof collector->headers[0];

    *collector = (struct otlp_collector){.endpoint = url, .timeout_seconds = timeout_seconds};
    for (size_t i = 0; i < headers->count && i < most; i++) {
        if (*headers->items[i] == '=' || !strchr(headers->items[i], '='))
            return problem_set(problem, ERROR_INVALID, "otlp_headers",
                               "header %zu of the collector is not name=value", i + 1);
        collector->headers[collector->header_count++] = header_of(arena, headers->items[i]);
    }
    return ERROR_NONE;
}

/* The settings have been checked. */
void otlp_collector_read(struct arena *arena, const struct otlp_settings *settings,
                         const char *signal, struct otlp_collector *collector)
{
    struct problem problem;

    (void)!otlp_collector_set(arena, otlp_url(arena, settings, signal), &settings->headers,
                              settings->timeout_seconds, collector, &problem);
}

bool otlp_may_call(const struct otlp_collector *collector)
{
    return clock_monotonic_microseconds() >= collector->silent_until;
}

static void complain(struct otlp_collector *collector, const char *event, const char *detail,
                     const struct fetch_answer *answer)
{
    int64_t now = clock_monotonic_microseconds();
    struct log_line line;

    collector->failures++;
    if (collector->complained_at && now - collector->complained_at < COMPLAINT_MICROSECONDS)
        return;
    log_begin(&line, LOG_WARNING, event);
    log_integer(&line, "calls", (int64_t)collector->failures);
    log_text(&line, "detail", detail);
    log_text(&line, "outcome", fetch_outcome_name(answer->outcome));
    log_integer(&line, "status_code", answer->status);
    log_write(&line);
    collector->complained_at = now;
    collector->failures = 0;
}

static bool read_varint(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = *(*at)++;

        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* The first value of a field of a message whose fields are numbers and lengths; 0 = none. `inside`
 * is the begin of a nested one. */
static uint64_t find_field(const unsigned char *at, const unsigned char *end, uint64_t field,
                           const unsigned char **inside)
{
    uint64_t tag, value;

    while (at < end && read_varint(&at, end, &tag) && read_varint(&at, end, &value)) {
        bool nested = (tag & 7) == 2;

        if ((tag & 7) != 0 && (!nested || value > (uint64_t)(end - at)))
            return 0;
        *inside = at;
        if (tag >> 3 == field)
            return value;
        at += nested ? value : 0;
    }
    return 0;
}

/* How many of the points or records the collector has left out. */
static uint64_t count_rejected(const struct fetch_answer *answer)
{
    const unsigned char *begin = (const unsigned char *)answer->body, *inside = begin;
    uint64_t length = find_field(begin, begin + answer->length, ANSWER_PARTIAL, &inside);

    return length ? find_field(inside, inside + length, PARTIAL_REJECTED, &inside) : 0;
}

/* As the specification has it: 429, 502, 503 and 504 may be tried again. */
static bool may_be_again(const struct fetch_answer *answer)
{
    int status = answer->status;

    return answer->outcome != FETCH_ANSWERED || status == 429 || status == 502 || status == 503 ||
           status == 504;
}

static void be_silent(struct otlp_collector *collector, double asked)
{
    double pause =
        fmin(fmax(first_pause_seconds, 2 * collector->pause_seconds), most_pause_seconds);

    collector->pause_seconds = pause;
    if (asked > 0)
        pause = fmin(asked, most_asked_seconds);
    collector->silent_until = clock_monotonic_microseconds() + (int64_t)(pause * 1e6);
}

static struct fetch_request request_of(const struct otlp_collector *collector,
                                       const struct text *body)
{
    struct fetch_request request = {.url = collector->endpoint,
                                    .method = "POST",
                                    .body = body->bytes,
                                    .body_length = body->length,
                                    .headers = {{"Content-Type", "application/x-protobuf"}},
                                    .header_count = 1,
                                    .answer_max = ANSWER_MAX,
                                    .may_be_cut = true,
                                    .private_too = true,
                                    .policy = {.connect_seconds = collector->timeout_seconds,
                                               .attempt_seconds = collector->timeout_seconds,
                                               .total_seconds = collector->timeout_seconds,
                                               .attempts = 1}};

    for (size_t i = 0; i < collector->header_count; i++)
        request.headers[request.header_count++] = collector->headers[i];
    return request;
}

enum otlp_outcome otlp_send(struct otlp_collector *collector, struct arena *arena,
                            const struct text *body, const char *event)
{
    struct fetch_request request = request_of(collector, body);
    struct fetch_answer answer;
    uint64_t rejected;

    fetch(arena, &request, &answer);
    if (answer.outcome == FETCH_ANSWERED && answer.status / 100 == 2) {
        collector->pause_seconds = 0;
        rejected = count_rejected(&answer);
        if (rejected)
            complain(
                collector, event,
                arena_print(arena, "the collector left out %llu", (unsigned long long)rejected),
                &answer);
        return OTLP_TAKEN;
    }
    complain(collector, event, NULL, &answer);
    if (!may_be_again(&answer))
        return OTLP_REFUSED;
    be_silent(collector, answer.retry_after);
    return OTLP_LATER;
}

static void append_bytes(struct text *out, uint32_t field, const char *text)
{
    protobuf_bytes(out, field, text, utf8_valid_prefix(text, strnlen(text, TEXT_MAX)));
}

void otlp_append_any_text(struct text *out, uint32_t field, const char *value)
{
    size_t any = protobuf_begin(out, field);

    append_bytes(out, VALUE_STRING, value);
    protobuf_end(out, any);
}

void otlp_append_text(struct text *out, uint32_t field, const char *key, const char *value)
{
    size_t attribute = protobuf_begin(out, field);

    append_bytes(out, KEY, key);
    otlp_append_any_text(out, VALUE, value);
    protobuf_end(out, attribute);
}

void otlp_append_number(struct text *out, uint32_t field, const char *key, double value)
{
    size_t attribute = protobuf_begin(out, field), any;

    append_bytes(out, KEY, key);
    any = protobuf_begin(out, VALUE);
    protobuf_number(out, VALUE_NUMBER, value);
    protobuf_end(out, any);
    protobuf_end(out, attribute);
}

void otlp_append_integer(struct text *out, uint32_t field, const char *key, int64_t value)
{
    size_t attribute = protobuf_begin(out, field), any;

    append_bytes(out, KEY, key);
    any = protobuf_begin(out, VALUE);
    protobuf_integer(out, VALUE_INTEGER, (uint64_t)value);
    protobuf_end(out, any);
    protobuf_end(out, attribute);
}

void otlp_append_resource(struct text *out, uint32_t field, const char *service_name)
{
    size_t resource = protobuf_begin(out, field);
    char host[HOST_MAX] = "";

    otlp_append_text(out, RESOURCE_ATTRIBUTES, "service.name", service_name);
    otlp_append_text(out, RESOURCE_ATTRIBUTES, "service.namespace", "assay");
    otlp_append_text(out, RESOURCE_ATTRIBUTES, "service.version", assay_version);
    if (gethostname(host, sizeof host - 1) == 0 && *host)
        otlp_append_text(out, RESOURCE_ATTRIBUTES, "service.instance.id", host);
    protobuf_end(out, resource);
}

void otlp_append_scope(struct text *out, uint32_t field)
{
    size_t scope = protobuf_begin(out, field);

    protobuf_string(out, SCOPE_NAME, "assay");
    protobuf_string(out, SCOPE_VERSION, assay_version);
    protobuf_end(out, scope);
}
