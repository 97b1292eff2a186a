/* Whether a change does more harm than is put up with: one-sided, with a margin. */
#ifndef ASSAY_STATS_NON_INFERIORITY_H
#define ASSAY_STATS_NON_INFERIORITY_H

#include <stdbool.h>

struct harm_result {
    bool evaluable;          /* the variance is positive; otherwise all else is 0 */
    double harm_lower_bound; /* one-sided at 1 - alpha */
    double harm_upper_bound;
    double p_value;        /* of harm above the margin */
    bool is_breached;      /* harm above the margin is proven */
    bool is_warning;       /* it is observed, and not proven */
    bool is_non_inferior;  /* harm below the margin is proven */
    double p_non_inferior; /* of that */
};

/* `harm` is the difference in the bad direction, `variance` that of the difference. Normal tests
 * (Blackwelder 1982). */
void harm_test(double harm, double variance, double margin, double alpha,
               struct harm_result *result);

#endif
