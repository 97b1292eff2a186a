/*
 * Whether two treatments change each other's effect: the difference of differences of four cells of
 * users, as a linear model with one mean per cell estimates it. Must not depend on what the
 * treatments are.
 */
#ifndef ASSAY_STATS_CONTRASTS_INTERACTION_H
#define ASSAY_STATS_CONTRASTS_INTERACTION_H

#include <stdbool.h>

/* The users with one combination of arms. */
struct interaction_cell {
    double n;
    double value;    /* a mean, a rate or a ratio */
    double variance; /* of that estimate */
};

/* The cell [i][j] has arm i of the first experiment and arm j of the second; 0 is the control. */
struct interaction_cells {
    struct interaction_cell at[2][2];
};

struct interaction {
    double effect[2];  /* of the first treatment beside either arm of the second */
    double difference; /* effect[1] - effect[0] */
    double standard_error;
    double freedom;
    double ci_lower, ci_upper;
    double p_value; /* two-sided */
};

/*
 * The product term of the regression of a value on both treatments, with the robust variance HC2
 * (MacKinnon and White 1985): in a model with one mean per cell that is the sum of the variances of
 * the four means. Student's t with the degrees of freedom of Satterthwaite (1946). The interval has
 * the confidence 1 - `level`. False when a cell has fewer than two users or all variances are 0.
 */
bool interaction_test(const struct interaction_cells *cells, double level,
                      struct interaction *result);

#endif
