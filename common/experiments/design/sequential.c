/*
 * Group sequential designs by recursive numerical integration. Knows no metric: computes boundaries
 * and inflation from alpha, power and the number of looks.
 *
 * With equal increments of information the score process S_k = Z_k sqrt(k) is a random walk with
 * standard normal steps, and the O'Brien-Fleming boundary |Z_k| >= C sqrt(K / k) is the constant
 * |S_k| >= C sqrt(K). So one transition matrix serves every look. Under the null hypothesis the
 * density is even, so the grid covers [0, b] only; under a drift of mu per step it is the same
 * density times exp(mu s - k mu^2 / 2), so one pass answers for every drift.
 *
 * Sources: Armitage, McPherson and Rowe 1969 (the recursion); O'Brien and Fleming 1979 (the
 * boundary); Jennison and Turnbull 2000, chapters 2 and 19 (constants, inflation factor).
 */
#include "experiments/design/sequential.h"

#include "math/normal.h"
#include "math/quadrature.h"
#include "math/root.h"

#include <math.h>
#include <stdbool.h>

/* Below this, likelihood ratios of the walk leave the range of doubles. */
#define ALPHA_MINIMUM 1e-100

/* Nodes per unit of the boundary's height. Gauss-Legendre nodes are pi/2 of the mean spacing apart
 * in the middle: 0.6 standard deviations of a step, where the error of summing a normal density is
 * near exp(-(pi / 0.6)^2) = 1e-12. Past QUADRATURE_NODES_MAX (alpha below 1e-80) it is 1e-10. */
#define NODES_PER_UNIT 2.6
enum { NODES_LEAST = 24, DESIGNS_KEPT = 8 };

/* The walk between the boundaries -b and b, under the null hypothesis. */
struct walk {
    int looks;
    int nodes;
    double boundary; /* b = C sqrt(K) */
    double node[QUADRATURE_NODES_MAX];
    double weight[QUADRATURE_NODES_MAX];
    /* density[k][i]: of S at node i after look k + 1 for walks still inside; even in S */
    double density[SEQUENTIAL_LOOKS_MAX][QUADRATURE_NODES_MAX];
    double crossed[SEQUENTIAL_LOOKS_MAX]; /* probability of crossing at look k + 1, not before */
    /* row i holds nodes[i] to nodes[j] and to its mirror image, first[i] <= j < end[i] */
    double transition[QUADRATURE_NODES_MAX * QUADRATURE_NODES_MAX];
    int first[QUADRATURE_NODES_MAX];
    int end[QUADRATURE_NODES_MAX];
};

static bool lay_grid(struct walk *walk, double constant)
{
    double b = constant * sqrt(walk->looks);

    walk->boundary = b;
    walk->nodes = (int)fmin(NODES_LEAST + NODES_PER_UNIT * b, QUADRATURE_NODES_MAX);
    return gauss_legendre(walk->nodes, 0, b, walk->node, walk->weight);
}

/* Steps longer than `reach` matter for nothing: the likeliest way to the boundary at look k takes k
 * equal steps of b / k, and looks early enough to need longer ones weigh less than e^-40 of the
 * last. */
static void fill_transition(struct walk *walk, double constant)
{
    double reach = 9 + (constant * constant + 80) / (constant * sqrt(walk->looks));
    int n = walk->nodes;

    for (int i = 0; i < n; i++) {
        walk->first[i] = 0;
        walk->end[i] = n;
        for (int j = 0; j <= i; j++) {
            double apart = walk->node[i] - walk->node[j];
            double mirrored = walk->node[i] + walk->node[j];
            double density = 0;

            if (apart > reach) {
                walk->first[i] = j + 1;
                walk->end[j] = walk->end[j] < i ? walk->end[j] : i;
                continue;
            }
            density = normal_density(apart);
            if (mirrored <= reach)
                density += normal_density(mirrored);
            walk->transition[i * n + j] = walk->transition[j * n + i] = density;
        }
    }
}

static double weighted_sum(const struct walk *walk, const double *density, const double *values)
{
    double sum = 0;

    for (int i = 0; i < walk->nodes; i++)
        sum += walk->weight[i] * density[i] * values[i];
    return sum;
}

static void step(const struct walk *walk, const double *before, double *after)
{
    double mass[QUADRATURE_NODES_MAX];

    for (int j = 0; j < walk->nodes; j++)
        mass[j] = walk->weight[j] * before[j];
    for (int i = 0; i < walk->nodes; i++) {
        const double *row = walk->transition + i * walk->nodes;
        double sum = 0;

        for (int j = walk->first[i]; j < walk->end[i]; j++)
            sum += row[j] * mass[j];
        after[i] = sum;
    }
}

/* Runs the walk through all looks; the probability of crossing either boundary. */
static double run_walk(struct walk *walk, double constant)
{
    double leave[QUADRATURE_NODES_MAX]; /* both sides, from a node and from its mirror image */
    double total;

    if (!lay_grid(walk, constant))
        return NAN;
    fill_transition(walk, constant);
    for (int i = 0; i < walk->nodes; i++) {
        leave[i] = 2 * (normal_survival(walk->boundary - walk->node[i]) +
                        normal_survival(walk->boundary + walk->node[i]));
        walk->density[0][i] = normal_density(walk->node[i]);
    }
    total = walk->crossed[0] = 2 * normal_survival(walk->boundary);
    for (int k = 1; k < walk->looks; k++) {
        walk->crossed[k] = weighted_sum(walk, walk->density[k - 1], leave);
        total += walk->crossed[k];
        step(walk, walk->density[k - 1], walk->density[k]);
    }
    return total;
}

struct crossing_search {
    struct walk *walk;
    double alpha;
};

static double excess_alpha(double constant, const void *context)
{
    const struct crossing_search *search = context;

    return log(run_walk(search->walk, constant) / search->alpha);
}

/* The constant lies between the fixed-sample quantile (the last look alone spends alpha) and the
 * one for alpha / 2, because P(max |S| >= b) <= 2 P(|S_K| >= b) (Levy's inequality). Few looks at a
 * tiny alpha meet the lower end to the last digit, so the bracket begins a little below it. */
static double solve_constant(struct walk *walk, double alpha)
{
    struct crossing_search search = {walk, alpha};
    double fixed = normal_upper_quantile(alpha / 2);

    if (walk->looks == 1)
        return fixed;
    return root_find(excess_alpha, &search, fixed * (1 - 1e-9), normal_upper_quantile(alpha / 4),
                     1e-12);
}

/* Probability, under a drift of `total_drift` over all looks, that the walk never leaves by the
 * boundary the drift points to: it stays inside, or leaves by the other one. */
static double miss_probability(const struct walk *walk, double total_drift)
{
    double mu = total_drift / sqrt(walk->looks), b = walk->boundary;
    double inside[QUADRATURE_NODES_MAX], other_side[QUADRATURE_NODES_MAX];
    double miss = normal_survival(b + mu); /* by the other boundary at the first look */

    for (int i = 0; i < walk->nodes; i++) {
        double s = walk->node[i];

        inside[i] = exp(mu * s) + exp(-mu * s);
        other_side[i] =
            exp(mu * s) * normal_survival(b + s + mu) + exp(-mu * s) * normal_survival(b - s + mu);
    }
    for (int k = 1; k < walk->looks; k++)
        miss += exp(-k * mu * mu / 2) * weighted_sum(walk, walk->density[k - 1], other_side);
    return miss + exp(-walk->looks * mu * mu / 2) *
                      weighted_sum(walk, walk->density[walk->looks - 1], inside);
}

struct drift_search {
    const struct walk *walk;
    double target;
};

static double excess_miss(double total_drift, const void *context)
{
    const struct drift_search *search = context;

    return log(miss_probability(search->walk, total_drift) / search->target);
}

/* Information is the square of the drift, so the inflation factor is the squared ratio of the drift
 * that the sequential design needs for its power to the one that a single look needs. Both count
 * rejections in the drift's own direction. */
static double solve_inflation(const struct walk *walk, double constant, double alpha, double power)
{
    struct drift_search search = {walk, 1 - power};
    double fixed = normal_upper_quantile(alpha / 2) + normal_quantile(power);
    double enough = constant + normal_quantile(power) + 0.01; /* for the last look alone */
    double ratio;

    if (walk->looks == 1 || excess_miss(fixed, &search) <= 0)
        return 1;
    while (excess_miss(enough, &search) > 0)
        enough += 0.1;
    ratio = root_find(excess_miss, &search, fixed, enough, 1e-12) / fixed;
    return ratio * ratio;
}

static void describe_looks(const struct walk *walk, struct sequential_design *design)
{
    double spent = 0;

    for (int k = 1; k <= walk->looks; k++) {
        struct sequential_look *look = &design->look[k - 1];

        spent += walk->crossed[k - 1];
        look->look = k;
        look->info_fraction = (double)k / walk->looks;
        look->z_boundary = design->constant * sqrt((double)walk->looks / k);
        look->p_boundary = 2 * normal_survival(look->z_boundary);
        look->incremental_alpha = walk->crossed[k - 1];
        look->cumulative_alpha_spent = spent;
    }
}

static void solve(int looks, double alpha, double power, struct sequential_design *design)
{
    static struct walk walk; /* too large for the stack; a process solves one design at a time */

    walk.looks = looks;
    design->looks = looks;
    design->constant = solve_constant(&walk, alpha);
    run_walk(&walk, design->constant);
    design->inflation_factor = solve_inflation(&walk, design->constant, alpha, power);
    describe_looks(&walk, design);
}

enum error sequential_solve(int looks, double alpha, double power, struct sequential_design *design,
                            struct problem *problem)
{
    static struct {
        double alpha, power;
        struct sequential_design design;
    } kept[DESIGNS_KEPT];
    static int oldest;

    if (looks < 1 || looks > SEQUENTIAL_LOOKS_MAX)
        return problem_set(problem, ERROR_INVALID, "looks_out_of_range",
                           "n_looks must lie between 1 and %d.", SEQUENTIAL_LOOKS_MAX);
    if (!(alpha >= ALPHA_MINIMUM && alpha < 1))
        return problem_set(problem, ERROR_INVALID, "alpha_out_of_range",
                           "alpha, divided by the number of comparisons, must lie between %g and 1 "
                           "for a group sequential design.",
                           ALPHA_MINIMUM);
    if (!(power > alpha && power < 1))
        return problem_set(problem, ERROR_INVALID, "power_not_above_alpha",
                           "power must be above alpha and below 1 for a group sequential design.");
    for (int i = 0; i < DESIGNS_KEPT; i++) {
        if (kept[i].design.looks == looks && kept[i].alpha == alpha && kept[i].power == power) {
            *design = kept[i].design;
            return ERROR_NONE;
        }
    }
    *design = (struct sequential_design){0};
    solve(looks, alpha, power, design);
    kept[oldest].alpha = alpha;
    kept[oldest].power = power;
    kept[oldest].design = *design;
    oldest = (oldest + 1) % DESIGNS_KEPT;
    return ERROR_NONE;
}
