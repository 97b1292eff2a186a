/* Sample ratio checks: of all users, and of those of each stratum. */
#include "experiments/live_results/clusters.h"

#include "experiments/analyses/report_text.h"
#include "experiments/design/srm.h"

static const double srm_threshold = 0.001;

/* What arms are held against. */
struct planned_split {
    struct number_list weights;
    double *expected;
};

static bool alternates(const struct live_results *results)
{
    const struct payload_clusters *clusters = results->view->design->setup->clusters;

    return clusters && clusters->switchback &&
           clusters->switchback->assignment == SWITCHBACK_ALTERNATING;
}

/* Arms that alternate have the same number of turns, whatever the split says. */
static struct planned_split planned_split(const struct live_results *results)
{
    struct arena *arena = results->call->arena;
    struct planned_split split = {{results->arms, ARENA_ARRAY(arena, double, results->arms)},
                                  ARENA_ARRAY(arena, double, results->arms)};

    for (size_t i = 0; i < results->arms; i++)
        split.weights.items[i] = alternates(results) ? 1 : live_results_share(results, i);
    return split;
}

static const char *srm_verdict(const struct live_results *results, const struct live_srm *block,
                               const struct srm_result *result)
{
    struct arena *arena = results->call->arena;
    const struct locale *locale = results->call->locale;
    const char *verdict = report_srm_verdict(locale, arena, result);
    int64_t arm = block->deviating_arm.value;

    if (!block->deviating_arm.given)
        return verdict;
    return arena_print(
        arena, "%s %s", verdict,
        locale_format(
            locale, arena, "live.srm_arm",
            TEXT_ARGUMENTS(
                {"arm", live_results_arm_letter(arena, arm)},
                {"observed",
                 arena_print(arena, "%lld", (long long)block->observed_counts.items[arm])},
                {"expected", arena_print(arena, "%.1f", block->expected_counts.items[arm])})));
}

static void check_strata(const struct live_results *results, const struct planned_split *split,
                         struct live_srm *block)
{
    struct arena *arena = results->call->arena;
    const struct live_name_list *names = &results->view->strata;
    struct live_stratum_srm *strata = ARENA_ARRAY(arena, struct live_stratum_srm, names->count);
    size_t count = 0;

    for (size_t i = 0; i < names->count; i++) {
        struct live_stratum_srm *stratum = &strata[count];
        struct srm_result result;

        *stratum = (struct live_stratum_srm){
            .stratum = names->items[i].name,
            .observed_counts = {results->arms, ARENA_ARRAY(arena, int64_t, results->arms)}};
        for (size_t arm = 0; arm < results->arms; arm++)
            stratum->observed_counts.items[arm] =
                live_view_moments(results->view, 0, names->items[i].number, (int)arm).n;
        if (srm_check(&stratum->observed_counts, &split->weights, split->expected, &result, NULL))
            continue; /* it has no subject in an arm */
        stratum->chi_square = result.chi_square;
        stratum->p_value = result.p_value;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        strata[i].is_srm = strata[i].p_value < srm_threshold / (double)count;
    block->strata = (struct object_list){count, strata};
}

void live_results_srm(const struct live_results *results, struct live_stats *stats)
{
    struct arena *arena = results->call->arena;
    struct live_srm *block = ARENA_NEW(arena, struct live_srm);
    struct planned_split split = planned_split(results);
    size_t given = results->view->design->setup->traffic_split.count;
    struct srm_result result;

    *block = (struct live_srm){
        .status = "insufficient_data",
        .observed_counts = {results->arms, ARENA_ARRAY(arena, int64_t, results->arms)},
        .verdict = live_results_text(results, "live.srm_insufficient")};
    stats->srm = block;
    for (size_t i = 0; i < results->arms; i++)
        block->observed_counts.items[i] = live_results_arm(results, (int)i).n;
    if (results->view->adaptive.found) {
        block->status = "not_applicable";
        block->verdict = live_results_text(results, "live.srm_adaptive");
        return;
    }
    if (results->clustered)
        live_clusters_counts(results, &block->observed_counts);
    if (results->arms < 2 || given != results->arms)
        return;
    if (!results->clustered)
        check_strata(results, &split, block);
    if (srm_check(&block->observed_counts, &split.weights, split.expected, &result, NULL))
        return;
    block->status = result.is_srm ? "srm_detected" : "ok";
    block->chi_square = GIVEN_NUMBER(result.chi_square);
    block->p_value = GIVEN_NUMBER(result.p_value);
    block->is_srm = result.is_srm;
    block->expected_counts = (struct number_list){results->arms, split.expected};
    block->deviating_arm = result.deviating_arm;
    block->verdict = srm_verdict(results, block, &result);
}
