/*
 * Powers and solutions of plans on standard input and output (support/lines.h), for
 * experiments_plans_test.py.
 */
#include "experiments/planning/plan_solve.h"
#include "support/lines.h"

#include <math.h>

/* metric alternative correction target baseline deviation margin decrease alpha, cluster size, cv
 * and icc (size 0 = none), arms, weights of the arms */
static struct plan_design read_design(struct line *line)
{
    const double *a = line_take(line, 13).items, *weights;
    struct plan_design design = {.metric = (enum plan_metric)a[0],
                                 .alternative = (enum plan_alternative)a[1],
                                 .correction = (enum plan_correction)a[2],
                                 .target = (enum plan_target)a[3],
                                 .baseline = a[4],
                                 .deviation = a[5],
                                 .margin = a[6],
                                 .decrease = a[7] != 0,
                                 .alpha = a[8],
                                 .clusters = {a[9] > 0, a[9], a[10], a[11]},
                                 .arms = (size_t)a[12]};
    double sum = 0;

    weights = line_take(line, design.arms).items;
    for (size_t arm = 0; arm < design.arms; arm++)
        sum += weights[arm];
    for (size_t arm = 0; arm < design.arms; arm++)
        design.share[arm] = weights[arm] / sum;
    return design;
}

/* A design, the weights being users; effect -> power, critical value, degrees of freedom */
static void answer_power(struct line *line)
{
    const double *users;
    struct plan_design design = read_design(line);
    struct plan_power found;

    users = line_take(line, design.arms).items;
    found = plan_power(&design, users, line_next(line));
    PRINT_NUMBERS(found.power, found.critical, found.df, found.standard_error);
}

/* The same with a number of runs -> power, its standard error */
static void answer_simulate(struct line *line)
{
    struct plan_design design = read_design(line);
    const double *users = line_take(line, design.arms).items, *rest = line_take(line, 2).items;
    struct plan_power found = plan_simulate(&design, users, rest[0], 7, (int64_t)rest[1]);

    PRINT_NUMBERS(found.power, found.standard_error);
}

/* A design, unknown, effect, power, total, days, daily users, whether the allocation is chosen ->
 * failure, effect, margin, total, days, total of equal arms, power there and one user before,
 * control's share, users */
static void answer_solve(struct line *line)
{
    struct plan_design design = read_design(line);
    const double *rest = line_take(line, 7).items;
    struct plan_question question = {.unknown = (enum plan_unknown)rest[0],
                                     .design = design,
                                     .effect = rest[1],
                                     .power = rest[2],
                                     .total = rest[3],
                                     .days = rest[4],
                                     .daily_users = rest[5],
                                     .best_allocation = rest[6] != 0};
    struct plan_solution solution;
    double fewer[PLAN_ARMS_MAX];

    plan_solve(&question, &solution);
    for (size_t arm = 0; arm < design.arms; arm++)
        fewer[arm] = solution.users[arm] - (design.clusters.given ? design.clusters.size : 1);
    PRINT_NUMBERS(solution.failure, solution.effect, solution.design.margin, solution.total,
                  solution.days, solution.equal_total, solution.reached.power,
                  plan_power(&solution.design, fewer, solution.effect).power,
                  solution.design.share[0]);
    print_numbers(solution.users, design.arms);
}

static const struct line_method methods[] = {
    {"power", answer_power},
    {"simulate", answer_simulate},
    {"solve", answer_solve},
};

LINES_MAIN(methods)
