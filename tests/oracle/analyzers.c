/*
 * The two-sample analyzers on standard input and output, for experiments_analyzers_test.py. One
 * case per line, `method number number ...`; one answer per line: the columns of print_result()
 * with 17 digits, then what only this method gives.
 *
 * Methods on values take `alpha quantile trim resamples n m`, then n control and m treatment
 * values.
 */
#include "experiments/equivalence.h"
#include "experiments/fisher_exact.h"
#include "experiments/poisson_rates.h"
#include "experiments/rank_sum.h"
#include "experiments/resampling.h"
#include "experiments/trimmed_mean.h"
#include "experiments/unconditional_exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTRAS_MAX = 3, RANKED_PARAMETERS = 6 };

/* A case as read, and room for what it gives. */
struct task {
    double *numbers;
    size_t count;
    struct arena *arena;
    struct test_result result;
    double extras[EXTRAS_MAX];
};

static struct ranked_observation ranked_of(const struct task *task)
{
    size_t n = (size_t)task->numbers[4], m = (size_t)task->numbers[5];
    double *values = task->numbers + RANKED_PARAMETERS;

    if (task->count != RANKED_PARAMETERS + n + m) {
        fprintf(stderr, "%zu numbers for arms of %zu and %zu\n", task->count, n, m);
        exit(1);
    }
    return (struct ranked_observation){.control_values = {n, values},
                                       .treatment_values = {m, values + n},
                                       .alpha = task->numbers[0],
                                       .quantile = task->numbers[1],
                                       .trim = task->numbers[2]};
}

static struct binary_observation binary_of(const struct task *task)
{
    const double *a = task->numbers;

    return (struct binary_observation){(int64_t)a[0], (int64_t)a[1], (int64_t)a[2], (int64_t)a[3],
                                       a[4]};
}

static void run_equivalence(struct task *task)
{
    const double *a = task->numbers;
    struct continuous_observation observed = {a[0],          a[1], (int64_t)a[2],     a[3], a[4],
                                              (int64_t)a[5], a[6], GIVEN_NUMBER(a[7])};

    equivalence_test(&observed, &task->result);
}

static void run_rank_sum(struct task *task)
{
    struct ranked_observation observed = ranked_of(task);
    struct rank_sum_result result;

    rank_sum_test(&observed, task->arena, &result);
    task->result = result.test;
    task->extras[0] = result.u;
    task->extras[1] = result.superiority;
    task->extras[2] = result.exact;
}

static void run_resampling(struct task *task, bool quantiles)
{
    struct ranked_observation observed = ranked_of(task);
    struct resampling_result result;
    int64_t resamples = (int64_t)task->numbers[3];

    if (quantiles)
        resampling_quantiles(&observed, resamples, task->arena, &result);
    else
        resampling_means(&observed, resamples, task->arena, &result);
    task->result = result.test;
    task->extras[0] = (double)result.permutations;
}

static void run_bootstrap(struct task *task)
{
    run_resampling(task, false);
}

static void run_quantile(struct task *task)
{
    run_resampling(task, true);
}

static void run_trimmed(struct task *task)
{
    struct ranked_observation observed = ranked_of(task);
    struct trimmed_mean_result result;

    trimmed_mean_test(&observed, task->arena, &result);
    task->result = result.test;
    task->extras[0] = (double)result.control_effective;
    task->extras[1] = (double)result.treatment_effective;
}

static void run_fisher(struct task *task)
{
    struct binary_observation observed = binary_of(task);

    fisher_exact_test(&observed, &task->result);
}

static void run_boschloo(struct task *task)
{
    struct binary_observation observed = binary_of(task);

    boschloo_test(&observed, task->arena, &task->result);
}

static void run_barnard(struct task *task)
{
    struct binary_observation observed = binary_of(task);

    barnard_test(&observed, task->arena, &task->result);
}

static void run_poisson(struct task *task)
{
    const double *a = task->numbers;
    struct count_observation observed = {(int64_t)a[0], a[1], (int64_t)a[2], a[3], a[4]};

    poisson_rates_test(&observed, &task->result);
}

static const struct {
    const char *name;
    void (*run)(struct task *task);
} methods[] = {
    {"equivalence", run_equivalence}, {"rank_sum", run_rank_sum}, {"bootstrap", run_bootstrap},
    {"quantile", run_quantile},       {"trimmed", run_trimmed},   {"fisher", run_fisher},
    {"boschloo", run_boschloo},       {"barnard", run_barnard},   {"poisson", run_poisson},
};

static void print_optional(struct optional_number number)
{
    printf(" %.17g", number.given ? number.value : NAN);
}

static void print_result(const struct task *task)
{
    const struct test_result *r = &task->result;
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
                              r->is_significant};

    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        printf("%.17g ", columns[i]);
    print_optional(r->effect_size);
    print_optional(r->effect_size_lower);
    print_optional(r->effect_size_upper);
    for (size_t i = 0; i < EXTRAS_MAX; i++)
        printf(" %.17g", task->extras[i]);
    printf("\n");
}

/* The numbers of the rest of a line, in an array that grows with the longest one. */
static void read_numbers(char *text, struct task *task, size_t *capacity)
{
    for (task->count = 0;; task->count++) {
        char *end;
        double number = strtod(text, &end);

        if (end == text)
            return;
        if (task->count == *capacity) {
            *capacity = *capacity ? 2 * *capacity : 64;
            task->numbers = realloc(task->numbers, *capacity * sizeof number);
            if (!task->numbers)
                abort();
        }
        task->numbers[task->count] = number;
        text = end;
    }
}

static bool answer(char *line, struct task *task, size_t *capacity)
{
    char *rest, *name = strtok_r(line, " \n", &rest);

    for (size_t i = 0; name && i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].name, name) == 0) {
            read_numbers(rest, task, capacity);
            memset(task->extras, 0, sizeof task->extras);
            arena_reset(task->arena);
            methods[i].run(task);
            print_result(task);
            return true;
        }
    }
    fprintf(stderr, "no method %s\n", name ? name : "");
    return false;
}

int main(void)
{
    struct task task = {.arena = arena_create((size_t)1 << 30)};
    char *line = NULL;
    size_t length = 0, capacity = 0;
    bool good = task.arena != NULL;

    while (good && getline(&line, &length, stdin) > 0)
        good = answer(line, &task, &capacity);
    free(line);
    free(task.numbers);
    if (task.arena)
        arena_destroy(task.arena);
    return good ? 0 : 1;
}
