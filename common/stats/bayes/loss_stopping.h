/*
 * How often a test that stops when the expected loss falls below a threshold chooses the wrong arm,
 * measured: two arms are simulated with normal estimates at equally spaced looks. Stopping by
 * expected loss bounds the loss and not the error rate, which is why the rate is shown beside it.
 */
#ifndef ASSAY_STATS_BAYES_LOSS_STOPPING_H
#define ASSAY_STATS_BAYES_LOSS_STOPPING_H

#include <stdint.h>

enum { STOPPING_RUNS = 10000, STOPPING_LOOKS_MAX = 100 };

struct stopping_plan {
    double error;     /* standard error of the difference at the last look, without a prior */
    double prior;     /* observations of a prior in units of an arm's at the last look */
    double threshold; /* expected loss at which it stops */
    double effect;    /* true difference */
    int looks;
};

/* A share of the runs with its exact 95 % interval (Clopper and Pearson 1934). */
struct measured_rate {
    double rate, lower, upper;
};

struct stopping_rates {
    struct measured_rate stopped;         /* at any look */
    struct measured_rate chose_treatment; /* stopped, and the treatment seemed better */
    struct measured_rate chose_control;
};

struct measured_rate measured_rate(int64_t count, int64_t runs);

/* The same plan gives the same rates. */
void stopping_measure(const struct stopping_plan *plan, struct stopping_rates *rates);

/* E[max(D, 0)] - max(mean, 0) for D normal: the loss of the arm that seems better. */
double normal_loss(double mean, double error);

#endif
