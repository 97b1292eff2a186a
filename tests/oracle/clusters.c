/*
 * The cluster-robust comparison on standard input and output (support/lines.h), for
 * experiments_clusters_test.py.
 */
#include "stats/cluster_robust.h"
#include "support/lines.h"

#include <math.h>

static double *column_of(struct line *line, size_t count)
{
    return line_take(line, count).items;
}

/* alpha clusters rows covariates squares, then lists: cluster, arm, weight, total, squares when
 * given, covariates */
static void answer_cluster(struct line *line)
{
    const double *head = column_of(line, 5);
    struct cluster_rows rows = {.cluster_count = (size_t)head[1],
                                .count = (size_t)head[2],
                                .covariate_count = (size_t)head[3]};
    double *cluster = column_of(line, rows.count), *arm = column_of(line, rows.count);
    uint32_t *clusters = ARENA_ARRAY(line->arena, uint32_t, rows.count);
    uint8_t *arms = ARENA_ARRAY(line->arena, uint8_t, rows.count);
    const double *covariates[CLUSTER_COVARIATES_MAX];
    struct cluster_result result;
    const struct test_result *test = &result.test;

    for (size_t i = 0; i < rows.count; i++) {
        clusters[i] = (uint32_t)cluster[i];
        arms[i] = (uint8_t)arm[i];
    }
    rows.cluster = clusters;
    rows.arm = arms;
    rows.weight = column_of(line, rows.count);
    rows.total = column_of(line, rows.count);
    rows.squares = head[4] != 0 ? column_of(line, rows.count) : NULL;
    for (size_t j = 0; j < rows.covariate_count; j++)
        covariates[j] = column_of(line, rows.count);
    rows.covariates = covariates;
    cluster_robust_test(&rows, head[0], line->arena, &result);
    PRINT_NUMBERS(result.refusal, test->effect, result.standard_error, test->degrees_of_freedom,
                  test->statistic, test->p_value, test->ci_lower, test->ci_upper,
                  test->control_value, test->treatment_value, number_or_nan(result.slope),
                  number_or_nan(result.slope_error), number_or_nan(result.slope_df),
                  number_or_nan(result.slope_p), number_or_nan(result.icc),
                  number_or_nan(result.design_effect), (double)result.covariates_used,
                  test->relative_lift.lower_pct, test->relative_lift.upper_pct);
}

static const struct line_method methods[] = {
    {"cluster", answer_cluster},
};

LINES_MAIN(methods)
