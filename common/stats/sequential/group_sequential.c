/* Boundaries look by look, and the drift with the requested power. */
#include "stats/sequential/group_sequential.h"

#include "math/normal.h"
#include "math/root.h"
#include "stats/sequential/stopped_walk.h"

#include <math.h>
#include <string.h>

/* Less than this is not worth a boundary: z would be above 9. */
#define SPENDING_LEAST 1e-20

/* Of z, and of a drift. */
#define TOLERANCE 1e-11
#define DRIFT_MAX 60.0

const char *const futility_names[FUTILITY__MAX] = {"none", "binding", "non_binding"};

/* The walks under no effect and under the drift that beta is spent for. */
struct solver {
    const struct group_sequential_plan *plan;
    double drift;
    struct stopped_walk null, drifting;
    const struct group_sequential_looks *futility; /* boundaries that are given; NULL = solve */
};

static struct walk_step step_between(double before, double fraction, double drift)
{
    return (struct walk_step){1, drift * (fraction - before), sqrt(fraction - before)};
}

struct bound_search {
    const struct stopped_walk *walk;
    const struct walk_step *step;
    double amount;
    bool above;
};

static double excess_amount(double bound, const void *context)
{
    const struct bound_search *search = context;
    double amount = search->above ? walk_above(search->walk, search->step, bound)
                                  : walk_below(search->walk, search->step, bound);

    return log(fmax(amount, 1e-300) / search->amount);
}

/* The score beyond which walks have the probability `amount`. */
static double find_bound(const struct bound_search *search)
{
    const struct stopped_walk *walk = search->walk;
    double mean = search->step->scale * walk->mean + search->step->shift;
    double spread = 12 * sqrt(walk->variance + search->step->deviation * search->step->deviation);

    return root_find(excess_amount, search, mean - spread, mean + spread, TOLERANCE * spread);
}

static double upper_bound_of(const struct solver *solver, const struct walk_step *step,
                             double amount)
{
    const struct bound_search search = {&solver->null, step, amount, true};

    return amount < SPENDING_LEAST ? INFINITY : find_bound(&search);
}

static double futility_bound_of(const struct solver *solver, const struct walk_step *step,
                                double amount, double upper)
{
    const struct bound_search search = {&solver->drifting, step, amount, false};

    if (amount < SPENDING_LEAST)
        return -INFINITY;
    if (walk_below(&solver->drifting, step, upper) <= amount)
        return upper;
    return fmin(find_bound(&search), upper);
}

/* The lower boundary of a look as a score; sets what of beta it spends. */
static double lower_bound_of(const struct solver *solver, const struct walk_step *step, int index,
                             double upper, bool is_final, struct group_sequential_bounds *look)
{
    const struct group_sequential_plan *plan = solver->plan;
    double beta = 1 - plan->power, miss, lower;

    if (plan->sides == 2)
        return -upper;
    if (plan->futility == FUTILITY_NONE)
        return -INFINITY;
    if (solver->futility)
        return solver->futility->at[index].lower * sqrt(look->fraction);
    miss = is_final ? beta : spending_at(&plan->beta_spending, beta, look->fraction);
    lower = is_final ? upper : futility_bound_of(solver, step, miss - look->beta_spent, upper);
    look->beta_spent += walk_below(&solver->drifting, step, lower);
    return lower;
}

/* Fills in the bounds of a look and makes its step; `next` is the fraction of the look after it, 0
 * = none. */
static void solve_look(struct solver *solver, struct group_sequential_looks *looks, int index,
                       bool is_final, double next)
{
    const struct group_sequential_plan *plan = solver->plan;
    struct group_sequential_bounds *look = &looks->at[index];
    const struct group_sequential_bounds *before = index > 0 ? look - 1 : NULL;
    double side = plan->alpha / plan->sides, start = before ? before->fraction : 0;
    double spent = before ? before->alpha_spent / plan->sides : 0;
    double target = is_final ? side : spending_at(&plan->alpha_spending, side, look->fraction);
    double after = next > 0 ? sqrt(next - look->fraction) : 0;
    struct walk_step step = step_between(start, look->fraction, 0);
    struct walk_step drifting = step_between(start, look->fraction, solver->drift);
    double upper = upper_bound_of(solver, &step, target - spent), lower;

    look->alpha_spent = plan->sides * (upper < INFINITY ? target : spent);
    look->beta_spent = before ? before->beta_spent : 0;
    lower = lower_bound_of(solver, &drifting, index, upper, is_final, look);
    look->upper = upper / sqrt(look->fraction);
    look->lower = lower / sqrt(look->fraction);
    walk_advance(&solver->null, &step, plan->futility == FUTILITY_NON_BINDING ? -INFINITY : lower,
                 upper, after);
    if (plan->futility != FUTILITY_NONE && !solver->futility)
        walk_advance(&solver->drifting, &drifting, lower, upper, after);
}

static bool solve_looks(struct solver *solver, bool is_final, struct group_sequential_looks *looks)
{
    walk_start(&solver->null, 0);
    walk_start(&solver->drifting, 0);
    for (int i = 0; i < looks->count; i++) {
        bool last = i + 1 == looks->count;

        solve_look(solver, looks, i, looks->at[i].fraction >= 1 || (last && is_final),
                   last ? 0 : looks->at[i + 1].fraction);
        if (isnan(looks->at[i].upper) || isnan(looks->at[i].lower))
            return false;
    }
    return true;
}

bool group_sequential_solve(const struct group_sequential_plan *plan, const double *fractions,
                            int count, bool is_final, double drift, struct arena *arena,
                            struct group_sequential_looks *looks)
{
    struct solver *solver = ARENA_NEW(arena, struct solver);

    solver->plan = plan;
    solver->drift = drift;
    solver->futility = NULL;
    looks->count = count;
    for (int i = 0; i < count; i++)
        looks->at[i] = (struct group_sequential_bounds){.fraction = fractions[i]};
    return solve_looks(solver, is_final, looks);
}

double group_sequential_fixed_drift(const struct group_sequential_plan *plan)
{
    return normal_upper_quantile(plan->alpha / plan->sides) + normal_quantile(plan->power);
}

struct drift_search {
    struct solver *solver;
    struct group_sequential_looks *looks;
    double miss;
};

/* The probability under the drift of never stopping above. */
static double miss_probability(const struct drift_search *search, double drift)
{
    const struct group_sequential_looks *looks = search->looks;
    struct stopped_walk *walk = &search->solver->drifting;
    double missed = 0, start = 0;

    walk_start(walk, 0);
    for (int i = 0; i < looks->count; i++) {
        double fraction = looks->at[i].fraction, root = sqrt(fraction);
        struct walk_step step = step_between(start, fraction, drift);
        bool last = i + 1 == looks->count;

        missed += walk_below(walk, &step, root * (last ? looks->at[i].upper : looks->at[i].lower));
        if (!last)
            walk_advance(walk, &step, root * looks->at[i].lower, root * looks->at[i].upper,
                         sqrt(looks->at[i + 1].fraction - fraction));
        start = fraction;
    }
    return missed;
}

/* Drifts so large that futility stops everything early miss too little. */
static double excess_miss(double drift, const void *context)
{
    const struct drift_search *search = context;
    struct solver *solver = search->solver;

    solver->drift = drift;
    if (solver->plan->futility != FUTILITY_NONE && !solve_looks(solver, true, search->looks))
        return -1;
    return log(fmax(miss_probability(search, drift), 1e-300) / search->miss);
}

double group_sequential_drift(const struct group_sequential_plan *plan, const double *fractions,
                              int count, struct arena *arena)
{
    struct drift_search search = {ARENA_NEW(arena, struct solver),
                                  ARENA_NEW(arena, struct group_sequential_looks), 1 - plan->power};
    double fixed = group_sequential_fixed_drift(plan), enough = 1.05 * fixed + 0.01;

    search.solver->plan = plan;
    search.solver->futility = NULL;
    if (!group_sequential_solve(plan, fractions, count, true, fixed, arena, search.looks))
        return NAN;
    if (excess_miss(fixed, &search) <= 0)
        return fixed;
    while (excess_miss(enough, &search) > 0) {
        enough *= 1.15;
        if (enough > DRIFT_MAX)
            return NAN;
    }
    return root_find(excess_miss, &search, fixed, enough, TOLERANCE);
}

void group_sequential_stops(const struct group_sequential_looks *looks, double drift,
                            struct arena *arena, struct group_sequential_stops *stops)
{
    struct stopped_walk *walk = ARENA_NEW(arena, struct stopped_walk);
    double start = 0;

    walk_start(walk, 0);
    for (int i = 0; i < looks->count; i++) {
        const struct group_sequential_bounds *look = &looks->at[i];
        double root = sqrt(look->fraction);
        struct walk_step step = step_between(start, look->fraction, drift);

        stops->above[i] = walk_above(walk, &step, root * look->upper);
        stops->below[i] = walk_below(walk, &step, root * look->lower);
        if (i + 1 < looks->count)
            walk_advance(walk, &step, root * look->lower, root * look->upper,
                         sqrt(looks->at[i + 1].fraction - look->fraction));
        start = look->fraction;
    }
}

struct alpha_search {
    struct group_sequential_plan plan;
    struct solver *solver;
    struct group_sequential_looks *looks;
    bool is_final;
    double z;
};

static double excess_boundary(double log_alpha, const void *context)
{
    struct alpha_search search = *(const struct alpha_search *)context;

    search.plan.alpha = exp(log_alpha);
    search.solver->plan = &search.plan;
    if (!solve_looks(search.solver, search.is_final, search.looks))
        return -1; /* an alpha that is too large to be spent */
    return fmin(search.looks->at[search.looks->count - 1].upper, 40) - search.z;
}

double group_sequential_repeated_p(const struct group_sequential_plan *plan,
                                   const struct group_sequential_looks *looks, bool is_final,
                                   double z, struct arena *arena)
{
    struct alpha_search search = {.plan = *plan,
                                  .solver = ARENA_NEW(arena, struct solver),
                                  .looks = ARENA_NEW(arena, struct group_sequential_looks),
                                  .is_final = is_final,
                                  .z = plan->sides == 2 ? fabs(z) : z};
    double least = log(1e-10), most = log(0.5);

    *search.looks = *looks;
    search.solver->futility = looks;
    if (excess_boundary(most, &search) > 0)
        return 1;
    if (excess_boundary(least, &search) < 0)
        return 1e-10;
    return exp(root_find(excess_boundary, &search, least, most, 1e-9));
}
