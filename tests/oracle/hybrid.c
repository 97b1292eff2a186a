/*
 * Hybrid designs on standard input and output (support/lines.h), for hybrid_test.py. A plan is
 * `alpha share mixture end`.
 */
#include "stats/sequential/hybrid.h"
#include "support/lines.h"

#include <math.h>
#include <stdio.h>

static struct hybrid_plan take_plan(struct line *line)
{
    const double *a = line_take(line, 4).items;

    return (struct hybrid_plan){a[0], a[1], a[2], a[3]};
}

/* plan power -> z at the end, early error, error, drift and of one look, and for the drift: early
 * probability and mean information; mean information without an effect */
static void answer_design(struct line *line)
{
    struct hybrid_plan plan = take_plan(line);
    double power = line_next(line), drift;
    struct hybrid_design *design = ARENA_NEW(line->arena, struct hybrid_design);

    if (!hybrid_solve(&plan, line->arena, design)) {
        printf("error unsolved");
        return;
    }
    drift = hybrid_drift(design, power);
    PRINT_NUMBERS(design->end_z, design->early_error, hybrid_power(design, 0), drift,
                  hybrid_fixed_drift(plan.alpha, power), hybrid_early_probability(design, drift),
                  hybrid_expected_information(design, drift),
                  hybrid_expected_information(design, 0));
}

/* plan z -> p at the end */
static void answer_p(struct line *line)
{
    struct hybrid_plan plan = take_plan(line);

    PRINT_NUMBERS(hybrid_end_p(&plan, line_next(line), line->arena));
}

/* fraction alpha share -> mixture; plan t -> z */
static void answer_mixture(struct line *line)
{
    const double *a = line_take(line, 3).items;

    PRINT_NUMBERS(hybrid_mixture(a[0], a[1], a[2]));
}

static void answer_early(struct line *line)
{
    struct hybrid_plan plan = take_plan(line);

    PRINT_NUMBERS(hybrid_early_z(&plan, line_next(line)));
}

static const struct line_method methods[] = {{"design", answer_design},
                                             {"p", answer_p},
                                             {"mixture", answer_mixture},
                                             {"early", answer_early}};

LINES_MAIN(methods)
