/*
 * Simulates how a multi-armed bandit would have allocated the traffic of an A/B test: Thompson
 * sampling (Thompson 1933) on arms with binary outcomes, with a uniform prior on each rate
 * (Chapelle and Li 2011), compared with an even split of the same traffic. Every simulation has its
 * own random stream, and only integers are summed, so a seed gives identical results for any number
 * of threads.
 */
#ifndef ASSAY_STATS_BANDIT_H
#define ASSAY_STATS_BANDIT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

enum {
    BANDIT_ARMS_MAX = 10,
    BANDIT_POINTS_MAX = 40, /* points of the regret curve */
    BANDIT_THREADS_MAX = 16
};

struct bandit_game {
    struct number_list arm_rates; /* 2 to BANDIT_ARMS_MAX true rates, each in [0, 1] */
    int64_t horizon;              /* steps of a simulation, 1 or more */
    int64_t simulations;          /* 1 or more */
    uint64_t seed;
};

/* Regret, in wins: the expected wins of always pulling the best arm, minus the actual ones. */
struct bandit_point {
    int64_t step;
    double bandit_regret; /* mean over the simulations, cumulated over the steps so far */
    double uniform_regret;
};

struct bandit_result {
    size_t best_arm; /* the first with the highest rate */
    double allocation[BANDIT_ARMS_MAX];
    double probability_best; /* share of simulations that pulled the best arm most (ties go to the
                                first arm) */
    size_t point_count;      /* the last point is the horizon */
    struct bandit_point points[BANDIT_POINTS_MAX];
};

/* Runs all simulations on up to `threads` threads, this one included; small games use fewer. If a
 * thread cannot be started, the others do its work. About 20 ns a draw, one draw per arm and step;
 * takes 24 bytes per step from the arena. */
void bandit_simulate(const struct bandit_game *game, int threads, struct arena *arena,
                     struct bandit_result *result);

/* The steps of the points of the curve: every step if there are at most BANDIT_POINTS_MAX, else
 * evenly spaced from 1 to the horizon. Returns their number. */
size_t bandit_steps(int64_t horizon, int64_t steps[BANDIT_POINTS_MAX]);

/* Cost units for compute admission: draws in 100 000, or steps in 50 000, at least 15. */
int64_t bandit_cost(const struct bandit_game *game);

#endif
