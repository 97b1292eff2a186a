/* Cohen's kappa of a table of two rows and two columns. */
#include "support/evaluators/agreement.h"
#include "math/normal.h"

#include <math.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t agreement_cases(const struct agreement_counts *counts)
{
    return counts->both_bad + counts->evaluator_only + counts->reviewer_only + counts->both_good;
}

int64_t agreement_rarest(const struct agreement_counts *counts)
{
    int64_t by_evaluator = counts->both_bad + counts->evaluator_only,
            by_reviewer = counts->both_bad + counts->reviewer_only, all = agreement_cases(counts);

    return smaller(smaller(by_evaluator, all - by_evaluator),
                   smaller(by_reviewer, all - by_reviewer));
}

static double square(double x)
{
    return x * x;
}

/* Of kappa, times the number of cases. The first index of p is the evaluator's verdict. */
static double variance(double p[2][2], const double evaluator[2], const double reviewer[2],
                       double kappa, double by_chance)
{
    double agreeing = 0, differing = 0;

    for (int i = 0; i < 2; i++) {
        int other = 1 - i;

        agreeing += p[i][i] * square(1 - (evaluator[i] + reviewer[i]) * (1 - kappa));
        differing += p[i][other] * square(reviewer[i] + evaluator[other]);
    }
    return (agreeing + square(1 - kappa) * differing - square(kappa - by_chance * (1 - kappa))) /
           square(1 - by_chance);
}

/* Kappa and its interval, where both judges used both verdicts. */
static void measure(const struct agreement_counts *counts, double confidence,
                    struct agreement *agreement)
{
    double n = (double)agreement->cases;
    double p[2][2] = {{(double)counts->both_bad / n, (double)counts->evaluator_only / n},
                      {(double)counts->reviewer_only / n, (double)counts->both_good / n}};
    double evaluator[2] = {p[0][0] + p[0][1], p[1][0] + p[1][1]},
           reviewer[2] = {p[0][0] + p[1][0], p[0][1] + p[1][1]};
    double by_chance = evaluator[0] * reviewer[0] + evaluator[1] * reviewer[1], half;

    agreement->kappa = (agreement->observed - by_chance) / (1 - by_chance);
    half = normal_upper_quantile((1 - confidence) / 2) *
           sqrt(fmax(variance(p, evaluator, reviewer, agreement->kappa, by_chance), 0) / n);
    agreement->low = fmax(agreement->kappa - half, -1);
    agreement->high = fmin(agreement->kappa + half, 1);
}

struct agreement agreement_of(const struct agreement_counts *counts, double confidence)
{
    struct agreement agreement = {.cases = agreement_cases(counts)};

    if (agreement.cases == 0)
        return agreement;
    agreement.observed = (double)(counts->both_bad + counts->both_good) / (double)agreement.cases;
    agreement.measured = agreement_rarest(counts) > 0;
    if (agreement.measured)
        measure(counts, confidence, &agreement);
    return agreement;
}
