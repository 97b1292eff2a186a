/*
 * What the analyses cost, for tests/bench/speed/run. A case on standard input is `kernel k n1 ...
 * nk`, then the numbers of k arrays of these lengths; the answer is seconds of processor time per
 * call, the least of several rounds.
 */
#include "../../oracle/support/lines.h"
#include "experiments/design/srm.h"
#include "stats/bandit.h"
#include "stats/contingency.h"
#include "stats/equivalence.h"
#include "stats/fisher_exact.h"
#include "stats/multiple_testing.h"
#include "stats/omnibus.h"
#include "stats/paired.h"
#include "stats/poisson_rates.h"
#include "stats/rank_sum.h"
#include "stats/ratio_metric.h"
#include "stats/resampling.h"
#include "stats/survival/survival.h"
#include "stats/trimmed_mean.h"
#include "stats/unconditional_exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ARRAYS_MAX = 64, ROUNDS = 5 };

#define ROUND_SECONDS 0.01

/* Every array is there as numbers, as whole numbers and as answers (0 is no): making them is not
 * counted. */
struct task {
    size_t array_count;
    struct number_list arrays[ARRAYS_MAX];
    struct integer_list counts[ARRAYS_MAX];
    struct boolean_list answers[ARRAYS_MAX];
    struct arena *arena;
    struct test_result result;
};

static struct binary_observation binary_of(const struct task *task)
{
    const double *a = task->arrays[0].items;

    return (struct binary_observation){(int64_t)a[0], (int64_t)a[1], (int64_t)a[2], (int64_t)a[3],
                                       0.05};
}

static struct continuous_observation continuous_of(const struct task *task)
{
    const double *a = task->arrays[0].items;

    return (struct continuous_observation){a[0], a[1],          (int64_t)a[2], a[3],
                                           a[4], (int64_t)a[5], 0.05,          GIVEN_NUMBER(0.1)};
}

static struct ranked_observation ranked_of(const struct task *task)
{
    return (struct ranked_observation){
        .control_values = task->arrays[0],
        .treatment_values = task->arrays[1],
        .alpha = 0.05,
        .quantile = 0.5,
        .trim = 0.2,
    };
}

static struct paired_observation paired_of(const struct task *task)
{
    return (struct paired_observation){task->arrays[0], task->arrays[1], 0.05};
}

static void run_binary(struct task *task)
{
    struct binary_observation observed = binary_of(task);

    two_sample_binary(&observed, &task->result);
}

static void run_continuous(struct task *task)
{
    struct continuous_observation observed = continuous_of(task);

    two_sample_continuous(&observed, &task->result);
}

static void run_equivalence(struct task *task)
{
    struct continuous_observation observed = continuous_of(task);

    equivalence_test(&observed, &task->result);
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

static void run_count(struct task *task)
{
    const double *a = task->arrays[0].items;
    struct count_observation observed = {(int64_t)a[0], a[1], (int64_t)a[2], a[3], 0.05};

    poisson_rates_test(&observed, &task->result);
}

static void run_rank_sum(struct task *task)
{
    struct ranked_observation observed = ranked_of(task);
    struct rank_sum_result result;

    rank_sum_test(&observed, task->arena, &result);
}

static void run_trimmed(struct task *task)
{
    struct ranked_observation observed = ranked_of(task);
    struct trimmed_mean_result result;

    trimmed_mean_test(&observed, task->arena, &result);
}

static void run_bootstrap(struct task *task)
{
    struct ranked_observation observed = ranked_of(task);
    struct resampling_result result;

    resampling_means(&observed, RESAMPLES, task->arena, &result);
}

static void run_paired_t(struct task *task)
{
    struct paired_observation observed = paired_of(task);
    struct paired_result result;

    paired_t_test(&observed, task->arena, &result);
}

static void run_wilcoxon(struct task *task)
{
    struct paired_observation observed = paired_of(task);
    struct paired_result result;

    wilcoxon_test(&observed, task->arena, &result);
}

static void run_mcnemar(struct task *task)
{
    struct paired_observation observed = paired_of(task);
    struct paired_result result;

    mcnemar_test(&observed, &result);
}

static void run_ratio(struct task *task)
{
    struct ratio_arm control = {task->arrays[0], task->arrays[1]};
    struct ratio_arm treatment = {task->arrays[2], task->arrays[3]};
    struct ratio_observation observed = {&control, &treatment, 0.05};

    ratio_metric_test(&observed, task->arena, &task->result);
}

static void run_adjust(struct task *task, enum multiple_testing_method method)
{
    size_t count = task->arrays[0].count;
    struct adjusted_test *tests = ARENA_ARRAY(task->arena, struct adjusted_test, count);

    multiple_testing_adjust(method, task->arrays[0].items, count, 0.05, task->arena, tests);
}

static void run_bh(struct task *task)
{
    run_adjust(task, MULTIPLE_TESTING_BH);
}

static void run_holm(struct task *task)
{
    run_adjust(task, MULTIPLE_TESTING_HOLM);
}

static void run_srm(struct task *task)
{
    size_t count = task->arrays[0].count;
    double *expected = ARENA_ARRAY(task->arena, double, count);
    struct srm_result result;

    if (srm_check(&task->counts[0], &task->arrays[1], expected, &result, NULL))
        abort();
}

static void run_bandit(struct task *task)
{
    struct bandit_game game = {task->arrays[0], (int64_t)task->arrays[1].items[0],
                               (int64_t)task->arrays[1].items[1], 1};
    struct bandit_result result;

    bandit_simulate(&game, 1, task->arena, &result);
}

/* The arrays are rows of a table. */
static void run_table(struct task *task, enum contingency_method method)
{
    struct contingency_table table = {task->array_count, task->counts};
    struct contingency_result result;

    if (contingency_test(&table, method, 0.05, &result))
        abort();
}

static void run_chi_square(struct task *task)
{
    run_table(task, CONTINGENCY_CHI_SQUARE);
}

static void run_g_test(struct task *task)
{
    run_table(task, CONTINGENCY_G_TEST);
}

static void run_welch_anova(struct task *task)
{
    struct omnibus_groups groups = {task->array_count, task->arrays};
    struct omnibus_result result;

    if (!omnibus_welch(&groups, 0.05, task->arena, &result))
        abort();
}

static void run_kruskal(struct task *task)
{
    struct omnibus_groups groups = {task->array_count, task->arrays};
    struct omnibus_result result;

    if (!omnibus_kruskal(&groups, 0.05, task->arena, &result))
        abort();
}

/* The arrays are durations and whether the event was seen, of either arm. */
static void build_survival(struct task *task, struct survival_table *table)
{
    struct survival_arm arms[2];

    for (size_t arm = 0; arm < 2; arm++)
        arms[arm] = (struct survival_arm){task->arrays[2 * arm], task->answers[2 * arm + 1]};
    survival_table_build(arms, 2, task->arena, table);
}

static void run_log_rank(struct task *task)
{
    struct survival_table table;
    struct log_rank_result result;

    build_survival(task, &table);
    if (!log_rank_test(&table, 0, 0, &result))
        abort();
}

static void run_kaplan_meier(struct task *task)
{
    struct survival_table table;

    build_survival(task, &table);
    kaplan_meier(&table, 0, 0.05, task->arena);
    kaplan_meier(&table, 1, 0.05, task->arena);
}

static void run_cox(struct task *task)
{
    struct survival_table table;
    struct cox_result result;

    build_survival(task, &table);
    if (!cox_fit(&table, &result))
        abort();
}

static const struct {
    const char *name;
    void (*run)(struct task *task);
} kernels[] = {
    {"binary", run_binary},
    {"continuous", run_continuous},
    {"equivalence", run_equivalence},
    {"fisher", run_fisher},
    {"boschloo", run_boschloo},
    {"count", run_count},
    {"rank_sum", run_rank_sum},
    {"trimmed", run_trimmed},
    {"bootstrap", run_bootstrap},
    {"paired_t", run_paired_t},
    {"wilcoxon", run_wilcoxon},
    {"mcnemar", run_mcnemar},
    {"ratio", run_ratio},
    {"bh", run_bh},
    {"holm", run_holm},
    {"srm", run_srm},
    {"bandit", run_bandit},
    {"chi_square", run_chi_square},
    {"g_test", run_g_test},
    {"welch_anova", run_welch_anova},
    {"kruskal", run_kruskal},
    {"log_rank", run_log_rank},
    {"kaplan_meier", run_kaplan_meier},
    {"cox", run_cox},
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_of(void (*run)(struct task *task), struct task *task, long calls)
{
    double start = now();

    for (long i = 0; i < calls; i++) {
        arena_reset(task->arena);
        run(task);
    }
    return now() - start;
}

static double measure(void (*run)(struct task *task), struct task *task)
{
    long calls = 1;
    double spent = seconds_of(run, task, calls), least;

    while (spent < ROUND_SECONDS) {
        calls *= 2;
        spent = seconds_of(run, task, calls);
    }
    least = spent;
    for (int i = 1; i < ROUNDS; i++) {
        spent = seconds_of(run, task, calls);
        least = spent < least ? spent : least;
    }
    return least / (double)calls;
}

static void take_array(struct line *line, size_t count, struct task *task, size_t at)
{
    task->arrays[at] = line_take(line, count);
    task->counts[at] = (struct integer_list){count, ARENA_ARRAY(line->arena, int64_t, count)};
    task->answers[at] = (struct boolean_list){count, ARENA_ARRAY(line->arena, bool, count)};
    for (size_t i = 0; i < count; i++) {
        double number = task->arrays[at].items[i];

        task->counts[at].items[i] = fabs(number) < 1e18 ? (int64_t)number : 0;
        task->answers[at].items[i] = number != 0;
    }
}

static void take_arrays(struct line *line, struct task *task)
{
    struct number_list lengths = line_take(line, (size_t)line_next(line));

    task->array_count = lengths.count;
    if (task->array_count > ARRAYS_MAX)
        line_refuse(line, "too many arrays");
    for (size_t i = 0; i < task->array_count; i++)
        take_array(line, (size_t)lengths.items[i], task, i);
}

static void answer(struct line *line, struct task *task)
{
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (strcmp(kernels[i].name, line->method) == 0) {
            take_arrays(line, task);
            printf("%.3e", measure(kernels[i].run, task));
            line_end(line);
            return;
        }
    }
    line_refuse(line, "no such kernel");
}

int main(void)
{
    struct task task = {.arena = arena_create((size_t)1 << 30)};
    struct line line = {0};

    if (!task.arena)
        abort();
    while (line_read(&line))
        answer(&line, &task);
    arena_destroy(task.arena);
    return 0;
}
