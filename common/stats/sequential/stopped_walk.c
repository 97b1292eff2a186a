/* Panels of Gauss-Legendre nodes, and a transition that skips what lies beyond reach. */
#include "stats/sequential/stopped_walk.h"

#include "math/normal.h"
#include "math/quadrature.h"

#include <math.h>
#include <stddef.h>

/* A panel is at most so many deviations of the shorter neighboring step wide: 16 nodes integrate a
 * product of two normal densities over it to about 1e-11. */
enum { PANEL_NODES = 16 };
#define PANEL_DEVIATIONS 6.0

/* Positions further from the mean of the walk, and steps longer than this, weigh less than 1e-22
 * and 1e-19. */
#define RANGE_DEVIATIONS 10.0
#define REACH_DEVIATIONS 9.0

void walk_start(struct stopped_walk *walk, double position)
{
    walk->mean = position;
    walk->variance = 0;
    walk->current = 0;
    walk->grid[0].nodes = 1;
    walk->grid[0].node[0] = position;
    walk->grid[0].mass[0] = 1;
}

static const struct walk_grid *grid_of(const struct stopped_walk *walk)
{
    return &walk->grid[walk->current];
}

double walk_inside(const struct stopped_walk *walk)
{
    const struct walk_grid *grid = grid_of(walk);
    double sum = 0;

    for (int i = 0; i < grid->nodes; i++)
        sum += grid->mass[i];
    return sum;
}

double walk_above(const struct stopped_walk *walk, const struct walk_step *step, double bound)
{
    const struct walk_grid *grid = grid_of(walk);
    double sum = 0;

    for (int i = 0; i < grid->nodes; i++)
        sum += grid->mass[i] * normal_survival((bound - step->shift - step->scale * grid->node[i]) /
                                               step->deviation);
    return sum;
}

double walk_below(const struct stopped_walk *walk, const struct walk_step *step, double bound)
{
    const struct walk_grid *grid = grid_of(walk);
    double sum = 0;

    for (int i = 0; i < grid->nodes; i++)
        sum += grid->mass[i] *
               normal_cdf((bound - step->shift - step->scale * grid->node[i]) / step->deviation);
    return sum;
}

/* Lays the nodes over the interval; `mass` holds the weights. */
static void lay_panels(struct walk_grid *grid, double lower, double upper, double resolution)
{
    double node[PANEL_NODES], weight[PANEL_NODES];
    int most = WALK_NODES_MAX / PANEL_NODES;
    double panels = fmin(fmax(ceil((upper - lower) / (PANEL_DEVIATIONS * resolution)), 1), most);
    double width = (upper - lower) / panels;

    grid->nodes = 0;
    if (!(upper > lower) || !gauss_legendre(PANEL_NODES, 0, width, node, weight))
        return;
    for (int panel = 0; panel < (int)panels; panel++)
        for (int i = 0; i < PANEL_NODES; i++) {
            grid->node[grid->nodes] = lower + panel * width + node[i];
            grid->mass[grid->nodes++] = weight[i];
        }
}

static double density_at(const struct walk_grid *from, const struct walk_step *step, double to,
                         int *first)
{
    double reach = REACH_DEVIATIONS * step->deviation, density = 0;

    while (*first < from->nodes && step->scale * from->node[*first] + step->shift < to - reach)
        ++*first;
    for (int i = *first; i < from->nodes; i++) {
        double apart = to - step->shift - step->scale * from->node[i];

        if (apart < -reach)
            break;
        density +=
            from->mass[i] * exp(-0.5 * (apart / step->deviation) * (apart / step->deviation));
    }
    return density / (step->deviation * sqrt(2 * M_PI));
}

void walk_advance(struct stopped_walk *walk, const struct walk_step *step, double lower,
                  double upper, double next)
{
    const struct walk_grid *from = grid_of(walk);
    struct walk_grid *to = &walk->grid[!walk->current];
    double resolution = next > 0 ? fmin(step->deviation, next) : step->deviation, spread;
    int first = 0;

    walk->mean = step->scale * walk->mean + step->shift;
    walk->variance = step->scale * step->scale * walk->variance + step->deviation * step->deviation;
    spread = RANGE_DEVIATIONS * sqrt(walk->variance);
    lay_panels(to, fmax(lower, walk->mean - spread), fmin(upper, walk->mean + spread), resolution);
    for (int j = 0; j < to->nodes; j++)
        to->mass[j] *= density_at(from, step, to->node[j], &first);
    walk->current = !walk->current;
}

double walk_work(const double *variances, size_t count)
{
    double before = 0, spacing = 1, nodes = 1, work = 0;

    for (size_t i = 0; i < count; i++) {
        double step = sqrt(variances[i] - before);
        double next = i + 1 < count ? sqrt(variances[i + 1] - variances[i]) : step;
        double reached = fmin(nodes, 2 * REACH_DEVIATIONS * step / spacing);

        spacing = fmin(step, next) * PANEL_DEVIATIONS / PANEL_NODES;
        nodes = fmin(2 * RANGE_DEVIATIONS * sqrt(variances[i]) / spacing, WALK_NODES_MAX);
        work += nodes * reached;
        before = variances[i];
    }
    return work;
}
