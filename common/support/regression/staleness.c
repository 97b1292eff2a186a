/* What differs first is the reason: the route, a score that fell by more than it may, phrases. */
#include "support/regression/staleness.h"
#include "base/clock.h"
#include "base/instant.h"
#include "support/curated/case_status.h"
#include "support/programs/batch.h"
#include "support/regression/target.h"

#include <string.h>

enum { TOLERANCE = 10 /* points of a score */, JSON_MOST = 1 << 20, MARKDOWN_MOST = 1 << 24 };
#define DAY_MICROSECONDS INT64_C(86400000000)

static void open_difference(struct arena *arena, struct text *text, struct json_writer *writer)
{
    text_start(text, arena, JSON_MOST);
    writer_start(writer, text);
    writer_open_object(writer);
}

static struct stale_case found(const struct curated_case *item, const char *reason,
                               const struct text *difference)
{
    return (struct stale_case){item->case_id, item->tenant_id, reason,
                               difference ? difference->bytes : NULL};
}

static bool has_dropped(struct optional_number least, double actual)
{
    return least.given && least.value > 0 && (double)(int64_t)actual < least.value - TOLERANCE;
}

static struct stale_case route_drift(struct arena *arena, const struct curated_case *item,
                                     const struct execution *execution)
{
    struct text text;
    struct json_writer writer;

    open_difference(arena, &text, &writer);
    writer_key_string(&writer, "route_expected", item->expected.route);
    writer_key_string(&writer, "route_actual", execution->route);
    writer_close_object(&writer);
    return found(item, "route_drift", &text);
}

static struct stale_case score_drop(struct arena *arena, const struct curated_case *item,
                                    const char *reason, double least, double actual)
{
    struct text text;
    struct json_writer writer;

    open_difference(arena, &text, &writer);
    writer_key_number(&writer, "expected_min", least);
    writer_key_number(&writer, "actual", actual);
    writer_close_object(&writer);
    return found(item, reason, &text);
}

/* Phrases that the answer has not; none = `reason` NULL. */
static struct stale_case phrases_missing(struct arena *arena, const struct curated_case *item,
                                         const struct execution *execution)
{
    const struct string_list *wanted = &item->expected.contains;
    struct text text;
    struct json_writer writer;
    size_t missing = 0;

    open_difference(arena, &text, &writer);
    writer_key(&writer, "missing");
    writer_open_array(&writer);
    for (size_t i = 0; i < wanted->count; i++) {
        if (expectation_found(arena, execution->answer, wanted->items[i]))
            continue;
        writer_string(&writer, wanted->items[i]);
        missing++;
    }
    writer_close_array(&writer);
    writer_close_object(&writer);
    return found(item, missing ? "answer_contains_missing" : NULL, &text);
}

static struct stale_case groups_missing(struct arena *arena, const struct curated_case *item,
                                        const struct execution *execution)
{
    struct text text;
    struct json_writer writer;
    size_t missing = 0;

    open_difference(arena, &text, &writer);
    writer_key(&writer, "missing_any");
    writer_open_array(&writer);
    for (size_t i = 0; i < item->expected.any_count; i++) {
        const struct string_list *group = &item->expected.any[i];

        if (expectation_met(arena, execution->answer, group))
            continue;
        writer_open_array(&writer);
        for (size_t j = 0; j < group->count; j++)
            writer_string(&writer, group->items[j]);
        writer_close_array(&writer);
        missing++;
    }
    writer_close_array(&writer);
    writer_close_object(&writer);
    return found(item, missing ? "answer_contains_any_missing" : NULL, &text);
}

struct stale_case staleness_of(struct arena *arena, const struct curated_case *item,
                               const struct execution *execution)
{
    const struct curated_expected *expected = &item->expected;
    struct stale_case stale;

    if (expected->route && *expected->route && *execution->route &&
        strcmp(expected->route, execution->route) != 0)
        return route_drift(arena, item, execution);
    if (has_dropped(expected->min_quality, execution->quality))
        return score_drop(arena, item, "quality_drop", expected->min_quality.value,
                          execution->quality);
    if (has_dropped(expected->min_factuality, execution->factuality))
        return score_drop(arena, item, "factuality_drop", expected->min_factuality.value,
                          execution->factuality);
    stale = phrases_missing(arena, item, execution);
    return stale.reason ? stale : groups_missing(arena, item, execution);
}

static bool is_due(const struct staleness_plan *plan, const struct curated_case *item, int64_t now)
{
    int64_t made;

    if (!item->created_at || !instant_parse(item->created_at, &made))
        return plan->undated;
    return now - made >= plan->days * DAY_MICROSECONDS;
}

static enum error keep(const struct regression_tools *tools, const struct stale_case *stale)
{
    const struct trace_call call = {tools->db, tools->arena, stale->tenant_id, tools->problem};

    return case_status_put(&call, stale->case_id, stale->reason);
}

/* One that cannot be answered says nothing of its case; what is wrong with the database does. */
static enum error look_at(const struct regression_tools *tools, const struct staleness_plan *plan,
                          const struct target *target, const struct curated_case *item,
                          struct staleness *staleness, struct stale_case *stale)
{
    struct execution execution;
    enum error error = target_answer(tools, target, item, &execution);

    *stale = (struct stale_case){.reason = NULL};
    if (error)
        return error;
    if (execution_is_infrastructure(tools->arena, &execution)) {
        staleness->skipped++;
        return ERROR_NONE;
    }
    staleness->evaluated++;
    *stale = staleness_of(tools->arena, item, &execution);
    return plan->apply ? keep(tools, stale) : ERROR_NONE;
}

static const char *as_markdown(const struct regression_tools *tools,
                               const struct staleness *staleness)
{
    struct text text;

    text_start(&text, tools->arena, MARKDOWN_MOST);
    text_append_format(&text,
                       "# Curated staleness report\n\n- created_at: %s\n- evaluated: %lld\n"
                       "- stale: %zu\n",
                       batch_time(tools->arena, clock_unix_microseconds()),
                       (long long)staleness->evaluated, staleness->stale_count);
    if (staleness->stale_count)
        text_append_string(&text, "\n| case_id | tenant | reason |\n|---|---|---|\n");
    for (size_t i = 0; i < staleness->stale_count; i++) {
        text_append_string(&text, "| ");
        batch_append_line(&text, staleness->stale[i].case_id);
        text_append_string(&text, " | ");
        batch_append_line(&text, staleness->stale[i].tenant_id);
        text_append_format(&text, " | %s |\n", staleness->stale[i].reason);
    }
    return text.bytes;
}

enum error staleness_check(const struct regression_tools *tools, const struct staleness_plan *plan,
                           struct staleness *staleness)
{
    struct regression_plan current = {.calls = tools->settings->benchmark_calls};
    int64_t now = clock_unix_microseconds();
    struct curated_set set;
    struct stale_case *stale;
    struct target target;
    int64_t done = 0;
    enum error error = curated_read(tools->arena, plan->path, &set, tools->problem);

    *staleness = (struct staleness){0};
    if (error)
        return error;
    stale = ARENA_ARRAY(tools->arena, struct stale_case, set.count + 1);
    staleness->stale = stale;
    for (size_t i = 0; i < set.count; i++)
        staleness->due += is_due(plan, &set.cases[i], now);
    if (!plan->ages)
        error = target_resolve(tools, &current, "current", &target);
    for (size_t i = 0; i < set.count && !error && !plan->ages; i++) {
        if (!is_due(plan, &set.cases[i], now))
            continue;
        error =
            look_at(tools, plan, &target, &set.cases[i], staleness, &stale[staleness->stale_count]);
        staleness->stale_count += !error && stale[staleness->stale_count].reason;
        if (!error && tools->on_case)
            error = tools->on_case(tools->context, ++done, staleness->due, tools->problem);
    }
    if (plan->ages)
        staleness->skipped = staleness->due;
    staleness->markdown = as_markdown(tools, staleness);
    return error;
}
