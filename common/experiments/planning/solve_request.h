/*
 * The question and the answer of /design/solve as documents: schemas, rules and the way from one to
 * plan_solve.h.
 */
#ifndef ASSAY_EXPERIMENTS_PLANNING_SOLVE_REQUEST_H
#define ASSAY_EXPERIMENTS_PLANNING_SOLVE_REQUEST_H

#include "base/arena.h"
#include "base/schema.h"
#include "experiments/planning/plan_solve.h"
#include "i18n/i18n.h"

/* Sums over past users, of whom each has a numerator and a denominator. */
struct solve_history {
    int64_t users;
    double numerator_sum, denominator_sum;
    double numerator_squares, denominator_squares, products;
};

struct solve_clusters {
    double average_size, size_cv, icc;
};

/* Time in slots that are assigned; a slot's users are a cluster. */
struct solve_switchback {
    double slots_per_day;
    int64_t units;
    double washout_share; /* of every slot */
    double size_cv, icc;
};

struct solve_request {
    int solve_for;   /* enum plan_unknown */
    int test;        /* enum plan_metric */
    int alternative; /* enum plan_alternative */
    int correction;  /* enum plan_correction */
    int power_of;    /* enum plan_target */
    int direction;   /* enum goal_direction */
    struct optional_number baseline_value, std_dev;
    const struct solve_history *history;
    struct optional_number mde_pct, margin_pct, power;
    struct optional_integer total_users;
    struct optional_number days, daily_traffic;
    double alpha;
    int64_t variants;
    struct number_list allocation;
    bool optimal_allocation;
    const struct solve_clusters *clusters;
    const struct solve_switchback *switchback;
    struct optional_integer simulation_runs;
    int64_t seed;
};

struct solve_simulated {
    double power, standard_error;
    int64_t runs;
};

struct solve_reply {
    const char *solve_for;
    double effect_pct, effect;
    struct optional_number margin_pct, margin;
    double power, power_standard_error;
    double alpha, critical_value;
    struct optional_number degrees_of_freedom;
    int64_t comparisons;
    struct number_list allocation;
    struct integer_list users_per_variant;
    int64_t total_users;
    struct optional_integer days;
    struct optional_integer equal_allocation_total;
    struct integer_list clusters_per_variant;
    struct optional_number average_cluster_size, design_effect;
    double baseline_value;
    struct optional_number std_dev;
    const struct solve_simulated *simulated;
};

extern const char *const solve_unknown_names[SOLVE__MAX];

SCHEMA_OF(solve_request_schema, struct solve_request);
SCHEMA_OF(solve_reply_schema, struct solve_reply);

struct solve_call {
    const struct locale *locale;
    struct arena *arena;
    struct problem *problem;
};

/* Answers a valid request. ERROR_INVALID, plan_size_out_of_reach or plan_effect_out_of_reach, when
 * the plan has no solution, and history_has_no_ratio. */
MUST_CHECK enum error solve_answer(const struct solve_call *call,
                                   const struct solve_request *request, struct solve_reply *answer);

/* Units of admission. */
int64_t solve_cost(const struct solve_request *request);

#endif
