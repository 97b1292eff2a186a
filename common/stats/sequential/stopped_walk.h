/*
 * The distribution of a Gaussian random walk that stops when it leaves an interval, by recursive
 * numerical integration (Armitage, McPherson and Rowe 1969): the density of the walks that are
 * still inside, on Gauss-Legendre panels that are as fine as the steps. Steps may differ in length
 * and intervals in width.
 */
#ifndef ASSAY_STATS_SEQUENTIAL_STOPPED_WALK_H
#define ASSAY_STATS_SEQUENTIAL_STOPPED_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* One step: the next position is scale x position + shift + deviation x a standard normal. */
struct walk_step {
    double scale; /* positive */
    double shift;
    double deviation; /* positive */
};

enum { WALK_NODES_MAX = 8192 };

struct walk_grid {
    int nodes;
    double node[WALK_NODES_MAX]; /* ascending */
    double mass[WALK_NODES_MAX]; /* weight times density: they sum to the probability of being
                                    inside */
};

/* Large: from an arena or static. */
struct stopped_walk {
    double mean, variance; /* of the walk without stopping */
    int current;
    struct walk_grid grid[2];
};

/* All walks stand at one point. */
void walk_start(struct stopped_walk *walk, double position);

/* The probability of being inside up to now. */
double walk_inside(const struct stopped_walk *walk);

/* The probability of being inside up to now and above (below) `bound` after the step. Infinite
 * bounds are allowed. Absolute error below 1e-12, relative below 1e-8 down to 1e-18. */
double walk_above(const struct stopped_walk *walk, const struct walk_step *step, double bound);
double walk_below(const struct stopped_walk *walk, const struct walk_step *step, double bound);

/* Makes the step; walks outside (lower, upper) stop. `next` is the deviation of the step after this
 * one, which the grid must resolve; 0 = none follows. */
void walk_advance(struct stopped_walk *walk, const struct walk_step *step, double lower,
                  double upper, double next);

/* Roughly how many pairs of nodes a walk over ascending variances visits: close to another one,
 * they need fine grids, which a long step before or after them crosses. */
double walk_work(const double *variances, size_t count);

#endif
