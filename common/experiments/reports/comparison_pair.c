/* The comparison of two projects, in numbers and in sentences. */
#include "base/string_list.h"
#include "experiments/reports/comparison.h"
#include "experiments/reports/shared_items.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR_HIGHLIGHTS_MAX = 5, BASE = 1, CANDIDATE = 2 };

struct compared_sides {
    struct string_list shared;
    struct string_list base_only;
    struct string_list candidate_only;
};

static struct compared_sides sides_of(const struct string_list *base,
                                      const struct string_list *candidate, bool sorted,
                                      struct arena *arena)
{
    struct shared_items *items = shared_items_new(arena, base->count + candidate->count);
    struct compared_sides sides;
    struct string_list *lists[] = {&sides.shared, &sides.base_only, &sides.candidate_only};

    shared_items_add(items, base, 0);
    shared_items_add(items, candidate, 1);
    sides =
        (struct compared_sides){shared_items_of(items, BASE | CANDIDATE),
                                shared_items_of(items, BASE), shared_items_of(items, CANDIDATE)};
    for (size_t i = 0; sorted && i < COUNT_OF(lists); i++)
        qsort(lists[i]->items, lists[i]->count, sizeof lists[i]->items[0], string_list_order);
    return sides;
}

static const char *alignment_note(const struct compared_project *base,
                                  const struct compared_project *candidate)
{
    static const char *const notes[2][2] = {
        {"The projects differ in metric family and in primary metric: compare plans, not effects.",
         "The primary metric has the same name, but another metric family: check its definition "
         "before comparing."},
        {"The metric family is the same, the primary metric is another one.",
         "Both projects use the same primary metric and metric family."},
    };
    bool family = strcmp(base->metric_type, candidate->metric_type) == 0;
    bool metric = strcmp(base->primary_metric, candidate->primary_metric) == 0;

    return notes[family][metric];
}

static const char *join(const struct string_list *list, struct arena *arena)
{
    struct text text;

    text_start(&text, arena, PAYLOAD_BYTES_MAX);
    for (size_t i = 0; i < list->count; i++) {
        text_append_string(&text, i ? ", " : "");
        text_append_string(&text, list->items[i]);
    }
    return text.bytes;
}

static const char *warnings_sentence(const struct compared_pair *pair, struct arena *arena)
{
    long long more = (long long)pair->deltas->warnings_count;

    if (more == 0)
        return "Both projects have the same number of warnings.";
    return arena_print(arena, "%s has %lld %s warning(s) than %s.",
                       pair->candidate_project->project_name, llabs(more),
                       more > 0 ? "more" : "fewer", pair->base_project->project_name);
}

static void find_highlights(struct compared_pair *pair, struct arena *arena)
{
    const struct compared_project *base = pair->base_project, *other = pair->candidate_project;
    const char **said = ARENA_ARRAY(arena, const char *, PAIR_HIGHLIGHTS_MAX + 1);
    size_t count = 0;

    said[count++] =
        arena_print(arena, "%s needs %+lld users in total and %+lld days against %s.",
                    other->project_name, (long long)pair->deltas->total_sample_size,
                    (long long)pair->deltas->estimated_duration_days, base->project_name);
    said[count++] = pair->metric_alignment_note;
    said[count++] = warnings_sentence(pair, arena);
    if (pair->candidate_only_warning_codes.count)
        said[count++] = arena_print(arena, "Only %s warns of %s.", other->project_name,
                                    join(&pair->candidate_only_warning_codes, arena));
    if (pair->base_only_assumptions.count + pair->candidate_only_assumptions.count)
        said[count++] = arena_print(arena, "Assumptions differ: %zu only in %s, %zu only in %s.",
                                    pair->base_only_assumptions.count, base->project_name,
                                    pair->candidate_only_assumptions.count, other->project_name);
    if (base->advice_available != other->advice_available)
        said[count++] =
            arena_print(arena, "Advice is available for %s only.",
                        base->advice_available ? base->project_name : other->project_name);
    pair->highlights =
        (struct string_list){count < PAIR_HIGHLIGHTS_MAX ? count : PAIR_HIGHLIGHTS_MAX, said};
}

static const char *word_for(int64_t delta, const char *above, const char *below, const char *equal)
{
    return delta > 0 ? above : delta < 0 ? below : equal;
}

static void find_sides(struct compared_pair *pair, struct arena *arena)
{
    const struct compared_project *base = pair->base_project, *other = pair->candidate_project;
    struct compared_sides codes =
        sides_of(&base->warning_codes, &other->warning_codes, true, arena);
    struct compared_sides assumptions =
        sides_of(&base->assumptions, &other->assumptions, false, arena);
    struct compared_sides risks =
        sides_of(&base->risk_highlights, &other->risk_highlights, false, arena);

    pair->shared_warning_codes = codes.shared;
    pair->base_only_warning_codes = codes.base_only;
    pair->candidate_only_warning_codes = codes.candidate_only;
    pair->shared_assumptions = assumptions.shared;
    pair->base_only_assumptions = assumptions.base_only;
    pair->candidate_only_assumptions = assumptions.candidate_only;
    pair->shared_risk_highlights = risks.shared;
    pair->base_only_risk_highlights = risks.base_only;
    pair->candidate_only_risk_highlights = risks.candidate_only;
}

void comparison_build_pair(const struct project_snapshot *base,
                           const struct project_snapshot *candidate, struct arena *arena,
                           struct compared_pair *pair)
{
    struct compared_project *entries = ARENA_ARRAY(arena, struct compared_project, 2);
    struct compared_deltas *deltas = ARENA_NEW(arena, struct compared_deltas);

    entries[0] = comparison_entry(base, arena);
    entries[1] = comparison_entry(candidate, arena);
    *deltas = (struct compared_deltas){
        entries[1].sample_size_per_variant - entries[0].sample_size_per_variant,
        entries[1].total_sample_size - entries[0].total_sample_size,
        entries[1].estimated_duration_days - entries[0].estimated_duration_days,
        entries[1].warnings_count - entries[0].warnings_count};
    *pair = (struct compared_pair){
        .base_project = &entries[0], .candidate_project = &entries[1], .deltas = deltas};
    find_sides(pair, arena);
    pair->metric_alignment_note = alignment_note(&entries[0], &entries[1]);
    find_highlights(pair, arena);
    pair->summary = arena_print(
        arena, "%s needs %s total sample size and %s test window than %s.", entries[1].project_name,
        word_for(deltas->total_sample_size, "a larger", "a smaller", "the same"),
        word_for(deltas->estimated_duration_days, "a longer", "a shorter", "an equal"),
        entries[0].project_name);
}
