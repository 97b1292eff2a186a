/* Metrics are read as they are written, and what cannot be read is left out. */
#include "telemetry/exposition.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { MEMORY = 1 << 20 };

/* What was taken, a line each. */
static char taken[4096];

static void take(const struct exposition_metric *metric, const struct exposition_point *point,
                 void *context)
{
    size_t *length = context;
    char *at = taken + *length;
    int written = snprintf(at, sizeof taken - *length, "%s %d", metric->name, (int)metric->kind);

    for (size_t i = 0; i < point->label_count; i++)
        written +=
            snprintf(at + written, 200, " %s=%s", point->labels[i].name, point->labels[i].value);
    written += snprintf(at + written, 200, " %g", point->value);
    if (metric->kind >= METRIC_HISTOGRAM)
        written += snprintf(at + written, 200, " of %g", point->count);
    for (size_t i = 0; i < point->bound_count; i++)
        written += snprintf(at + written, 200, " [%g: %g]", point->bounds[i], point->buckets[i]);
    *length += (size_t)written + (size_t)snprintf(at + written, 2, "\n");
}

static size_t read_text(struct arena *arena, const char *text)
{
    size_t length = 0;
    const struct exposition_reader reader = {.take = take, .context = &length};

    *taken = '\0';
    return exposition_read(arena, text, &reader);
}

TEST(what_is_written_is_read)
{
    static const struct metric table[] = {
        {"calls_total", METRIC_COUNTER, "Calls, by \\ and \" in their name.", .labels = {"name"}},
        {"people", METRIC_GAUGE, "People."},
        {"size_bytes", METRIC_HISTOGRAM, "Sizes.", .labels = {"kind"}, .buckets = {1, 10}},
        {"cost", METRIC_SUMMARY, "Cost."}};
    struct arena *arena = arena_create(MEMORY);
    struct metrics *metrics;
    struct problem problem;
    struct text text;

    CHECK_INT(metrics_open(NULL, table, 4, &metrics, &problem), ERROR_NONE);
    metric_add(metrics, 0, (const char *const[]){"a\\n\"b\"\n\xe4\xb8\x96"}, 2);
    metric_set(metrics, 1, NULL, 3.5);
    metric_observe(metrics, 2, (const char *const[]){"x"}, 1);
    metric_observe(metrics, 2, (const char *const[]){"x"}, 5);
    metric_observe(metrics, 2, (const char *const[]){"x"}, 50);
    metric_observe(metrics, 3, NULL, 0.25);
    text_start(&text, arena, MEMORY / 2);
    metrics_write(metrics, &text);
    CHECK_INT(read_text(arena, text.bytes), 0);
    CHECK_TEXT(taken, "calls_total 0 name=a\\n\"b\"\n\xe4\xb8\x96 2\n"
                      "people 1 3.5\n"
                      "size_bytes 2 kind=x 56 of 3 [1: 1] [10: 2]\n"
                      "cost 3 0.25 of 1\n");
    metrics_close(metrics);
    arena_destroy(arena);
}

TEST(lines_that_are_none_are_left_out)
{
    static const char text[] = "# HELP a_total Of a.\n# TYPE a_total counter\na_total 1\n"
                               "a_total{b=\"c} 2\na_total{b} 3\na_total x\nb_total 4\n"
                               "# a comment\n\n# TYPE b unknown\nb 5\na_total{b=\"c\"} 6";
    struct arena *arena = arena_create(MEMORY);

    CHECK_INT(read_text(arena, text), 7);
    CHECK_TEXT(taken, "a_total 0 1\n");
    CHECK_INT(read_text(arena, ""), 0);
    CHECK_TEXT(taken, "");
    arena_destroy(arena);
}

TEST_MAIN(CASE(what_is_written_is_read), CASE(lines_that_are_none_are_left_out))
