/* Line by line; a histogram is collected until its count comes. */
#include "telemetry/exposition.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

struct reading {
    const struct exposition_reader *reader;
    struct exposition_metric metric;
    struct exposition_point point;
    bool begun; /* the point has lines already */
};

/* Of one sample. */
struct sample {
    const char *suffix; /* after the name of the metric: "" or "_bucket" */
    size_t label_count;
    struct exposition_label labels[METRIC_LABELS_MAX];
    const char *bound; /* the label `le`; NULL = none */
    double value;
};

static const char *const kinds[] = {[METRIC_COUNTER] = "counter",
                                    [METRIC_GAUGE] = "gauge",
                                    [METRIC_HISTOGRAM] = "histogram",
                                    [METRIC_SUMMARY] = "summary"};

/* The next word, ended in place; `*at` is then what follows it. */
static char *next_word(char **at)
{
    char *word = *at, *end = word + strcspn(word, " ");

    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static bool read_type(struct reading *reading, char *name, const char *kind)
{
    if (strcmp(name, reading->metric.name) != 0)
        reading->metric = (struct exposition_metric){.name = name, .help = ""};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i], kind) != 0)
            continue;
        reading->metric.kind = (enum metric_kind)i;
        return true;
    }
    reading->metric.name = ""; /* no line is a sample of it */
    return false;
}

/* "# HELP name text" or "# TYPE name kind"; other comments are nothing. */
static bool read_comment(struct reading *reading, char *line)
{
    char *at = line + 1, *word, *name;

    at += strspn(at, " ");
    word = next_word(&at);
    name = next_word(&at);
    reading->begun = false;
    if (strcmp(word, "TYPE") == 0)
        return read_type(reading, name, at);
    if (strcmp(word, "HELP") == 0)
        reading->metric = (struct exposition_metric){.name = name, .help = at};
    return true;
}

/* A value in quotation marks with its escapes, in place. NULL when it does not end. */
static char *read_value(char **at)
{
    char *value = *at, *out = value, *in = value;

    for (; *in && *in != '"'; in++) {
        bool escaped = *in == '\\' && in[1];

        in += escaped;
        *out++ = escaped && *in == 'n' ? '\n' : *in;
    }
    if (!*in)
        return NULL;
    *at = in + 1;
    *out = '\0';
    return value;
}

/* `name="value",…}`; `*at` is then behind the brace. */
static bool read_labels(struct sample *sample, char **at)
{
    while (**at && **at != '}') {
        char *name = *at, *equals = strchr(name, '='), *value;

        if (!equals || equals[1] != '"')
            return false;
        *equals = '\0';
        *at = equals + 2;
        value = read_value(at);
        if (!value)
            return false;
        if (strcmp(name, "le") == 0)
            sample->bound = value;
        else if (sample->label_count < METRIC_LABELS_MAX)
            sample->labels[sample->label_count++] = (struct exposition_label){name, value};
        *at += **at == ',';
    }
    if (**at != '}')
        return false;
    ++*at;
    return true;
}

static bool read_number(const char *text, double *value)
{
    if (strcmp(text, "+Inf") == 0) {
        *value = INFINITY;
        return true;
    }
    return number_parse(text, value);
}

static bool read_sample(const struct reading *reading, char *line, struct sample *sample)
{
    size_t length = strlen(reading->metric.name), end = strcspn(line, "{ ");
    char *at = line + end, mark = *at;

    *sample = (struct sample){0};
    if (!length || end < length || strncmp(line, reading->metric.name, length) != 0)
        return false;
    *at++ = '\0';
    sample->suffix = line + length;
    if (mark == '{' && !read_labels(sample, &at))
        return false;
    at += strspn(at, " ");
    return read_number(next_word(&at), &sample->value);
}

static void begin_point(struct reading *reading, const struct sample *sample)
{
    if (reading->begun)
        return;
    reading->begun = true;
    reading->point = (struct exposition_point){.label_count = sample->label_count};
    memcpy(reading->point.labels, sample->labels, sizeof sample->labels);
}

static void end_point(struct reading *reading)
{
    reading->reader->take(&reading->metric, &reading->point, reading->reader->context);
    reading->begun = false;
}

static bool add_bucket(struct exposition_point *point, const struct sample *sample)
{
    double bound;

    if (!sample->bound || !read_number(sample->bound, &bound))
        return false;
    if (isinf(bound))
        return true;
    if (point->bound_count == EXPOSITION_BUCKETS_MAX)
        return false;
    point->bounds[point->bound_count] = bound;
    point->buckets[point->bound_count++] = sample->value;
    return true;
}

static bool take_sample(struct reading *reading, const struct sample *sample)
{
    struct exposition_point *point = &reading->point;

    begin_point(reading, sample);
    if (strcmp(sample->suffix, "_bucket") == 0)
        return add_bucket(point, sample);
    if (strcmp(sample->suffix, "_sum") == 0) {
        point->value = sample->value;
    } else if (strcmp(sample->suffix, "_count") == 0) {
        point->count = sample->value;
        end_point(reading);
    } else if (!*sample->suffix) {
        point->value = sample->value;
        end_point(reading);
    } else {
        return false;
    }
    return true;
}

static bool read_line(struct reading *reading, char *line)
{
    struct sample sample;

    if (!*line)
        return true;
    if (*line == '#')
        return read_comment(reading, line);
    return read_sample(reading, line, &sample) && take_sample(reading, &sample);
}

size_t exposition_read(struct arena *arena, const char *text,
                       const struct exposition_reader *reader)
{
    struct reading reading = {.reader = reader, .metric = {.name = "", .help = ""}};
    char *at = arena_copy_string(arena, text);
    size_t unread = 0;

    while (*at) {
        char *line = at, *end = at + strcspn(at, "\n");

        at = *end ? end + 1 : end;
        *end = '\0';
        unread += !read_line(&reading, line);
    }
    return unread;
}
