/* Whether the arms have the sizes that the design planned: all users, and those of each stratum. */
#include "experiments/readout/readout_internal.h"

#include "experiments/analyses/report_text.h"
#include "experiments/design/srm.h"

static const double srm_threshold = 0.001;

/* What arms are held against. */
struct planned_split {
    struct number_list weights;
    double *expected;
};

static struct planned_split planned_split(const struct readout *readout)
{
    struct arena *arena = readout->call->arena;
    struct planned_split split = {{readout->arms, ARENA_ARRAY(arena, double, readout->arms)},
                                  ARENA_ARRAY(arena, double, readout->arms)};

    for (size_t i = 0; i < readout->arms; i++)
        split.weights.items[i] = readout_share(readout, i);
    return split;
}

static const char *srm_verdict(const struct readout *readout, const struct live_srm *block,
                               const struct srm_result *result)
{
    struct arena *arena = readout->call->arena;
    const struct locale *locale = readout->call->locale;
    const char *verdict = report_srm_verdict(locale, arena, result);
    int64_t arm = block->deviating_arm.value;

    if (!block->deviating_arm.given)
        return verdict;
    return arena_print(
        arena, "%s %s", verdict,
        locale_format(
            locale, arena, "live.srm_arm",
            TEXT_ARGUMENTS(
                {"arm", arena_print(arena, "%lld", (long long)arm)},
                {"observed",
                 arena_print(arena, "%lld", (long long)block->observed_counts.items[arm])},
                {"expected", arena_print(arena, "%.1f", block->expected_counts.items[arm])})));
}

static void check_strata(const struct readout *readout, const struct planned_split *split,
                         struct live_srm *block)
{
    struct arena *arena = readout->call->arena;
    const struct live_name_list *names = &readout->view->strata;
    struct live_stratum_srm *strata = ARENA_ARRAY(arena, struct live_stratum_srm, names->count);
    size_t count = 0;

    for (size_t i = 0; i < names->count; i++) {
        struct live_stratum_srm *stratum = &strata[count];
        struct srm_result result;

        *stratum = (struct live_stratum_srm){
            .stratum = names->items[i].name,
            .observed_counts = {readout->arms, ARENA_ARRAY(arena, int64_t, readout->arms)}};
        for (size_t arm = 0; arm < readout->arms; arm++)
            stratum->observed_counts.items[arm] =
                live_view_moments(readout->view, 0, names->items[i].number, (int)arm).n;
        if (srm_check(&stratum->observed_counts, &split->weights, split->expected, &result, NULL))
            continue; /* nobody of it is in an arm */
        stratum->chi_square = result.chi_square;
        stratum->p_value = result.p_value;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        strata[i].is_srm = strata[i].p_value < srm_threshold / (double)count;
    block->strata = (struct object_list){count, strata};
}

void readout_srm(const struct readout *readout, struct live_stats *stats)
{
    struct arena *arena = readout->call->arena;
    struct live_srm *block = ARENA_NEW(arena, struct live_srm);
    struct planned_split split = planned_split(readout);
    size_t given = readout->view->design->setup->traffic_split.count;
    struct srm_result result;

    *block = (struct live_srm){
        .status = "insufficient_data",
        .observed_counts = {readout->arms, ARENA_ARRAY(arena, int64_t, readout->arms)},
        .verdict = readout_text(readout, "live.srm_insufficient")};
    stats->srm = block;
    for (size_t i = 0; i < readout->arms; i++)
        block->observed_counts.items[i] = readout_arm(readout, (int)i).n;
    if (readout->arms < 2 || given != readout->arms)
        return;
    check_strata(readout, &split, block);
    if (srm_check(&block->observed_counts, &split.weights, split.expected, &result, NULL))
        return;
    block->status = result.is_srm ? "srm_detected" : "ok";
    block->chi_square = GIVEN_NUMBER(result.chi_square);
    block->p_value = GIVEN_NUMBER(result.p_value);
    block->is_srm = result.is_srm;
    block->expected_counts = (struct number_list){readout->arms, split.expected};
    block->deviating_arm = result.deviating_arm;
    block->verdict = srm_verdict(readout, block, &result);
}
