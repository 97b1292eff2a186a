/* Several projects side by side. */
#include "experiments/reports/comparison.h"
#include "base/string_list.h"
#include "experiments/reports/shared_items.h"
#include "text/fold.h"

#include <stdlib.h>
#include <string.h>

static const char mixed_metrics[] =
    "Mixed metric types \xE2\x80\x94 direct effect comparison not meaningful";

typedef const struct string_list *list_of(const struct compared_project *project);

static const struct string_list *warnings_of(const struct compared_project *project)
{
    return &project->warning_codes;
}

static const struct string_list *risks_of(const struct compared_project *project)
{
    return &project->risk_highlights;
}

static const struct string_list *assumptions_of(const struct compared_project *project)
{
    return &project->assumptions;
}

static const struct string_list *recommendations_of(const struct compared_project *project)
{
    return &project->recommendation_highlights;
}

static struct shared_items *collect(const struct object_list *projects, list_of *list,
                                    struct arena *arena)
{
    const struct compared_project *entries = projects->items;
    struct shared_items *items;
    size_t most = 0;

    for (size_t i = 0; i < projects->count; i++)
        most += list(&entries[i])->count;
    items = shared_items_new(arena, most);
    for (size_t i = 0; i < projects->count; i++)
        shared_items_add(items, list(&entries[i]), (unsigned)i);
    return items;
}

static void find_common(struct comparison *comparison, struct arena *arena)
{
    const struct object_list *projects = &comparison->projects;
    const struct compared_project *entries = projects->items;
    struct shared_items *warnings = collect(projects, warnings_of, arena);
    struct shared_items *risks = collect(projects, risks_of, arena);
    struct shared_items *assumptions = collect(projects, assumptions_of, arena);
    unsigned all = (1U << projects->count) - 1;

    comparison->shared_warnings = shared_items_of(warnings, all);
    comparison->shared_risks = shared_items_of(risks, all);
    comparison->shared_assumptions = shared_items_of(assumptions, all);
    for (size_t i = 0; i < projects->count; i++)
        comparison->unique[i] =
            (struct compared_unique){.id = entries[i].id,
                                     .warnings = shared_items_of(warnings, 1U << i),
                                     .risks = shared_items_of(risks, 1U << i),
                                     .assumptions = shared_items_of(assumptions, 1U << i)};
}

static int integer_order(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static struct compared_range range_of(int64_t *values, size_t count)
{
    size_t low = (count - 1) / 2, high = count / 2;

    qsort(values, count, sizeof values[0], integer_order);
    return (struct compared_range){.min = values[0],
                                   .max = values[count - 1],
                                   .median = ((double)values[low] + (double)values[high]) / 2};
}

static void measure(struct comparison *comparison)
{
    const struct compared_project *entries = comparison->projects.items;
    size_t count = comparison->projects.count;
    int64_t totals[COMPARED_MAX], days[COMPARED_MAX];

    for (size_t i = 0; i < count; i++) {
        totals[i] = entries[i].total_sample_size;
        days[i] = entries[i].estimated_duration_days;
    }
    comparison->sample_size_range = range_of(totals, count);
    comparison->duration_range = range_of(days, count);
}

static void name_metrics(struct comparison *comparison, struct arena *arena)
{
    const struct compared_project *entries = comparison->projects.items;
    struct string_list *used = &comparison->metric_types_used;

    used->items = ARENA_ARRAY(arena, const char *, comparison->projects.count);
    for (size_t i = 0; i < comparison->projects.count; i++)
        string_list_add_new(used, entries[i].metric_type);
    qsort(used->items, used->count, sizeof used->items[0], string_list_order);
    if (used->count > 1) { /* shared_items_of() leaves room for one more */
        struct string_list *warnings = &comparison->shared_warnings;

        warnings->items[warnings->count++] = mixed_metrics;
    }
}

struct said {
    const char *text;
    const char *folded;
    int times;
};

static int said_order(const void *left, const void *right)
{
    const struct said *a = left, *b = right;
    int by_case = a->times == b->times ? strcmp(a->folded, b->folded) : 0;

    if (a->times != b->times)
        return b->times - a->times;
    return by_case ? by_case : strcmp(a->text, b->text);
}

static void gather_recommendations(struct comparison *comparison, struct arena *arena)
{
    struct string_list *highlights = &comparison->recommendation_highlights;
    size_t projects = comparison->projects.count;
    int *times;
    struct string_list all =
        shared_items_all(collect(&comparison->projects, recommendations_of, arena), &times);
    struct said *said = ARENA_ARRAY(arena, struct said, all.count + 1);

    for (size_t i = 0; i < all.count; i++)
        said[i] = (struct said){all.items[i], text_fold(arena, all.items[i]), times[i]};
    qsort(said, all.count, sizeof said[0], said_order);
    highlights->items = ARENA_ARRAY(arena, const char *, COMPARED_RECOMMENDATIONS);
    while (highlights->count < all.count && highlights->count < COMPARED_RECOMMENDATIONS) {
        const struct said *one = &said[highlights->count];

        highlights->items[highlights->count++] =
            arena_print(arena, "%s appears in %d/%zu projects.", one->text, one->times, projects);
    }
}

void comparison_build(const struct project_snapshot *snapshots, size_t count, struct arena *arena,
                      struct comparison *comparison)
{
    struct compared_project *entries = ARENA_ARRAY(arena, struct compared_project, count);

    *comparison = (struct comparison){.projects = {count, entries}};
    for (size_t i = 0; i < count; i++)
        entries[i] = comparison_entry(&snapshots[i], arena);
    find_common(comparison, arena);
    measure(comparison);
    name_metrics(comparison, arena);
    gather_recommendations(comparison, arena);
}

bool comparison_draw(const struct project_snapshot *snapshot, size_t count, uint64_t seed,
                     struct arena *arena, struct uplift_draws *draws)
{
    const struct observed_results *observed =
        snapshot->payload->additional_context->observed_results;
    const struct results_request *request = observed ? observed->request : NULL;
    int type = snapshot->payload->metrics->metric_type;

    if (type == METRIC_BINARY && request && request->binary)
        uplift_draw_rates(request->binary, count, seed, arena, draws);
    else if (type == METRIC_CONTINUOUS && request && request->continuous)
        uplift_draw_means(request->continuous, count, seed, arena, draws);
    else
        return false;
    return true;
}
