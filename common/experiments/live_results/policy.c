/* The rules in their order; the first that applies decides. They compare unrounded values. */
#include "experiments/live_results/policy.h"

#include "base/number.h"
#include "experiments/live_results/goals.h"
#include "experiments/live_results/live_results_internal.h"

#include <math.h>
#include <string.h>

const char *const verdict_names[VERDICT__MAX] = {"ship", "no_ship", "keep_running"};
const char *const confidence_names[CONFIDENCE__MAX] = {"high", "medium", "low"};
const char *const practical_names[PRACTICAL__MAX] = {"unavailable", "met", "uncertain",
                                                     "proven_below"};
const char *const reason_codes[REASON__MAX] = {
    [REASON_SRM_MISMATCH] = "srm_mismatch",
    [REASON_GUARDRAIL_BREACH] = "guardrail_breach",
    [REASON_NO_EXPOSURES] = "no_exposures",
    [REASON_INSUFFICIENT_PER_ARM] = "insufficient_per_arm",
    [REASON_THRESHOLD_UNAVAILABLE] = "practical_threshold_unavailable",
    [REASON_BLOCKED_UNTRUSTWORTHY] = "blocked_untrustworthy",
    [REASON_GUARDRAIL_VETOED] = "guardrail_vetoed",
    [REASON_POSITIVE_BELOW_THRESHOLD] = "statistically_positive_but_below_practical_threshold",
    [REASON_COMPLETE_NO_EFFECT] = "info_fraction_complete_no_effect",
    [REASON_SIGNIFICANT_WIN] = "significant_win",
    [REASON_SIGNIFICANT_LOSS] = "significant_loss",
    [REASON_THRESHOLD_MET] = "practical_threshold_met",
    [REASON_THRESHOLD_UNCERTAIN] = "practical_threshold_uncertain",
    [REASON_BELOW_THRESHOLD_PROVEN] = "below_practical_threshold_proven",
    [REASON_BAYESIAN_WIN] = "bayesian_win",
    [REASON_SEQUENTIAL_CROSSED] = "sequential_crossed",
    [REASON_SEQUENTIAL_NOT_CROSSED] = "sequential_not_crossed",
    [REASON_ANYTIME_CONFIRMED] = "anytime_valid_confirmed",
    [REASON_INCONCLUSIVE_CI] = "inconclusive_ci",
    [REASON_BEFORE_PLANNED_READ] = "fixed_horizon_before_planned_read",
    [REASON_INFO_INCOMPLETE] = "info_fraction_incomplete",
    [REASON_WORTHWHILE_EXCLUDED] = "worthwhile_effect_excluded",
    [REASON_TWICE_THE_PLAN] = "inconclusive_at_twice_the_plan",
    [REASON_STRATIFIED_CONTRADICTION] = "stratified_contradiction",
    [REASON_STRATUM_SRM] = "stratum_srm_mismatch",
    [REASON_EARLY_EVENTS] = "events_before_exposure",
    [REASON_MULTIPLE_EXPOSURE] = "multiple_exposure_users",
    [REASON_GOAL_PROVEN] = "goal_proven",
    [REASON_GOAL_WORSE] = "goal_worse",
    [REASON_GOALS_UNCERTAIN] = "goals_threshold_uncertain",
    [REASON_GOALS_TOO_SMALL] = "goals_below_threshold_proven",
    [REASON_GOALS_EXCLUDED] = "goals_worthwhile_effect_excluded",
    [REASON_GOALS_OPEN] = "goals_not_proven",
    [REASON_LOOKS_FUTILE] = "planned_looks_futile",
    [REASON_LOOKS_CHANGED] = "planned_looks_changed",
    [REASON_SOURCE_STALE] = "source_stale",
    [REASON_SOURCE_UNREAD] = "source_never_read",
};

const double policy_anomaly_share = 0.01;

static const double ship_probability = 0.95, strong_probability = 0.99;
static const double planned_read_fraction = 0.95, end_of_waiting = 2; /* times the plan */

/* Fewer subjects per arm than this, and no plan to measure them by, need more than one look's
 * significance. */
enum { SUBJECTS_WITHOUT_PLAN = 100, MWE_DECIMALS = 6 };

enum standing { STANDING_IGNORED, STANDING_WIN, STANDING_LOSS, STANDING_INCONCLUSIVE };

struct policy {
    const struct live_comparison *comparisons;
    size_t count;
    bool active, early, complete, sequential_complete;
    const char *looks; /* status of planned looks or a hybrid test; NULL = neither */
    double plans;      /* the sample so far, in planned samples */
    struct optional_number mwe;
    double sign; /* +1 where larger is better, -1 where smaller is */
    enum standing standing[POLICY_ARMS_MAX];
    enum practical practical[POLICY_ARMS_MAX];
    struct policy_outcome *outcome;
};

struct optional_number policy_worthwhile_effect(const struct payload_metrics *design)
{
    double effect = design->baseline_value * fabs(design->mde_pct) / 100;

    if (!(design->baseline_value > 0 && effect > 0))
        return (struct optional_number){0};
    return GIVEN_NUMBER(
        number_round(design->metric_type == METRIC_BINARY ? 100 * effect : effect, MWE_DECIMALS));
}

void policy_give(struct policy_outcome *outcome, enum reason reason, int comparison, int part)
{
    if (outcome->reason_count < POLICY_REASONS_MAX)
        outcome->reasons[outcome->reason_count++] =
            (struct policy_reason){.reason = reason, .comparison = comparison, .part = part};
}

static void give(struct policy *policy, enum reason reason, int comparison)
{
    policy_give(policy->outcome, reason, comparison, -1);
}

static void block(struct policy *policy, enum reason reason, int comparison, int part)
{
    struct policy_outcome *outcome = policy->outcome;

    if (outcome->blocker_count < POLICY_BLOCKERS_MAX)
        outcome->blockers[outcome->blocker_count++] =
            (struct policy_reason){.reason = reason, .comparison = comparison, .part = part};
}

static void conclude(struct policy *policy, enum verdict verdict, enum confidence confidence)
{
    policy->outcome->verdict = verdict;
    policy->outcome->confidence = confidence;
}

static void win(struct policy *policy, int comparison, bool practical_known)
{
    struct policy_outcome *outcome = policy->outcome;

    outcome->winners[outcome->winner_count++] =
        (struct policy_winner){comparison, practical_known, policy->practical[comparison]};
}

static bool anytime_significant(const struct live_comparison *comparison)
{
    return comparison->always_valid && comparison->always_valid->is_significant.value;
}

static bool is_small(const struct live_comparison *comparison)
{
    return comparison->control->exposed_users < SUBJECTS_WITHOUT_PLAN ||
           comparison->treatment->exposed_users < SUBJECTS_WITHOUT_PLAN;
}

/* Whether significance is valid at this look. */
static bool boundary_holds(const struct policy *policy, const struct live_sequential *sequential,
                           const struct live_comparison *comparison)
{
    if (policy->active)
        return comparison->sequential_significant.value;
    if (policy->early ||
        (!sequential->planned_sample_size_per_variant.given && is_small(comparison)))
        return anytime_significant(comparison);
    return true;
}

struct policy_figures policy_figures_of(const struct live_comparison *comparison)
{
    const struct live_look_reading *planned = comparison->planned;
    const struct test_result *test = &comparison->test;

    if (planned && planned->adjusted)
        return (struct policy_figures){planned->lower, planned->upper, planned->p_value};
    return (struct policy_figures){test->ci_lower, test->ci_upper, test->p_value};
}

/* By the looks that were taken: what came in since the last one does not change it. */
static enum standing planned_standing(const struct policy *policy,
                                      const struct live_look_reading *planned)
{
    if (!planned->is_significant)
        return STANDING_INCONCLUSIVE;
    return policy->sign * planned->estimate > 0 ? STANDING_WIN : STANDING_LOSS;
}

static enum standing standing_of(const struct policy *policy,
                                 const struct live_sequential *sequential,
                                 const struct live_comparison *comparison)
{
    const struct test_result *test = &comparison->test;
    struct optional_number probability = comparison->probability_treatment_beats_control;

    if (strcmp(comparison->status, "ok") != 0)
        return STANDING_IGNORED;
    if (comparison->planned)
        return planned_standing(policy, comparison->planned);
    if (policy->looks) /* no boundary: the plan was changed, or cannot be sized */
        return STANDING_INCONCLUSIVE;
    if (!test->is_significant || !boundary_holds(policy, sequential, comparison))
        return STANDING_INCONCLUSIVE;
    if (policy->sign * test->effect > 0 &&
        (!probability.given || probability.value >= ship_probability))
        return STANDING_WIN;
    return policy->sign * test->effect < 0 ? STANDING_LOSS : STANDING_INCONCLUSIVE;
}

static enum practical practical_of(const struct policy *policy,
                                   const struct live_comparison *comparison)
{
    struct policy_figures figures = policy_figures_of(comparison);
    double least = policy->sign > 0 ? figures.lower : -figures.upper; /* gains */
    double most = policy->sign > 0 ? figures.upper : -figures.lower;

    if (!policy->mwe.given)
        return PRACTICAL_UNAVAILABLE;
    if (least >= policy->mwe.value)
        return PRACTICAL_MET;
    return most < policy->mwe.value ? PRACTICAL_PROVEN_BELOW : PRACTICAL_UNCERTAIN;
}

bool policy_sample_complete(const struct live_sequential *sequential)
{
    struct optional_number fraction = sequential->information_fraction;

    if (strcmp(sequential->status, "active") == 0)
        return sequential->looks_status ? strcmp(sequential->looks_status, "ended") == 0
                                        : fraction.value >= 1;
    return strcmp(sequential->status, "fixed_horizon") == 0 && fraction.given &&
           fraction.value >= planned_read_fraction;
}

/* Where several goals decide, they say how each treatment stands. */
static void look_at_goals(struct policy *policy, const struct live_goals *goals)
{
    const struct live_goal_treatment *treatments = goals->treatments.items;

    for (size_t i = 0; i < policy->count; i++) {
        policy->standing[i] = !treatments[i].is_known  ? STANDING_IGNORED
                              : treatments[i].is_worse ? STANDING_LOSS
                              : treatments[i].is_met   ? STANDING_WIN
                                                       : STANDING_INCONCLUSIVE;
        policy->practical[i] = (enum practical)treatments[i].practical;
    }
}

static void look(struct policy *policy, const struct live_stats *stats)
{
    const struct live_sequential *sequential = stats->sequential;
    struct optional_number fraction = sequential->information_fraction;
    bool fixed = strcmp(sequential->status, "fixed_horizon") == 0;

    policy->comparisons = stats->comparisons.items;
    policy->count =
        stats->comparisons.count < POLICY_ARMS_MAX ? stats->comparisons.count : POLICY_ARMS_MAX;
    policy->active = strcmp(sequential->status, "active") == 0;
    policy->looks = sequential->looks_status;
    policy->sequential_complete =
        policy->active &&
        (policy->looks ? strcmp(policy->looks, "ended") == 0 : fraction.value >= 1);
    policy->early = fixed && fraction.given && fraction.value < planned_read_fraction;
    policy->complete = policy_sample_complete(sequential);
    policy->plans = sequential->plans;
    policy->outcome->complete = policy->complete;
    for (size_t i = 0; i < policy->count; i++) {
        policy->standing[i] = standing_of(policy, sequential, &policy->comparisons[i]);
        policy->practical[i] = practical_of(policy, &policy->comparisons[i]);
    }
    if (stats->goals)
        look_at_goals(policy, stats->goals);
}

static bool any(const struct policy *policy, enum standing standing)
{
    for (size_t i = 0; i < policy->count; i++)
        if (policy->standing[i] == standing)
            return true;
    return false;
}

static bool is_win(const struct policy *policy, size_t i, enum practical practical)
{
    return policy->standing[i] == STANDING_WIN && policy->practical[i] == practical;
}

static bool ships(const struct policy *policy, size_t i)
{
    return is_win(policy, i, PRACTICAL_MET) || is_win(policy, i, PRACTICAL_UNAVAILABLE);
}

static void give_losses(struct policy *policy)
{
    for (size_t i = 0; i < policy->count; i++)
        if (policy->standing[i] == STANDING_LOSS)
            give(policy, REASON_SIGNIFICANT_LOSS, (int)i);
}

/* Significant effects that are too small, or may be too small: first the undecided ones. Returns
 * how many of each. */
static void give_doubtful(struct policy *policy, size_t *open, size_t *rejected)
{
    *open = *rejected = 0;
    for (size_t i = 0; i < policy->count; i++) {
        if (!is_win(policy, i, PRACTICAL_UNCERTAIN))
            continue;
        give(policy, REASON_SIGNIFICANT_WIN, (int)i);
        give(policy, REASON_THRESHOLD_UNCERTAIN, (int)i);
        ++*open;
    }
    for (size_t i = 0; i < policy->count; i++) {
        if (!is_win(policy, i, PRACTICAL_PROVEN_BELOW))
            continue;
        give(policy, REASON_SIGNIFICANT_WIN, (int)i);
        give(policy, REASON_BELOW_THRESHOLD_PROVEN, (int)i);
        ++*rejected;
    }
}

static void add_winners(struct policy *policy, enum practical practical)
{
    for (size_t i = 0; i < policy->count; i++)
        if (is_win(policy, i, practical))
            win(policy, (int)i, true);
}

/* Values of users that were not read yet may say something else. */
static bool rule_withheld(struct policy *policy, const struct live_source_block *source)
{
    enum reason reason;

    if (!source || source->status == LIVE_SOURCE_FRESH)
        return false;
    reason = source->status == LIVE_SOURCE_STALE ? REASON_SOURCE_STALE : REASON_SOURCE_UNREAD;
    block(policy, reason, -1, -1);
    give(policy, reason, -1);
    conclude(policy, VERDICT_KEEP_RUNNING, CONFIDENCE_LOW);
    return true;
}

static bool rule_no_data(struct policy *policy, const struct live_stats *stats)
{
    for (size_t i = 0; i < policy->count; i++)
        if (policy->standing[i] != STANDING_IGNORED)
            return false;
    if (stats->exposures_total > 0 && policy->outcome->blocker_count == 0 &&
        rule_withheld(policy, stats->livedata))
        return true;
    give(policy, stats->exposures_total == 0 ? REASON_NO_EXPOSURES : REASON_INSUFFICIENT_PER_ARM,
         -1);
    if (!policy->mwe.given)
        give(policy, REASON_THRESHOLD_UNAVAILABLE, -1);
    conclude(policy, policy->outcome->blocker_count ? VERDICT_NO_SHIP : VERDICT_KEEP_RUNNING,
             CONFIDENCE_LOW);
    return true;
}

static bool rule_untrustworthy(struct policy *policy)
{
    if (policy->outcome->blocker_count == 0)
        return false;
    give(policy, REASON_BLOCKED_UNTRUSTWORTHY, -1);
    for (size_t i = 0; i < policy->count; i++)
        if (policy->standing[i] == STANDING_WIN)
            win(policy, (int)i, false);
    conclude(policy, VERDICT_NO_SHIP, CONFIDENCE_LOW);
    return true;
}

static void give_win(struct policy *policy, const struct live_goals *goals, size_t i)
{
    if (goals)
        policy_give_goals(goals, i, policy->outcome);
    else
        give(policy, REASON_SIGNIFICANT_WIN, (int)i);
    win(policy, (int)i, !goals);
}

static bool rule_guardrail(struct policy *policy, const struct live_guardrail *guardrail,
                           const struct live_goals *goals)
{
    const struct live_guardrail_metric *metrics = guardrail->metrics.items;

    if (!guardrail->any_breached)
        return false;
    for (size_t i = 0; i < guardrail->metrics.count; i++)
        if (strcmp(metrics[i].status, "breached") == 0)
            block(policy, REASON_GUARDRAIL_BREACH, -1, (int)i);
    for (size_t i = 0; i < policy->count; i++)
        if (policy->standing[i] == STANDING_WIN)
            give_win(policy, goals, i);
    give(policy, REASON_GUARDRAIL_VETOED, -1);
    conclude(policy, VERDICT_NO_SHIP, CONFIDENCE_HIGH);
    return true;
}

static bool rule_ship(struct policy *policy)
{
    bool strong = policy->sequential_complete, found = false;
    size_t open, rejected;

    for (size_t i = 0; i < policy->count; i++) {
        struct optional_number probability =
            policy->comparisons[i].probability_treatment_beats_control;

        if (!ships(policy, i))
            continue;
        found = true;
        strong = strong || (probability.given && probability.value >= strong_probability);
        give(policy, REASON_SIGNIFICANT_WIN, (int)i);
        if (policy->practical[i] == PRACTICAL_MET)
            give(policy, REASON_THRESHOLD_MET, (int)i);
        if (probability.given)
            give(policy, REASON_BAYESIAN_WIN, (int)i);
        if (policy->active)
            give(policy, REASON_SEQUENTIAL_CROSSED, (int)i);
        else if (policy->early)
            give(policy, REASON_ANYTIME_CONFIRMED, (int)i);
        win(policy, (int)i, true);
    }
    if (!found)
        return false;
    give_losses(policy);
    give_doubtful(policy, &open, &rejected);
    conclude(policy, VERDICT_SHIP, strong && !policy->early ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
    return true;
}

static bool rule_doubtful(struct policy *policy)
{
    size_t open, rejected;

    if (!any(policy, STANDING_WIN))
        return false;
    give_doubtful(policy, &open, &rejected);
    give_losses(policy);
    if (open == 0) {
        add_winners(policy, PRACTICAL_PROVEN_BELOW);
        conclude(policy, VERDICT_NO_SHIP, CONFIDENCE_MEDIUM);
        return true;
    }
    add_winners(policy, PRACTICAL_UNCERTAIN);
    if (policy->complete) {
        add_winners(policy, PRACTICAL_PROVEN_BELOW);
        give(policy, REASON_POSITIVE_BELOW_THRESHOLD, -1);
        conclude(policy, VERDICT_NO_SHIP, CONFIDENCE_MEDIUM);
        return true;
    }
    if (policy->active || policy->early)
        give(policy, REASON_INFO_INCOMPLETE, -1);
    conclude(policy, VERDICT_KEEP_RUNNING, CONFIDENCE_LOW);
    return true;
}

static bool rule_loss(struct policy *policy)
{
    bool strong = policy->sequential_complete;

    if (!any(policy, STANDING_LOSS) || any(policy, STANDING_INCONCLUSIVE))
        return false;
    for (size_t i = 0; i < policy->count; i++) {
        struct optional_number probability =
            policy->comparisons[i].probability_treatment_beats_control;

        if (policy->standing[i] != STANDING_LOSS)
            continue;
        strong = strong || (probability.given && probability.value <= 1 - strong_probability);
        give(policy, REASON_SIGNIFICANT_LOSS, (int)i);
        if (policy->early)
            give(policy, REASON_ANYTIME_CONFIRMED, (int)i);
    }
    conclude(policy, VERDICT_NO_SHIP,
             strong && !policy->early ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM);
    return true;
}

/* At the planned read of a fixed horizon: no arm may still reach the worthwhile effect. */
static bool rule_excluded(struct policy *policy)
{
    for (size_t i = 0; i < policy->count; i++)
        if (policy->standing[i] == STANDING_INCONCLUSIVE &&
            policy->practical[i] != PRACTICAL_PROVEN_BELOW)
            return false;
    for (size_t i = 0; i < policy->count; i++)
        if (policy->standing[i] == STANDING_INCONCLUSIVE)
            give(policy, REASON_WORTHWHILE_EXCLUDED, (int)i);
    conclude(policy, VERDICT_NO_SHIP, CONFIDENCE_MEDIUM);
    return true;
}

/* Every treatment that has not ended otherwise is futile by its last look. */
static bool is_futile(const struct policy *policy)
{
    bool found = false;

    for (size_t i = 0; i < policy->count; i++) {
        const struct live_look_reading *planned = policy->comparisons[i].planned;

        if (policy->standing[i] != STANDING_INCONCLUSIVE)
            continue;
        if (!planned || (!planned->ended && strcmp(planned->status, "futility") != 0))
            return false;
        found = found || strcmp(planned->status, "futility") == 0;
    }
    return found;
}

static void rule_open(struct policy *policy)
{
    give_losses(policy);
    for (size_t i = 0; i < policy->count; i++) {
        const struct live_comparison *comparison = &policy->comparisons[i];

        if (policy->standing[i] != STANDING_INCONCLUSIVE)
            continue;
        if (comparison->planned && strcmp(comparison->planned->status, "futility") == 0)
            give(policy, REASON_LOOKS_FUTILE, (int)i);
        else if (comparison->test.is_significant && policy->active &&
                 !comparison->sequential_significant.value)
            give(policy, REASON_SEQUENTIAL_NOT_CROSSED, (int)i);
        else if (comparison->test.is_significant && policy->early &&
                 !anytime_significant(comparison))
            give(policy, REASON_BEFORE_PLANNED_READ, (int)i);
        else
            give(policy, REASON_INCONCLUSIVE_CI, (int)i);
    }
    if (policy->looks && strcmp(policy->looks, "plan_changed") == 0)
        give(policy, REASON_LOOKS_CHANGED, -1);
    if (policy->sequential_complete || is_futile(policy)) {
        if (!is_futile(policy))
            give(policy, REASON_COMPLETE_NO_EFFECT, -1);
        conclude(policy, VERDICT_NO_SHIP, CONFIDENCE_MEDIUM);
        return;
    }
    if (policy->complete && rule_excluded(policy))
        return;
    if (policy->complete && policy->plans >= end_of_waiting) {
        give(policy, REASON_TWICE_THE_PLAN, -1);
        conclude(policy, VERDICT_NO_SHIP, CONFIDENCE_MEDIUM);
        return;
    }
    if (policy->active || policy->early)
        give(policy, REASON_INFO_INCOMPLETE, -1);
    conclude(policy, VERDICT_KEEP_RUNNING, CONFIDENCE_LOW);
}

/* Within the strata the effect is significant and has the other sign. */
static bool is_contradicted(const struct live_comparison *comparison,
                            const struct live_stratified_comparison *stratified)
{
    return strcmp(comparison->status, "ok") == 0 && strcmp(stratified->status, "ok") == 0 &&
           stratified->is_significant.value &&
           stratified->effect.value * comparison->test.effect < 0;
}

static void block_by_data(struct policy *policy, const struct live_stats *stats)
{
    const struct live_stratum_srm *strata = stats->srm->strata.items;
    const struct live_stratified_comparison *stratified =
        stats->stratified ? stats->stratified->comparisons.items : NULL;

    if (stats->srm->is_srm)
        block(policy, REASON_SRM_MISMATCH, -1, -1);
    for (size_t i = 0; i < stats->srm->strata.count; i++)
        if (strata[i].is_srm)
            block(policy, REASON_STRATUM_SRM, -1, (int)i);
    for (size_t i = 0; stratified && i < stats->stratified->comparisons.count; i++)
        if (i < policy->count && is_contradicted(&policy->comparisons[i], &stratified[i]))
            block(policy, REASON_STRATIFIED_CONTRADICTION, (int)i, -1);
}

static void decide(struct policy *policy, const struct live_stats *stats)
{
    if (rule_no_data(policy, stats) || rule_untrustworthy(policy) ||
        rule_guardrail(policy, stats->guardrail, stats->goals) ||
        rule_withheld(policy, stats->livedata))
        return;
    if (stats->goals) {
        policy_decide_goals(stats->goals, policy->sequential_complete, policy->plans,
                            policy->outcome);
        return;
    }
    if (!rule_ship(policy) && !rule_doubtful(policy) && !rule_loss(policy))
        rule_open(policy);
}

/* Warnings about the data, independent of the verdict. */
static void give_anomalies(struct policy *policy, const struct live_stats *stats)
{
    const struct live_event_timing *timing = stats->event_timing;
    const struct live_population *population = stats->population;

    if (timing && (double)timing->out_of_order > policy_anomaly_share * (double)timing->total)
        give(policy, REASON_EARLY_EVENTS, -1);
    if (population && population->multiple_exposure_share > policy_anomaly_share)
        give(policy, REASON_MULTIPLE_EXPOSURE, -1);
}

void policy_decide(const struct live_stats *stats, const struct payload_metrics *design,
                   struct policy_outcome *outcome)
{
    struct policy policy = {
        .mwe = policy_worthwhile_effect(design), .sign = goal_sign(design), .outcome = outcome};

    *outcome = (struct policy_outcome){0};
    look(&policy, stats);
    block_by_data(&policy, stats);
    decide(&policy, stats);
    give_anomalies(&policy, stats);
}
