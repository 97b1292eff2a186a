/*
 * Agreement of an evaluator with reviewers over the same answers: Cohen's kappa, the share of
 * agreement beyond what two judges with the same shares of verdicts reach by chance.
 *
 *     kappa = (po - pe) / (1 - pe)        Cohen 1960
 *
 * po is the share of cases in which both agree, pe the sum over the verdicts of the product of both
 * judges' shares. The interval is kappa +- z * se with the large-sample standard error of Fleiss,
 * Cohen and Everitt 1969 (formula 13, not that under the hypothesis kappa = 0), cut at -1 and 1.
 */
#ifndef ASSAY_SUPPORT_EVALUATORS_AGREEMENT_H
#define ASSAY_SUPPORT_EVALUATORS_AGREEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of cases by what the evaluator and the reviewer found bad. */
struct agreement_counts {
    int64_t both_bad, evaluator_only, reviewer_only, both_good;
};

enum {
    AGREEMENT_EACH_LEAST =
        5 /* verdicts of each kind from either judge before anything is advised */
};

struct agreement {
    int64_t cases;
    double observed; /* po; 0 without cases */
    bool measured;   /* false if either judge found all cases good, or all bad: kappa is then 0 or
                      * undefined whatever the evaluator is worth */
    double kappa, low, high;
};

int64_t agreement_cases(const struct agreement_counts *counts);

/* `confidence` is between 0 and 1, for example 0.95. */
struct agreement agreement_of(const struct agreement_counts *counts, double confidence);

/* The smallest number of cases that one of the judges found good, or bad. */
int64_t agreement_rarest(const struct agreement_counts *counts);

#endif
