/* Searches by growing steps, then by bisection. Verdicts of trials use normal posteriors. */
#include "experiments/live_results/decision_flip.h"

#include "experiments/analyses/report_print.h"
#include "experiments/live_results/decision_schema.h"
#include "experiments/live_results/live_results_internal.h"
#include "report/drawing.h"

#include <math.h>

enum { STEPS = 28, HALVINGS = 18, CHANGES_MAX = 4 };

static const char *const verdict_words[VERDICT__MAX] = {
    "live.verdict_words.ship", "live.verdict_words.no_ship", "live.verdict_words.keep_running"};

static const double people_most = 100, error_least = 0.1, effect_most = 10;

struct search {
    struct live_results results;
    const struct live_stats *stats;
    enum verdict verdict;
    double unit; /* a standard error of the effect, per subject */
};

/* The changed quantity, and by how much: 0 = unchanged, 1 = limit of the search. */
enum direction { MORE_EFFECT, LESS_EFFECT, MORE_SUBJECTS, LESS_ERROR };

static struct live_results_change change_at(const struct search *search, enum direction direction,
                                            double way)
{
    struct live_results_change change = {.people = 1, .error = 1};

    switch (direction) {
    case MORE_EFFECT:
        change.effect = way * effect_most * search->unit;
        break;
    case LESS_EFFECT:
        change.effect = -way * effect_most * search->unit;
        break;
    case MORE_SUBJECTS:
        change.people = pow(people_most, way);
        break;
    default:
        change.error = pow(error_least, way);
    }
    return change;
}

static enum verdict verdict_at(struct search *search, enum direction direction, double way)
{
    struct live_stats tried = *search->stats;
    struct policy_outcome outcome;

    search->results.change = change_at(search, direction, way);
    tried.stratified = NULL; /* not moved with the effect */
    tried.exposures_total = live_results_subjects(&search->results);
    live_results_comparisons(&search->results, &tried);
    live_results_sequential(&search->results, &tried);
    policy_decide(&tried, search->results.design, &outcome);
    return outcome.verdict;
}

/* The smallest change with another verdict; false when there is none. */
static bool find(struct search *search, enum direction direction, double *way, enum verdict *found)
{
    double same = 0, other = 0;

    for (int i = 1; i <= STEPS && other == 0; i++) {
        double next = pow((double)i / STEPS, 2);

        if (verdict_at(search, direction, next) != search->verdict)
            other = next;
        else
            same = next;
    }
    if (other == 0)
        return false;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (same + other) / 2;

        if (verdict_at(search, direction, middle) != search->verdict)
            other = middle;
        else
            same = middle;
    }
    *way = other;
    *found = verdict_at(search, direction, other);
    return true;
}

/* The best observed effect determines the verdict of the experiment. */
static const struct live_comparison *leading(const struct live_stats *stats, double sign)
{
    const struct live_comparison *comparisons = stats->comparisons.items, *lead = NULL;

    for (size_t i = 0; i < stats->comparisons.count; i++)
        if (comparisons[i].variance > 0 &&
            (!lead || sign * comparisons[i].test.effect > sign * lead->test.effect))
            lead = &comparisons[i];
    return lead;
}

static const char *number_text(const struct search *search, double value)
{
    return live_results_effect_text(search->results.call, search->results.design, value);
}

static struct decision_change describe(const struct search *search, enum direction direction,
                                       double way, enum verdict found)
{
    static const char *const keys[] = {"live.change.effect", "live.change.effect",
                                       "live.change.sample", "live.change.error"};
    struct arena *arena = search->results.call->arena;
    const struct locale *locale = search->results.call->locale;
    const struct live_comparison *lead = leading(search->stats, goal_sign(search->results.design));
    bool binary = search->results.design->metric_type == METRIC_BINARY;
    struct live_results_change moved = change_at(search, direction, way);
    double scale = binary ? 100 : 1, error = scale * sqrt(lead->variance);
    struct decision_change change = {.verdict = verdict_names[found]};
    const char *key = verdict_words[found];

    change.unit = binary ? "percentage_points" : "metric_units";
    if (direction == MORE_SUBJECTS) {
        change.change = "sample";
        change.unit = "people";
        change.from = (double)search->stats->exposures_total;
        change.to = ceil(change.from * moved.people);
    } else if (direction == LESS_ERROR) {
        change.change = "error";
        change.from = error;
        change.to = error * moved.error;
    } else {
        change.change = "effect";
        change.from = lead->test.effect;
        change.to = change.from + scale * moved.effect;
    }
    change.text = locale_format(
        locale, arena, keys[direction],
        TEXT_ARGUMENTS(
            {"from", direction == MORE_SUBJECTS ? print_thousands(arena, (int64_t)change.from)
                                                : number_text(search, change.from)},
            {"to", direction == MORE_SUBJECTS ? print_thousands(arena, (int64_t)change.to)
                                              : number_text(search, change.to)},
            {"verdict", locale_format(locale, arena, key, NO_TEXT_ARGUMENTS)}));
    return change;
}

struct object_list decision_flip_changes(const struct live_results_call *call,
                                         const struct live_view *view,
                                         const struct live_stats *stats, enum verdict verdict)
{
    struct decision_change *changes = ARENA_ARRAY(call->arena, struct decision_change, CHANGES_MAX);
    struct search search = {.stats = stats, .verdict = verdict};
    const struct live_comparison *lead = leading(stats, goal_sign(view->design->metrics));
    struct object_list list = {.items = changes};
    double way;

    if (!lead)
        return list;
    live_results_start(&search.results, call, view);
    search.results.rough = true;
    search.unit = sqrt(lead->variance);
    if (verdict_at(&search, MORE_EFFECT, 0) != verdict)
        return list; /* so close that the approximation decides otherwise */
    for (int i = MORE_EFFECT; i <= LESS_ERROR; i++) {
        enum verdict found;

        /* The error of a rate follows from the rate and the subjects. */
        if (i == LESS_ERROR && search.results.design->metric_type == METRIC_BINARY)
            continue;
        if (find(&search, (enum direction)i, &way, &found))
            changes[list.count++] = describe(&search, (enum direction)i, way, found);
    }
    return list;
}
