/* From the request to the question, and from the solution to the answer. */
#include "experiments/planning/solve_request.h"

#include "experiments/design/sizing.h"

#include <math.h>

enum { COST_MIN = 2, DUNNETT_COST = 8, RUNS_PER_UNIT = 10000 };

#define DRAWS_MAX 2e6      /* of arms or clusters in a simulation */
#define RATE_DRAWS_MAX 1e5 /* of binomial and Poisson numbers, which take longer */

static const struct {
    const char *reason, *key;
} failures[] = {
    [PLAN_SIZE_OUT_OF_REACH] = {"plan_size_out_of_reach", "errors.schemas.plan_size_out_of_reach"},
    [PLAN_EFFECT_OUT_OF_REACH] = {"plan_effect_out_of_reach",
                                  "errors.schemas.plan_effect_out_of_reach"},
};

static enum error refuse(const struct solve_call *call, const char *reason, const char *key)
{
    return problem_set(call->problem, ERROR_INVALID, reason, "%s",
                       locale_format(call->locale, call->arena, key, NO_TEXT_ARGUMENTS));
}

/* R, and the deviation of numerator - R denominator per user over the mean denominator (the delta
 * method); false when the sums are not those of users. */
static bool read_history(const struct solve_history *history, struct plan_design *design)
{
    double n = (double)history->users, mean = history->denominator_sum / n;
    double ratio = history->numerator_sum / history->denominator_sum;
    double squares = history->numerator_squares - 2 * ratio * history->products +
                     ratio * ratio * history->denominator_squares;

    design->baseline = ratio;
    design->deviation = sqrt(squares / (n - 1)) / mean;
    return ratio > 0 && isfinite(ratio) && design->deviation > 0 && isfinite(design->deviation);
}

static void read_clusters(const struct solve_request *request, struct plan_question *question)
{
    const struct solve_switchback *slots = request->switchback;

    if (request->clusters)
        question->design.clusters =
            (struct plan_clusters){true, request->clusters->average_size,
                                   request->clusters->size_cv, request->clusters->icc};
    if (!slots)
        return;
    question->daily_users *= 1 - slots->washout_share;
    question->design.clusters = (struct plan_clusters){
        true, fmax(question->daily_users / (slots->slots_per_day * (double)slots->units), 1),
        slots->size_cv, slots->icc};
}

static void read_shares(const struct solve_request *request, struct plan_design *design)
{
    double sum = 0;

    design->arms = (size_t)request->variants;
    for (size_t arm = 0; arm < design->arms; arm++) {
        design->share[arm] = request->allocation.items ? request->allocation.items[arm] : 1;
        sum += design->share[arm];
    }
    for (size_t arm = 0; arm < design->arms; arm++)
        design->share[arm] /= sum;
}

static bool read_question(const struct solve_request *request, struct plan_question *question)
{
    struct plan_design *design = &question->design;

    *question = (struct plan_question){
        .unknown = (enum plan_unknown)request->solve_for,
        .design = {.metric = (enum plan_metric)request->test,
                   .alternative = (enum plan_alternative)request->alternative,
                   .correction = (enum plan_correction)request->correction,
                   .target = (enum plan_target)request->power_of,
                   .baseline = request->baseline_value.value,
                   .deviation = request->std_dev.value,
                   .decrease = request->direction == GOAL_DECREASE,
                   .alpha = request->alpha},
        .power = request->power.value,
        .total = (double)request->total_users.value,
        .days = request->days.value,
        .daily_users = request->daily_traffic.value,
        .best_allocation = request->optimal_allocation};
    if (request->history && !read_history(request->history, design))
        return false;
    read_shares(request, design);
    read_clusters(request, question);
    design->margin = design->baseline * request->margin_pct.value / 100;
    question->effect =
        design->baseline * request->mde_pct.value / 100 * (design->decrease ? -1 : 1);
    return true;
}

static struct integer_list whole_numbers(const double *numbers, size_t count, double unit,
                                         struct arena *arena)
{
    struct integer_list list = {count, ARENA_ARRAY(arena, int64_t, count)};

    for (size_t i = 0; i < count; i++)
        list.items[i] = (int64_t)rint(numbers[i] / unit);
    return list;
}

/* Users of whole clusters of a fractional average size are rounded up once more. */
static struct integer_list users_of(const struct plan_solution *solution, struct arena *arena)
{
    struct integer_list list = whole_numbers(solution->users, solution->design.arms, 1, arena);

    for (size_t i = 0; i < list.count; i++)
        list.items[i] = (int64_t)ceil(solution->users[i] * (1 - 1e-12));
    return list;
}

static struct number_list shares_of(const struct plan_design *design, struct arena *arena)
{
    struct number_list list = {design->arms, ARENA_ARRAY(arena, double, design->arms)};

    for (size_t i = 0; i < list.count; i++)
        list.items[i] = design->share[i];
    return list;
}

static const struct solve_simulated *simulate(const struct solve_request *request,
                                              const struct plan_solution *solution,
                                              struct arena *arena)
{
    struct solve_simulated *simulated = ARENA_NEW(arena, struct solve_simulated);
    double draws = (double)solution->design.arms, most = DRAWS_MAX;
    struct plan_power found;

    if (solution->design.clusters.given)
        draws = solution->total / solution->design.clusters.size;
    else if (request->test == PLAN_BINARY || request->test == PLAN_COUNT)
        most = RATE_DRAWS_MAX;
    if (!request->simulation_runs.given || !(draws <= most))
        return NULL;
    simulated->runs = (int64_t)fmax(fmin((double)request->simulation_runs.value, most / draws), 1);
    found = plan_simulate(&solution->design, solution->users, solution->effect,
                          (uint64_t)request->seed, simulated->runs);
    simulated->power = found.power;
    simulated->standard_error = found.standard_error;
    return simulated;
}

static void add_clusters(const struct plan_solution *solution, struct arena *arena,
                         struct solve_reply *answer)
{
    const struct plan_clusters *clusters = &solution->design.clusters;

    if (!clusters->given)
        return;
    answer->clusters_per_variant =
        whole_numbers(solution->users, solution->design.arms, clusters->size, arena);
    answer->average_cluster_size = GIVEN_NUMBER(clusters->size);
    answer->design_effect = GIVEN_NUMBER(plan_design_effect(clusters));
}

static void fill_in(const struct solve_request *request, const struct plan_solution *solution,
                    struct arena *arena, struct solve_reply *answer)
{
    const struct plan_design *design = &solution->design;

    *answer = (struct solve_reply){.solve_for = solve_unknown_names[request->solve_for],
                                   .effect_pct = 100 * solution->effect / design->baseline,
                                   .effect = solution->effect,
                                   .power = solution->reached.power,
                                   .power_standard_error = solution->reached.standard_error,
                                   .alpha = design->alpha,
                                   .critical_value = solution->reached.critical,
                                   .comparisons = (int64_t)design->arms - 1,
                                   .allocation = shares_of(design, arena),
                                   .users_per_variant = users_of(solution, arena),
                                   .baseline_value = design->baseline,
                                   .simulated = simulate(request, solution, arena)};
    for (size_t arm = 0; arm < design->arms; arm++)
        answer->total_users += answer->users_per_variant.items[arm];
    if (isfinite(solution->reached.df))
        answer->degrees_of_freedom = GIVEN_NUMBER(solution->reached.df);
    if (design->margin > 0) {
        answer->margin = GIVEN_NUMBER(design->margin);
        answer->margin_pct = GIVEN_NUMBER(100 * design->margin / design->baseline);
    }
    if (solution->days > 0)
        answer->days = GIVEN_INTEGER((int64_t)solution->days);
    if (solution->equal_total > 0)
        answer->equal_allocation_total = GIVEN_INTEGER((int64_t)ceil(solution->equal_total));
    if (design->deviation > 0)
        answer->std_dev = GIVEN_NUMBER(design->deviation);
    add_clusters(solution, arena, answer);
}

enum error solve_answer(const struct solve_call *call, const struct solve_request *request,
                        struct solve_reply *answer)
{
    struct plan_question question;
    struct plan_solution solution;

    if (!read_question(request, &question))
        return refuse(call, "history_has_no_ratio", "errors.schemas.plan_history");
    plan_solve(&question, &solution);
    if (solution.failure)
        return refuse(call, failures[solution.failure].reason, failures[solution.failure].key);
    fill_in(request, &solution, call->arena, answer);
    if (!isfinite(answer->effect_pct) || !isfinite(answer->effect) ||
        (answer->margin.given && !isfinite(answer->margin_pct.value)))
        return refuse(call, failures[PLAN_EFFECT_OUT_OF_REACH].reason,
                      failures[PLAN_EFFECT_OUT_OF_REACH].key);
    return ERROR_NONE;
}

int64_t solve_cost(const struct solve_request *request)
{
    int64_t cost = COST_MIN, comparisons = request->variants - 1;

    if (request->correction == PLAN_DUNNETT || request->power_of != PLAN_EACH)
        cost += comparisons > 1 ? DUNNETT_COST * comparisons : 0;
    if (request->simulation_runs.given)
        cost += request->clusters || request->switchback
                    ? (int64_t)DRAWS_MAX / RUNS_PER_UNIT
                    : request->simulation_runs.value * request->variants / RUNS_PER_UNIT;
    return cost;
}
