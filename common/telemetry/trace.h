/*
 * Trace contexts (W3C Trace Context, traceparent) and spans (OpenTelemetry Protocol, traces). A
 * span is written down when it has ended; the exporter of the service sends it (trace_export.h).
 */
#ifndef ASSAY_TELEMETRY_TRACE_H
#define ASSAY_TELEMETRY_TRACE_H

#include "base/optional.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TRACE_ID_BYTES = 16,
    SPAN_ID_BYTES = 8,
    TRACEPARENT_MAX = 56, /* with the NUL */
    SPAN_ATTRIBUTES_MAX = 32,
    SPAN_TEXT_MAX = 1024 /* bytes of a name or a value; longer ones are cut */
};

/* The trace and the current span. A zeroed one is not sampled. */
struct trace_context {
    uint8_t trace_id[TRACE_ID_BYTES];
    uint8_t span_id[SPAN_ID_BYTES];
    bool sampled; /* spans are recorded */
};

/* The span of the caller. False for a header that is not valid. */
bool trace_context_read(const char *traceparent, struct trace_context *caller);
void trace_context_write(const struct trace_context *context, char traceparent[TRACEPARENT_MAX]);

/* A new trace, sampled with this probability. */
void trace_context_begin(struct trace_context *context, double probability);
/* Whether this is sampled depends on its trace id alone: all services with this probability agree.
 */
void trace_context_sample(struct trace_context *context, double probability);
/* A new span of the same trace. */
void trace_context_begin_child(const struct trace_context *parent, struct trace_context *context);

enum span_kind { SPAN_INTERNAL = 1, SPAN_SERVER = 2, SPAN_CLIENT = 3 };

struct span_attribute {
    const char *key;
    enum { SPAN_TEXT, SPAN_INTEGER, SPAN_NUMBER } type;
    const char *text;
    int64_t integer;
    double number;
};

/* Texts are borrowed until span_append(). */
struct span {
    struct trace_context context;
    uint8_t parent[SPAN_ID_BYTES]; /* zeros = none */
    const char *name;
    enum span_kind kind;
    int64_t started_at, ended_at; /* Unix microseconds */
    const char *failure;          /* NULL = it has not failed */
    size_t attribute_count;
    struct span_attribute attributes[SPAN_ATTRIBUTES_MAX];
};

/* Attributes beyond SPAN_ATTRIBUTES_MAX are dropped; so are NULL texts and absent numbers. */
void span_set_text(struct span *span, const char *key, const char *text);
void span_set_integer(struct span *span, const char *key, struct optional_integer value);
void span_set_number(struct span *span, const char *key, struct optional_number value);

/* Appends the span as a field of opentelemetry.proto.trace.v1.ScopeSpans; texts that are not UTF-8
 * end before the first wrong byte. */
void span_append(const struct span *span, struct text *out);

#endif
