/* Points of a text become data points of messages. Sends nothing. */
#include "telemetry/metrics_export.h"

#include "base/protobuf.h"
#include "telemetry/exposition.h"

#include <math.h>
#include <string.h>

/* Fields of opentelemetry/proto/collector/metrics/v1 and metrics/v1/metrics.proto. */
enum {
    REQUEST_RESOURCE_METRICS = 1,
    RESOURCE_METRICS_RESOURCE = 1,
    RESOURCE_METRICS_SCOPE_METRICS = 2,
    SCOPE_METRICS_SCOPE = 1,
    SCOPE_METRICS_METRICS = 2,
    METRIC_NAME = 1,
    METRIC_DESCRIPTION = 2,
    METRIC_UNIT = 3,
    METRIC_GAUGE_DATA = 5,
    METRIC_SUM_DATA = 7,
    METRIC_HISTOGRAM_DATA = 9,
    METRIC_SUMMARY_DATA = 11,
    DATA_POINTS = 1,
    DATA_TEMPORALITY = 2,
    DATA_IS_MONOTONIC = 3,
    TEMPORALITY_CUMULATIVE = 2,
    POINT_START = 2,
    POINT_TIME = 3,
    NUMBER_VALUE = 4,
    NUMBER_ATTRIBUTES = 7,
    HISTOGRAM_COUNT = 4,
    HISTOGRAM_SUM = 5,
    HISTOGRAM_BUCKETS = 6,
    HISTOGRAM_BOUNDS = 7,
    HISTOGRAM_ATTRIBUTES = 9,
    SUMMARY_COUNT = 4,
    SUMMARY_SUM = 5,
    SUMMARY_ATTRIBUTES = 7
};

static const uint32_t data_fields[] = {[METRIC_COUNTER] = METRIC_SUM_DATA,
                                       [METRIC_GAUGE] = METRIC_GAUGE_DATA,
                                       [METRIC_HISTOGRAM] = METRIC_HISTOGRAM_DATA,
                                       [METRIC_SUMMARY] = METRIC_SUMMARY_DATA};

struct writing {
    const struct metrics_source *source;
    struct text *out;
    const char *name; /* of the metric that is begun; NULL = none is */
    enum metric_kind kind;
    size_t metric, data; /* where its messages began */
    size_t points;
};

/* Units as UCUM has them, of the name's end; NULL = it says none. */
static const char *unit_of(const char *name)
{
    static const char *const units[][2] = {
        {"_seconds", "s"}, {"_seconds_total", "s"}, {"_bytes", "By"}, {"_bytes_total", "By"}};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t end = strlen(units[i][0]);

        if (length > end && strcmp(name + length - end, units[i][0]) == 0)
            return units[i][1];
    }
    return NULL;
}

static void end_metric(struct writing *writing)
{
    struct text *out = writing->out;

    if (!writing->name)
        return;
    if (writing->kind == METRIC_COUNTER || writing->kind == METRIC_HISTOGRAM)
        protobuf_integer(out, DATA_TEMPORALITY, TEMPORALITY_CUMULATIVE);
    if (writing->kind == METRIC_COUNTER)
        protobuf_integer(out, DATA_IS_MONOTONIC, 1);
    protobuf_end(out, writing->data);
    protobuf_end(out, writing->metric);
    writing->name = NULL;
}

static void begin_metric(struct writing *writing, const struct exposition_metric *metric)
{
    const char *unit = unit_of(metric->name);

    if (writing->name == metric->name)
        return;
    end_metric(writing);
    writing->name = metric->name;
    writing->kind = metric->kind;
    writing->metric = protobuf_begin(writing->out, SCOPE_METRICS_METRICS);
    protobuf_string(writing->out, METRIC_NAME, metric->name);
    protobuf_string(writing->out, METRIC_DESCRIPTION, metric->help);
    if (unit)
        protobuf_string(writing->out, METRIC_UNIT, unit);
    writing->data = protobuf_begin(writing->out, data_fields[metric->kind]);
}

static void append_attributes(struct text *out, uint32_t field,
                              const struct exposition_point *point)
{
    for (size_t i = 0; i < point->label_count; i++)
        otlp_append_text(out, field, point->labels[i].name, point->labels[i].value);
}

static void append_number(struct text *out, const struct exposition_point *point)
{
    append_attributes(out, NUMBER_ATTRIBUTES, point);
    protobuf_number(out, NUMBER_VALUE, point->value);
}

/* Counts of a text are cumulated over the buckets, those of a message are not. Workers count while
 * others read, so a bucket may be ahead of the count. */
static void append_histogram(struct text *out, const struct exposition_point *point)
{
    double below = 0, count = point->count;

    for (size_t i = 0; i < point->bound_count; i++)
        count = fmax(count, point->buckets[i]);
    append_attributes(out, HISTOGRAM_ATTRIBUTES, point);
    protobuf_fixed64(out, HISTOGRAM_COUNT, (uint64_t)count);
    protobuf_number(out, HISTOGRAM_SUM, point->value);
    for (size_t i = 0; i < point->bound_count; i++) {
        protobuf_fixed64(out, HISTOGRAM_BUCKETS, (uint64_t)(point->buckets[i] - below));
        below = point->buckets[i];
    }
    protobuf_fixed64(out, HISTOGRAM_BUCKETS, (uint64_t)(count - below));
    for (size_t i = 0; i < point->bound_count; i++)
        protobuf_number(out, HISTOGRAM_BOUNDS, point->bounds[i]);
}

static void append_summary(struct text *out, const struct exposition_point *point)
{
    append_attributes(out, SUMMARY_ATTRIBUTES, point);
    protobuf_fixed64(out, SUMMARY_COUNT, (uint64_t)point->count);
    protobuf_number(out, SUMMARY_SUM, point->value);
}

static void take(const struct exposition_metric *metric, const struct exposition_point *point,
                 void *context)
{
    struct writing *writing = context;
    struct text *out = writing->out;
    size_t data;

    begin_metric(writing, metric);
    data = protobuf_begin(out, DATA_POINTS);
    if (metric->kind != METRIC_GAUGE)
        protobuf_fixed64(out, POINT_START, (uint64_t)writing->source->counted_since * 1000);
    protobuf_fixed64(out, POINT_TIME, (uint64_t)writing->source->read_at * 1000);
    if (metric->kind == METRIC_HISTOGRAM)
        append_histogram(out, point);
    else if (metric->kind == METRIC_SUMMARY)
        append_summary(out, point);
    else
        append_number(out, point);
    protobuf_end(out, data);
    writing->points++;
}

size_t metrics_export_append(struct arena *arena, const struct metrics_source *source,
                             const char *exposition, struct text *out)
{
    struct writing writing = {.source = source, .out = out};
    const struct exposition_reader reader = {.take = take, .context = &writing};
    size_t resource = protobuf_begin(out, REQUEST_RESOURCE_METRICS), scope;

    otlp_append_resource(out, RESOURCE_METRICS_RESOURCE, source->service_name);
    scope = protobuf_begin(out, RESOURCE_METRICS_SCOPE_METRICS);
    otlp_append_scope(out, SCOPE_METRICS_SCOPE);
    (void)exposition_read(arena, exposition, &reader);
    end_metric(&writing);
    protobuf_end(out, scope);
    protobuf_end(out, resource);
    return writing.points;
}
