/*
 * Sends the metrics of a service to a collector: what /metrics of the service says, as
 * opentelemetry.proto.metrics.v1. Names, labels and kinds are those of the text. Counters and
 * histograms are cumulated since the counting began; gauges are as they are; summaries have no
 * quantiles. A call that fails is not repeated: the next one has all that it would have said.
 */
#ifndef ASSAY_TELEMETRY_METRICS_EXPORT_H
#define ASSAY_TELEMETRY_METRICS_EXPORT_H

#include "base/text.h"
#include "telemetry/otlp.h"

#include <stdint.h>

struct metrics_source {
    const char *service_name; /* service.name of the resource */
    int64_t counted_since;    /* Unix microseconds */
    int64_t read_at;          /* Unix microseconds */
};

/* Appends an ExportMetricsServiceRequest with the metrics of a text (telemetry/exposition.h).
 * Returns the number of data points. */
size_t metrics_export_append(struct arena *arena, const struct metrics_source *source,
                             const char *exposition, struct text *out);

#endif
