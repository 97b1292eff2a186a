/* Tests every pair of treatments, then judges all pairs together. */
#include "experiments/interactions/interactions.h"

#include "experiments/interactions/running_store.h"
#include "experiments/interactions/shared_users.h"
#include "stats/contrasts/interaction.h"
#include "stats/multiple_testing.h"
#include "stats/ratio_metric.h"
#include "stats/sequential/confidence_sequence.h"

#include <math.h>
#include <string.h>

/* A sample is drawn from at most so many times the users that may be gone over: their ids are
 * listed. */
enum { LISTED_FACTOR = 10 };

/* What rounding leaves of values that are all the same. */
static const double rounding = 0x1p-46;

struct reading {
    const struct live_results_call *results;
    struct arena *arena;
    struct shared_users shared;
    struct interactions *shown;
    double level; /* of one pair */
    size_t pair_count;
    struct interaction_pair **pairs; /* of all experiments */
};

static int metric_type_of(const struct reading *reading)
{
    return reading->shared.view->design->metrics->metric_type;
}

static struct interaction_cell rate_of(const struct shared_cell *cell)
{
    double n = (double)cell->users, rate = (double)cell->converted / n;

    return (struct interaction_cell){n, rate, rate * (1 - rate) / (n - 1)};
}

static struct interaction_cell mean_of(const struct shared_cell *cell)
{
    double n = (double)cell->users;
    double squares = sum_about_means(&cell->value_squares, &cell->value, &cell->value, n);

    if (squares < rounding * sum_value(&cell->value_squares))
        squares = 0;
    return (struct interaction_cell){n, sum_value(&cell->value) / n, squares / (n - 1) / n};
}

/* False where it is not defined. */
static bool ratio_of(const struct shared_cell *cell, struct interaction_cell *estimate)
{
    double n = (double)cell->users;
    const struct ratio_moments moments = {
        .n = cell->users,
        .numerator_mean = sum_value(&cell->value) / n,
        .denominator_mean = sum_value(&cell->other) / n,
        .numerator_squares =
            fmax(0, sum_about_means(&cell->value_squares, &cell->value, &cell->value, n)),
        .denominator_squares =
            fmax(0, sum_about_means(&cell->other_squares, &cell->other, &cell->other, n)),
        .products = sum_about_means(&cell->products, &cell->value, &cell->other, n)};

    estimate->n = n;
    return ratio_moments_estimate(&moments, &estimate->value, &estimate->variance);
}

/* NULL, or what prevents the test. */
static const char *estimate(const struct reading *reading, const struct shared_cell *cell,
                            struct interaction_cell *result)
{
    if (cell->users < 2)
        return "too_few_users";
    if (metric_type_of(reading) == METRIC_BINARY) {
        *result = rate_of(cell);
        return NULL;
    }
    if (cell->huge)
        return "values_too_large";
    if (metric_type_of(reading) == METRIC_RATIO)
        return ratio_of(cell, result) ? NULL : "zero_variance";
    *result = mean_of(cell);
    return NULL;
}

/* Whether the normal approximation of a sequence holds, in the smallest cell. */
static bool are_enough(const struct reading *reading, const struct shared_cell *const cells[4])
{
    for (int i = 0; i < 4; i++) {
        int64_t events = cells[i]->converted, others = cells[i]->users - cells[i]->converted;
        bool rate = metric_type_of(reading) == METRIC_BINARY;

        if (cells[i]->users < (rate ? SEQUENCE_RATE_USERS_MIN : SEQUENCE_USERS_MIN) ||
            (rate && (events < SEQUENCE_EVENTS_MIN || others < SEQUENCE_EVENTS_MIN)))
            return false;
    }
    return true;
}

/* A sample is another one at each look, so that only its own p-value holds. */
static void test_at_any_look(const struct reading *reading, const struct interaction *test,
                             const struct shared_cell *const cells[4],
                             struct interaction_pair *shown)
{
    const struct sequence_tuning tuning = {.users = 2 * (double)reading->results->mixture_users};
    struct always_valid always;

    if (reading->shared.is_sample || !are_enough(reading, cells))
        return;
    confidence_sequence_difference(test->difference, pow(test->standard_error, 2),
                                   (double)shown->users, &tuning, reading->level, &always);
    if (always.evaluable)
        shown->p_value_always_valid = GIVEN_NUMBER(always.p_value);
}

static void fill_in(const struct interaction *test, struct interaction_pair *shown)
{
    shown->effect_beside_control = GIVEN_NUMBER(test->effect[0]);
    shown->effect_beside_treatment = GIVEN_NUMBER(test->effect[1]);
    shown->difference = GIVEN_NUMBER(test->difference);
    shown->standard_error = GIVEN_NUMBER(test->standard_error);
    shown->degrees_of_freedom = GIVEN_NUMBER(test->freedom);
    shown->ci_lower = GIVEN_NUMBER(test->ci_lower);
    shown->ci_upper = GIVEN_NUMBER(test->ci_upper);
    shown->p_value = GIVEN_NUMBER(test->p_value);
}

static void test_pair(const struct reading *reading, const struct shared_other *other, size_t arm,
                      size_t other_arm, struct interaction_pair *shown)
{
    const struct shared_cell *const cells[4] = {&other->cells[0][0], &other->cells[0][other_arm],
                                                &other->cells[arm][0],
                                                &other->cells[arm][other_arm]};
    struct interaction_cells estimates;
    struct interaction test;
    const char *problem = NULL;

    *shown = (struct interaction_pair){.treatment_index = (int64_t)arm,
                                       .other_treatment_index = (int64_t)other_arm};
    for (int i = 0; i < 4; i++) {
        const char *found = estimate(reading, cells[i], &estimates.at[i / 2][i % 2]);

        problem = problem ? problem : found;
        shown->users += cells[i]->users;
    }
    if (!problem && !interaction_test(&estimates, reading->level, &test))
        problem = "zero_variance";
    shown->status = problem ? problem : "ok";
    if (problem)
        return;
    fill_in(&test, shown);
    test_at_any_look(reading, &test, cells, shown);
}

static bool is_divided_otherwise(const struct live_view *view, const char **status)
{
    if (view->experiment.cluster_plan.kept)
        *status = "clusters";
    else if (view->adaptive.found)
        *status = "adaptive";
    else
        return false;
    return true;
}

static size_t treatments_of(const struct live_view *view)
{
    return view->arm_count > 1 ? view->arm_count - 1 : 0;
}

/* The pairs of experiments that share users are looked at. */
static void count_pairs(struct reading *reading)
{
    const char *unused;

    for (size_t i = 0; i < reading->shared.other_count; i++) {
        const struct shared_other *other = &reading->shared.others[i];

        if (other->users && !is_divided_otherwise(other->view, &unused))
            reading->shown->pairs +=
                (int64_t)(treatments_of(reading->shared.view) * treatments_of(other->view));
    }
    reading->level = reading->shown->alpha / fmax(1, (double)reading->shown->pairs);
    reading->shown->confidence_level = 1 - reading->level;
    reading->pairs =
        ARENA_ARRAY(reading->arena, struct interaction_pair *, (size_t)reading->shown->pairs);
}

static void show_other(struct reading *reading, const struct shared_other *other,
                       struct interaction_experiment *shown)
{
    size_t own = treatments_of(reading->shared.view), others = treatments_of(other->view);
    struct interaction_pair *pairs;

    *shown =
        (struct interaction_experiment){.experiment_id = other->view->experiment.id,
                                        .project_name = other->view->design->project->project_name,
                                        .status = "ok",
                                        .shared_users = other->users};
    if (reading->shared.users)
        shown->shared_share = GIVEN_NUMBER((double)other->users / (double)reading->shared.users);
    if (is_divided_otherwise(other->view, &shown->status))
        return;
    if (!other->users)
        shown->status = "no_shared_users";
    if (!other->users)
        return;
    pairs = ARENA_ARRAY(reading->arena, struct interaction_pair, own * others);
    for (size_t i = 0; i < own * others; i++) {
        test_pair(reading, other, 1 + i / others, 1 + i % others, &pairs[i]);
        reading->pairs[reading->pair_count++] = &pairs[i];
    }
    shown->pairs.count = own * others;
    shown->pairs.items = pairs;
}

/* By the rule, a missing p-value counting as 1: it is of a pair that is looked at, too. */
static void adjust(const struct reading *reading, const struct optional_number *p_values,
                   struct adjusted_test *tests)
{
    double *values = ARENA_ARRAY(reading->arena, double, reading->pair_count);

    for (size_t i = 0; i < reading->pair_count; i++)
        values[i] = p_values[i].given ? p_values[i].value : 1;
    (void)multiple_testing_adjust(MULTIPLE_TESTING_HOLM, values, reading->pair_count,
                                  reading->shown->alpha, reading->arena, tests);
}

static struct optional_number adjusted(const struct optional_number *p_value,
                                       const struct adjusted_test *test)
{
    return p_value->given ? GIVEN_NUMBER(test->adjusted_p_value) : (struct optional_number){0};
}

static void judge(const struct reading *reading)
{
    size_t count = reading->pair_count;
    struct optional_number *once = ARENA_ARRAY(reading->arena, struct optional_number, count);
    struct optional_number *always = ARENA_ARRAY(reading->arena, struct optional_number, count);
    struct adjusted_test *at_once = ARENA_ARRAY(reading->arena, struct adjusted_test, count);
    struct adjusted_test *at_any = ARENA_ARRAY(reading->arena, struct adjusted_test, count);

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        once[i] = reading->pairs[i]->p_value;
        always[i] = reading->pairs[i]->p_value_always_valid;
    }
    adjust(reading, once, at_once);
    adjust(reading, always, at_any);
    for (size_t i = 0; i < count; i++) {
        struct interaction_pair *pair = reading->pairs[i];

        pair->p_value_adjusted = adjusted(&once[i], &at_once[i]);
        pair->p_value_always_valid = adjusted(&always[i], &at_any[i]);
        pair->is_interaction = reading->shared.is_sample ? once[i].given && at_once[i].rejected
                                                         : always[i].given && at_any[i].rejected;
    }
}

static void show(struct reading *reading)
{
    size_t count = reading->shared.other_count;
    struct interaction_experiment *experiments =
        ARENA_ARRAY(reading->arena, struct interaction_experiment, count);

    count_pairs(reading);
    for (size_t i = 0; i < count; i++)
        show_other(reading, &reading->shared.others[i], &experiments[i]);
    judge(reading);
    reading->shown->users = reading->shared.users;
    reading->shown->is_sample = reading->shared.is_sample;
    reading->shown->experiments.count = count;
    reading->shown->experiments.items = experiments;
}

static enum error load_view(const struct live_call *call, const char *id,
                            const struct live_view **loaded)
{
    struct live_view *view = ARENA_NEW(call->arena, struct live_view);

    *loaded = view;
    return live_view_load(call, id, &(struct live_view_options){0}, view);
}

/* The experiments may have come and gone since they were listed; one that is named must be there.
 */
static enum error load_others(const struct live_call *call, const struct interactions_order *order,
                              struct shared_users *shared)
{
    struct string_list ids = {1, (const char **)&order->with};
    enum error error = ERROR_NONE;

    if (!order->with)
        error = running_experiments(call, order->id, INTERACTION_EXPERIMENTS_MAX, &ids);
    if (error)
        return error;
    shared->others = ARENA_ARRAY(call->arena, struct shared_other, ids.count);
    for (size_t i = 0; !error && i < ids.count; i++) {
        error = load_view(call, ids.items[i], &shared->others[shared->other_count].view);
        if (error == ERROR_NOT_FOUND && !order->with)
            error = ERROR_NONE;
        else
            shared->other_count++;
    }
    return error;
}

static const char *unit_of(const struct live_view *view)
{
    switch (view->design->metrics->metric_type) {
    case METRIC_BINARY:
        return "rate";
    case METRIC_RATIO:
        return "ratio";
    default:
        return "mean";
    }
}

/* Whether users have to be gone over at all. */
static bool has_work(const struct reading *reading, const struct interactions_order *order,
                     const char **status)
{
    *status = "ok";
    if (is_divided_otherwise(reading->shared.view, status))
        return false;
    if (reading->shown->people == 0)
        *status = "no_users";
    else if (reading->shared.other_count == 0)
        *status = "no_other_experiments";
    else if (reading->shown->people > LISTED_FACTOR * order->users_max)
        *status = "too_many_users";
    else
        return true;
    return false;
}

enum error interactions_read(const struct live_call *call, const struct live_results_call *results,
                             const struct interactions_order *order, struct interactions *shown)
{
    struct reading reading = {.results = results, .arena = call->arena, .shown = shown};
    struct shared_users *shared = &reading.shared;
    enum error error;

    if (order->with && strcmp(order->with, order->id) == 0)
        return problem_set(call->problem, ERROR_INVALID, "same_experiment",
                           "with: an experiment has no interaction with itself");
    error = load_view(call, order->id, &shared->view);
    if (!error)
        error = load_others(call, order, shared);
    if (error)
        return error;
    *shown = (struct interactions){.experiment_id = order->id,
                                   .metric = shared->view->design->metrics->primary_metric_name,
                                   .unit = unit_of(shared->view),
                                   .rule = multiple_testing_names[MULTIPLE_TESTING_HOLM],
                                   .alpha = shared->view->design->metrics->alpha,
                                   .people = shared_users_people(shared->view)};
    shown->confidence_level = 1 - shown->alpha;
    if (!has_work(&reading, order, &shown->status))
        return ERROR_NONE;
    shared->most = order->users_max / (1 + (int64_t)shared->other_count);
    error = shared_users_read(call, shared);
    if (!error)
        show(&reading);
    return error;
}
