/*
 * What the exporters of traces, of metrics and of logs share: where a collector is, attributes, and
 * the call (OpenTelemetry Protocol over HTTP, binary: opentelemetry.io/docs/specs/otlp). A
 * collector that is away, slow or overloaded is asked again after a pause that grows up to a
 * minute, or that it has named itself.
 */
#ifndef ASSAY_TELEMETRY_OTLP_H
#define ASSAY_TELEMETRY_OTLP_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "net/fetch.h"
#include "telemetry/otlp_settings.h"

struct otlp_collector {
    const char *endpoint; /* the whole URL, such as http://127.0.0.1:4318/v1/metrics */
    struct fetch_header headers[FETCH_HEADERS_MAX - 1];
    size_t header_count;
    double timeout_seconds; /* for a call */
    int64_t silent_until;   /* monotonic microseconds: not to be called before */
    double pause_seconds;   /* before the next call; grows with each failure */
    int64_t complained_at;  /* monotonic microseconds */
    uint64_t failures;      /* calls since the last complaint */
};

/* For a signal, "metrics" or "logs". Memory from the arena, as long as the collector is used. */
void otlp_collector_read(struct arena *arena, const struct otlp_settings *settings,
                         const char *signal, struct otlp_collector *collector);

/* The same for a whole URL. ERROR_INVALID (`otlp_headers`) for a header that is not name=value. */
MUST_CHECK enum error otlp_collector_set(struct arena *arena, const char *url,
                                         const struct string_list *headers, double timeout_seconds,
                                         struct otlp_collector *collector, struct problem *problem);

enum otlp_outcome {
    OTLP_TAKEN,   /* perhaps in part: what the collector refuses once it always refuses */
    OTLP_REFUSED, /* it will never take this */
    OTLP_LATER    /* may be sent again */
};

/* Whether the collector may be called now. */
bool otlp_may_call(const struct otlp_collector *collector);

/* Sends a request. Logs what went wrong once a minute, as `event`. */
enum otlp_outcome otlp_send(struct otlp_collector *collector, struct arena *arena,
                            const struct text *body, const char *event);

/* Appends a field of opentelemetry.proto.common.v1.KeyValue; texts end before the first byte that
 * is not UTF-8. */
void otlp_append_text(struct text *out, uint32_t field, const char *key, const char *value);
void otlp_append_number(struct text *out, uint32_t field, const char *key, double value);
void otlp_append_integer(struct text *out, uint32_t field, const char *key, int64_t value);
/* The same for the member `value` alone (AnyValue): the body of a log record. */
void otlp_append_any_text(struct text *out, uint32_t field, const char *value);

/* Appends opentelemetry.proto.resource.v1.Resource: service.name, service.namespace,
 * service.version, and the name of this host as service.instance.id. */
void otlp_append_resource(struct text *out, uint32_t field, const char *service_name);
/* Appends InstrumentationScope. */
void otlp_append_scope(struct text *out, uint32_t field);

#endif
