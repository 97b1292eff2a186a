/*
 * Solves a plan for any one of effect, power, size and days when the others are given. Numbers
 * only.
 */
#ifndef ASSAY_EXPERIMENTS_PLANNING_PLAN_SOLVE_H
#define ASSAY_EXPERIMENTS_PLANNING_PLAN_SOLVE_H

#include "base/error.h"
#include "experiments/planning/plan_power.h"

enum plan_unknown { SOLVE_SIZE, SOLVE_POWER, SOLVE_EFFECT, SOLVE_DAYS, SOLVE__MAX };

enum plan_failure {
    PLAN_SOLVED,
    PLAN_SIZE_OUT_OF_REACH,   /* more than 10^15 users, or an effect that rates cannot have */
    PLAN_EFFECT_OUT_OF_REACH, /* no effect in the range of the metric has this power */
};

/* For non-inferiority and equivalence the unknown effect is the margin. */
struct plan_question {
    enum plan_unknown unknown;
    struct plan_design design;
    double effect; /* absolute, signed; ignored when unknown */
    double power;
    double total;         /* users; 0 = from days */
    double days;          /* 0 = from the size, which needs daily_users */
    double daily_users;   /* 0 = days are not asked for */
    bool best_allocation; /* the share of the control is chosen; treatments are equal */
};

struct plan_solution {
    enum plan_failure failure;
    struct plan_design design; /* with its shares and its margin */
    double effect, total, days;
    double users[PLAN_ARMS_MAX];
    struct plan_power reached;
    double equal_total; /* users that arms of equal size would need; 0 = not another question */
};

void plan_solve(const struct plan_question *question, struct plan_solution *solution);

#endif
