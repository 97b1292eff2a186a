/* The rules of several goals, in their order; the first that applies decides. */
#include "experiments/live_results/goals.h"

#include <string.h>

static const double strong_p = 0.01, end_of_waiting = 2; /* times the plan */

static const struct live_goal_treatment *treatment_at(const struct live_goals *goals, size_t i)
{
    return (const struct live_goal_treatment *)goals->treatments.items + i;
}

void policy_give_goals(const struct live_goals *goals, size_t treatment,
                       struct policy_outcome *outcome)
{
    const struct live_goal *items = goals->goals.items;

    for (size_t g = 0; g < goals->goals.count; g++) {
        const struct live_goal_comparison *shown =
            (const struct live_goal_comparison *)items[g].comparisons.items + treatment;

        if (shown->is_proven)
            policy_give(outcome, REASON_GOAL_PROVEN, (int)treatment, (int)g);
        if (shown->is_worse)
            policy_give(outcome, REASON_GOAL_WORSE, (int)treatment, (int)g);
    }
}

static bool wins(const struct live_goal_treatment *treatment)
{
    return treatment->is_met && !treatment->is_worse;
}

static void conclude(struct policy_outcome *outcome, enum verdict verdict,
                     enum confidence confidence)
{
    outcome->verdict = verdict;
    outcome->confidence = confidence;
}

static void add_winner(struct policy_outcome *outcome, size_t i, int practical)
{
    outcome->winners[outcome->winner_count++] =
        (struct policy_winner){(int)i, false, (enum practical)practical};
}

static bool rule_ship(const struct live_goals *goals, struct policy_outcome *outcome)
{
    bool found = false, strong = false;

    for (size_t i = 0; i < goals->treatments.count; i++) {
        const struct live_goal_treatment *treatment = treatment_at(goals, i);

        if (!wins(treatment) || (treatment->practical != PRACTICAL_MET &&
                                 treatment->practical != PRACTICAL_UNAVAILABLE))
            continue;
        found = true;
        strong = strong || treatment->p_value_adjusted <= strong_p;
        add_winner(outcome, i, treatment->practical);
    }
    if (found)
        conclude(outcome, VERDICT_SHIP, strong ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
    return found;
}

/* Proven gains that are too small, or may be. */
static bool rule_doubtful(const struct live_goals *goals, bool last_read,
                          struct policy_outcome *outcome)
{
    size_t open = 0, rejected = 0;

    for (size_t i = 0; i < goals->treatments.count; i++) {
        const struct live_goal_treatment *treatment = treatment_at(goals, i);
        bool below = treatment->practical == PRACTICAL_PROVEN_BELOW;

        if (!wins(treatment))
            continue;
        policy_give(outcome, below ? REASON_GOALS_TOO_SMALL : REASON_GOALS_UNCERTAIN, (int)i, -1);
        add_winner(outcome, i, treatment->practical);
        open += !below;
        rejected += below;
    }
    if (open + rejected == 0)
        return false;
    if (open > 0 && !last_read) {
        conclude(outcome, VERDICT_KEEP_RUNNING, CONFIDENCE_LOW);
        return true;
    }
    if (open > 0)
        policy_give(outcome, REASON_POSITIVE_BELOW_THRESHOLD, -1, -1);
    conclude(outcome, VERDICT_NO_SHIP, CONFIDENCE_MEDIUM);
    return true;
}

/* Whether every treatment is worse, or can no longer be worth it. */
static bool are_all_out(const struct live_goals *goals, bool complete, bool *excluded)
{
    *excluded = false;
    for (size_t i = 0; i < goals->treatments.count; i++) {
        const struct live_goal_treatment *treatment = treatment_at(goals, i);

        if (!treatment->is_known || treatment->is_worse)
            continue;
        if (!complete || treatment->practical != PRACTICAL_PROVEN_BELOW)
            return false;
        *excluded = true;
    }
    return true;
}

static void give_open(const struct live_goals *goals, enum reason reason,
                      struct policy_outcome *outcome)
{
    for (size_t i = 0; i < goals->treatments.count; i++)
        if (treatment_at(goals, i)->is_known && !treatment_at(goals, i)->is_worse)
            policy_give(outcome, reason, (int)i, -1);
}

static void rule_open(const struct live_goals *goals, bool last_look, double plans,
                      struct policy_outcome *outcome)
{
    bool excluded;

    conclude(outcome, VERDICT_NO_SHIP, CONFIDENCE_MEDIUM);
    if (are_all_out(goals, outcome->complete, &excluded)) {
        if (excluded)
            give_open(goals, REASON_GOALS_EXCLUDED, outcome);
        return;
    }
    give_open(goals, REASON_GOALS_OPEN, outcome);
    if (last_look) {
        policy_give(outcome, REASON_COMPLETE_NO_EFFECT, -1, -1);
        return;
    }
    if (plans >= end_of_waiting) {
        policy_give(outcome, REASON_TWICE_THE_PLAN, -1, -1);
        return;
    }
    if (plans > 0 && !outcome->complete)
        policy_give(outcome, REASON_INFO_INCOMPLETE, -1, -1);
    conclude(outcome, VERDICT_KEEP_RUNNING, CONFIDENCE_LOW);
}

void policy_decide_goals(const struct live_goals *goals, bool last_look, double plans,
                         struct policy_outcome *outcome)
{
    bool once = strcmp(goals->reading, goals_reading_names[GOALS_PLANNED_END]) == 0;
    bool last_read = last_look || (once && outcome->complete);

    for (size_t i = 0; i < goals->treatments.count; i++)
        policy_give_goals(goals, i, outcome);
    if (rule_ship(goals, outcome) || rule_doubtful(goals, outcome->complete, outcome))
        return;
    rule_open(goals, last_read, plans, outcome);
}
