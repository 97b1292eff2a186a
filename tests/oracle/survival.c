/*
 * The survival methods on standard input and output, for experiments_survival_test.py. One case per
 * line, `rho gamma alpha arms n n ... time time ...`, a time with a minus sign being censored. One
 * answer per line, 17 digits: whether there is a log-rank test, its statistic, degrees of freedom
 * and p; the expected events of each arm; whether there is a Cox fit of the first two arms, its log
 * hazard ratio, standard error, z and p; the number of points of the second arm's curve, and for
 * each time, survival, error and interval.
 */
#include "experiments/survival.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct task {
    double rho, gamma, alpha;
    size_t count;
    struct survival_arm arms[SURVIVAL_ARMS_MAX];
};

/* The next number of a line; a line that ends too early ends the program. */
static double next(char **text)
{
    char *end;
    double number = strtod(*text, &end);

    if (end == *text) {
        fprintf(stderr, "too few numbers\n");
        exit(1);
    }
    *text = end;
    return number;
}

static struct task read_task(char *text, struct arena *arena)
{
    struct task task = {.rho = next(&text)};

    task.gamma = next(&text);
    task.alpha = next(&text);
    task.count = (size_t)next(&text);
    for (size_t i = 0; i < task.count && i < SURVIVAL_ARMS_MAX; i++) {
        size_t n = (size_t)next(&text);

        task.arms[i].durations = (struct number_list){n, ARENA_ARRAY(arena, double, n)};
        task.arms[i].events_observed = (struct boolean_list){n, ARENA_ARRAY(arena, bool, n)};
    }
    for (size_t i = 0; i < task.count; i++) {
        for (size_t j = 0; j < task.arms[i].durations.count; j++) {
            double time = next(&text);

            task.arms[i].durations.items[j] = fabs(time);
            task.arms[i].events_observed.items[j] = !signbit(time);
        }
    }
    return task;
}

static void print_log_rank(const struct task *task, const struct survival_table *table)
{
    double expected[SURVIVAL_ARMS_MAX];
    struct log_rank_result result;
    bool defined = log_rank_test(table, task->rho, task->gamma, &result);

    printf("%d %.17g %d %.17g", defined, result.statistic, (int)result.degrees_of_freedom,
           result.p_value);
    survival_expected(table, expected);
    for (size_t i = 0; i < task->count; i++)
        printf(" %.17g", expected[i]);
}

static void print_cox(const struct survival_table *table)
{
    struct cox_result result = {0};
    bool defined = cox_fit(table, &result);

    printf(" %d %.17g %.17g %.17g %.17g", defined, result.log_hazard_ratio, result.standard_error,
           result.z, result.p_value);
}

static void print_curve(const struct task *task, const struct survival_table *table,
                        struct arena *arena)
{
    struct object_list curve = kaplan_meier(table, 1, task->alpha, arena);
    const struct survival_point *points = curve.items;

    printf(" %zu", curve.count);
    for (size_t i = 0; i < curve.count; i++)
        printf(" %.17g %.17g %.17g %.17g %.17g", points[i].time, points[i].survival,
               points[i].std_error, points[i].ci_lower, points[i].ci_upper);
    printf("\n");
}

int main(void)
{
    struct arena *arena = arena_create((size_t)1 << 30);
    char *line = NULL;
    size_t length = 0;

    while (arena && getline(&line, &length, stdin) > 0) {
        struct task task = read_task(line, arena);
        struct survival_table table;

        survival_table_build(task.arms, task.count, arena, &table);
        print_log_rank(&task, &table);
        print_cox(&table);
        print_curve(&task, &table, arena);
        arena_reset(arena);
    }
    free(line);
    arena_destroy(arena);
    return 0;
}
