/* The first difference is the reason: the route, a score that fell too far, phrases. */
#include "support/regression/staleness.h"
#include "base/clock.h"
#include "base/timestamp.h"
#include "support/curated/case_status.h"
#include "support/programs/batch.h"
#include "support/regression/target.h"

#include <string.h>

enum { TOLERANCE = 10 /* points of a score */, JSON_MOST = 1 << 20, MARKDOWN_MOST = 1 << 24 };
#define DAY_MICROSECONDS INT64_C(86400000000)

/* What a case differs in: the members of its reason. */
struct difference {
    const char *route_expected, *route_actual;
    double expected_min, actual;
    struct string_list missing;
    OBJECT_LIST(struct string_list, missing_any);
};

#define OWNER struct difference
static const struct field phrase_row = {.type = FIELD_STRINGS};
static const struct field route_fields[] = {STRING(OWNER, route_expected),
                                            STRING(OWNER, route_actual)};
static const struct field score_fields[] = {NUMBER(OWNER, expected_min), NUMBER(OWNER, actual)};
static const struct field phrases_fields[] = {STRINGS(OWNER, missing)};
static const struct field groups_fields[] = {LISTS(OWNER, missing_any, &phrase_row)};
#undef OWNER
static SCHEMA(route_schema, struct difference, "StaleRoute", route_fields);
static SCHEMA(score_schema, struct difference, "StaleScore", score_fields);
static SCHEMA(phrases_schema, struct difference, "StalePhrases", phrases_fields);
static SCHEMA(groups_schema, struct difference, "StaleGroups", groups_fields);

#define OWNER struct stale_case
static const struct field case_fields[] = {STRING(OWNER, case_id), STRING(OWNER, tenant_id),
                                           STRING(OWNER, reason), WRITTEN_JSON(OWNER, diff)};
#undef OWNER
SCHEMA(stale_case_schema, struct stale_case, "StaleCase", case_fields);

static struct stale_case stale_by(struct arena *arena, const struct curated_case *item,
                                  const char *reason, const struct schema *schema,
                                  const struct difference *difference)
{
    return (struct stale_case){.case_id = item->case_id,
                               .tenant_id = item->tenant_id,
                               .reason = reason,
                               .diff = schema_json(arena, JSON_MOST, schema, difference)};
}

static bool has_dropped(struct optional_number least, double actual)
{
    return least.given && least.value > 0 && (double)(int64_t)actual < least.value - TOLERANCE;
}

static struct stale_case score_drop(struct arena *arena, const struct curated_case *item,
                                    const char *reason, double least, double actual)
{
    return stale_by(arena, item, reason, &score_schema,
                    &(struct difference){.expected_min = least, .actual = actual});
}

/* Phrases that the answer does not have; none = `reason` NULL. */
static struct stale_case phrases_missing(struct arena *arena, const struct curated_case *item,
                                         const struct execution *execution)
{
    const struct string_list *wanted = &item->expected.contains;
    struct difference difference = {
        .missing = {0, ARENA_ARRAY(arena, const char *, wanted->count + 1)}};

    for (size_t i = 0; i < wanted->count; i++)
        if (!expectation_found(arena, execution->answer, wanted->items[i]))
            difference.missing.items[difference.missing.count++] = wanted->items[i];
    return stale_by(arena, item, difference.missing.count ? "answer_contains_missing" : NULL,
                    &phrases_schema, &difference);
}

static struct stale_case groups_missing(struct arena *arena, const struct curated_case *item,
                                        const struct execution *execution)
{
    const struct curated_expected *expected = &item->expected;
    struct string_list *groups = ARENA_ARRAY(arena, struct string_list, expected->any_count + 1);
    struct difference difference = {.missing_any = {0, groups}};

    for (size_t i = 0; i < expected->any_count; i++)
        if (!expectation_met(arena, execution->answer, &expected->any[i]))
            groups[difference.missing_any.count++] = expected->any[i];
    return stale_by(arena, item,
                    difference.missing_any.count ? "answer_contains_any_missing" : NULL,
                    &groups_schema, &difference);
}

struct stale_case staleness_of(struct arena *arena, const struct curated_case *item,
                               const struct execution *execution)
{
    const struct curated_expected *expected = &item->expected;
    struct stale_case stale;

    if (expected->route && *expected->route && *execution->route &&
        strcmp(expected->route, execution->route) != 0)
        return stale_by(arena, item, "route_drift", &route_schema,
                        &(struct difference){.route_expected = expected->route,
                                             .route_actual = execution->route});
    if (has_dropped(expected->min_quality, execution->quality_score))
        return score_drop(arena, item, "quality_drop", expected->min_quality.value,
                          execution->quality_score);
    if (has_dropped(expected->min_factuality, execution->factuality_score))
        return score_drop(arena, item, "factuality_drop", expected->min_factuality.value,
                          execution->factuality_score);
    stale = phrases_missing(arena, item, execution);
    return stale.reason ? stale : groups_missing(arena, item, execution);
}

static bool is_due(const struct staleness_plan *plan, const struct curated_case *item, int64_t now)
{
    int64_t made;

    if (!item->created_at || !timestamp_from_text(item->created_at, &made))
        return plan->undated;
    return now - made >= plan->days * DAY_MICROSECONDS;
}

static enum error store_reason(const struct regression_tools *tools, const struct stale_case *stale)
{
    const struct trace_call call = {tools->db, tools->arena, stale->tenant_id, tools->problem};

    return case_status_put(&call, stale->case_id, stale->reason);
}

/* A case that cannot be answered is skipped; an error of the database is returned. */
static enum error check_case(const struct regression_tools *tools,
                             const struct staleness_plan *plan, const struct target *target,
                             const struct curated_case *item, struct staleness *staleness,
                             struct stale_case *stale)
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
    return plan->apply ? store_reason(tools, stale) : ERROR_NONE;
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
        error = check_case(tools, plan, &target, &set.cases[i], staleness,
                           &stale[staleness->stale_count]);
        staleness->stale_count += !error && stale[staleness->stale_count].reason;
        if (!error && tools->on_case)
            error = tools->on_case(tools->context, ++done, staleness->due, tools->problem);
    }
    if (plan->ages)
        staleness->skipped = staleness->due;
    staleness->markdown = as_markdown(tools, staleness);
    return error;
}
