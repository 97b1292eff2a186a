/*
 * Several goals of an experiment, judged together (stats/goal_family.h): the probability that any
 * claim is false is at most the design's alpha, with reading always_valid over all looks.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RESULTS_GOALS_H
#define ASSAY_EXPERIMENTS_LIVE_RESULTS_GOALS_H

#include "experiments/live_results/live_results.h"
#include "experiments/live_results/policy.h"

struct live_results;

/* Sets stats->goals where the design names further goals; after the comparisons and the plan. */
void live_results_goals(const struct live_results *results, struct live_stats *stats);

/* Reasons for each proven goal of a treatment, and for each that is worse. */
void policy_give_goals(const struct live_goals *goals, size_t treatment,
                       struct policy_outcome *outcome);

/* The verdict where data and guardrails have nothing against one. `last_look` = no look is planned
 * after this one; `plans` = the sample in planned samples. */
void policy_decide_goals(const struct live_goals *goals, bool last_look, double plans,
                         struct policy_outcome *outcome);

#endif
