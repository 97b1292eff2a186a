/*
 * Group sequential designs with classical O'Brien-Fleming boundaries at equally spaced looks,
 * solved by recursive numerical integration (Armitage, McPherson and Rowe 1969; Jennison and
 * Turnbull 2000, chapters 2 and 19), for any alpha, power and number of looks. Error below 1e-6.
 */
#ifndef ASSAY_EXPERIMENTS_DESIGN_SEQUENTIAL_H
#define ASSAY_EXPERIMENTS_DESIGN_SEQUENTIAL_H

#include "base/error.h"

#include <stdint.h>

enum { SEQUENTIAL_LOOKS_MAX = 100 };

struct sequential_look {
    int look;                      /* 1..K */
    double info_fraction;          /* look / K */
    double z_boundary;             /* C * sqrt(K / look), two-sided */
    double p_boundary;             /* 2 * (1 - Phi(z_boundary)) */
    double cumulative_alpha_spent; /* probability under H0 of having crossed by this look */
    double incremental_alpha;
};

struct sequential_design {
    int looks;
    double constant;         /* C_B(K, alpha): the boundary at the last look */
    double inflation_factor; /* R_B(K, alpha, power): maximum n over the fixed-sample n */
    struct sequential_look look[SEQUENTIAL_LOOKS_MAX];
};

/* Solves the design; alpha two-sided in (0,1), power in (0,1), looks in 1..SEQUENTIAL_LOOKS_MAX.
 * The last few designs are cached. ERROR_INVALID when no finite design exists (power at or below
 * alpha). */
MUST_CHECK enum error sequential_solve(int looks, double alpha, double power,
                                       struct sequential_design *design, struct problem *problem);

#endif
