/*
 * Sends the spans of a service's workers to a collector (OpenTelemetry Protocol over HTTP, binary).
 * Spans wait here for a second, or for a collector that is away, at most a batch of them: what
 * comes after is dropped. A collector that is slow costs the workers nothing: their spans find no
 * room.
 */
#ifndef ASSAY_TELEMETRY_TRACE_EXPORT_H
#define ASSAY_TELEMETRY_TRACE_EXPORT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

/* The socket of the run directory that workers send spans to. */
#define TRACE_SOCKET_NAME(service) service "-spans.sock"

struct trace_export_settings {
    const char *endpoint;       /* the whole URL, such as http://127.0.0.1:4318/v1/traces */
    const char *service_name;   /* resource attribute service.name */
    struct string_list headers; /* "name=value", for collectors that need a key */
    double timeout_seconds;     /* for one batch, with repetitions */
};

struct trace_exporter;

/* ERROR_INVALID (`otlp_headers`) for a header that is not name=value, ERROR_SYSTEM. Settings
 * must live as long as the exporter. */
MUST_CHECK enum error trace_exporter_open(const struct trace_export_settings *settings,
                                          const char *run_directory, const char *socket_name,
                                          struct trace_exporter **exporter,
                                          struct problem *problem);
void trace_exporter_close(struct trace_exporter *exporter);

/* Receives for at most a tenth of a second and sends what is due, a batch or two. */
void trace_exporter_run(struct trace_exporter *exporter);
/* Sends what is there, before the end of the program, for as long as a batch may take. */
void trace_exporter_finish(struct trace_exporter *exporter);

#endif
