/* Writes metrics as text for a scraper. metrics.c counts them. */
#include "base/json.h"
#include "base/number.h"
#include "shm/metrics_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"counter", "gauge", "histogram", "summary", "histogram"};

/* Escapes backslash, quote and line end with a backslash. */
static void write_value(struct text *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '\\' || *value == '"')
            text_append(out, "\\", 1);
        if (*value == '\n')
            text_append_string(out, "\\n");
        else
            text_append(out, value, 1);
    }
}

/* name{label="value",le="bound"}; without braces when there is neither. */
static void write_name(struct text *out, const struct metric *metric, const char *suffix,
                       const char *labels, const char *bound)
{
    size_t count = metric_label_count(metric);

    text_append_string(out, metric->name);
    text_append_string(out, suffix);
    if (!count && !bound)
        return;
    text_append(out, "{", 1);
    for (size_t i = 0; i < count; i++) {
        text_append_string(out, i ? "," : "");
        text_append_string(out, metric->labels[i]);
        text_append_string(out, "=\"");
        write_value(out, labels);
        text_append(out, "\"", 1);
        labels += strlen(labels) + 1;
    }
    if (bound) {
        text_append_string(out, count ? ",le=\"" : "le=\"");
        text_append_string(out, bound);
        text_append(out, "\"", 1);
    }
    text_append(out, "}", 1);
}

static void write_number(struct text *out, double value)
{
    char number[NUMBER_TEXT_MAX];
    size_t length = number_format(value, number);

    if (length > 2 && strcmp(number + length - 2, ".0") == 0)
        length -= 2;
    text_append(out, " ", 1);
    text_append(out, number, length);
    text_append(out, "\n", 1);
}

static void write_histogram(struct text *out, const struct metric *metric, const char *labels,
                            const double values[METRIC_VALUES_MAX])
{
    char bound[NUMBER_TEXT_MAX];
    double below = 0;

    for (size_t i = 0; i < METRIC_BUCKETS_MAX && metric->buckets[i] > 0; i++) {
        below += values[2 + i];
        number_format(metric->buckets[i], bound);
        write_name(out, metric, "_bucket", labels, bound);
        write_number(out, below);
    }
    write_name(out, metric, "_bucket", labels, "+Inf");
    write_number(out, values[0]);
}

static void write_set(struct text *out, const struct metric *metric, const char *labels,
                      const double values[METRIC_VALUES_MAX])
{
    if (metric->kind == METRIC_COUNTER || metric->kind == METRIC_GAUGE) {
        write_name(out, metric, "", labels, NULL);
        write_number(out, values[0]);
        return;
    }
    if (metric->kind == METRIC_HISTOGRAM || metric->kind == METRIC_TIMES)
        write_histogram(out, metric, labels, values);
    write_name(out, metric, "_sum", labels, NULL);
    write_number(out, values[1]);
    write_name(out, metric, "_count", labels, NULL);
    write_number(out, values[0]);
}

static int by_labels(const void *a, const void *b)
{
    const struct metric_cell *const *one = a, *const *two = b;

    return memcmp((*one)->labels, (*two)->labels, sizeof(*one)->labels);
}

void metric_write_head(const struct metric *metric, struct text *out)
{
    text_append_format(out, "# HELP %s %s\n# TYPE %s %s\n", metric->name, metric->help,
                       metric->name, kinds[metric->kind]);
}

static void write_metric(const struct metrics *metrics, unsigned metric, struct text *out)
{
    static const double nothing[METRIC_VALUES_MAX];
    const struct metric *row = &metrics->table[metric];
    size_t most = row->sets ? row->sets : METRIC_SETS;
    const struct metric_cell **cells =
        ARENA_ARRAY(out->arena, const struct metric_cell *, most + 1);
    double values[METRIC_VALUES_MAX];
    size_t count = 0;

    for (size_t i = 0; i < METRIC_CELLS && count <= most; i++) {
        const struct metric_cell *cell = &metrics->region->cells[i];

        if (metric_is_shown(cell, metric))
            cells[count++] = cell;
    }
    metric_write_head(row, out);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers are what is sorted */
    qsort(cells, count, sizeof cells[0], by_labels);
    for (size_t i = 0; i < count; i++) {
        metric_cell_values(metrics, cells[i], values);
        write_set(out, row, cells[i]->labels, values);
    }
    if (!count && !metric_label_count(row))
        write_set(out, row, "", nothing);
}

void metrics_write(const struct metrics *metrics, struct text *out)
{
    for (unsigned i = 0; metrics && i < metrics->count; i++)
        if (!metrics->table[i].internal)
            write_metric(metrics, i, out);
}

static void describe(const struct metric *metric, struct text *out)
{
    struct json_writer writer;

    writer_start(&writer, out);
    writer_open_object(&writer);
    writer_key_string(&writer, "name", metric->name);
    writer_key_string(&writer, "kind", kinds[metric->kind]);
    writer_key_string(&writer, "help", metric->help);
    writer_key(&writer, "labels");
    writer_open_array(&writer);
    for (size_t i = 0; i < METRIC_LABELS_MAX && metric->labels[i]; i++)
        writer_string(&writer, metric->labels[i]);
    writer_close_array(&writer);
    writer_close_object(&writer);
    text_append_byte(out, '\n');
}

void metrics_describe(const struct metric *table, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++)
        if (!table[i].internal)
            describe(&table[i], out);
}
