/* Given the control's deviate z and S = s, the treatments are independent: Z_j = lambda_j z +
 * sqrt(1 - lambda_j^2) e_j. What remains are two integrals, of any number of treatments. */
#include "stats/arms/many_to_one.h"

#include "math/chi_square.h"
#include "math/normal.h"
#include "math/quadrature.h"
#include "math/root.h"
#include "math/student.h"

#include <math.h>

enum { PANEL_NODES = 32, PANELS_MAX = 24, SPREAD_PANELS = 2 };

#define CONTROL_END 8.5   /* of the control's deviate, both sides */
#define PANEL_WIDTH 6.0   /* of the steepest treatment's scale */
#define SPREAD_TAIL 1e-15 /* of the law of S that is left out */

double many_to_one_lambda(double control_variance, double treatment_variance)
{
    return sqrt(control_variance / (control_variance + treatment_variance));
}

/* Nodes on [low, high] in panels of the same width. */
static void spread_nodes(double low, double high, int panels, double *nodes, double *weights)
{
    double width = (high - low) / panels;

    for (int i = 0; i < panels; i++)
        gauss_legendre(PANEL_NODES, low + i * width, low + (i + 1) * width,
                       nodes + (size_t)i * PANEL_NODES, weights + (size_t)i * PANEL_NODES);
}

/* The nodes of the control's deviate, weighted by its density. */
struct control_nodes {
    int count;
    double at[PANEL_NODES * PANELS_MAX], weight[PANEL_NODES * PANELS_MAX];
};

static void place_control(const struct many_to_one *law, struct control_nodes *nodes)
{
    double slope = 0;
    int panels;

    for (size_t j = 0; j < law->count; j++)
        slope = fmax(slope, law->lambda[j] / sqrt(1 - law->lambda[j] * law->lambda[j]));
    panels = (int)fmin(ceil(2 * CONTROL_END * fmax(slope, 1) / PANEL_WIDTH), PANELS_MAX);
    nodes->count = panels * PANEL_NODES;
    spread_nodes(-CONTROL_END, CONTROL_END, panels, nodes->at, nodes->weight);
    for (int i = 0; i < nodes->count; i++)
        nodes->weight[i] *= normal_density(nodes->at[i]);
}

/* P(low <= Z <= high), from the tail that keeps its digits. */
static double between(double low, double high)
{
    if (high <= low)
        return 0;
    return low > 0 ? normal_survival(low) - normal_survival(high)
                   : normal_cdf(high) - normal_cdf(low);
}

static double bound_at(struct many_to_one_bound bound, double spread)
{
    return isinf(bound.slope) ? bound.slope : bound.slope * spread + bound.offset;
}

/* Whether a treatment has the law and the bounds of the one before: most plans have equal arms. */
static bool is_alike(const struct many_to_one *law, const struct many_to_one_bound *low,
                     const struct many_to_one_bound *high, size_t j)
{
    return law->lambda[j] == law->lambda[j - 1] && low[j].slope == low[j - 1].slope &&
           low[j].offset == low[j - 1].offset && high[j].slope == high[j - 1].slope &&
           high[j].offset == high[j - 1].offset;
}

static double probability_given_spread(const struct many_to_one *law,
                                       const struct control_nodes *nodes, double spread,
                                       const struct many_to_one_bound *low,
                                       const struct many_to_one_bound *high)
{
    double sum = 0;

    if (law->count == 1)
        return between(bound_at(low[0], spread), bound_at(high[0], spread));
    for (int i = 0; i < nodes->count; i++) {
        double product = nodes->weight[i], factor = 0;

        for (size_t j = 0; j < law->count && product > 0; j++) {
            double lambda = law->lambda[j], own = sqrt(1 - lambda * lambda);
            double middle = lambda * nodes->at[i];

            if (j == 0 || !is_alike(law, low, high, j))
                factor = between((bound_at(low[j], spread) - middle) / own,
                                 (bound_at(high[j], spread) - middle) / own);
            product *= factor;
        }
        sum += product;
    }
    return sum;
}

double many_to_one_probability(const struct many_to_one *law, const struct many_to_one_bound *low,
                               const struct many_to_one_bound *high)
{
    struct control_nodes nodes = {0};
    double at[PANEL_NODES * SPREAD_PANELS] = {0}, weight[PANEL_NODES * SPREAD_PANELS] = {0};
    double first, last, sum = 0;

    place_control(law, &nodes);
    if (isinf(law->df))
        return probability_given_spread(law, &nodes, 1, low, high);
    first = sqrt(chi_square_quantile(SPREAD_TAIL, law->df) / law->df);
    last = sqrt(chi_square_upper_quantile(SPREAD_TAIL, law->df) / law->df);
    spread_nodes(first, last, SPREAD_PANELS, at, weight);
    for (int i = 0; i < PANEL_NODES * SPREAD_PANELS; i++) {
        double density = 2 * law->df * at[i] * chi_square_density(law->df * at[i] * at[i], law->df);

        if (density * weight[i] > 1e-18)
            sum += weight[i] * density * probability_given_spread(law, &nodes, at[i], low, high);
    }
    return fmin(sum, 1);
}

struct search {
    const struct many_to_one *law;
    bool two_sided;
    double target;
};

static double within(const struct many_to_one *law, double c, bool two_sided)
{
    struct many_to_one_bound low[MANY_TO_ONE_MAX], high[MANY_TO_ONE_MAX];

    for (size_t j = 0; j < law->count; j++) {
        low[j] = (struct many_to_one_bound){two_sided ? -c : -INFINITY, 0};
        high[j] = (struct many_to_one_bound){c, 0};
    }
    return many_to_one_probability(law, low, high);
}

static double excess(double c, const void *context)
{
    const struct search *search = context;

    return within(search->law, c, search->two_sided) - search->target;
}

static double critical_between(const struct search *search, double low, double high)
{
    return root_find(excess, search, low, high, 1e-10);
}

/* At least the critical value of one treatment, at most that of Bonferroni. With finite degrees of
 * freedom it is close to the t quantile of the normal law's marginal level, which costs little. */
double many_to_one_critical(const struct many_to_one *law, double alpha, bool two_sided)
{
    const struct search search = {law, two_sided, 1 - alpha};
    double tail = two_sided ? alpha / 2 : alpha;
    double low = student_upper_quantile(tail, law->df);
    double high = student_upper_quantile(tail / (double)law->count, law->df), root = NAN;

    if (law->count == 1)
        return low;
    if (isfinite(law->df)) {
        struct many_to_one normal = *law;
        double near;

        normal.df = INFINITY;
        near = student_upper_quantile(
            normal_survival(many_to_one_critical(&normal, alpha, two_sided)), law->df);
        root = critical_between(&search, near * (1 - 0.02 / law->df), near * (1 + 0.02 / law->df));
    }
    if (isnan(root))
        root = critical_between(&search, low - 1e-3, high + 1e-3);
    return isnan(root) ? high : root;
}

double many_to_one_p_value(const struct many_to_one *law, double t, bool two_sided)
{
    double size = two_sided ? fabs(t) : t;
    double own = student_survival(size, law->df) * (two_sided ? 2 : 1);
    double bonferroni = fmin(own * (double)law->count, 1);

    if (law->count == 1 || bonferroni < 1e-8)
        return bonferroni;
    return fmin(fmax(1 - within(law, size, two_sided), own), bonferroni);
}
