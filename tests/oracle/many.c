/*
 * Several treatments against one control on standard input and output (support/lines.h), for
 * experiments_many_test.py.
 */
#include "stats/arms/many_to_one.h"
#include "stats/goal_family.h"
#include "support/lines.h"

static struct many_to_one read_law(struct line *line)
{
    struct many_to_one law = {.df = line_next(line)};
    const double *lambda;

    law.count = (size_t)line_next(line);
    lambda = line_take(line, law.count).items;
    for (size_t j = 0; j < law.count; j++)
        law.lambda[j] = lambda[j];
    return law;
}

/* df count lambdas, then shifts, and lower and upper bounds of the statistics */
static void answer_probability(struct line *line)
{
    struct many_to_one law = read_law(line);
    const double *rest = line_take(line, 3 * law.count).items;
    struct many_to_one_bound low[MANY_TO_ONE_MAX], high[MANY_TO_ONE_MAX];

    for (size_t j = 0; j < law.count; j++) {
        low[j] = (struct many_to_one_bound){rest[law.count + j], -rest[j]};
        high[j] = (struct many_to_one_bound){rest[2 * law.count + j], -rest[j]};
    }
    PRINT_NUMBERS(many_to_one_probability(&law, low, high));
}

/* df count lambdas, alpha, whether two-sided, a statistic -> critical value, p of the statistic */
static void answer_critical(struct line *line)
{
    struct many_to_one law = read_law(line);
    const double *rest = line_take(line, 3).items;

    PRINT_NUMBERS(many_to_one_critical(&law, rest[0], rest[1] != 0),
                  many_to_one_p_value(&law, rest[2], rest[1] != 0));
}

/* rule goals treatments, p-values -> adjusted ones of the claims, then of the treatments */
static void answer_family(struct line *line)
{
    struct goal_family family = {.rule = (enum goal_rule)line_next(line)};
    double claims[100], treatments[10];
    size_t count;

    family.goals = (size_t)line_next(line);
    family.treatments = (size_t)line_next(line);
    count = family.goals * family.treatments;
    goal_family_adjust(&family, line_take(line, count).items, line->arena, claims, treatments);
    print_numbers(claims, count);
    print_numbers(treatments, family.treatments);
}

static const struct line_method methods[] = {
    {"family", answer_family},
    {"probability", answer_probability},
    {"critical", answer_critical},
};

LINES_MAIN(methods)
