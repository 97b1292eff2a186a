/*
 * Group sequential tests on standard input and output (support/lines.h), for
 * group_sequential_test.py. A plan is `sides alpha power kind parameter futility kind parameter`,
 * looks are `count fraction fraction ...`.
 */
#include "stats/sequential/group_sequential.h"
#include "support/lines.h"

#include <math.h>
#include <stdio.h>

static struct group_sequential_plan take_plan(struct line *line)
{
    const double *a = line_take(line, 8).items;

    return (struct group_sequential_plan){(int)a[0],         a[1],      a[2],
                                          {(int)a[3], a[4]}, (int)a[5], {(int)a[6], a[7]}};
}

/* plan looks -> drift, that of one look, and per look: bounds, spent, stops without effect and with
 * the drift */
static void answer_design(struct line *line)
{
    struct group_sequential_plan plan = take_plan(line);
    int count = (int)line_next(line);
    const double *fractions = line_take(line, (size_t)count).items;
    struct group_sequential_looks *looks = ARENA_NEW(line->arena, struct group_sequential_looks);
    struct group_sequential_stops *null = ARENA_NEW(line->arena, struct group_sequential_stops);
    struct group_sequential_stops *with = ARENA_NEW(line->arena, struct group_sequential_stops);
    double drift = group_sequential_drift(&plan, fractions, count, line->arena);

    if (isnan(drift) ||
        !group_sequential_solve(&plan, fractions, count, true, drift, line->arena, looks)) {
        printf("error unsolved");
        return;
    }
    group_sequential_stops(looks, 0, line->arena, null);
    group_sequential_stops(looks, drift, line->arena, with);
    PRINT_NUMBERS(drift, group_sequential_fixed_drift(&plan));
    for (int i = 0; i < count; i++)
        PRINT_NUMBERS(looks->at[i].upper, looks->at[i].lower, looks->at[i].alpha_spent,
                      looks->at[i].beta_spent, null->above[i], null->below[i], with->above[i],
                      with->below[i]);
}

static struct group_sequential_looks *take_looks(struct line *line,
                                                 const struct group_sequential_plan *plan)
{
    double drift = line_next(line), is_final = line_next(line);
    int count = (int)line_next(line);
    const double *fractions = line_take(line, (size_t)count).items;
    struct group_sequential_looks *looks = ARENA_NEW(line->arena, struct group_sequential_looks);

    if (!group_sequential_solve(plan, fractions, count, is_final != 0, drift, line->arena, looks))
        line_refuse(line, "unsolved");
    return looks;
}

/* plan drift final looks z -> p, interval and median as drifts, the repeated p and the bound */
static void answer_estimate(struct line *line)
{
    struct group_sequential_plan plan = take_plan(line);
    struct group_sequential_looks *looks = take_looks(line, &plan);
    struct group_sequential_estimate estimate;
    double z = line_next(line), last = looks->at[looks->count - 1].fraction;

    group_sequential_estimate(&plan, looks, z, line->arena, &estimate);
    PRINT_NUMBERS(estimate.p_value, estimate.lower, estimate.median, estimate.upper,
                  group_sequential_repeated_p(&plan, looks, last >= 1, z, line->arena),
                  looks->at[looks->count - 1].upper);
}

/* plan drift final looks next z drift below -> conditional and predictive power */
static void answer_ahead(struct line *line)
{
    struct group_sequential_plan plan = take_plan(line);
    struct group_sequential_looks *looks = take_looks(line, &plan);
    int next = (int)line_next(line);
    double z = line_next(line), drift = line_next(line);
    bool below = line_next(line) != 0;

    PRINT_NUMBERS(
        group_sequential_conditional_power(&plan, looks, next, z, drift, below, line->arena),
        group_sequential_predictive_power(&plan, looks, next, z, below, line->arena));
}

static const struct line_method methods[] = {
    {"design", answer_design}, {"estimate", answer_estimate}, {"ahead", answer_ahead}};

LINES_MAIN(methods)
