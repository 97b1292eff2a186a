/*
 * Draws of an uplift on standard input and output (support/lines.h), for
 * experiments_uplift_test.py: `rates seed count x1 n1 x2 n2`, `means seed count m1 s1 n1 m2 s2 n2`.
 * The answer is the percentiles, the share above 0, the shares above the thresholds, the axis, the
 * shares of its buckets and the draws.
 */
#include "stats/bayes/uplift_draws.h"
#include "support/lines.h"

static void answer(struct uplift_draws *draws)
{
    const struct uplift_draws *sets[] = {draws};
    struct uplift_axis axis = uplift_axis_of(sets, 1);
    double shares[UPLIFT_BUCKETS];

    uplift_shares(&axis, draws, shares);
    print_numbers(draws->percentiles, UPLIFT_PERCENTILES);
    PRINT_NUMBERS(draws->above_zero);
    print_numbers(draws->above, UPLIFT_THRESHOLDS);
    PRINT_NUMBERS(axis.start, axis.end, axis.width);
    print_numbers(shares, UPLIFT_BUCKETS);
    print_numbers(draws->values.items, draws->values.count);
}

static void answer_rates(struct line *line)
{
    uint64_t seed = (uint64_t)line_next(line);
    size_t count = (size_t)line_next(line);
    struct binary_observation observed = {.control_conversions = (int64_t)line_next(line)};
    struct uplift_draws draws;

    observed.control_users = (int64_t)line_next(line);
    observed.treatment_conversions = (int64_t)line_next(line);
    observed.treatment_users = (int64_t)line_next(line);
    uplift_draw_rates(&observed, count, seed, line->arena, &draws);
    answer(&draws);
}

static void answer_means(struct line *line)
{
    uint64_t seed = (uint64_t)line_next(line);
    size_t count = (size_t)line_next(line);
    struct continuous_observation observed = {.control_mean = line_next(line)};
    struct uplift_draws draws;

    observed.control_std = line_next(line);
    observed.control_n = (int64_t)line_next(line);
    observed.treatment_mean = line_next(line);
    observed.treatment_std = line_next(line);
    observed.treatment_n = (int64_t)line_next(line);
    uplift_draw_means(&observed, count, seed, line->arena, &draws);
    answer(&draws);
}

static const struct line_method methods[] = {{"rates", answer_rates}, {"means", answer_means}};

LINES_MAIN(methods)
