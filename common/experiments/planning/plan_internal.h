/* Private to common/experiments/planning: what formulas and simulation of the power share. */
#ifndef ASSAY_EXPERIMENTS_PLANNING_PLAN_INTERNAL_H
#define ASSAY_EXPERIMENTS_PLANNING_PLAN_INTERNAL_H

#include "experiments/planning/plan_power.h"

/* Of the simulation that stands for a missing formula: the same at every call, so that the power is
 * a smooth function of the size. */
enum { PLAN_SEED = 1, PLAN_RUNS = 20000 };

double plan_user_variance(const struct plan_design *design, double level);
double plan_df(const struct plan_design *design, const double *users);
/* Whether the test takes the variance of rates from both arms together. */
bool plan_pools_rates(const struct plan_design *design);
bool plan_is_two_sided(const struct plan_design *design);
struct many_to_one plan_law(const struct plan_design *design, const double *users, double effect);
double plan_critical(const struct plan_design *design, const struct many_to_one *law);

/* Holm's critical values: of the most extreme statistic, of the next, and so on. */
void plan_holm_levels(const struct plan_design *design, const struct many_to_one *law,
                      double *levels);

/* Whether every statistic passes the level of its rank. The statistics are moved. */
bool plan_holm_finds_all(const double *levels, double *statistics, size_t count);

/* The effect in the direction that is better, beyond the margin of non-inferiority. */
double plan_advantage(const struct plan_design *design, double effect);

#endif
