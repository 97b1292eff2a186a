/*
 * Posteriors of several arms on standard input and output (support/lines.h), for
 * experiments_bayes_test.py. `best` takes `smaller kind count`, then a, b, c of each arm, and gives
 * probability and loss of each; `interval` takes `kind credibility` and two arms, and gives
 * P(one <= other) and the ends of the interval of one - other; `mean` takes the four members of a
 * prior, n, mean and deviation, and gives location, scale and degrees of freedom.
 */
#include "stats/bayes/best_arm.h"
#include "support/lines.h"

static struct posterior take_arm(struct line *line, int kind)
{
    struct posterior arm = {.kind = kind};

    arm.a = line_next(line);
    arm.b = line_next(line);
    arm.c = line_next(line);
    return arm;
}

static void answer_best(struct line *line)
{
    bool smaller = line_next(line) > 0;
    int kind = (int)line_next(line);
    size_t count = (size_t)line_next(line);
    struct posterior arms[BEST_ARMS_MAX];
    struct arm_chance chances[BEST_ARMS_MAX];

    for (size_t i = 0; i < count; i++)
        arms[i] = take_arm(line, kind);
    best_arm(arms, count, smaller, line->arena, chances);
    for (size_t i = 0; i < count; i++)
        PRINT_NUMBERS(chances[i].best, chances[i].loss);
}

static void answer_interval(struct line *line)
{
    int kind = (int)line_next(line);
    double credibility = line_next(line), lower, upper;
    struct posterior one = take_arm(line, kind), other = take_arm(line, kind);

    difference_interval(&one, &other, credibility, &lower, &upper);
    PRINT_NUMBERS(difference_below(&one, &other, 0), lower, upper);
}

static void answer_mean(struct line *line)
{
    struct mean_prior prior;
    struct posterior posterior;
    double n, mean;

    prior.mean = line_next(line);
    prior.n = line_next(line);
    prior.deviation = line_next(line);
    prior.degrees = line_next(line);
    n = line_next(line);
    mean = line_next(line);
    posterior = posterior_of_mean(&prior, n, mean, line_next(line));
    PRINT_NUMBERS(posterior.a, posterior.b, posterior.c);
}

static const struct line_method methods[] = {
    {"best", answer_best}, {"interval", answer_interval}, {"mean", answer_mean}};

LINES_MAIN(methods)
