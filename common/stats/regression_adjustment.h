/*
 * Differences of means adjusted by covariates: least squares with a line of its own in every arm,
 * read at the covariates' means over all users (analysis of covariance with interactions, Lin
 * 2013). Equal to ordinary least squares on arm indicators, centred covariates and their products,
 * with the standard errors HC2 (MacKinnon and White 1985) or HC3.
 *
 * Users without a covariate are kept: the mean of the others stands in, and an indicator column
 * says so. A ratio of totals is linearised first, (numerator - R denominator) / mean denominator,
 * with the arm's own ratio R (Deng, Knoblich and Lu 2018).
 *
 * The robust errors need every user's residual and leverage, thus two passes over the data. From
 * sums alone there is VARIANCE_ARM: one residual variance per arm, the error that separate
 * regressions of the arms give for their prediction at the common means.
 */
#ifndef ASSAY_STATS_REGRESSION_ADJUSTMENT_H
#define ASSAY_STATS_REGRESSION_ADJUSTMENT_H

#include "base/arena.h"
#include "stats/co_moments.h"
#include "stats/two_sample.h"

enum {
    REGRESSION_COVARIATES_MAX = 10,
    REGRESSION_COLUMNS_MAX = 2 * REGRESSION_COVARIATES_MAX, /* with their indicators */
    REGRESSION_ARMS_MAX = 10
};

/* Values and covariates beyond it, in either direction, may have figures that no number holds. */
#define REGRESSION_VALUE_MAX 1e15

enum regression_variance { VARIANCE_HC2, VARIANCE_HC3, VARIANCE_ARM, VARIANCE__MAX };

/* Why a column takes part or not. A column must be independent of the ones before it in every arm,
 * because every arm has slopes of its own. */
enum regression_use {
    COLUMN_USED,
    COLUMN_CONSTANT,  /* does not vary within an arm */
    COLUMN_COLLINEAR, /* the columns before it explain it within an arm */
    COLUMN_CROWDED,   /* an arm has too few users for one more slope */
    COLUMN__MAX
};

struct regression_user {
    int arm;
    double value;                                 /* the outcome, or the numerator of a ratio */
    double denominator;                           /* of a ratio */
    double covariates[REGRESSION_COVARIATES_MAX]; /* NaN = not known */
};

/* Users in any order, read several times. */
struct regression_source {
    int arms;
    int covariates;
    bool ratio;
    void *state;
    void (*rewind)(void *state);
    bool (*next)(void *state, struct regression_user *user); /* false after the last */
};

/* The regression of one arm. Columns are packed: only the used ones, in their order. */
struct regression_arm {
    double adjusted; /* at the common means, before unit and pivot */
    double factor[REGRESSION_COLUMNS_MAX][REGRESSION_COLUMNS_MAX]; /* Cholesky, of correlations */
    double scale[REGRESSION_COLUMNS_MAX]; /* root of the sum of squares of a column */
    double outcome[REGRESSION_COLUMNS_MAX], centre[REGRESSION_COLUMNS_MAX]; /* over the factor */
    double slope[REGRESSION_COLUMNS_MAX];
    double residual_squares;
    double variance[VARIANCE__MAX]; /* of `adjusted`; those of users only after the second pass */
};

struct regression {
    /* Set before regression_solve(). Column 0 is the outcome, then the covariates, then indicators;
     * the outcome of an arm is unit * (pivot + column 0). */
    int arms;
    int columns; /* without the outcome */
    double unit;
    double column_unit[REGRESSION_COLUMNS_MAX]; /* a covariate is column_unit * its column */
    double pivot[REGRESSION_ARMS_MAX];
    struct co_moments moments[REGRESSION_ARMS_MAX];

    /* Set by regression_solve(). */
    int64_t total;
    int rank;
    int used[REGRESSION_COLUMNS_MAX]; /* column (from 0) of a packed column */
    enum regression_use use[REGRESSION_COLUMNS_MAX];
    struct regression_arm arm[REGRESSION_ARMS_MAX];

    /* Set by regression_from_source(). */
    int64_t missing[REGRESSION_COVARIATES_MAX]; /* users without the covariate */
    int indicator[REGRESSION_COVARIATES_MAX];   /* its column, -1 = nobody is missing */
    double fill[REGRESSION_COVARIATES_MAX];     /* mean of those who have it */
    bool ratio_undefined;                       /* an arm's denominators sum to 0 */
};

/* Solves from the moments: slopes, adjusted means and VARIANCE_ARM. */
void regression_solve(struct regression *fit);

/* Replaces the residual sum of squares of an arm by that of the residuals themselves. */
void regression_set_residuals(struct regression *fit, int arm, double squares);

/* Reads the source and solves, with all variances. `fit` is zeroed by the caller; arms without
 * users stay without result. */
void regression_from_source(const struct regression_source *source, struct arena *arena,
                            struct regression *fit);

/* Mean, or ratio, of an arm with and without adjustment, and the slope of a column in an arm (0
 * where it is not used), in the units of the data. */
double regression_adjusted_mean(const struct regression *fit, int arm);
double regression_plain_mean(const struct regression *fit, int arm);
double regression_slope(const struct regression *fit, int arm, int column);

/* Share of the arm's variance that the covariates explain; absent without variance. */
struct optional_number regression_explained(const struct regression *fit, int arm);

struct regression_comparison {
    bool defined; /* two users per arm, degrees of freedom left, and residual variance */
    double standard_error, plain_standard_error;
    struct test_result adjusted;
    struct test_result plain; /* without covariates, of the same kind of variance */
    struct optional_number variance_reduction_pct;
};

/* Two arms by the t-distribution, with the degrees of freedom of Satterthwaite 1946 from those of
 * both arms (users - 1 - rank), or by the normal one. */
void regression_compare(const struct regression *fit, enum regression_variance variance,
                        bool normal, int control, int treatment, double alpha,
                        struct regression_comparison *comparison);

#endif
