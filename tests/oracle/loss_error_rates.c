/*
 * How often stopping by expected loss chooses an arm without a reason, by simulation of users,
 * beside what is printed with the posteriors of an experiment (stats/bayes/loss_stopping.h). Prints
 * the third table of docs/use/error-rates-stopping.md.
 *
 *   loss_error_rates [RUNS]     10 000 by default
 *
 * The rule bounds the loss and not the error rate, so that nothing is claimed here.
 */
#include "base/number.h"
#include "math/draws.h"
#include "stats/bayes/loss_stopping.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 10000, USERS_MAX = 5000 };

static struct ziggurat ziggurat;

struct loss_row {
    double threshold, effect; /* in percentage points */
    int looks;
};

static const struct loss_row loss_rows[] = {
    {.1, 0, 1},   {.1, 0, 5},    {.1, 0, 20},    {.1, 0, 100},  {.02, 0, 1},
    {.02, 0, 20}, {.02, 0, 100}, {.02, -.5, 20}, {.02, -1, 20}, {.1, -1, 20},
};

#define LOSS_RATE 0.1

/* Users one by one; posteriors of the rates with the prior Beta(1, 1), their difference as normal.
 * +1 where it stops for the treatment, -1 for the control. */
static int run_loss(const struct loss_row *row, struct draws *draws)
{
    double successes[2] = {0}, users = 0;

    for (int look = 1; look <= row->looks; look++) {
        double mean[2], variance = 0, last = floor((double)USERS_MAX * look / row->looks);

        for (; users < last; users++)
            for (int arm = 0; arm < 2; arm++)
                successes[arm] += draws_uniform(draws) < LOSS_RATE + arm * row->effect / 100;
        for (int arm = 0; arm < 2; arm++) {
            mean[arm] = (successes[arm] + 1) / (users + 2);
            variance += mean[arm] * (1 - mean[arm]) / (users + 3);
        }
        if (normal_loss(mean[1] - mean[0], sqrt(variance)) < row->threshold / 100)
            return mean[1] > mean[0] ? 1 : -1;
    }
    return 0;
}

/* Beside what is printed with the posteriors of an experiment (loss_stopping.h). */
static void run_loss_row(const struct loss_row *row, int64_t runs)
{
    double treated = LOSS_RATE + row->effect / 100;
    struct stopping_plan plan = {
        .error = sqrt((LOSS_RATE * (1 - LOSS_RATE) + treated * (1 - treated)) / USERS_MAX),
        .threshold = row->threshold / 100,
        .effect = row->effect / 100,
        .looks = row->looks};
    struct stopping_rates printed;
    int64_t treatment = 0, stopped = 0;

    for (int64_t i = 0; i < runs; i++) {
        struct draws draws;
        int end;

        draws_start(&draws, &ziggurat, 37, (uint64_t)i);
        end = run_loss(row, &draws);
        treatment += end > 0;
        stopped += end != 0;
    }
    stopping_measure(&plan, &printed);
    printf("| %g | %g | %d | %.2f %% | %.2f %% | %.2f %% |\n", row->threshold, row->effect,
           row->looks, 100 * (double)stopped / (double)runs, 100 * (double)treatment / (double)runs,
           100 * printed.chose_treatment.rate);
    fflush(stdout);
}

static void run_losses(int64_t runs)
{
    printf("| threshold, points | true effect, points | looks | stops | chooses the treatment | as "
           "printed beside it |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof loss_rows / sizeof loss_rows[0]; i++)
        run_loss_row(&loss_rows[i], runs);
}

int main(int count, char **words)
{
    int64_t runs = RUNS;

    if (count > 2 || (count == 2 && !integer_parse(words[1], &runs)))
        return 2;
    ziggurat_build(&ziggurat);
    run_losses(runs);
    return 0;
}
