/* Reads the situation from the verdict and its reasons. */
#include "experiments/live_results/headline.h"

#include "experiments/live_results/live_results_internal.h"

#include <string.h>

const char *const headline_names[HEADLINE__MAX] = {
    [HEADLINE_NOT_STARTED] = "not_started",
    [HEADLINE_TOO_EARLY] = "too_early",
    [HEADLINE_KEEP_RUNNING] = "keep_running",
    [HEADLINE_PROMISING] = "promising",
    [HEADLINE_SHIP] = "ship",
    [HEADLINE_GAIN_NOT_PROVEN] = "gain_not_proven",
    [HEADLINE_GAIN_TOO_SMALL] = "gain_too_small",
    [HEADLINE_NO_WORTHWHILE] = "no_worthwhile_effect",
    [HEADLINE_NO_EFFECT] = "no_effect",
    [HEADLINE_NO_CLEAR_RESULT] = "no_clear_result",
    [HEADLINE_WORSE] = "worse",
    [HEADLINE_GUARDRAIL] = "guardrail",
    [HEADLINE_UNTRUSTWORTHY] = "untrustworthy",
};

static const struct {
    const char *key, *note_key;
} texts[HEADLINE__MAX] = {
    [HEADLINE_NOT_STARTED] = {"live.headlines.not_started", "live.headline_notes.not_started"},
    [HEADLINE_TOO_EARLY] = {"live.headlines.too_early", "live.headline_notes.too_early"},
    [HEADLINE_KEEP_RUNNING] = {"live.headlines.keep_running", "live.headline_notes.keep_running"},
    [HEADLINE_PROMISING] = {"live.headlines.promising", "live.headline_notes.promising"},
    [HEADLINE_SHIP] = {"live.headlines.ship", "live.headline_notes.ship"},
    [HEADLINE_GAIN_NOT_PROVEN] = {"live.headlines.gain_not_proven",
                                  "live.headline_notes.gain_not_proven"},
    [HEADLINE_GAIN_TOO_SMALL] = {"live.headlines.gain_too_small",
                                 "live.headline_notes.gain_too_small"},
    [HEADLINE_NO_WORTHWHILE] = {"live.headlines.no_worthwhile_effect",
                                "live.headline_notes.no_worthwhile_effect"},
    [HEADLINE_NO_EFFECT] = {"live.headlines.no_effect", "live.headline_notes.no_effect"},
    [HEADLINE_NO_CLEAR_RESULT] = {"live.headlines.no_clear_result",
                                  "live.headline_notes.no_clear_result"},
    [HEADLINE_WORSE] = {"live.headlines.worse", "live.headline_notes.worse"},
    [HEADLINE_GUARDRAIL] = {"live.headlines.guardrail", "live.headline_notes.guardrail"},
    [HEADLINE_UNTRUSTWORTHY] = {"live.headlines.untrustworthy",
                                "live.headline_notes.untrustworthy"},
};

/* The first reason that is given decides. */
static const struct {
    enum verdict verdict;
    enum reason reason;
    enum headline headline;
} rules[] = {
    {VERDICT_NO_SHIP, REASON_GUARDRAIL_VETOED, HEADLINE_GUARDRAIL},
    {VERDICT_NO_SHIP, REASON_BLOCKED_UNTRUSTWORTHY, HEADLINE_UNTRUSTWORTHY},
    {VERDICT_NO_SHIP, REASON_POSITIVE_BELOW_THRESHOLD, HEADLINE_GAIN_NOT_PROVEN},
    {VERDICT_NO_SHIP, REASON_SIGNIFICANT_WIN, HEADLINE_GAIN_TOO_SMALL},
    {VERDICT_NO_SHIP, REASON_GOALS_TOO_SMALL, HEADLINE_GAIN_TOO_SMALL},
    {VERDICT_NO_SHIP, REASON_GOALS_EXCLUDED, HEADLINE_NO_WORTHWHILE},
    {VERDICT_NO_SHIP, REASON_WORTHWHILE_EXCLUDED, HEADLINE_NO_WORTHWHILE},
    {VERDICT_NO_SHIP, REASON_COMPLETE_NO_EFFECT, HEADLINE_NO_EFFECT},
    {VERDICT_NO_SHIP, REASON_LOOKS_FUTILE, HEADLINE_NO_EFFECT},
    {VERDICT_NO_SHIP, REASON_TWICE_THE_PLAN, HEADLINE_NO_CLEAR_RESULT},
    {VERDICT_NO_SHIP, REASON_SIGNIFICANT_LOSS, HEADLINE_WORSE},
    {VERDICT_NO_SHIP, REASON_GOAL_WORSE, HEADLINE_WORSE},
    {VERDICT_KEEP_RUNNING, REASON_SOURCE_STALE, HEADLINE_UNTRUSTWORTHY},
    {VERDICT_KEEP_RUNNING, REASON_SOURCE_UNREAD, HEADLINE_UNTRUSTWORTHY},
    {VERDICT_KEEP_RUNNING, REASON_NO_EXPOSURES, HEADLINE_NOT_STARTED},
    {VERDICT_KEEP_RUNNING, REASON_INSUFFICIENT_PER_ARM, HEADLINE_TOO_EARLY},
    {VERDICT_KEEP_RUNNING, REASON_SIGNIFICANT_WIN, HEADLINE_PROMISING},
    {VERDICT_KEEP_RUNNING, REASON_GOAL_PROVEN, HEADLINE_PROMISING},
};

static enum headline headline_named(const char *name)
{
    for (int i = 0; i < HEADLINE__MAX; i++)
        if (strcmp(headline_names[i], name) == 0)
            return (enum headline)i;
    return HEADLINE_KEEP_RUNNING;
}

const char *headline_key(const char *name)
{
    return texts[headline_named(name)].key;
}

const char *headline_note_key(const char *name)
{
    return texts[headline_named(name)].note_key;
}

static bool gives(const struct policy_outcome *outcome, enum reason reason)
{
    for (size_t i = 0; i < outcome->reason_count; i++)
        if (outcome->reasons[i].reason == reason)
            return true;
    return false;
}

enum headline headline_of(const struct policy_outcome *outcome)
{
    if (outcome->verdict == VERDICT_SHIP)
        return HEADLINE_SHIP;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].verdict == outcome->verdict && gives(outcome, rules[i].reason))
            return rules[i].headline;
    return outcome->verdict == VERDICT_NO_SHIP ? HEADLINE_UNTRUSTWORTHY : HEADLINE_KEEP_RUNNING;
}

static void add_effect(const struct live_view *view, const struct live_stats *stats,
                       struct headline_figures *figures)
{
    const struct live_comparison *comparisons = stats->comparisons.items, *best = NULL;
    double sign = goal_sign(view->design->metrics);

    for (size_t i = 0; i < stats->comparisons.count; i++)
        if (strcmp(comparisons[i].status, "ok") == 0 &&
            (!best || sign * comparisons[i].test.effect > sign * best->test.effect))
            best = &comparisons[i];
    if (!best)
        return;
    figures->variation_index = GIVEN_INTEGER(best->treatment_index);
    figures->effect_relative = results_relative_effect(&best->test);
}

void headline_figures(const struct live_results_call *call, const struct live_view *view,
                      struct headline_figures *figures)
{
    struct live_stats *stats = ARENA_NEW(call->arena, struct live_stats);
    struct policy_outcome outcome;

    live_results_statistics(call, view, stats);
    policy_decide(stats, view->design->metrics, &outcome);
    *figures = (struct headline_figures){.verdict = outcome.verdict,
                                         .headline = headline_of(&outcome),
                                         .people = stats->exposures_total,
                                         .planned = stats->forecast->people_needed};
    add_effect(view, stats, figures);
}
