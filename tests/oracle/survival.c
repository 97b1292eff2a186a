/*
 * The survival methods on standard input and output (support/lines.h), for
 * experiments_survival_test.py. A case is `survival rho gamma alpha arms n n ... time time ...`, a
 * time with a minus sign being censored. The answer: whether there is a log-rank test, its
 * statistic, degrees of freedom and p; the expected events of each arm; whether there is a Cox fit
 * of the first two arms, its log hazard ratio, standard error, z and p; the number of points of the
 * second arm's curve, and for each time, survival, error and interval.
 */
#include "stats/survival/survival.h"
#include "support/lines.h"

#include <math.h>

static struct survival_arm take_arm(struct line *line, size_t count)
{
    struct survival_arm arm = {line_take(line, count),
                               {count, ARENA_ARRAY(line->arena, bool, count)}};

    for (size_t i = 0; i < count; i++) {
        double *time = &arm.durations.items[i];

        arm.events_observed.items[i] = !signbit(*time);
        *time = fabs(*time);
    }
    return arm;
}

static void print_log_rank(const struct survival_table *table, size_t arms, double rho,
                           double gamma)
{
    double expected[SURVIVAL_ARMS_MAX];
    struct log_rank_result result;
    bool defined = log_rank_test(table, rho, gamma, &result);

    PRINT_NUMBERS(defined, result.statistic, (double)result.degrees_of_freedom, result.p_value);
    survival_expected(table, expected);
    print_numbers(expected, arms);
}

static void print_cox(const struct survival_table *table)
{
    struct cox_result result = {0};
    bool defined = cox_fit(table, &result);

    PRINT_NUMBERS(defined, result.log_hazard_ratio, result.standard_error, result.z,
                  result.p_value);
}

static void print_curve(const struct survival_table *table, double alpha, struct arena *arena)
{
    struct object_list curve = kaplan_meier(table, 1, alpha, arena);
    const struct survival_point *points = curve.items;

    PRINT_NUMBERS((double)curve.count);
    for (size_t i = 0; i < curve.count; i++)
        PRINT_NUMBERS(points[i].time, points[i].survival, points[i].std_error, points[i].ci_lower,
                      points[i].ci_upper);
}

static void answer_survival(struct line *line)
{
    const double *a = line_take(line, 4).items;
    size_t count = (size_t)a[3];
    struct number_list sizes = line_take(line, count);
    struct survival_arm arms[SURVIVAL_ARMS_MAX];
    struct survival_table table;

    if (count > SURVIVAL_ARMS_MAX)
        line_refuse(line, "too many arms");
    for (size_t i = 0; i < count; i++)
        arms[i] = take_arm(line, (size_t)sizes.items[i]);
    survival_table_build(arms, count, line->arena, &table);
    print_log_rank(&table, count, a[0], a[1]);
    print_cox(&table);
    print_curve(&table, a[2], line->arena);
}

static const struct line_method methods[] = {{"survival", answer_survival}};

LINES_MAIN(methods)
