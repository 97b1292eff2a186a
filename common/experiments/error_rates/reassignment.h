/*
 * One re-randomization: divides past users over the arms of the design as a new experiment would,
 * and lets the statistics of running experiments and the policy look at it. Nothing differs between
 * the arms then but chance, so every finding is wrong.
 */
#ifndef ASSAY_EXPERIMENTS_ERROR_RATES_REASSIGNMENT_H
#define ASSAY_EXPERIMENTS_ERROR_RATES_REASSIGNMENT_H

#include "experiments/error_rates/past_users.h"
#include "experiments/live_results/live_results.h"

/* Of a metric: runs whose comparisons could all be computed; those of them in which a comparison
 * found a difference (p below the design's alpha over the number of treatments); those in which
 * every interval had 0 inside. */
struct error_tally {
    const char *name;
    const char *role;          /* goal, guardrail, secondary */
    const char *unit;          /* as in live-stats */
    struct optional_number at; /* of robust metrics */
    int64_t runs, wrong, covered;
};

struct error_tallies {
    OBJECT_LIST(struct error_tally, metrics);      /* in the order of live-stats */
    int64_t always_valid_runs, always_valid_wrong; /* of the goal, by its always-valid p */
    int64_t verdict_runs, ships, stops;            /* verdicts ship and no_ship; no runs where looks
                                                      are planned, or of a sample */
};

/*
 * Run number `run` (from 0): user at place i goes by the i-th word of the generator (math/random.h)
 * with that seed and the run as its stream: the arm whose cumulated share of traffic is the first
 * above the word's upper 53 bits * 2^-53. Adds what was found to the tallies, whose names are in
 * `names`; memory of the run is from the call's arena, which the caller resets. The call is a rough
 * one.
 */
void reassign(const struct live_results_call *call, const struct past_users *users, uint64_t seed,
              int64_t run, struct arena *names, struct error_tallies *tallies);

#endif
