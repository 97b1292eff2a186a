/* Searches by growing steps, then by bisection. Verdicts of trials use normal posteriors. */
#include "experiments/live_results/decision_flip.h"

#include "experiments/analyses/report_print.h"
#include "experiments/live_results/live_results_internal.h"
#include "report/drawing.h"

#include <math.h>
#include <string.h>

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

static const char *number_text(const struct search *search, double size, double value)
{
    return live_results_effect_text(search->results.call, search->results.design, size, value);
}

/* Two numbers that are told apart: with more decimals where they would read alike. */
static void number_texts(const struct search *search, double from, double to, const char *texts[2])
{
    double size = fmax(fabs(from), fabs(to));

    for (int i = 0; i < 2; i++, size = fabs(to - from)) {
        texts[0] = number_text(search, size, from);
        texts[1] = number_text(search, size, to);
        if (strcmp(texts[0], texts[1]) != 0)
            return;
    }
}

static const char *verdict_text(const struct search *search, const char *verdict)
{
    const struct live_results_call *call = search->results.call;
    int found = 0;

    while (strcmp(verdict_names[found], verdict) != 0)
        found++;
    return locale_format(call->locale, call->arena, verdict_words[found], NO_TEXT_ARGUMENTS);
}

/* Of the changes of the effect, the smaller one. */
static const struct decision_margin *nearest(const struct search *search,
                                             const struct object_list *changes)
{
    static const char *const keys[2][2] = {{"live.margin.clear_lower", "live.margin.clear_higher"},
                                           {"live.margin.close_lower", "live.margin.close_higher"}};
    const struct live_results_call *call = search->results.call;
    const struct decision_change *items = changes->items, *found = NULL;
    struct decision_margin *margin = ARENA_NEW(call->arena, struct decision_margin);
    double scale = search->results.design->metric_type == METRIC_BINARY ? 100 : 1;
    bool close;

    for (size_t i = 0; i < changes->count; i++)
        if (strcmp(items[i].change, "effect") == 0 &&
            (!found || fabs(items[i].to - items[i].from) < fabs(found->to - found->from)))
            found = &items[i];
    if (!found || search->verdict == VERDICT_KEEP_RUNNING)
        return NULL;
    *margin = (struct decision_margin){
        .distance = fabs(found->to - found->from), .unit = found->unit, .verdict = found->verdict};
    close = margin->distance < scale * search->unit;
    margin->status = close ? "close" : "clear";
    margin->text = locale_format(
        call->locale, call->arena, keys[close][found->to > found->from],
        TEXT_ARGUMENTS({"distance", number_text(search, margin->distance, margin->distance)},
                       {"verdict", verdict_text(search, found->verdict)}));
    return margin;
}

static struct decision_change describe(const struct search *search, enum direction direction,
                                       double way, enum verdict found)
{
    static const char *const keys[] = {"live.change.effect", "live.change.effect",
                                       "live.change.sample", "live.change.error"};
    struct arena *arena = search->results.call->arena;
    const struct live_comparison *lead = leading(search->stats, goal_sign(search->results.design));
    bool binary = search->results.design->metric_type == METRIC_BINARY;
    struct live_results_change moved = change_at(search, direction, way);
    double scale = binary ? 100 : 1, error = scale * sqrt(lead->variance);
    struct decision_change change = {.verdict = verdict_names[found]};
    const char *texts[2];

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
    if (direction == MORE_SUBJECTS) {
        texts[0] = print_thousands(arena, (int64_t)change.from);
        texts[1] = print_thousands(arena, (int64_t)change.to);
    } else {
        number_texts(search, change.from, change.to, texts);
    }
    change.text = locale_format(search->results.call->locale, arena, keys[direction],
                                TEXT_ARGUMENTS({"from", texts[0]}, {"to", texts[1]},
                                               {"verdict", verdict_text(search, change.verdict)}));
    return change;
}

struct object_list decision_flip_changes(const struct live_results_call *call,
                                         const struct live_view *view,
                                         const struct live_stats *stats, enum verdict verdict,
                                         const struct decision_margin **margin)
{
    struct decision_change *changes = ARENA_ARRAY(call->arena, struct decision_change, CHANGES_MAX);
    struct search search = {.stats = stats, .verdict = verdict};
    const struct live_comparison *lead = leading(stats, goal_sign(view->design->metrics));
    struct object_list list = {.items = changes};
    double way;

    *margin = NULL;
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
    *margin = nearest(&search, &list);
    return list;
}
