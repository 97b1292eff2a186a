/*
 * Lines of a log become records of opentelemetry.proto.logs.v1. A line of ours (base/log.h) gives
 * time, severity, body (its event) and its fields as attributes; the request id and the trace are
 * among them, and the trace stands where tracing looks for it. A line of another program is its own
 * body, without queries, links to shared reports and credentials; its severity is what it calls
 * itself, else INFO.
 */
#ifndef ASSAY_TELEMETRY_LOG_EXPORT_H
#define ASSAY_TELEMETRY_LOG_EXPORT_H

#include "base/log.h"
#include "telemetry/log_follow.h"
#include "telemetry/otlp.h"

struct log_source {
    const char *service_name; /* service.name of the resource */
    const char *file;         /* name of the log, an attribute of each record */
    enum log_level least;     /* lines below are left out */
    int64_t read_at;          /* Unix microseconds */
};

/* The service whose log that is: what stands before the first dash. */
const char *log_export_service(struct arena *arena, const char *file);

/* Appends an ExportLogsServiceRequest with these lines. Returns the number of records. */
size_t log_export_append(struct arena *arena, const struct log_source *source, const char *lines,
                         size_t length, struct text *out);

#endif
