/*
 * Tests on pairs and ratio metrics on standard input and output (support/lines.h), for
 * experiments_paired_test.py. Tests on pairs take `alpha n`, then 2 n values (all of control, all
 * of treatment); `ratio` takes `alpha n m`, then numerators and denominators of both arms.
 */
#include "stats/paired.h"
#include "stats/ratio_metric.h"
#include "support/lines.h"

static struct paired_observation take_pairs(struct line *line)
{
    double alpha = line_next(line);
    size_t n = (size_t)line_next(line);
    struct number_list control = line_take(line, n), treatment = line_take(line, n);

    return (struct paired_observation){control, treatment, alpha};
}

static void print_result(const struct paired_result *result)
{
    const struct test_result *r = &result->test;

    PRINT_NUMBERS(r->degenerate, r->effect, r->effect_relative_pct, r->control_value,
                  r->treatment_value, r->ci_lower, r->ci_upper, r->ci_level, r->p_value,
                  r->statistic, r->degrees_of_freedom, r->power, r->is_significant,
                  number_or_nan(r->effect_size), (double)result->pairs,
                  (double)result->zero_differences, (double)result->positive,
                  (double)result->negative, result->exact);
}

static void answer_t(struct line *line)
{
    struct paired_observation observed = take_pairs(line);
    struct paired_result result = {0};

    paired_t_test(&observed, line->arena, &result);
    print_result(&result);
}

static void answer_wilcoxon(struct line *line)
{
    struct paired_observation observed = take_pairs(line);
    struct paired_result result = {0};

    wilcoxon_test(&observed, line->arena, &result);
    print_result(&result);
}

static void answer_mcnemar(struct line *line)
{
    struct paired_observation observed = take_pairs(line);
    struct paired_result result = {0};

    mcnemar_test(&observed, &result);
    print_result(&result);
}

static struct ratio_arm take_ratio_arm(struct line *line, size_t count)
{
    struct number_list numerators = line_take(line, count), denominators = line_take(line, count);

    return (struct ratio_arm){numerators, denominators};
}

static void answer_ratio(struct line *line)
{
    const double *a = line_take(line, 3).items;
    struct ratio_arm control = take_ratio_arm(line, (size_t)a[1]);
    struct ratio_arm treatment = take_ratio_arm(line, (size_t)a[2]);
    struct ratio_observation observed = {&control, &treatment, a[0]};
    struct paired_result result = {0};

    ratio_metric_test(&observed, line->arena, &result.test);
    print_result(&result);
}

static const struct line_method methods[] = {{"t", answer_t},
                                             {"wilcoxon", answer_wilcoxon},
                                             {"mcnemar", answer_mcnemar},
                                             {"ratio", answer_ratio}};

LINES_MAIN(methods)
