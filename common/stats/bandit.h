/*
 * What a multi-armed bandit would have done with the traffic of an A/B test: Thompson sampling
 * (Thompson 1933) on arms that win or lose, with a uniform prior on each rate (Chapelle and Li
 * 2011), beside an even split of the same traffic. Simulated; every simulation has a stream of its
 * own, and only whole numbers are added up, so a seed gives the same bits however the simulations
 * are divided among threads.
 */
#ifndef ASSAY_STATS_BANDIT_H
#define ASSAY_STATS_BANDIT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"

enum {
    BANDIT_ARMS_MAX = 10,
    BANDIT_POINTS_MAX = 40, /* of the regret curve */
    BANDIT_THREADS_MAX = 16
};

struct bandit_game {
    struct number_list arm_rates; /* 2 to BANDIT_ARMS_MAX true rates, each in [0, 1] */
    int64_t horizon;              /* steps of a simulation, 1 or more */
    int64_t simulations;          /* 1 or more */
    uint64_t seed;
};

/* Regret is what pulling the best arm throughout would have won beyond what was won, in wins. */
struct bandit_point {
    int64_t step;
    double bandit_regret; /* mean over the simulations, of the steps so far */
    double uniform_regret;
};

struct bandit_result {
    size_t best_arm; /* the first with the highest rate */
    double allocation[BANDIT_ARMS_MAX];
    double probability_best; /* share of simulations that pulled the best arm most (the first arm of
                                those pulled equally often) */
    size_t point_count;      /* the last point is the horizon */
    struct bandit_point points[BANDIT_POINTS_MAX];
};

/* Plays all simulations on up to `threads` threads, this one included; small games take fewer. A
 * thread that cannot be had is done without. About 20 ns a draw, one draw per arm and step; takes
 * 24 bytes per step from the arena. */
void bandit_simulate(const struct bandit_game *game, int threads, struct arena *arena,
                     struct bandit_result *result);

/* The steps at which the curve has a point: every one up to BANDIT_POINTS_MAX, beyond that evenly
 * spaced from 1 to the horizon. Returns their count. */
size_t bandit_steps(int64_t horizon, int64_t steps[BANDIT_POINTS_MAX]);

/* Cost units for compute admission: draws in 100 000, or steps in 50 000, at least 15. */
int64_t bandit_cost(const struct bandit_game *game);

#endif
