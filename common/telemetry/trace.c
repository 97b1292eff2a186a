/* traceparent, and spans in protocol buffers. */
#include "telemetry/trace.h"

#include "base/protobuf.h"
#include "crypto/token.h"

#include <stdio.h>
#include <string.h>

/* Fields of opentelemetry/proto/trace/v1/trace.proto and common/v1/common.proto. */
enum {
    SCOPE_SPANS_SPANS = 2,
    SPAN_TRACE_ID = 1,
    SPAN_SPAN_ID = 2,
    SPAN_PARENT = 4,
    SPAN_NAME = 5,
    SPAN_KIND = 6,
    SPAN_START = 7,
    SPAN_END = 8,
    SPAN_ATTRIBUTES = 9,
    SPAN_STATUS = 15,
    STATUS_MESSAGE = 2,
    STATUS_CODE = 3,
    STATUS_CODE_ERROR = 2,
    KEY = 1,
    VALUE = 2,
    VALUE_STRING = 1,
    VALUE_INTEGER = 3,
    VALUE_NUMBER = 4,
    FLAG_SAMPLED = 1
};

enum { TRACE_ID_AT = 3, SPAN_ID_AT = 36, FLAGS_AT = 53, HEADER_LENGTH = 55 };

static bool is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Lower case only, as the recommendation has it. */
static bool read_hex(const char *text, uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        const char *high = text[2 * i] ? strchr(digits, text[2 * i]) : NULL;
        const char *low = high && text[2 * i + 1] ? strchr(digits, text[2 * i + 1]) : NULL;

        if (!low)
            return false;
        bytes[i] = (uint8_t)((high - digits) << 4 | (low - digits));
    }
    return true;
}

static void write_hex(const uint8_t *bytes, size_t count, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
}

/* Later versions may append members after another dash. */
static bool has_valid_end(const char *header, uint8_t version)
{
    size_t length = strlen(header);

    return length == HEADER_LENGTH || (version && header[HEADER_LENGTH] == '-');
}

bool trace_context_read(const char *traceparent, struct trace_context *caller)
{
    uint8_t version, flags;

    *caller = (struct trace_context){0};
    if (!traceparent || strnlen(traceparent, HEADER_LENGTH) < HEADER_LENGTH ||
        !read_hex(traceparent, &version, 1) || version == 0xff ||
        !has_valid_end(traceparent, version) || traceparent[TRACE_ID_AT - 1] != '-' ||
        traceparent[SPAN_ID_AT - 1] != '-' || traceparent[FLAGS_AT - 1] != '-' ||
        !read_hex(traceparent + TRACE_ID_AT, caller->trace_id, TRACE_ID_BYTES) ||
        !read_hex(traceparent + SPAN_ID_AT, caller->span_id, SPAN_ID_BYTES) ||
        !read_hex(traceparent + FLAGS_AT, &flags, 1) || is_zero(caller->trace_id, TRACE_ID_BYTES) ||
        is_zero(caller->span_id, SPAN_ID_BYTES)) {
        *caller = (struct trace_context){0};
        return false;
    }
    caller->sampled = flags & FLAG_SAMPLED;
    return true;
}

void trace_context_write(const struct trace_context *context, char traceparent[TRACEPARENT_MAX])
{
    memcpy(traceparent, "00-", TRACE_ID_AT);
    write_hex(context->trace_id, TRACE_ID_BYTES, traceparent + TRACE_ID_AT);
    traceparent[SPAN_ID_AT - 1] = '-';
    write_hex(context->span_id, SPAN_ID_BYTES, traceparent + SPAN_ID_AT);
    memcpy(traceparent + FLAGS_AT - 1, context->sampled ? "-01" : "-00", sizeof "-01");
}

/* Never zeros, which mean that there is none. */
static void draw(uint8_t *bytes, size_t count)
{
    do
        token_random_bytes(bytes, count);
    while (is_zero(bytes, count));
}

/* By the trace id, as every sampler of OpenTelemetry does it: parts of one trace agree. */
static bool is_sampled(const uint8_t trace_id[TRACE_ID_BYTES], double probability)
{
    uint64_t low = 0;

    for (size_t i = TRACE_ID_BYTES / 2 + 1; i < TRACE_ID_BYTES; i++)
        low = low << 8 | trace_id[i];
    return (double)low < probability * (double)(1ULL << 56);
}

void trace_context_begin(struct trace_context *context, double probability)
{
    draw(context->trace_id, TRACE_ID_BYTES);
    draw(context->span_id, SPAN_ID_BYTES);
    trace_context_sample(context, probability);
}

void trace_context_sample(struct trace_context *context, double probability)
{
    context->sampled = is_sampled(context->trace_id, probability);
}

void trace_context_begin_child(const struct trace_context *parent, struct trace_context *context)
{
    *context = *parent;
    draw(context->span_id, SPAN_ID_BYTES);
}

static struct span_attribute *add(struct span *span, const char *key)
{
    struct span_attribute *attribute;

    if (span->attribute_count == SPAN_ATTRIBUTES_MAX)
        return NULL;
    attribute = &span->attributes[span->attribute_count++];
    *attribute = (struct span_attribute){.key = key};
    return attribute;
}

void span_set_text(struct span *span, const char *key, const char *text)
{
    struct span_attribute *attribute = text ? add(span, key) : NULL;

    if (attribute)
        attribute->text = text;
}

void span_set_integer(struct span *span, const char *key, struct optional_integer value)
{
    struct span_attribute *attribute = value.given ? add(span, key) : NULL;

    if (!attribute)
        return;
    attribute->type = SPAN_INTEGER;
    attribute->integer = value.value;
}

void span_set_number(struct span *span, const char *key, struct optional_number value)
{
    struct span_attribute *attribute = value.given ? add(span, key) : NULL;

    if (!attribute)
        return;
    attribute->type = SPAN_NUMBER;
    attribute->number = value.value;
}

static void append_text(struct text *out, uint32_t field, const char *text)
{
    protobuf_bytes(out, field, text, utf8_valid_prefix(text, strnlen(text, SPAN_TEXT_MAX)));
}

static void append_attribute(struct text *out, const struct span_attribute *attribute)
{
    size_t place = protobuf_begin(out, SPAN_ATTRIBUTES), value;

    append_text(out, KEY, attribute->key);
    value = protobuf_begin(out, VALUE);
    if (attribute->type == SPAN_TEXT)
        append_text(out, VALUE_STRING, attribute->text);
    else if (attribute->type == SPAN_INTEGER)
        protobuf_integer(out, VALUE_INTEGER, (uint64_t)attribute->integer);
    else
        protobuf_number(out, VALUE_NUMBER, attribute->number);
    protobuf_end(out, value);
    protobuf_end(out, place);
}

static void append_status(struct text *out, const char *failure)
{
    size_t place = protobuf_begin(out, SPAN_STATUS);

    append_text(out, STATUS_MESSAGE, failure);
    protobuf_integer(out, STATUS_CODE, STATUS_CODE_ERROR);
    protobuf_end(out, place);
}

void span_append(const struct span *span, struct text *out)
{
    size_t place = protobuf_begin(out, SCOPE_SPANS_SPANS);

    protobuf_bytes(out, SPAN_TRACE_ID, span->context.trace_id, TRACE_ID_BYTES);
    protobuf_bytes(out, SPAN_SPAN_ID, span->context.span_id, SPAN_ID_BYTES);
    if (!is_zero(span->parent, SPAN_ID_BYTES))
        protobuf_bytes(out, SPAN_PARENT, span->parent, SPAN_ID_BYTES);
    append_text(out, SPAN_NAME, span->name);
    protobuf_integer(out, SPAN_KIND, (uint64_t)span->kind);
    protobuf_fixed64(out, SPAN_START, (uint64_t)span->started_at * 1000);
    protobuf_fixed64(out, SPAN_END, (uint64_t)span->ended_at * 1000);
    for (size_t i = 0; i < span->attribute_count; i++)
        append_attribute(out, &span->attributes[i]);
    if (span->failure)
        append_status(out, span->failure);
    protobuf_end(out, place);
}
