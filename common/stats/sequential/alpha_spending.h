/*
 * Spending functions: how much of an error rate may be used up by a fraction of the planned
 * information (Lan and DeMets 1983). They hold for looks at any fractions, planned or not.
 */
#ifndef ASSAY_STATS_SEQUENTIAL_ALPHA_SPENDING_H
#define ASSAY_STATS_SEQUENTIAL_ALPHA_SPENDING_H

#include <stdbool.h>

enum spending_kind {
    SPENDING_OBRIEN_FLEMING,    /* 2 - 2 Phi(z(1 - a/2) / sqrt(t)), Lan and DeMets 1983 */
    SPENDING_POCOCK,            /* a ln(1 + (e - 1) t), Lan and DeMets 1983 */
    SPENDING_POWER,             /* a t^parameter, parameter > 0, Kim and DeMets 1987 */
    SPENDING_HWANG_SHIH_DECANI, /* a (1 - exp(-p t)) / (1 - exp(-p)), Hwang, Shih and DeCani 1990 */
    SPENDING__MAX
};
extern const char *const spending_names[SPENDING__MAX];

struct spending {
    int kind;         /* enum spending_kind */
    double parameter; /* of the last two kinds */
};

/* Whether the parameter suits the kind: above 0 and up to 50, or from -50 to 50. */
bool spending_is_valid(const struct spending *spending);

/* What is spent of `total`, the error rate of one side, at the fraction t: 0 at 0, `total` from 1
 * on. */
double spending_at(const struct spending *spending, double total, double t);

#endif
