/* Readings at any time by a share of alpha, and the one test at the end, which is kept as a look.
 * A solved end takes some ten milliseconds and its p-value fifteen times as long, so the last ones
 * are cached. */
#include "experiments/live_results/live_results_internal.h"

#include "stats/sequential/confidence_sequence.h"

#include <math.h>
#include <string.h>

enum { ENDS_CACHED = 16, SOLVING_BYTES = 16 << 20 };

struct reading {
    const struct live_results *results;
    struct live_hybrid *block;
    struct hybrid_request request;
    const struct live_look *end; /* NULL = not taken */
    double now;                  /* the fraction */
};

/* The constant of one end, and the p-value of one z there. */
struct cached_end {
    struct hybrid_plan plan;
    double z, end_z, early_error, p_value;
};

const struct payload_hybrid *live_results_hybrid(const struct live_view *view)
{
    if (view->design->metrics->goals || view->rounds.count > 0 ||
        view->experiment.cluster_plan.kept)
        return NULL;
    return view->design->constraints->hybrid;
}

void live_results_plan_hybrid(const struct payload_metrics *design,
                              const struct payload_hybrid *hybrid, double alpha,
                              struct hybrid_request *request)
{
    *request = (struct hybrid_request){.alpha = alpha,
                                       .power = design->power,
                                       .early_share = hybrid->early_share,
                                       .tuned_fraction = hybrid->tuned_fraction};
}

static bool same_end(const struct cached_end *entry, const struct hybrid_plan *plan, double z)
{
    return entry->plan.alpha == plan->alpha && entry->plan.early_share == plan->early_share &&
           entry->plan.mixture == plan->mixture && entry->plan.end == plan->end &&
           (isnan(z) ? isnan(entry->z) : entry->z == z);
}

static bool solve_end(const struct hybrid_plan *plan, double z, struct arena *arena,
                      struct cached_end *entry)
{
    struct arena *work = arena_create_below(arena, SOLVING_BYTES);
    struct hybrid_design *design = ARENA_NEW(work, struct hybrid_design);
    bool solved = hybrid_solve(plan, work, design);

    *entry = (struct cached_end){*plan, z, design->end_z, design->early_error, NAN};
    arena_reset(work);
    if (solved && !isnan(z))
        entry->p_value = hybrid_end_p(plan, z, work);
    arena_destroy(work);
    return solved;
}

/* A NaN asks for no p-value. */
static const struct cached_end *find_end(const struct hybrid_plan *plan, double z,
                                         struct arena *arena)
{
    static struct cached_end cached[ENDS_CACHED];
    static size_t next;
    struct cached_end solved, *entry;

    for (size_t i = 0; i < ENDS_CACHED; i++)
        if (same_end(&cached[i], plan, z))
            return &cached[i];
    if (!solve_end(plan, z, arena, &solved))
        return NULL;
    entry = &cached[next];
    next = (next + 1) % ENDS_CACHED;
    *entry = solved;
    return entry;
}

/* A plan of another size or about another goal is another plan. */
static const char *name_plan(const struct reading *reading)
{
    const struct hybrid_request *request = &reading->request;
    struct arena *arena = reading->results->call->arena;

    return arena_print(
        arena, "hybrid %.17g %.17g %.17g %.17g %lld %016llx", request->alpha, request->early_share,
        request->tuned_fraction, request->power, (long long)reading->results->plan.sequential_size,
        (unsigned long long)live_hash(live_results_describe_goal(reading->results->design, arena)));
}

static void show_plan(struct reading *reading)
{
    struct live_hybrid *block = reading->block;
    struct hybrid_plan plan = hybrid_plan_at(&reading->request, 1);
    const struct cached_end *end;

    if (reading->end) {
        struct live_hybrid_end *shown =
            ARENA_NEW(reading->results->call->arena, struct live_hybrid_end);

        *shown = (struct live_hybrid_end){reading->end->information_fraction, reading->end->users,
                                          reading->end->taken_at, reading->end->actor};
        block->end = shown;
        plan.end = reading->end->information_fraction;
    }
    end = find_end(&plan, NAN, reading->results->call->arena);
    if (!end)
        return;
    block->end_z = GIVEN_NUMBER(end->end_z);
    block->early_error = GIVEN_NUMBER(end->early_error);
}

static const struct live_look_effect *end_effect(const struct reading *reading, int64_t treatment)
{
    for (size_t i = 0; i < reading->end->effect_count; i++)
        if (reading->end->effects[i].treatment_index == treatment)
            return &reading->end->effects[i];
    return NULL;
}

/* The estimated variance is near enough to the true one. */
static bool has_users(const struct reading *reading, const struct live_arm_statistic *arm)
{
    int64_t others = arm->exposed_users - arm->converted_users;

    if (reading->results->design->metric_type != METRIC_BINARY)
        return arm->exposed_users >= SEQUENCE_USERS_MIN;
    return arm->exposed_users >= SEQUENCE_RATE_USERS_MIN &&
           arm->converted_users >= SEQUENCE_EVENTS_MIN && others >= SEQUENCE_EVENTS_MIN;
}

static bool read_end(const struct reading *reading, const struct hybrid_look *look,
                     struct hybrid_reading *result)
{
    struct hybrid_plan plan = hybrid_plan_at(&reading->request, look->information_fraction);
    double error = look->standard_error.value, z = look->estimate.value / error;
    const struct cached_end *end =
        find_end(&plan, reading->results->rough ? NAN : fabs(z), reading->results->call->arena);

    if (!end || !isfinite(z))
        return false;
    *result = (struct hybrid_reading){.boundary_z = end->end_z,
                                      .z = z,
                                      .p_value = end->p_value,
                                      .is_significant = fabs(z) > end->end_z,
                                      .estimate = look->estimate.value,
                                      .ci_lower = look->estimate.value - end->end_z * error,
                                      .ci_upper = look->estimate.value + end->end_z * error};
    return true;
}

/* What there is to read of a treatment: the effect of the look at the end, or that of now. */
static bool find_look(const struct reading *reading, const struct live_comparison *comparison,
                      struct hybrid_look *look)
{
    const struct live_look_effect *effect;

    *look = (struct hybrid_look){.information_fraction = reading->now, .is_end = reading->end};
    if (reading->end) {
        effect = end_effect(reading, comparison->treatment_index);
        look->information_fraction = reading->end->information_fraction;
        if (effect) {
            look->estimate = GIVEN_NUMBER(effect->estimate);
            look->standard_error = GIVEN_NUMBER(effect->standard_error);
        }
        return effect;
    }
    look->estimate =
        GIVEN_NUMBER(comparison->test.effect / live_results_unit(reading->results->design));
    look->standard_error = GIVEN_NUMBER(sqrt(comparison->variance));
    return strcmp(comparison->status, "ok") == 0 && comparison->variance > 0 &&
           isfinite(comparison->variance) && reading->now > 0;
}

static const char *status_of(const struct reading *reading, const struct hybrid_reading *result)
{
    if (result->is_significant)
        return "efficacy";
    return reading->end ? "no_rejection" : "continue";
}

static void show(const struct hybrid_reading *result, struct live_hybrid_reading *shown)
{
    shown->boundary_z = GIVEN_NUMBER(result->boundary_z);
    shown->z = GIVEN_NUMBER(result->z);
    shown->p_value = live_results_number(true, result->p_value);
    shown->effect = GIVEN_NUMBER(result->estimate);
    shown->ci_lower = GIVEN_NUMBER(result->ci_lower);
    shown->ci_upper = GIVEN_NUMBER(result->ci_upper);
    shown->is_significant = result->is_significant;
}

/* What policy and texts decide by, in units of the analysis. */
static void keep(const struct reading *reading, const struct hybrid_reading *result,
                 struct live_look_reading *planned)
{
    double unit = live_results_unit(reading->results->design);

    planned->adjusted = true;
    planned->is_significant = result->is_significant;
    planned->p_value = result->p_value;
    planned->estimate = unit * result->estimate;
    planned->lower = unit * result->ci_lower;
    planned->upper = unit * result->ci_upper;
}

static void read_comparison(const struct reading *reading, struct live_comparison *comparison,
                            struct live_hybrid_reading *shown)
{
    struct live_look_reading *planned =
        ARENA_NEW(reading->results->call->arena, struct live_look_reading);
    struct hybrid_reading result;
    struct hybrid_look look;
    bool found = find_look(reading, comparison, &look);

    *planned = (struct live_look_reading){.treatment_index = comparison->treatment_index,
                                          .ended = reading->end};
    *shown = (struct live_hybrid_reading){.treatment_index = comparison->treatment_index,
                                          .status = "not_evaluable"};
    if (found && !reading->end &&
        !(has_users(reading, comparison->control) && has_users(reading, comparison->treatment)))
        shown->status = "too_few_users";
    else if (found && (reading->end ? read_end(reading, &look, &result)
                                    : hybrid_read_early(&reading->request, &look, &result))) {
        shown->status = status_of(reading, &result);
        show(&result, shown);
        keep(reading, &result, planned);
    }
    planned->status = shown->status;
    comparison->planned = planned;
    comparison->sequential_significant =
        (struct optional_boolean){strcmp(comparison->status, "ok") == 0, planned->is_significant};
}

static void read_comparisons(struct reading *reading, struct live_stats *stats)
{
    struct live_comparison *comparisons = stats->comparisons.items;
    struct live_hybrid_reading *shown = ARENA_ARRAY(
        reading->results->call->arena, struct live_hybrid_reading, stats->comparisons.count);

    for (size_t i = 0; i < stats->comparisons.count; i++)
        read_comparison(reading, &comparisons[i], &shown[i]);
    reading->block->comparisons = (struct object_list){stats->comparisons.count, shown};
}

static const char *status_of_test(const struct reading *reading)
{
    if (!reading->end)
        return "running";
    return strcmp(reading->end->plan, reading->block->plan) == 0 ? "ended" : "plan_changed";
}

void live_results_hybrid_looks(const struct live_results *results, struct live_stats *stats,
                               struct live_sequential *sequential)
{
    const struct payload_hybrid *hybrid = live_results_hybrid(results->view);
    const struct live_look_list *looks = &results->view->looks;
    struct live_hybrid *block = ARENA_NEW(results->call->arena, struct live_hybrid);
    struct reading reading = {.results = results,
                              .block = block,
                              .end = looks->count ? &looks->items[0] : NULL,
                              .now = sequential->plans};

    live_results_plan_hybrid(results->design, hybrid, results->alpha, &reading.request);
    *block = (struct live_hybrid){.status = "unavailable",
                                  .alpha = results->alpha,
                                  .early_share = hybrid->early_share,
                                  .tuned_fraction = hybrid->tuned_fraction};
    sequential->hybrid = block;
    if (!results->plan.sequential_known)
        return;
    block->plan = name_plan(&reading);
    block->status = status_of_test(&reading);
    if (strcmp(block->status, "plan_changed") == 0)
        return;
    block->end_due = !reading.end && reading.now >= 1;
    show_plan(&reading);
    read_comparisons(&reading, stats);
    if (!reading.end && reading.now > 0) {
        struct hybrid_plan plan = hybrid_plan_at(&reading.request, 1);

        sequential->current_boundary_z = GIVEN_NUMBER(hybrid_early_z(&plan, reading.now));
    }
}
