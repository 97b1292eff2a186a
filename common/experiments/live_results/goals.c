/* Several goals: each compared with the control, all judged by one rule. */
#include "experiments/live_results/goals.h"

#include "experiments/live_results/clusters.h"
#include "experiments/live_results/policy.h"
#include "stats/goal_family.h"
#include "stats/sequential/confidence_sequence.h"

#include <math.h>
#include <string.h>

struct goals {
    struct live_results each; /* at the level of one interval, without texts */
    const struct payload_goals *asked;
    struct goal_family family;
    bool reads; /* at this look */
    struct live_goals *shown;
    double *better, *worse; /* directed p-values, then adjusted ones */
};

/* One goal of one treatment. */
struct compared {
    struct test_result test;
    double scale;    /* of the test's effect: 100 where it is in percentage points */
    double variance; /* of the difference, in natural units */
    double users;    /* of both arms */
    bool few;        /* too few for a reading at any look */
};

static bool are_few(double control, double treatment)
{
    return fmin(control, treatment) < SEQUENCE_USERS_MIN;
}

static bool has_few_of(int64_t n, int64_t events)
{
    return n < SEQUENCE_RATE_USERS_MIN || events < SEQUENCE_EVENTS_MIN ||
           n - events < SEQUENCE_EVENTS_MIN;
}

static bool compare_primary(const struct goals *goals, int arm, struct compared *compared)
{
    const struct live_results_arm control = live_results_arm(&goals->each, CONTROL_ARM);
    const struct live_results_arm treatment = live_results_arm(&goals->each, arm);
    bool rate = goals->each.design->metric_type == METRIC_BINARY;
    struct live_comparison comparison = {0};

    live_results_compare(&goals->each, &control, &treatment, &comparison);
    if (strcmp(comparison.status, "ok") != 0)
        return false;
    *compared = (struct compared){.test = comparison.test,
                                  .scale = rate ? 100 : 1,
                                  .variance = comparison.variance,
                                  .users = (double)control.n + (double)treatment.n,
                                  .few = rate ? has_few_of(control.n, control.converted) ||
                                                    has_few_of(treatment.n, treatment.converted)
                                              : are_few((double)control.n, (double)treatment.n)};
    if (goals->each.clustered)
        compared->few = live_clusters_are_few(&compared->test);
    return true;
}

static double variance_of(const struct live_moments *moments, bool rate)
{
    double n = (double)moments->n, share = (double)moments->converted / n;

    return rate ? share * (1 - share) / n : moments->squares / (n - 1) / n;
}

static bool compare_further(const struct goals *goals, const struct payload_goal *goal, int arm,
                            struct compared *compared)
{
    bool rate = goal->metric_type == METRIC_BINARY;
    const struct live_view *view = goals->each.view;
    int64_t number = live_view_metric(view, goal->name);
    struct live_moments before = live_view_moments(view, number, LIVE_EVERYBODY, CONTROL_ARM);
    struct live_moments after = live_view_moments(view, number, LIVE_EVERYBODY, arm);

    *compared = (struct compared){.scale = rate ? 100 : 1};
    if (!live_results_test_metric(&goals->each, goal->name, LIVE_EVERYBODY, rate, arm,
                                  &compared->test))
        return false;
    compared->variance = variance_of(&before, rate) + variance_of(&after, rate);
    compared->users = (double)before.n + (double)after.n;
    compared->few =
        rate ? has_few_of(before.n, before.converted) || has_few_of(after.n, after.converted)
             : are_few((double)before.n, (double)after.n);
    if (goals->each.clustered) {
        compared->variance = live_clusters_variance(&compared->test, compared->scale);
        compared->few = live_clusters_are_few(&compared->test);
    }
    return true;
}

static const struct payload_goal *further_of(const struct goals *goals, size_t goal)
{
    return (const struct payload_goal *)goals->asked->further.items + (goal - 1);
}

/* Holds at every look. */
static void read_always_valid(const struct goals *goals, const struct live_goal *goal,
                              const struct compared *compared, struct live_goal_comparison *shown)
{
    const struct sequence_tuning tuning = {.effect = goal->worthwhile_effect.value,
                                           .users = 2 * (double)goals->each.call->mixture_users};
    struct always_valid sequence;

    shown->status = "too_few_users";
    if (compared->few)
        return;
    confidence_sequence_difference(compared->test.effect / compared->scale, compared->variance,
                                   compared->users, &tuning, goals->each.alpha, &sequence);
    if (!sequence.evaluable)
        return;
    shown->status = "ok";
    shown->p_value = GIVEN_NUMBER(sequence.p_value);
    shown->ci_lower = GIVEN_NUMBER(sequence.lower);
    shown->ci_upper = GIVEN_NUMBER(sequence.upper);
}

static void read_planned_end(const struct goals *goals, const struct compared *compared,
                             struct live_goal_comparison *shown)
{
    shown->status = "before_planned_end";
    if (!goals->reads)
        return;
    shown->status = "ok";
    shown->p_value = GIVEN_NUMBER(compared->test.p_value);
    shown->ci_lower = GIVEN_NUMBER(compared->test.ci_lower / compared->scale);
    shown->ci_upper = GIVEN_NUMBER(compared->test.ci_upper / compared->scale);
}

static bool falls(const struct live_goal *goal)
{
    return strcmp(goal->direction, goal_direction_names[GOAL_DECREASE]) == 0;
}

static enum practical practical_of(const struct live_goal *goal,
                                   const struct live_goal_comparison *shown)
{
    double least = falls(goal) ? -shown->ci_upper.value : shown->ci_lower.value; /* gains */
    double most = falls(goal) ? -shown->ci_lower.value : shown->ci_upper.value;

    if (!goal->worthwhile_effect.given)
        return PRACTICAL_UNAVAILABLE;
    if (!shown->ci_lower.given)
        return PRACTICAL_UNCERTAIN;
    if (least >= goal->worthwhile_effect.value)
        return PRACTICAL_MET;
    return most < goal->worthwhile_effect.value ? PRACTICAL_PROVEN_BELOW : PRACTICAL_UNCERTAIN;
}

static void read_comparison(const struct goals *goals, size_t goal, size_t treatment)
{
    struct live_goal *of = (struct live_goal *)goals->shown->goals.items + goal;
    struct live_goal_comparison *shown =
        (struct live_goal_comparison *)of->comparisons.items + treatment;
    struct live_metric_comparison values;
    struct compared compared;
    int arm = (int)treatment + 1;
    bool known = goal == 0 ? compare_primary(goals, arm, &compared)
                           : compare_further(goals, further_of(goals, goal), arm, &compared);

    *shown = (struct live_goal_comparison){.treatment_index = arm, .status = "insufficient_data"};
    if (known) {
        live_results_fill_metric(&compared.test, compared.scale > 1, &values);
        shown->control_value = values.control_value;
        shown->treatment_value = values.treatment_value;
        shown->effect = values.effect;
        if (goals->asked->reading == GOALS_ALWAYS_VALID)
            read_always_valid(goals, of, &compared, shown);
        else
            read_planned_end(goals, &compared, shown);
    }
    shown->practical = (int)practical_of(of, shown);
    shown->worthwhile = practical_names[shown->practical];
}

/* 0 where there is none. */
static int sign_of(const struct live_goal *goal, const struct live_goal_comparison *shown)
{
    double gain = falls(goal) ? -shown->effect.value : shown->effect.value;

    return (gain > 0) - (gain < 0);
}

static void direct(const struct goals *goals, size_t goal, size_t treatment)
{
    const struct live_goal *of = (const struct live_goal *)goals->shown->goals.items + goal;
    const struct live_goal_comparison *shown =
        (const struct live_goal_comparison *)of->comparisons.items + treatment;
    size_t at = goal_family_place(&goals->family, goal, treatment);
    int sign = sign_of(of, shown);

    goals->better[at] = shown->p_value.given && sign > 0 ? shown->p_value.value : 1;
    goals->worse[at] = shown->p_value.given && sign < 0 ? shown->p_value.value : 1;
}

static void judge(const struct goals *goals, size_t goal, size_t treatment)
{
    struct live_goal *of = (struct live_goal *)goals->shown->goals.items + goal;
    struct live_goal_comparison *shown =
        (struct live_goal_comparison *)of->comparisons.items + treatment;
    size_t at = goal_family_place(&goals->family, goal, treatment);
    const double *claims = sign_of(of, shown) < 0 ? goals->worse : goals->better;

    if (shown->p_value.given)
        shown->p_value_adjusted = GIVEN_NUMBER(claims[at]);
    shown->is_proven = goals->better[at] <= goals->shown->alpha;
    shown->is_worse = goals->worse[at] <= goals->shown->alpha;
}

/* From worst to best for whoever wants to ship. */
static int rank_of(int practical)
{
    static const int ranks[PRACTICAL__MAX] = {[PRACTICAL_PROVEN_BELOW] = 0,
                                              [PRACTICAL_UNCERTAIN] = 1,
                                              [PRACTICAL_UNAVAILABLE] = 2,
                                              [PRACTICAL_MET] = 3};

    return ranks[practical];
}

/* Any goal: the best of those that are proven, or of all. All goals: the worst. */
static int practical_of_all(const struct goals *goals, size_t treatment, bool proven_only)
{
    const struct live_goal *items = goals->shown->goals.items;
    int found = -1;

    for (size_t g = 0; g < goals->family.goals; g++) {
        const struct live_goal_comparison *shown =
            (const struct live_goal_comparison *)items[g].comparisons.items + treatment;
        bool all = goals->family.rule == GOAL_RULE_ALL;

        if (proven_only && !all && !shown->is_proven)
            continue;
        if (found < 0 || (rank_of(shown->practical) < rank_of(found)) == all)
            found = shown->practical;
    }
    return found;
}

static void sum_up(const struct goals *goals, size_t treatment, double adjusted)
{
    struct live_goal_treatment *shown =
        (struct live_goal_treatment *)goals->shown->treatments.items + treatment;
    const struct live_goal *items = goals->shown->goals.items;

    *shown = (struct live_goal_treatment){.treatment_index = (int64_t)treatment + 1,
                                          .p_value_adjusted = adjusted,
                                          .is_met = adjusted <= goals->shown->alpha};
    for (size_t g = 0; g < goals->family.goals; g++) {
        const struct live_goal_comparison *of =
            (const struct live_goal_comparison *)items[g].comparisons.items + treatment;

        shown->is_worse = shown->is_worse || of->is_worse;
        shown->is_known = shown->is_known || strcmp(of->status, "insufficient_data") != 0;
    }
    shown->practical = practical_of_all(goals, treatment, shown->is_met);
    shown->worthwhile = practical_names[shown->practical];
}

static void adjust(struct goals *goals)
{
    struct arena *arena = goals->each.call->arena;
    const struct goal_family losses = {GOAL_RULE_ANY_HOLM, goals->family.goals,
                                       goals->family.treatments};
    size_t count = goals->family.goals * goals->family.treatments;
    double *treatments = ARENA_ARRAY(arena, double, goals->family.treatments);
    double *unused = ARENA_ARRAY(arena, double, goals->family.treatments);
    double *better = ARENA_ARRAY(arena, double, count), *worse = ARENA_ARRAY(arena, double, count);

    goal_family_adjust(&goals->family, goals->better, arena, better, treatments);
    goal_family_adjust(&losses, goals->worse, arena, worse, unused);
    goals->better = better;
    goals->worse = worse;
    for (size_t t = 0; t < goals->family.treatments; t++) {
        for (size_t g = 0; g < goals->family.goals; g++)
            judge(goals, g, t);
        sum_up(goals, t, treatments[t]);
    }
}

/* Of the primary metric, in natural units. */
static struct optional_number worthwhile_of(const struct payload_metrics *design)
{
    double effect = design->baseline_value * fabs(design->mde_pct) / 100;

    return (struct optional_number){effect > 0, effect > 0 ? effect : 0};
}

static void list_goals(const struct goals *goals)
{
    static const char *const units[METRIC__MAX] = {"rate", "mean", "ratio", "mean"};
    const struct payload_metrics *design = goals->each.design;
    struct arena *arena = goals->each.call->arena;
    struct live_goal *items = ARENA_ARRAY(arena, struct live_goal, goals->family.goals);
    size_t treatments = goals->family.treatments;

    items[0] = (struct live_goal){.name = design->primary_metric_name,
                                  .unit = units[design->metric_type],
                                  .direction = goal_direction_names[design->direction],
                                  .worthwhile_effect = worthwhile_of(design)};
    for (size_t g = 1; g < goals->family.goals; g++) {
        const struct payload_goal *further = further_of(goals, g);

        items[g] = (struct live_goal){.name = further->name,
                                      .unit = units[further->metric_type],
                                      .direction = goal_direction_names[further->direction],
                                      .worthwhile_effect = further->worthwhile_effect};
    }
    for (size_t g = 0; g < goals->family.goals; g++)
        items[g].comparisons = (struct object_list){
            treatments, ARENA_ARRAY(arena, struct live_goal_comparison, treatments)};
    goals->shown->goals = (struct object_list){goals->family.goals, items};
    goals->shown->treatments = (struct object_list){
        treatments, ARENA_ARRAY(arena, struct live_goal_treatment, treatments)};
}

static void start(struct goals *goals, const struct live_results *results,
                  const struct live_stats *stats)
{
    const struct payload_goals *asked = results->design->goals;
    struct arena *arena = results->call->arena;

    *goals = (struct goals){.each = *results,
                            .asked = asked,
                            .family = {payload_goal_rule(asked), 1 + asked->further.count,
                                       results->arms > 0 ? results->arms - 1 : 0},
                            .reads = asked->reading == GOALS_ALWAYS_VALID ||
                                     policy_sample_complete(stats->sequential),
                            .shown = ARENA_NEW(arena, struct live_goals)};
    goals->better = ARENA_ARRAY(arena, double, goals->family.goals * goals->family.treatments);
    goals->worse = ARENA_ARRAY(arena, double, goals->family.goals * goals->family.treatments);
    goals->each.alpha = goal_family_interval_alpha(&goals->family, results->design->alpha);
    goals->each.rough = true;
}

void live_results_goals(const struct live_results *results, struct live_stats *stats)
{
    struct goals goals;

    if (!results->design->goals || results->arms < 2)
        return;
    start(&goals, results, stats);
    *goals.shown = (struct live_goals){
        .requires = goals_required_names[goals.asked->requires],
        .correction = goals_correction_names[goals.family.rule == GOAL_RULE_ANY_IN_ORDER],
        .reading = goals_reading_names[goals.asked->reading],
        .status = goals.reads ? "ok" : "before_planned_end",
        .alpha = results->design->alpha,
        .ci_level = 1 - goals.each.alpha};
    list_goals(&goals);
    for (size_t g = 0; g < goals.family.goals; g++) {
        for (size_t t = 0; t < goals.family.treatments; t++) {
            read_comparison(&goals, g, t);
            direct(&goals, g, t);
        }
    }
    adjust(&goals);
    stats->goals = goals.shown;
}
