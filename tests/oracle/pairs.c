/*
 * Tests on pairs and ratio metrics on standard input and output, for experiments_paired_test.py.
 * One case per line: `method alpha n`, then 2 n values of a test on pairs (all of control, all of
 * treatment), or for `ratio m` more and numerators and denominators of both arms. One answer per
 * line, numbers with 17 digits.
 */
#include "experiments/paired.h"
#include "experiments/ratio_metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
    double *numbers;
    size_t count;
    struct arena *arena;
    struct paired_result result;
};

static struct paired_observation pairs_of(const struct task *task)
{
    size_t n = (size_t)task->numbers[1];

    if (task->count != 2 + 2 * n)
        abort();
    return (struct paired_observation){
        {n, task->numbers + 2}, {n, task->numbers + 2 + n}, task->numbers[0]};
}

static void run_t(struct task *task)
{
    struct paired_observation observed = pairs_of(task);

    paired_t_test(&observed, task->arena, &task->result);
}

static void run_wilcoxon(struct task *task)
{
    struct paired_observation observed = pairs_of(task);

    wilcoxon_test(&observed, task->arena, &task->result);
}

static void run_mcnemar(struct task *task)
{
    struct paired_observation observed = pairs_of(task);

    mcnemar_test(&observed, &task->result);
}

static void run_ratio(struct task *task)
{
    size_t n = (size_t)task->numbers[1], m = (size_t)task->numbers[2];
    double *values = task->numbers + 3;
    struct ratio_arm control = {{n, values}, {n, values + n}};
    struct ratio_arm treatment = {{m, values + 2 * n}, {m, values + 2 * n + m}};
    struct ratio_observation observed = {&control, &treatment, task->numbers[0]};

    if (task->count != 3 + 2 * n + 2 * m)
        abort();
    ratio_metric_test(&observed, task->arena, &task->result.test);
}

static const struct {
    const char *name;
    void (*run)(struct task *task);
} methods[] = {
    {"t", run_t}, {"wilcoxon", run_wilcoxon}, {"mcnemar", run_mcnemar}, {"ratio", run_ratio}};

static void print_result(const struct paired_result *result)
{
    const struct test_result *r = &result->test;
    const double columns[] = {r->degenerate,
                              r->effect,
                              r->effect_relative_pct,
                              r->control_value,
                              r->treatment_value,
                              r->ci_lower,
                              r->ci_upper,
                              r->ci_level,
                              r->p_value,
                              r->statistic,
                              r->degrees_of_freedom,
                              r->power,
                              r->is_significant,
                              r->effect_size.given ? r->effect_size.value : NAN,
                              (double)result->pairs,
                              (double)result->zero_differences,
                              (double)result->positive,
                              (double)result->negative,
                              result->exact};

    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        printf("%.17g ", columns[i]);
    printf("\n");
}

static void read_numbers(char *text, struct task *task)
{
    size_t capacity = strlen(text) / 2 + 1;

    task->numbers = malloc(capacity * sizeof *task->numbers);
    if (!task->numbers)
        abort();
    for (task->count = 0;; task->count++) {
        char *end;
        double number = strtod(text, &end);

        if (end == text)
            return;
        task->numbers[task->count] = number;
        text = end;
    }
}

static bool answer(char *line, struct task *task)
{
    char *rest, *name = strtok_r(line, " \n", &rest);

    for (size_t i = 0; name && i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].name, name) == 0) {
            read_numbers(rest, task);
            arena_reset(task->arena);
            memset(&task->result, 0, sizeof task->result);
            methods[i].run(task);
            print_result(&task->result);
            free(task->numbers);
            return true;
        }
    }
    fprintf(stderr, "no method %s\n", name ? name : "");
    return false;
}

int main(void)
{
    struct task task = {.arena = arena_create((size_t)1 << 28)};
    char *line = NULL;
    size_t length = 0;
    bool good = task.arena != NULL;

    while (good && getline(&line, &length, stdin) > 0)
        good = answer(line, &task);
    free(line);
    if (task.arena)
        arena_destroy(task.arena);
    return good ? 0 : 1;
}
