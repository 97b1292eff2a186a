/* Bisection on what is unknown; the power rises with each of them. */
#include "experiments/planning/plan_solve.h"

#include <math.h>

enum { DOUBLINGS_MAX = 60, HALVINGS_MAX = 60, SECTIONS = 40 };

#define TOTAL_MAX 1e15
#define USUAL_POWER 0.8 /* where the best allocation of a given size is sought */
#define GOLDEN 0.6180339887498949

static double power_of_total(const struct plan_design *design, double total, double effect)
{
    double users[PLAN_ARMS_MAX];

    plan_users(design, total, users);
    return plan_power(design, users, effect).power;
}

/* The smallest whole total of users whose power reaches the target, from a total that may do; 0 if
 * there is none. */
static double search_total(const struct plan_design *design, double effect, double target,
                           double from)
{
    double low = 0, high = from, step = 2 * (double)design->arms;

    while (!(power_of_total(design, high, effect) >= target)) {
        low = high;
        high += step;
        step *= 2;
        if (!(high < TOTAL_MAX))
            return 0;
    }
    step = (double)design->arms;
    while (low == 0 && high - step > 1 && power_of_total(design, high - step, effect) >= target) {
        high -= step;
        step *= 2;
    }
    low = fmax(low, fmax(high - step, 1));
    while (high - low > fmax(1, high * 1e-12)) {
        double middle = floor((low + high) / 2);

        if (power_of_total(design, middle, effect) >= target)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* First with infinite degrees of freedom, which costs little, then with those of the size. */
static double find_total(const struct plan_design *design, double effect, double target)
{
    struct plan_design large = *design;
    double least = 2 * (double)design->arms, total;

    large.large = true;
    total = search_total(&large, effect, target, least);
    return total > 0 ? search_total(design, effect, target, total) : 0;
}

static bool seeks_margin(const struct plan_design *design)
{
    return design->alternative == PLAN_NON_INFERIORITY || design->alternative == PLAN_EQUIVALENCE;
}

/* The power when the unknown effect, or margin, has this size. */
static double power_of_size(const struct plan_solution *solution, double size)
{
    struct plan_design design = solution->design;
    double effect = solution->effect;

    if (seeks_margin(&design))
        design.margin = size;
    else
        effect = design.decrease ? -size : size;
    return plan_power(&design, solution->users, effect).power;
}

/* The largest effect that the metric can have; a margin may have any size. */
static double largest_effect(const struct plan_design *design)
{
    if (seeks_margin(design))
        return INFINITY;
    if (design->metric == PLAN_BINARY)
        return design->decrease ? design->baseline : 1 - design->baseline;
    return design->metric == PLAN_COUNT && design->decrease ? design->baseline : INFINITY;
}

static void find_effect(const struct plan_question *question, struct plan_solution *solution)
{
    double most = largest_effect(&solution->design), low = 0;
    double start = fmax(question->design.baseline, question->design.deviation);
    double high = fmin(most * (1 - 1e-9), start);
    int tries = 0;

    while (!(power_of_size(solution, high) >= question->power)) {
        low = high;
        high = fmin(high * 2, most * (1 - 1e-9));
        if (high == low || ++tries > DOUBLINGS_MAX) {
            solution->failure = PLAN_EFFECT_OUT_OF_REACH;
            return;
        }
    }
    for (int i = 0; i < HALVINGS_MAX && high - low > 1e-12 * high; i++) {
        double middle = low + (high - low) / 2;

        if (power_of_size(solution, middle) >= question->power)
            high = middle;
        else
            low = middle;
    }
    if (seeks_margin(&solution->design))
        solution->design.margin = high;
    else
        solution->effect = solution->design.decrease ? -high : high;
}

static void set_control_share(struct plan_design *design, double ratio)
{
    double treatments = (double)design->arms - 1;

    design->share[0] = ratio / (ratio + treatments);
    for (size_t arm = 1; arm < design->arms; arm++)
        design->share[arm] = 1 / (ratio + treatments);
}

/* The power with a control of so many times the users of a treatment, in arms without rounding. */
static double power_of_ratio(const struct plan_design *design, double total, double effect,
                             double ratio)
{
    struct plan_design tried = *design;
    double users[PLAN_ARMS_MAX];

    tried.large = true;
    set_control_share(&tried, ratio);
    for (size_t arm = 0; arm < tried.arms; arm++)
        users[arm] = total * tried.share[arm];
    return plan_power(&tried, users, effect).power;
}

/* Golden section on the logarithm of the ratio: the power has one maximum. */
static void choose_allocation(struct plan_design *design, double total, double effect)
{
    double low = log(0.2), high = log(5.0 * (double)design->arms);
    double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    double power_left = power_of_ratio(design, total, effect, exp(left));
    double power_right = power_of_ratio(design, total, effect, exp(right));

    for (int i = 0; i < SECTIONS; i++) {
        if (power_left >= power_right) {
            high = right;
            right = left;
            power_right = power_left;
            left = high - GOLDEN * (high - low);
            power_left = power_of_ratio(design, total, effect, exp(left));
        } else {
            low = left;
            left = right;
            power_left = power_right;
            right = low + GOLDEN * (high - low);
            power_right = power_of_ratio(design, total, effect, exp(right));
        }
    }
    set_control_share(design, exp((low + high) / 2));
}

static bool is_equal(const struct plan_design *design)
{
    for (size_t arm = 1; arm < design->arms; arm++)
        if (fabs(design->share[arm] - design->share[0]) > 1e-12)
            return false;
    return true;
}

static double equal_total(const struct plan_question *question)
{
    struct plan_design equal = question->design;
    double users[PLAN_ARMS_MAX], total, sum = 0;

    set_control_share(&equal, 1);
    total = find_total(&equal, question->effect, question->power);
    if (total == 0)
        return 0;
    plan_users(&equal, total, users);
    for (size_t arm = 0; arm < equal.arms; arm++)
        sum += users[arm];
    return sum;
}

static bool seeks_total(const struct plan_question *question)
{
    return question->unknown == SOLVE_SIZE || question->unknown == SOLVE_DAYS;
}

static double given_total(const struct plan_question *question)
{
    return question->total > 0 ? question->total : floor(question->days * question->daily_users);
}

/* The allocation is best at about the power that is wanted, so at the size that equal arms need. */
static void allocate(const struct plan_question *question, struct plan_solution *solution)
{
    double total = seeks_total(question) ? solution->equal_total : given_total(question);
    double effect = solution->effect;

    if (question->unknown == SOLVE_POWER) {
        struct plan_design equal = question->design;

        set_control_share(&equal, 1);
        equal.large = true;
        total = search_total(&equal, effect, USUAL_POWER, 2 * (double)equal.arms);
    }
    if (question->unknown == SOLVE_EFFECT) {
        struct plan_question equal = *question;
        struct plan_solution found;

        equal.best_allocation = false;
        set_control_share(&equal.design, 1);
        plan_solve(&equal, &found);
        effect = found.effect;
        solution->design.margin = found.design.margin;
    }
    if (total > 0)
        choose_allocation(&solution->design, total, effect);
}

static void set_size(const struct plan_question *question, struct plan_solution *solution,
                     double total)
{
    solution->total = 0;
    plan_users(&solution->design, total, solution->users);
    for (size_t arm = 0; arm < solution->design.arms; arm++)
        solution->total += solution->users[arm];
    if (question->daily_users > 0)
        solution->days = ceil(solution->total / question->daily_users * (1 - 1e-12));
}

void plan_solve(const struct plan_question *question, struct plan_solution *solution)
{
    double total;

    *solution = (struct plan_solution){.design = question->design, .effect = question->effect};
    if (seeks_total(question) && (question->best_allocation || !is_equal(&question->design)))
        solution->equal_total = equal_total(question);
    if (question->best_allocation && (!seeks_total(question) || solution->equal_total > 0))
        allocate(question, solution);
    total = seeks_total(question) ? find_total(&solution->design, solution->effect, question->power)
                                  : given_total(question);
    if (total == 0) {
        solution->failure = PLAN_SIZE_OUT_OF_REACH;
        return;
    }
    set_size(question, solution, total);
    if (question->unknown == SOLVE_EFFECT)
        find_effect(question, solution);
    if (solution->failure)
        return;
    solution->reached = plan_power(&solution->design, solution->users, solution->effect);
    if (isnan(solution->reached.power))
        solution->failure = PLAN_SIZE_OUT_OF_REACH;
}
