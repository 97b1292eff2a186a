/* Makes the aggregates of a view from other arms, and counts what its statistics find. */
#include "experiments/error_rates/reassignment.h"

#include "experiments/live_results/policy.h"
#include "math/random.h"
#include "stats/binned.h"

#include <math.h>
#include <string.h>

/* A view of the users in their new arms. */
struct trial {
    const struct past_users *users;
    struct arena *arena;
    struct live_view view;
    const uint8_t *arms; /* by place */
};

/* The upper end of each arm's part of [0, 1). */
static void cumulate(const struct live_view *view, double ends[LIVE_ARMS_MAX])
{
    const struct number_list *split = &view->design->setup->traffic_split;
    double sum = 0, end = 0;

    for (size_t i = 0; i < split->count; i++)
        sum += split->items[i];
    for (size_t i = 0; i < view->arm_count; i++) {
        end += split->count == view->arm_count && sum > 0 ? split->items[i] / sum
                                                          : 1 / (double)view->arm_count;
        ends[i] = end;
    }
}

static const uint8_t *draw_arms(const struct past_users *users, uint64_t seed, int64_t run,
                                struct arena *arena)
{
    struct random random = random_start(seed, (uint64_t)run);
    uint8_t *arms = ARENA_ARRAY(arena, uint8_t, users->count);
    double ends[LIVE_ARMS_MAX];

    cumulate(users->view, ends);
    for (size_t i = 0; i < users->count; i++) {
        double position = (double)(random_u64(&random) >> 11) * 0x1p-53;

        while (arms[i] + 1u < users->view->arm_count && position >= ends[arms[i]])
            arms[i]++;
    }
    return arms;
}

/* As live_rollup_subject() adds one. */
static void add_to_cell(struct live_rollup *rollup, int64_t metric, int64_t slice, int arm,
                        double value)
{
    struct live_cell *cell = live_rollup_cell(rollup, metric, slice, arm);

    cell->people++;
    cell->events++;
    if (!isfinite(value)) {
        cell->huge++;
        return;
    }
    sum_add(&cell->sum, value);
    sum_add_product(&cell->squares, value, value);
    cell->peak = fmax(cell->peak, value * value);
}

static void add_robust(struct trial *trial, int64_t metric, int arm, double value)
{
    const struct live_experiment *experiment = &trial->view.experiment;

    for (size_t i = 0; i < experiment->robust_count; i++) {
        const struct live_robust *robust = &experiment->robust[i];

        if (robust->metric != metric)
            continue;
        if (robust->capped)
            add_to_cell(&trial->view.rollup, live_capped_metric(i), LIVE_EVERYBODY, arm,
                        isfinite(value) ? fmin(value, robust->cap) : value);
        else
            add_to_cell(&trial->view.rollup, metric,
                        LIVE_BINS + (isfinite(value) ? binned_index(value) : BINNED_LAST), arm,
                        value);
    }
}

static void add_values(struct trial *trial)
{
    for (size_t i = 0; i < trial->users->value_count; i++) {
        const struct past_value *value = &trial->users->values[i];
        int64_t metric = trial->view.metrics.items[value->metric].number;
        int arm = trial->arms[value->user];

        add_to_cell(&trial->view.rollup, metric, LIVE_EVERYBODY, arm, value->value);
        add_robust(trial, metric, arm, value->value);
    }
}

static void add_people(struct trial *trial)
{
    struct live_rollup *rollup = &trial->view.rollup;

    for (size_t i = 0; i < trial->users->count; i++)
        rollup->arms[1 + trial->arms[i]].people++;
    for (size_t arm = 0; arm < trial->view.arm_count; arm++) {
        rollup->arms[1 + arm].exposures = rollup->arms[1 + arm].people;
        live_rollup_cell(rollup, LIVE_PRESENCE, LIVE_EVERYBODY, (int)arm)->people =
            rollup->arms[1 + arm].people;
    }
}

static void add_to_product(struct live_products *products, int first, int second, double one,
                           double other)
{
    struct live_product *product = &products->at[first][second];

    sum_add_product(&product->sum, one, other);
    product->peak = fmax(product->peak, fabs(one * other));
}

/* Denominator and numerator of every user, 0 without events. */
static void add_ratios(struct trial *trial)
{
    const struct live_experiment *experiment = &trial->view.experiment;
    size_t count = trial->users->count;
    double *of[2] = {ARENA_ARRAY(trial->arena, double, count),
                     ARENA_ARRAY(trial->arena, double, count)};
    struct live_products **products = trial->view.rollup.products[LIVE_RATIO];

    for (size_t i = 0; i < trial->users->value_count; i++) {
        const struct past_value *value = &trial->users->values[i];
        int64_t metric = trial->view.metrics.items[value->metric].number;

        if (metric == experiment->denominator)
            of[0][value->user] = value->value;
        if (metric == experiment->numerator)
            of[1][value->user] = value->value;
    }
    for (size_t arm = 0; arm < trial->view.arm_count; arm++)
        products[arm] = ARENA_NEW(trial->arena, struct live_products);
    for (size_t i = 0; i < count; i++) {
        struct live_products *sums = products[trial->arms[i]];
        double below = of[0][i], above = of[1][i];

        if (!isfinite(below) || !isfinite(above)) {
            sums->huge++;
            continue;
        }
        add_to_product(sums, 0, 0, 1, 1);
        add_to_product(sums, 0, 1, 1, below);
        add_to_product(sums, 0, 2, 1, above);
        add_to_product(sums, 1, 1, below, below);
        add_to_product(sums, 1, 2, below, above);
        add_to_product(sums, 2, 2, above, above);
    }
}

/* The new arms know nothing of strata, covariates, links and looks: those blocks are empty. How
 * fresh rows of live data are now says nothing of the procedure. */
static void start_trial(struct trial *trial, const struct past_users *users, struct arena *arena)
{
    *trial = (struct trial){.users = users, .arena = arena, .view = *users->view};
    trial->view.strata = trial->view.covariates = trial->view.slices = (struct live_name_list){0};
    trial->view.covariates_wanted = 0;
    trial->view.covered = (struct live_covered_list){0};
    trial->view.unknown = (struct live_unknown){0};
    trial->view.dimension = NULL;
    trial->view.looks = (struct live_look_list){0};
    trial->view.has_source = false;
    live_rollup_start(&trial->view.rollup, &trial->view.experiment, arena);
}

/* The goal's own comparisons are among the metrics. */
static void count_metric(const struct live_metric *metric, double alpha, struct error_tally *tally)
{
    const struct live_metric_comparison *comparisons = metric->comparisons.items;
    bool wrong = false, covered = true;

    if (metric->comparisons.count == 0)
        return;
    for (size_t i = 0; i < metric->comparisons.count; i++) {
        const struct live_metric_comparison *comparison = &comparisons[i];

        if (!comparison->p_value.given || !comparison->ci_lower.given ||
            !comparison->ci_upper.given)
            return;
        wrong = wrong || comparison->p_value.value < alpha;
        covered = covered && comparison->ci_lower.value <= 0 && comparison->ci_upper.value >= 0;
    }
    tally->runs++;
    tally->wrong += wrong;
    tally->covered += covered;
}

static void count_always_valid(const struct live_stats *stats, struct error_tallies *tallies)
{
    const struct live_comparison *comparisons = stats->comparisons.items;
    bool wrong = false;

    if (stats->comparisons.count == 0)
        return;
    for (size_t i = 0; i < stats->comparisons.count; i++) {
        const struct live_always_valid *always = comparisons[i].always_valid;

        if (!always || !always->is_significant.given)
            return;
        wrong = wrong || always->is_significant.value;
    }
    tallies->always_valid_runs++;
    tallies->always_valid_wrong += wrong;
}

/* Verdicts by planned looks and hybrid tests come from the looks that are taken on the way, and a
 * sample is always early in the plan of all users: neither has the verdict of this moment. */
static void count_verdict(const struct past_users *users, const struct live_stats *stats,
                          const struct payload_metrics *design, struct error_tallies *tallies)
{
    struct policy_outcome outcome;

    if (stats->sequential->looks_status || past_users_are_sample(users))
        return;
    policy_decide(stats, design, &outcome);
    tallies->verdict_runs++;
    tallies->ships += outcome.verdict == VERDICT_SHIP;
    tallies->stops += outcome.verdict == VERDICT_NO_SHIP;
}

static void name_metrics(const struct live_stats *stats, struct arena *arena,
                         struct error_tallies *tallies)
{
    const struct live_metric *metrics = stats->metrics.items;
    struct error_tally *items = ARENA_ARRAY(arena, struct error_tally, stats->metrics.count);

    for (size_t i = 0; i < stats->metrics.count; i++)
        items[i] = (struct error_tally){.name = arena_copy_string(arena, metrics[i].name),
                                        .role = metrics[i].role,
                                        .unit = metrics[i].unit,
                                        .at = metrics[i].at};
    tallies->metrics = (struct object_list){stats->metrics.count, items};
}

void reassign(const struct live_results_call *call, const struct past_users *users, uint64_t seed,
              int64_t run, struct arena *names, struct error_tallies *tallies)
{
    const struct payload_metrics *design = users->view->design->metrics;
    struct live_stats *stats = ARENA_NEW(call->arena, struct live_stats);
    struct trial *trial = ARENA_NEW(call->arena, struct trial);
    double treatments = users->view->arm_count > 1 ? (double)users->view->arm_count - 1 : 1;
    const struct live_metric *metrics;
    struct error_tally *items;

    start_trial(trial, users, call->arena);
    trial->arms = draw_arms(users, seed, run, call->arena);
    add_people(trial);
    add_values(trial);
    if (live_family_factors(&trial->view.experiment, LIVE_RATIO))
        add_ratios(trial);
    live_results_statistics(call, &trial->view, stats);
    if (tallies->metrics.count == 0)
        name_metrics(stats, names, tallies);
    metrics = stats->metrics.items;
    items = tallies->metrics.items;
    for (size_t i = 0; i < stats->metrics.count; i++)
        count_metric(&metrics[i], design->alpha / treatments, &items[i]);
    count_always_valid(stats, tallies);
    count_verdict(users, stats, design, tallies);
}
