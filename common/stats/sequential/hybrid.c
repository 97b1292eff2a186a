/* The density of the walks that never crossed, stepped over the chords of the boundary. */
#include "stats/sequential/hybrid.h"

#include "math/normal.h"
#include "math/quadrature.h"
#include "math/root.h"
#include "stats/sequential/confidence_sequence.h"

#include <math.h>

/* The chords of such steps of ln(1 + mixture t) raise the error of a boundary by about 0.05 % of
 * it. */
#define STEP_LENGTH 0.04

/* 16 nodes integrate the density over such a width of one step's deviation to about 1e-11. */
enum { PANEL_NODES = 16, NODES_MAX = 1024 };
#define PANEL_DEVIATIONS 6.0

/* Steps of more deviations than this weigh less than 1e-22. */
#define REACH_SQUARED 100.0

/* What is left of |z| at which two ends differ, and of the logarithm of a p-value. */
#define TOLERANCE 1e-10
#define ALPHA_MAX 0.9999
#define DRIFT_MAX 40.0

/* Of one design while its p-value is searched. */
enum { SEARCH_BYTES = 16 << 20 };

double hybrid_mixture(double fraction, double alpha, double early_share)
{
    return confidence_sequence_mixture(fraction, alpha * early_share);
}

/* The boundary on the scale of the score. */
static double boundary_at(const struct hybrid_plan *plan, double t)
{
    double r = plan->mixture;

    return sqrt((t + 1 / r) * (log1p(r * t) - 2 * log(plan->alpha * plan->early_share)));
}

double hybrid_early_z(const struct hybrid_plan *plan, double t)
{
    return boundary_at(plan, t) / sqrt(t);
}

/* One step from `from` to the time `time`, between boundaries. */
struct step {
    const struct hybrid_walk *from;
    double variance, before, after; /* the boundaries at either end */
};

/* What a walk at x contributes to the density at y: no bridge from x to y touched either chord. To
 * touch both is not told apart from touching each, which overstates the crossing. */
static double pass(const struct step *step, double x, double y)
{
    double distance = (y - x) * (y - x) / step->variance, upper, lower;

    if (distance > REACH_SQUARED)
        return 0;
    upper = exp(-2 * (step->before - x) * (step->after - y) / step->variance);
    lower = exp(-2 * (step->before + x) * (step->after + y) / step->variance);
    return fmax(0, 1 - upper - lower) * exp(-distance / 2);
}

/* The density at y after the step. */
static double density_at(const struct step *step, double y)
{
    const struct hybrid_walk *from = step->from;
    double sum = 0;

    for (int i = 0; i < from->nodes; i++)
        sum += from->mass[i] * (pass(step, from->node[i], y) + pass(step, -from->node[i], y));
    return sum / sqrt(2 * M_PI * step->variance);
}

/* The probability that a walk at x crosses the chord above it in the step (Doob 1949). */
static double crossing_above(const struct step *step, double x)
{
    double deviation = sqrt(step->variance), at = step->before - x, end = step->after - x;

    return normal_survival(end / deviation) +
           exp(-2 * at * (end - at) / step->variance) * normal_cdf((end - 2 * at) / deviation);
}

/* The probability of crossing either chord in the step. */
static double crossing(const struct step *step)
{
    const struct hybrid_walk *from = step->from;
    double sum = 0;

    for (int i = 0; i < from->nodes; i++)
        sum += 2 * from->mass[i] *
               (crossing_above(step, from->node[i]) + crossing_above(step, -from->node[i]));
    return sum;
}

/* Nodes from `lower` to `upper`, as fine as the step asks for, with the mass after it. */
static struct hybrid_walk walk_to(const struct step *step, double time, double lower, double upper,
                                  struct arena *arena)
{
    double unit[PANEL_NODES], weight[PANEL_NODES], width = fmax(upper - lower, 0);
    double panels = fmin(fmax(ceil(width / (PANEL_DEVIATIONS * sqrt(step->variance))), 1),
                         (double)NODES_MAX / PANEL_NODES);
    int nodes = PANEL_NODES * (int)panels;
    double *node = ARENA_ARRAY(arena, double, (size_t)nodes);
    double *mass = ARENA_ARRAY(arena, double, (size_t)nodes);

    (void)gauss_legendre(PANEL_NODES, 0, width / panels, unit, weight);
    for (int i = 0; i < nodes; i++) {
        int panel = i / PANEL_NODES;

        node[i] = lower + panel * width / panels + unit[i % PANEL_NODES];
        mass[i] = weight[i % PANEL_NODES] * density_at(step, node[i]);
    }
    return (struct hybrid_walk){time, nodes, node, mass};
}

/* All walks stand at 0, each half of them on its own side. */
static struct hybrid_walk start(void)
{
    static const double zero = 0, half = 0.5;

    return (struct hybrid_walk){0, 1, &zero, &half};
}

static struct step step_between(const struct hybrid_plan *plan, const struct hybrid_walk *from,
                                double time)
{
    return (struct step){from, time - from->time, boundary_at(plan, from->time),
                         boundary_at(plan, time)};
}

static double time_of(const struct hybrid_design *design, int step)
{
    const struct hybrid_plan *plan = &design->plan;

    return step == design->steps
               ? plan->end
               : expm1(log1p(plan->mixture * plan->end) * step / design->steps) / plan->mixture;
}

/* Steps the density up to the end, before its test. */
static void cross(struct hybrid_design *design, struct arena *arena)
{
    const struct hybrid_plan *plan = &design->plan;
    double pairs = ceil(log1p(plan->mixture * plan->end) / STEP_LENGTH / 2);

    design->steps = 2 * (int)fmin(fmax(pairs, 8), HYBRID_STEPS_MAX / 2.0);
    design->at[0] = start();
    design->early_error = 0;
    for (int i = 1; i <= design->steps; i++) {
        double time = time_of(design, i);
        struct step step = step_between(plan, &design->at[i - 1], time);

        design->early_error += crossing(&step);
        design->at[i] = walk_to(&step, time, 0, step.after, arena);
    }
}

/* The walks of the last step that end between the limits, at most at the boundary. */
static struct hybrid_walk end_between(const struct hybrid_design *design, double lower,
                                      double upper, struct arena *arena)
{
    const struct hybrid_walk *before = &design->at[design->steps - 1];
    struct step step = step_between(&design->plan, before, design->plan.end);

    return walk_to(&step, design->plan.end, lower, fmin(upper, step.after), arena);
}

/* The probability of being among the walks for a drift. */
static double share_of(const struct hybrid_walk *walk, double drift)
{
    double sum = 0, level = drift * drift * walk->time / 2;

    for (int i = 0; i < walk->nodes; i++)
        sum += walk->mass[i] *
               (exp(drift * walk->node[i] - level) + exp(-drift * walk->node[i] - level));
    return sum;
}

struct end_search {
    const struct hybrid_design *design;
    struct arena *arena;
};

/* The error of a test that rejects at the end beyond the score `limit`. Small errors keep their
 * digits: they are sums of what crosses, not 1 less what does not. */
static double error_of(const struct hybrid_design *design, double limit, struct arena *arena)
{
    struct hybrid_walk beyond = end_between(design, limit, INFINITY, arena);

    return design->early_error + share_of(&beyond, 0);
}

static double excess_error(double limit, const void *context)
{
    const struct end_search *search = context;

    return error_of(search->design, limit, search->arena) / search->design->plan.alpha - 1;
}

static bool is_in_range(const struct hybrid_plan *plan)
{
    return plan->alpha >= HYBRID_ALPHA_MIN && plan->alpha <= ALPHA_MAX && plan->early_share > 0 &&
           plan->early_share < 1 && plan->mixture > 0 && isfinite(plan->mixture) && plan->end > 0 &&
           isfinite(plan->end);
}

bool hybrid_solve(const struct hybrid_plan *plan, struct arena *arena, struct hybrid_design *design)
{
    struct end_search search = {design, arena};
    double limit;

    if (!is_in_range(plan))
        return false;
    design->plan = *plan;
    cross(design, arena);
    limit = root_find(excess_error, &search, 0, boundary_at(plan, plan->end), TOLERANCE);
    if (isnan(limit))
        return false;
    design->end_z = limit / sqrt(plan->end);
    design->accepted = end_between(design, 0, limit, arena);
    return true;
}

double hybrid_early_probability(const struct hybrid_design *design, double drift)
{
    return 1 - share_of(&design->at[design->steps], drift);
}

double hybrid_power(const struct hybrid_design *design, double drift)
{
    return 1 - share_of(&design->accepted, drift);
}

struct drift_search {
    const struct hybrid_design *design;
    double power;
};

static double missing_power(double drift, const void *context)
{
    const struct drift_search *search = context;

    return search->power - hybrid_power(search->design, drift);
}

double hybrid_drift(const struct hybrid_design *design, double power)
{
    const double most = DRIFT_MAX / sqrt(design->plan.end);
    struct drift_search search = {design, power};

    return power > design->plan.alpha && power < 1
               ? root_find(missing_power, &search, 0, most, TOLERANCE)
               : NAN;
}

struct fixed_search {
    double z, power;
};

static double missing_fixed_power(double drift, const void *context)
{
    const struct fixed_search *search = context;

    return search->power - normal_survival(search->z - drift) - normal_survival(search->z + drift);
}

double hybrid_fixed_drift(double alpha, double power)
{
    struct fixed_search search = {normal_upper_quantile(alpha / 2), power};

    return power > alpha && power < 1
               ? root_find(missing_fixed_power, &search, 0, DRIFT_MAX, TOLERANCE)
               : NAN;
}

/* Simpson's rule over equal steps of ln(1 + mixture t). */
double hybrid_expected_information(const struct hybrid_design *design, double drift)
{
    const struct hybrid_plan *plan = &design->plan;
    double length = log1p(plan->mixture * plan->end) / design->steps, sum = 0;

    for (int i = 0; i <= design->steps; i++) {
        double weight = i == 0 || i == design->steps ? 1 : i % 2 ? 4 : 2;

        sum += weight * share_of(&design->at[i], drift) * (1 / plan->mixture + design->at[i].time);
    }
    return sum * length / 3;
}

struct p_search {
    const struct hybrid_plan *plan;
    double score;
    struct arena *arena;
};

/* Positive where a test of this alpha rejects. */
static double margin_of(double log_alpha, const void *context)
{
    const struct p_search *search = context;
    struct hybrid_design *design;

    arena_reset(search->arena);
    design = ARENA_NEW(search->arena, struct hybrid_design);
    design->plan = *search->plan;
    design->plan.alpha = exp(log_alpha);
    cross(design, search->arena);
    return log_alpha - log(error_of(design, search->score, search->arena));
}

double hybrid_end_p(const struct hybrid_plan *plan, double z, struct arena *arena)
{
    struct p_search search = {plan, fabs(z) * sqrt(plan->end),
                              arena_create_below(arena, SEARCH_BYTES)};
    double least = log(HYBRID_ALPHA_MIN), most = log(ALPHA_MAX);

    if (!(search.score > 0) || margin_of(most, &search) <= 0)
        return 1;
    if (margin_of(least, &search) >= 0)
        return HYBRID_ALPHA_MIN;
    return exp(root_find(margin_of, &search, least, most, TOLERANCE));
}
