/*
 * The two-sample analyzers on standard input and output (support/lines.h), for
 * experiments_analyzers_test.py. An answer is the columns of print_result(), then what only this
 * method gives.
 *
 * Methods on values take `alpha quantile trim resamples n m`, then n control and m treatment
 * values.
 */
#include "stats/equivalence.h"
#include "stats/fisher_exact.h"
#include "stats/poisson_rates.h"
#include "stats/rank_sum.h"
#include "stats/resampling.h"
#include "stats/score_interval.h"
#include "stats/trimmed_mean.h"
#include "stats/unconditional_exact.h"
#include "support/lines.h"

static struct ranked_observation take_ranked(struct line *line)
{
    const double *a = line_take(line, 6).items;
    struct ranked_observation observed = {.alpha = a[0], .quantile = a[1], .trim = a[2]};

    observed.control_values = line_take(line, (size_t)a[4]);
    observed.treatment_values = line_take(line, (size_t)a[5]);
    return observed;
}

static struct binary_observation take_binary(struct line *line)
{
    const double *a = line_take(line, 5).items;

    return (struct binary_observation){(int64_t)a[0], (int64_t)a[1], (int64_t)a[2], (int64_t)a[3],
                                       a[4]};
}

static void print_result(const struct test_result *r)
{
    PRINT_NUMBERS(r->degenerate, r->effect, r->effect_relative_pct, r->control_value,
                  r->treatment_value, r->ci_lower, r->ci_upper, r->ci_level, r->p_value,
                  r->statistic, r->degrees_of_freedom, r->power, r->is_significant,
                  number_or_nan(r->effect_size), number_or_nan(r->effect_size_lower),
                  number_or_nan(r->effect_size_upper), number_or_nan(r->test_interval.lower),
                  number_or_nan(r->test_interval.upper), r->relative_lift.interval,
                  r->relative_lift.lower_pct, r->relative_lift.upper_pct);
}

static void answer_binary(struct line *line)
{
    struct binary_observation observed = take_binary(line);
    struct test_result result;

    two_sample_binary(&observed, &result);
    if (!result.degenerate)
        result.test_interval = score_interval(&observed);
    print_result(&result);
}

static void answer_continuous(struct line *line)
{
    const double *a = line_take(line, 7).items;
    struct continuous_observation observed = {.control_mean = a[0],
                                              .control_std = a[1],
                                              .control_n = (int64_t)a[2],
                                              .treatment_mean = a[3],
                                              .treatment_std = a[4],
                                              .treatment_n = (int64_t)a[5],
                                              .alpha = a[6]};
    struct test_result result;

    two_sample_continuous(&observed, &result);
    print_result(&result);
}

static void answer_equivalence(struct line *line)
{
    const double *a = line_take(line, 8).items;
    struct continuous_observation observed = {a[0],          a[1], (int64_t)a[2],     a[3], a[4],
                                              (int64_t)a[5], a[6], GIVEN_NUMBER(a[7])};
    struct test_result result;

    equivalence_test(&observed, &result);
    print_result(&result);
}

static void answer_rank_sum(struct line *line)
{
    struct ranked_observation observed = take_ranked(line);
    struct rank_sum_result result;

    rank_sum_test(&observed, line->arena, &result);
    print_result(&result.test);
    PRINT_NUMBERS(result.u, result.superiority, result.exact);
}

static void answer_resampling(struct line *line, bool quantiles)
{
    const double *parameters = line->numbers.items;
    struct ranked_observation observed = take_ranked(line);
    struct resampling_result result;
    int64_t resamples = (int64_t)parameters[3];

    if (quantiles)
        resampling_quantiles(&observed, resamples, line->arena, &result);
    else
        resampling_means(&observed, resamples, line->arena, &result);
    print_result(&result.test);
    PRINT_NUMBERS((double)result.permutations);
}

static void answer_bootstrap(struct line *line)
{
    answer_resampling(line, false);
}

static void answer_quantile(struct line *line)
{
    answer_resampling(line, true);
}

static void answer_trimmed(struct line *line)
{
    struct ranked_observation observed = take_ranked(line);
    struct trimmed_mean_result result;

    trimmed_mean_test(&observed, line->arena, &result);
    print_result(&result.test);
    PRINT_NUMBERS((double)result.control_effective, (double)result.treatment_effective);
}

static void answer_fisher(struct line *line)
{
    struct binary_observation observed = take_binary(line);
    struct test_result result;

    fisher_exact_test(&observed, &result);
    print_result(&result);
}

static void answer_boschloo(struct line *line)
{
    struct binary_observation observed = take_binary(line);
    struct test_result result;

    boschloo_test(&observed, line->arena, &result);
    print_result(&result);
}

static void answer_barnard(struct line *line)
{
    struct binary_observation observed = take_binary(line);
    struct test_result result;

    barnard_test(&observed, line->arena, &result);
    print_result(&result);
}

static void answer_poisson(struct line *line)
{
    const double *a = line_take(line, 5).items;
    struct count_observation observed = {(int64_t)a[0], a[1], (int64_t)a[2], a[3], a[4]};
    struct test_result result;

    poisson_rates_test(&observed, &result);
    print_result(&result);
}

static const struct line_method methods[] = {
    {"binary", answer_binary},           {"continuous", answer_continuous},
    {"equivalence", answer_equivalence}, {"rank_sum", answer_rank_sum},
    {"bootstrap", answer_bootstrap},     {"quantile", answer_quantile},
    {"trimmed", answer_trimmed},         {"fisher", answer_fisher},
    {"boschloo", answer_boschloo},       {"barnard", answer_barnard},
    {"poisson", answer_poisson},
};

LINES_MAIN(methods)
