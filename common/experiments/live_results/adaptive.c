/* Replaces the figures of an adaptive experiment's arms, whose users were not divided by the
 * design, by those that are weighted with the logged probabilities. */
#include "experiments/live_results/live_results_internal.h"

#include "stats/adaptive_effect.h"
#include "stats/always_valid.h"
#include "stats/bayes/superiority.h"

#include <math.h>
#include <string.h>

static const struct live_round *rounds_of(const struct live_results *results)
{
    return results->view->rounds.items;
}

static struct adaptive_cell cell_of(const struct live_results *results,
                                    const struct live_round *round, size_t arm)
{
    const struct live_view *view = results->view;
    struct adaptive_cell cell = {.probability = round->round->shares.items[arm]};
    struct live_moments moments;
    double n;

    if (!round->slice)
        return cell;
    moments = live_view_moments(view, live_view_metric(view, results->design->primary_metric_name),
                                round->slice, (int)arm);
    n = (double)moments.n;
    cell.n = n;
    cell.mean = moments.mean;
    cell.squares = moments.squares;
    if (results->design->metric_type == METRIC_BINARY && n > 0) {
        cell.mean = (double)moments.converted / n;
        cell.squares = cell.mean * (n - (double)moments.converted);
    }
    return cell;
}

static int64_t logged_users(const struct live_results *results, size_t arm)
{
    int64_t users = 0;

    for (size_t i = 0; i < results->view->rounds.count; i++)
        users += (int64_t)cell_of(results, &rounds_of(results)[i], arm).n;
    return users;
}

/* The mean of an arm where each round counts with all its users; absent without users. */
static struct optional_number standard_mean(const struct live_results *results, size_t arm)
{
    double weight = 0, sum = 0;

    for (size_t i = 0; i < results->view->rounds.count; i++) {
        struct adaptive_cell own = cell_of(results, &rounds_of(results)[i], arm);
        double users = 0;

        if (own.n == 0)
            continue;
        for (size_t k = 0; k < results->arms; k++)
            users += cell_of(results, &rounds_of(results)[i], k).n;
        weight += users;
        sum += users * own.mean;
    }
    return live_results_number(weight > 0, sum / weight);
}

static struct adaptive_effect effect_of(const struct live_results *results, size_t arm)
{
    size_t count = results->view->rounds.count;
    struct adaptive_pair *pairs = ARENA_ARRAY(results->call->arena, struct adaptive_pair, count);
    struct adaptive_effect effect;

    for (size_t i = 0; i < count; i++)
        pairs[i] = (struct adaptive_pair){cell_of(results, &rounds_of(results)[i], CONTROL_ARM),
                                          cell_of(results, &rounds_of(results)[i], arm)};
    adaptive_effect(pairs, count, results->design->baseline_value, &effect);
    return effect;
}

static struct live_adaptive_comparison compare(const struct live_results *results, size_t arm,
                                               const struct optional_number *control)
{
    struct live_adaptive_comparison shown = {.treatment_index = (int64_t)arm,
                                             .status = "insufficient_data"};
    struct adaptive_effect effect = effect_of(results, arm);
    struct always_valid test;

    if (!effect.evaluable)
        return shown;
    always_valid_test(effect.effect, effect.variance, results->mixture, results->alpha, &test);
    if (!test.evaluable)
        return shown;
    shown.status = "ok";
    shown.effect = GIVEN_NUMBER(effect.effect);
    shown.effect_relative = live_results_number(control->given && control->value != 0,
                                                effect.effect / fabs(control->value));
    shown.standard_error = GIVEN_NUMBER(sqrt(effect.variance));
    shown.always_valid_p_value = GIVEN_NUMBER(test.p_value);
    shown.confidence_level = GIVEN_NUMBER(test.confidence_level);
    shown.ci_sequence_lower = GIVEN_NUMBER(test.lower);
    shown.ci_sequence_upper = GIVEN_NUMBER(test.upper);
    shown.is_significant = (struct optional_boolean){true, test.is_significant};
    shown.mixture_variance = test.mixture_variance;
    return shown;
}

/* The test of a comparison, in the units of the analyses. */
static void replace_test(const struct live_results *results,
                         const struct live_adaptive_comparison *weighted,
                         const struct optional_number *control, struct test_result *test)
{
    double unit = results->design->metric_type == METRIC_BINARY ? 100 : 1;

    test->effect = unit * weighted->effect.value;
    test->control_is_zero = !weighted->effect_relative.given;
    test->effect_relative_pct = 100 * weighted->effect_relative.value;
    test->ci_lower = unit * weighted->ci_sequence_lower.value;
    test->ci_upper = unit * weighted->ci_sequence_upper.value;
    test->ci_score_lower = test->ci_score_upper = (struct optional_number){0};
    test->ci_level = weighted->confidence_level.value;
    test->p_value = weighted->always_valid_p_value.value;
    test->statistic = weighted->effect.value / weighted->standard_error.value;
    test->degrees_of_freedom = 0;
    test->is_significant = weighted->is_significant.value;
    test->relative_lift = (struct relative_lift){0};
    if (unit == 1) {
        test->control_value = control->value;
        test->treatment_value = control->value + weighted->effect.value;
    } else {
        test->control_rate_pct = GIVEN_NUMBER(unit * control->value);
        test->treatment_rate_pct = GIVEN_NUMBER(unit * (control->value + weighted->effect.value));
    }
}

static const struct live_always_valid *always_valid_block(
    const struct live_results *results, const struct live_adaptive_comparison *weighted)
{
    struct live_always_valid *block = ARENA_NEW(results->call->arena, struct live_always_valid);

    *block =
        (struct live_always_valid){.status = "ok",
                                   .always_valid_p_value = weighted->always_valid_p_value,
                                   .confidence_level = weighted->confidence_level,
                                   .ci_sequence_lower = weighted->ci_sequence_lower,
                                   .ci_sequence_upper = weighted->ci_sequence_upper,
                                   .is_significant = weighted->is_significant,
                                   .mixture_variance = GIVEN_NUMBER(weighted->mixture_variance),
                                   .note = live_results_text(results, "live.adaptive")};
    return block;
}

/* A comparison that the rounds do not allow yet is none, whatever the pooled arms say. */
static void replace_comparison(const struct live_results *results,
                               const struct live_adaptive_comparison *weighted,
                               const struct optional_number *control,
                               struct live_comparison *comparison)
{
    const char *note = live_results_text(results, "live.adaptive");

    comparison->note = note;
    if (strcmp(weighted->status, "ok") != 0 || strcmp(comparison->status, "ok") != 0) {
        *comparison = (struct live_comparison){.treatment_index = comparison->treatment_index,
                                               .status = "insufficient_data",
                                               .control = comparison->control,
                                               .treatment = comparison->treatment,
                                               .note = note};
        return;
    }
    replace_test(results, weighted, control, &comparison->test);
    comparison->variance = weighted->standard_error.value * weighted->standard_error.value;
    comparison->probability_treatment_beats_control = GIVEN_NUMBER(superiority_of_means(
        goal_sign(results->design) * weighted->effect.value, weighted->standard_error.value));
    if (comparison->sequential_significant.given)
        comparison->sequential_significant = weighted->is_significant;
    comparison->always_valid = always_valid_block(results, weighted);
    comparison->analysis = live_results_analysis(results, &comparison->test, note);
}

/* What the blocks of pooled arms would say is biased by the shares. */
static void withhold_pooled(const struct live_results *results, struct live_stats *stats)
{
    struct arena *arena = results->call->arena;
    const char *note = live_results_text(results, "live.adaptive");
    struct live_cuped *cuped = ARENA_NEW(arena, struct live_cuped);
    struct live_adjusted *adjusted = ARENA_NEW(arena, struct live_adjusted);
    struct live_stratified *stratified = ARENA_NEW(arena, struct live_stratified);
    struct live_metric *metrics = stats->metrics.items;

    *cuped = (struct live_cuped){.status = "not_applicable", .note = note};
    *adjusted = (struct live_adjusted){.status = "unavailable",
                                       .metric = results->design->primary_metric_name};
    *stratified = (struct live_stratified){.status = "unavailable", .note = note};
    stats->cuped = cuped;
    stats->adjusted = adjusted;
    stats->stratified = stratified;
    for (size_t i = 0; i < stats->metrics.count; i++) {
        metrics[i].comparisons.count = 0;
        metrics[i].reason = "adaptive_shares";
    }
}

static void show_arms(const struct live_results *results, struct live_adaptive *block)
{
    struct live_adaptive_arm *arms =
        ARENA_ARRAY(results->call->arena, struct live_adaptive_arm, results->arms);
    const struct adaptive_round *newest = &results->view->adaptive.newest;
    int64_t total = live_results_subjects(results);

    for (size_t i = 0; i < results->arms; i++) {
        int64_t users = live_results_arm(results, (int)i).n;

        arms[i] = (struct live_adaptive_arm){
            .variation_index = (int64_t)i,
            .share = newest->shares.items[i],
            .exposed_users = users,
            .exposed_share = live_results_number(total > 0, (double)users / (double)total),
            .mean = standard_mean(results, i)};
        block->users_without_round += users - logged_users(results, i);
    }
    block->arms = (struct object_list){results->arms, arms};
}

void live_results_adaptive(const struct live_results *results, struct live_stats *stats)
{
    const struct adaptive *adaptive = &results->view->adaptive;
    struct arena *arena = results->call->arena;
    struct live_adaptive *block;
    struct live_adaptive_comparison *shown;
    struct live_comparison *comparisons = stats->comparisons.items;
    struct optional_number control;

    if (!adaptive->found || adaptive->shares.count != results->arms)
        return;
    block = ARENA_NEW(arena, struct live_adaptive);
    *block = (struct live_adaptive){.status = adaptive->settings.paused ? "paused"
                                              : adaptive->newest.round >= ADAPTIVE_ROUNDS_MAX
                                                  ? "final"
                                                  : "running",
                                    .round = adaptive->newest.round,
                                    .floor = adaptive->settings.floor,
                                    .note = live_results_text(results, "live.adaptive")};
    show_arms(results, block);
    control = standard_mean(results, CONTROL_ARM);
    shown = ARENA_ARRAY(arena, struct live_adaptive_comparison, stats->comparisons.count);
    for (size_t i = 0; i < stats->comparisons.count; i++) {
        shown[i] = compare(results, (size_t)comparisons[i].treatment_index, &control);
        replace_comparison(results, &shown[i], &control, &comparisons[i]);
    }
    block->comparisons = (struct object_list){stats->comparisons.count, shown};
    withhold_pooled(results, stats);
    stats->adaptive = block;
}
