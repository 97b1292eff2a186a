/*
 * Regression adjustment on standard input and output (support/lines.h), for
 * experiments_regression_test.py.
 *
 * `users arms covariates ratio variance normal alpha count` and per user `arm value denominator
 * covariate...`, NaN where one is missing. The answer: users, rank, the use of each column, per arm
 * adjusted and plain mean, per comparison with arm 0 the adjusted effect, its standard error,
 * degrees of freedom, p, interval, the relative effect, and effect and error without covariates.
 */
#include "stats/regression_adjustment.h"
#include "support/lines.h"

#include <stdio.h>

struct users {
    struct number_list numbers;
    size_t width, at;
};

static void rewind_users(void *state)
{
    ((struct users *)state)->at = 0;
}

static bool next_user(void *state, struct regression_user *user)
{
    struct users *users = state;
    const double *row = users->numbers.items + users->at;

    if (users->at == users->numbers.count)
        return false;
    *user = (struct regression_user){(int)row[0], row[1], row[2], {0}};
    for (size_t i = 3; i < users->width; i++)
        user->covariates[i - 3] = row[i];
    users->at += users->width;
    return true;
}

static void print_comparison(const struct regression_comparison *comparison)
{
    const struct test_result *test = &comparison->adjusted;

    PRINT_NUMBERS(comparison->defined, test->effect, comparison->standard_error,
                  test->degrees_of_freedom, test->p_value, test->ci_lower, test->ci_upper,
                  test->effect_relative_pct, comparison->plain.effect,
                  comparison->plain_standard_error,
                  number_or_nan(comparison->variance_reduction_pct));
}

static void answer_users(struct line *line)
{
    struct regression_source source = {.arms = (int)line_next(line),
                                       .covariates = (int)line_next(line),
                                       .ratio = line_next(line) != 0,
                                       .rewind = rewind_users,
                                       .next = next_user};
    enum regression_variance variance = (enum regression_variance)line_next(line);
    bool normal = line_next(line) != 0;
    double alpha = line_next(line);
    struct users users = {.width = 3 + (size_t)source.covariates};
    struct regression *fit = ARENA_NEW(line->arena, struct regression);

    users.numbers = line_take(line, (size_t)line_next(line) * users.width);
    source.state = &users;
    regression_from_source(&source, line->arena, fit);
    PRINT_NUMBERS((double)fit->total, fit->rank, fit->columns, fit->ratio_undefined);
    for (int i = 0; i < fit->columns; i++)
        PRINT_NUMBERS(fit->use[i]);
    for (int a = 0; a < source.arms; a++)
        PRINT_NUMBERS(regression_adjusted_mean(fit, a), regression_plain_mean(fit, a));
    for (int a = 1; a < source.arms; a++) {
        struct regression_comparison comparison;

        regression_compare(fit, variance, normal, 0, a, alpha, &comparison);
        print_comparison(&comparison);
    }
}

static const struct line_method methods[] = {{"users", answer_users}};

LINES_MAIN(methods)
