/*
 * Tests of several groups on standard input and output (support/lines.h), for
 * experiments_groups_test.py. The answer is `refused` where there is no test.
 *
 * Tables are `alpha rows columns count...`, groups `alpha groups n1 value... n2 value...`.
 */
#include "math/sort.h"
#include "stats/contingency.h"
#include "stats/omnibus.h"
#include "support/lines.h"

#include <stdio.h>

static struct contingency_table take_table(struct line *line)
{
    size_t rows = (size_t)line_next(line), columns = (size_t)line_next(line);
    struct integer_list *lists = ARENA_ARRAY(line->arena, struct integer_list, rows);

    for (size_t i = 0; i < rows; i++) {
        lists[i] = (struct integer_list){columns, ARENA_ARRAY(line->arena, int64_t, columns)};
        for (size_t j = 0; j < columns; j++)
            lists[i].items[j] = (int64_t)line_next(line);
    }
    return (struct contingency_table){rows, lists};
}

static struct omnibus_groups take_groups(struct line *line)
{
    size_t count = (size_t)line_next(line);
    struct number_list *lists = ARENA_ARRAY(line->arena, struct number_list, count);

    for (size_t i = 0; i < count; i++)
        lists[i] = line_take(line, (size_t)line_next(line));
    return (struct omnibus_groups){count, lists};
}

static void answer_table(struct line *line, enum contingency_method method)
{
    double alpha = line_next(line);
    struct contingency_table table = take_table(line);
    struct contingency_result result;

    if (contingency_test(&table, method, alpha, &result))
        printf("refused");
    else
        PRINT_NUMBERS(result.statistic, (double)result.degrees_of_freedom, result.p_value,
                      result.is_significant, result.cramers_v, (double)result.total,
                      result.min_expected);
}

static void answer_chi_square(struct line *line)
{
    answer_table(line, CONTINGENCY_CHI_SQUARE);
}

static void answer_g_test(struct line *line)
{
    answer_table(line, CONTINGENCY_G_TEST);
}

static void print_omnibus(const struct omnibus_result *result, size_t groups)
{
    PRINT_NUMBERS(result->statistic, result->df_numerator, number_or_nan(result->df_denominator),
                  result->p_value, result->is_significant, result->effect_size,
                  (double)result->total);
    for (size_t i = 0; i < groups; i++)
        PRINT_NUMBERS(number_or_nan(result->groups[i].mean), number_or_nan(result->groups[i].std),
                      number_or_nan(result->groups[i].median),
                      number_or_nan(result->groups[i].mean_rank));
}

static void answer_omnibus(struct line *line,
                           bool (*test)(const struct omnibus_groups *groups, double alpha,
                                        struct arena *arena, struct omnibus_result *result))
{
    double alpha = line_next(line);
    struct omnibus_groups groups = take_groups(line);
    struct omnibus_result result;

    if (test(&groups, alpha, line->arena, &result))
        print_omnibus(&result, groups.count);
    else
        printf("refused");
}

static void answer_welch_anova(struct line *line)
{
    answer_omnibus(line, omnibus_welch);
}

static void answer_kruskal_wallis(struct line *line)
{
    answer_omnibus(line, omnibus_kruskal);
}

/* Every value with its label, in order. */
static void answer_sort(struct line *line)
{
    struct number_list values = line_take(line, line->numbers.count);
    struct sort_item *items = ARENA_ARRAY(line->arena, struct sort_item, values.count);

    for (size_t i = 0; i < values.count; i++)
        items[i] = (struct sort_item){values.items[i], (uint32_t)i};
    sort_labelled(items, ARENA_ARRAY(line->arena, struct sort_item, values.count), values.count);
    for (size_t i = 0; i < values.count; i++)
        PRINT_NUMBERS(items[i].value, items[i].label);
}

static const struct line_method methods[] = {
    {"chi_square", answer_chi_square},
    {"g_test", answer_g_test},
    {"welch_anova", answer_welch_anova},
    {"kruskal_wallis", answer_kruskal_wallis},
    {"sort", answer_sort},
};

LINES_MAIN(methods)
