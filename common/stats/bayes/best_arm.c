/* The integrals of a grid of panels, which are cut where some arm's distribution bends. */
#include "stats/bayes/best_arm.h"

#include "math/quadrature.h"
#include "math/root.h"

#include <math.h>
#include <stdlib.h>

/* A density that is infinite at an end of its range needs more cuts towards it. */
enum {
    DECADES = 15,
    STEEP_STEPS = 4,
    ARM_CUTS = 2 * DECADES * STEEP_STEPS + 4,
    CUTS_MAX = BEST_ARMS_MAX * ARM_CUTS,
    PANEL_NODES = 16
};

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

static bool is_steep(const struct posterior *arm)
{
    return (arm->kind == POSTERIOR_BETA && fmin(arm->a, arm->b) < 1) ||
           (arm->kind == POSTERIOR_GAMMA && arm->a < 1);
}

/* Quantiles at each decade of either tail, the quartiles and the median, moved by `shift`. */
static size_t add_cuts(const struct posterior *arm, double shift, double *cuts, size_t count)
{
    int steps = is_steep(arm) ? STEEP_STEPS : 1;

    for (int i = 1; i <= DECADES * steps; i++) {
        double tail = pow(10, -(double)i / steps);

        if (tail >= 0.5)
            continue;
        cuts[count++] = posterior_quantile(arm, tail) + shift;
        cuts[count++] = posterior_upper_quantile(arm, tail) + shift;
    }
    for (int i = 1; i <= 3; i++)
        cuts[count++] = posterior_quantile(arm, 0.25 * i) + shift;
    if (arm->kind != POSTERIOR_STUDENT)
        cuts[count++] = shift; /* where its range begins */
    return count;
}

/* Sorts the cuts, and leaves out those that are the same or infinite. */
static size_t order_cuts(double *cuts, size_t count)
{
    size_t kept = 0;

    qsort(cuts, count, sizeof *cuts, ascending);
    for (size_t i = 0; i < count; i++)
        if (isfinite(cuts[i]) && (kept == 0 || cuts[i] > cuts[kept - 1]))
            cuts[kept++] = cuts[i];
    return kept;
}

/* For each arm: probability that it is worse than x, and better. */
struct sides {
    double worse[BEST_ARMS_MAX], better[BEST_ARMS_MAX], density[BEST_ARMS_MAX];
};

static void look_at(const struct posterior *arms, size_t count, bool smaller, double x,
                    struct sides *sides)
{
    for (size_t i = 0; i < count; i++) {
        double below = posterior_below(&arms[i], x), above = posterior_above(&arms[i], x);

        sides->worse[i] = smaller ? above : below;
        sides->better[i] = smaller ? below : above;
        sides->density[i] = posterior_density(&arms[i], x);
    }
}

/* The probability that some other arm is better than x: 1 - the product, without cancellation. */
static double another_is_better(const struct sides *sides, size_t count, size_t arm, double *all)
{
    double logs = 0;

    for (size_t i = 0; i < count; i++)
        if (i != arm)
            logs += sides->better[i] < 0.5 ? log1p(-sides->better[i]) : log(sides->worse[i]);
    *all = exp(logs);
    return -expm1(logs);
}

static void add_point(const struct sides *sides, size_t count, double weight,
                      struct arm_chance *chances)
{
    for (size_t i = 0; i < count; i++) {
        double all, another = another_is_better(sides, count, i, &all);

        if (isfinite(sides->density[i]))
            chances[i].best += weight * sides->density[i] * all;
        chances[i].loss += weight * sides->worse[i] * another;
    }
}

static bool has_loss(const struct posterior *arms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (arms[i].kind == POSTERIOR_STUDENT && !(arms[i].c > 1))
            return false;
    return true;
}

void best_arm(const struct posterior *arms, size_t count, bool smaller, struct arena *arena,
              struct arm_chance *chances)
{
    double *cuts = ARENA_ARRAY(arena, double, CUTS_MAX);
    size_t cut_count = 0;
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        chances[i] = (struct arm_chance){0};
        cut_count = add_cuts(&arms[i], 0, cuts, cut_count);
    }
    cut_count = order_cuts(cuts, cut_count);
    for (size_t panel = 0; panel + 1 < cut_count; panel++) {
        double node[PANEL_NODES], weight[PANEL_NODES];
        struct sides sides;

        if (!gauss_legendre(PANEL_NODES, cuts[panel], cuts[panel + 1], node, weight))
            continue;
        for (int i = 0; i < PANEL_NODES; i++) {
            look_at(arms, count, smaller, node[i], &sides);
            add_point(&sides, count, weight[i], chances);
        }
    }
    for (size_t i = 0; i < count; i++)
        sum += chances[i].best;
    for (size_t i = 0; i < count; i++) {
        chances[i].best /= sum;
        if (!has_loss(arms, count))
            chances[i].loss = INFINITY;
    }
}

static double width(const struct posterior *arm)
{
    return posterior_upper_quantile(arm, 0.25) - posterior_quantile(arm, 0.25);
}

double difference_below(const struct posterior *one, const struct posterior *other,
                        double difference)
{
    bool own = width(one) <= width(other);
    const struct posterior *narrow = own ? one : other, *wide = own ? other : one;
    double cuts[2 * ARM_CUTS], sum = 0, mass = 0, sign = own ? 1 : -1;
    size_t count = add_cuts(wide, sign * difference, cuts, add_cuts(narrow, 0, cuts, 0));

    count = order_cuts(cuts, count);
    for (size_t panel = 0; panel + 1 < count; panel++) {
        double node[PANEL_NODES], weight[PANEL_NODES];

        if (!gauss_legendre(PANEL_NODES, cuts[panel], cuts[panel + 1], node, weight))
            continue;
        for (int i = 0; i < PANEL_NODES; i++) {
            double density = weight[i] * posterior_density(narrow, node[i]);

            if (!(density > 0 && isfinite(density)))
                continue;
            mass += density;
            sum += density * (own ? posterior_above(wide, node[i] - difference)
                                  : posterior_below(wide, node[i] + difference));
        }
    }
    return sum / mass;
}

struct wanted {
    const struct posterior *one, *other;
    double probability;
};

static double excess(double difference, const void *context)
{
    const struct wanted *wanted = context;

    return difference_below(wanted->one, wanted->other, difference) - wanted->probability;
}

/* A bracket that grows from the medians by the spread of both. */
static double difference_quantile(const struct posterior *one, const struct posterior *other,
                                  double probability)
{
    const struct wanted wanted = {one, other, probability};
    double middle = posterior_quantile(one, 0.5) - posterior_quantile(other, 0.5);
    double reach = 2 * hypot(width(one), width(other)), low = middle - reach, high = middle + reach;

    for (int i = 0; i < 60 && excess(low, &wanted) > 0; i++)
        low = middle - (reach *= 2);
    for (int i = 0; i < 60 && excess(high, &wanted) < 0; i++)
        high = middle + (reach *= 2);
    return root_find(excess, &wanted, low, high, 1e-12 * hypot(width(one), width(other)));
}

void difference_interval(const struct posterior *one, const struct posterior *other,
                         double credibility, double *lower, double *upper)
{
    *lower = difference_quantile(one, other, (1 - credibility) / 2);
    *upper = difference_quantile(one, other, (1 + credibility) / 2);
}
