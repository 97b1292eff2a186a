/*
 * Tests of several groups on standard input and output, for experiments_groups_test.py. One case
 * per line, `method number number ...`, one answer per line: numbers with 17 digits; `refused`
 * where there is no test.
 *
 * Tables are `alpha rows columns count...`, groups `alpha groups n1 value... n2 value...`.
 */
#include "experiments/contingency.h"
#include "experiments/omnibus.h"
#include "math/sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case as read, and what prepared it for its method. */
struct task {
    double *numbers;
    size_t count;
    struct arena *arena;
    enum contingency_method method;
    struct contingency_table table;
    struct omnibus_groups groups;
    bool (*omnibus)(const struct omnibus_groups *groups, double alpha, struct arena *arena,
                    struct omnibus_result *result);
};

static void read_table(struct task *task)
{
    size_t rows = (size_t)task->numbers[1], columns = (size_t)task->numbers[2];
    struct integer_list *lists = ARENA_ARRAY(task->arena, struct integer_list, rows);

    for (size_t i = 0; i < rows; i++) {
        lists[i] = (struct integer_list){columns, ARENA_ARRAY(task->arena, int64_t, columns)};
        for (size_t j = 0; j < columns; j++)
            lists[i].items[j] = (int64_t)task->numbers[3 + i * columns + j];
    }
    task->table = (struct contingency_table){rows, lists};
}

static void read_groups(struct task *task)
{
    size_t count = (size_t)task->numbers[1];
    struct number_list *lists = ARENA_ARRAY(task->arena, struct number_list, count);
    double *next = task->numbers + 2;

    for (size_t i = 0; i < count; i++) {
        lists[i] = (struct number_list){(size_t)next[0], next + 1};
        next += 1 + lists[i].count;
    }
    task->groups = (struct omnibus_groups){count, lists};
}

static void run_contingency(struct task *task)
{
    struct contingency_result result = {0};

    read_table(task);
    if (contingency_test(&task->table, task->method, task->numbers[0], &result))
        printf("refused\n");
    else
        printf("%.17g %lld %.17g %d %.17g %lld %.17g\n", result.statistic,
               (long long)result.degrees_of_freedom, result.p_value, result.is_significant,
               result.cramers_v, (long long)result.total, result.min_expected);
}

/* Absent numbers print as nan. */
static void print_optional(struct optional_number number)
{
    if (number.given)
        printf("%.17g ", number.value);
    else
        printf("nan ");
}

static void run_omnibus(struct task *task)
{
    struct omnibus_result result = {0};

    read_groups(task);
    if (!task->omnibus(&task->groups, task->numbers[0], task->arena, &result)) {
        printf("refused\n");
        return;
    }
    printf("%.17g %.17g ", result.statistic, result.df_numerator);
    print_optional(result.df_denominator);
    printf("%.17g %d %.17g %lld ", result.p_value, result.is_significant, result.effect_size,
           (long long)result.total);
    for (size_t i = 0; i < task->groups.count; i++) {
        print_optional(result.groups[i].mean);
        print_optional(result.groups[i].std);
        print_optional(result.groups[i].median);
        print_optional(result.groups[i].mean_rank);
    }
    printf("\n");
}

/* Every value with its label, in order. */
static void run_sort(struct task *task)
{
    struct sort_item *items = ARENA_ARRAY(task->arena, struct sort_item, task->count);

    for (size_t i = 0; i < task->count; i++)
        items[i] = (struct sort_item){task->numbers[i], (uint32_t)i};
    sort_labelled(items, ARENA_ARRAY(task->arena, struct sort_item, task->count), task->count);
    for (size_t i = 0; i < task->count; i++)
        printf("%.17g %u ", items[i].value, items[i].label);
    printf("\n");
}

static bool run_method(const char *name, struct task *task)
{
    if (strcmp(name, "chi_square") == 0 || strcmp(name, "g_test") == 0) {
        task->method = name[0] == 'g' ? CONTINGENCY_G_TEST : CONTINGENCY_CHI_SQUARE;
        run_contingency(task);
    } else if (strcmp(name, "welch_anova") == 0 || strcmp(name, "kruskal_wallis") == 0) {
        task->omnibus = name[0] == 'w' ? omnibus_welch : omnibus_kruskal;
        run_omnibus(task);
    } else if (strcmp(name, "sort") == 0) {
        run_sort(task);
    } else {
        fprintf(stderr, "no method %s\n", name);
        return false;
    }
    return true;
}

/* The numbers of the rest of a line. */
static void read_numbers(char *text, struct task *task)
{
    size_t capacity = strlen(text) / 2 + 1;

    task->numbers = ARENA_ARRAY(task->arena, double, capacity);
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

    if (!name)
        return false;
    arena_reset(task->arena);
    read_numbers(rest, task);
    return run_method(name, task);
}

int main(void)
{
    struct task task = {.arena = arena_create((size_t)1 << 30)};
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
