/* Shifts and bounds of the statistics, and one probability of them. */
#include "experiments/planning/plan_power.h"

#include "experiments/planning/plan_internal.h"
#include "math/random.h"
#include "math/student.h"

#include <math.h>

#define RANKS_EFFICIENCY (3 / 3.14159265358979323846) /* of Mann-Whitney to t for normal data */

double plan_design_effect(const struct plan_clusters *clusters)
{
    if (!clusters->given)
        return 1;
    return 1 + ((1 + clusters->size_cv * clusters->size_cv) * clusters->size - 1) * clusters->icc;
}

void plan_users(const struct plan_design *design, double total, double *users)
{
    for (size_t arm = 0; arm < design->arms; arm++) {
        double size = design->clusters.given ? design->clusters.size : 1;
        double exact = total * design->share[arm] / size;

        users[arm] = fmax(ceil(exact * (1 - 1e-12)), 2) * size;
    }
}

double plan_df(const struct plan_design *design, const double *users)
{
    double all = 0, size = design->clusters.given ? design->clusters.size : 1;

    if (design->large)
        return INFINITY;
    for (size_t arm = 0; arm < design->arms; arm++)
        all += users[arm] / size;
    if (design->clusters.given || design->metric == PLAN_CONTINUOUS || design->metric == PLAN_RANKS)
        return all - (double)design->arms;
    return INFINITY;
}

/* The variance of one user's value at a level of the metric. */
double plan_user_variance(const struct plan_design *design, double level)
{
    switch (design->metric) {
    case PLAN_BINARY:
        return level * (1 - level);
    case PLAN_COUNT:
        return level;
    case PLAN_RANKS:
        return design->deviation * design->deviation / RANKS_EFFICIENCY;
    case PLAN_CONTINUOUS:
    case PLAN_RATIO:
    case PLAN_METRIC__MAX:
        break;
    }
    return design->deviation * design->deviation;
}

bool plan_pools_rates(const struct plan_design *design)
{
    return (design->metric == PLAN_BINARY || design->metric == PLAN_COUNT) &&
           design->correction != PLAN_DUNNETT &&
           (design->alternative == PLAN_TWO_SIDED || design->alternative == PLAN_ONE_SIDED);
}

/* Standard errors of a difference: as it varies, and as the test takes it to be. */
struct errors {
    double actual, tested;
};

static struct errors errors_of(const struct plan_design *design, const double *users,
                               size_t treatment, double effect)
{
    double inflation = plan_design_effect(&design->clusters);
    double n0 = users[0], n1 = users[treatment], level = design->baseline + effect;
    double pooled = (design->baseline * n0 + level * n1) / (n0 + n1);
    double actual =
        plan_user_variance(design, design->baseline) / n0 + plan_user_variance(design, level) / n1;
    double tested = plan_user_variance(design, pooled) * (1 / n0 + 1 / n1);

    return (struct errors){sqrt(actual * inflation),
                           sqrt((plan_pools_rates(design) ? tested : actual) * inflation)};
}

bool plan_is_two_sided(const struct plan_design *design)
{
    return design->alternative == PLAN_TWO_SIDED;
}

struct many_to_one plan_law(const struct plan_design *design, const double *users, double effect)
{
    struct many_to_one law = {.count = design->arms - 1, .df = plan_df(design, users)};

    for (size_t j = 0; j < law.count; j++)
        law.lambda[j] = many_to_one_lambda(plan_user_variance(design, design->baseline) / users[0],
                                           plan_user_variance(design, design->baseline + effect) /
                                               users[j + 1]);
    return law;
}

double plan_critical(const struct plan_design *design, const struct many_to_one *law)
{
    bool two_sided = plan_is_two_sided(design);
    double tail = two_sided ? design->alpha / 2 : design->alpha;

    if (design->correction == PLAN_DUNNETT)
        return many_to_one_critical(law, design->alpha, two_sided);
    if (design->correction != PLAN_NONE)
        tail /= (double)law->count;
    return student_upper_quantile(tail, law->df);
}

double plan_advantage(const struct plan_design *design, double effect)
{
    double advantage = design->decrease ? -effect : effect;

    return design->alternative == PLAN_NON_INFERIORITY ? advantage + design->margin : advantage;
}

/* For each treatment, the distance of the effect in its actual standard errors, and the critical
 * value in them. */
struct regions {
    double shift[MANY_TO_ONE_MAX], critical[MANY_TO_ONE_MAX];
};

static struct regions regions_of(const struct plan_design *design, const double *users,
                                 double effect, double critical)
{
    struct regions regions;

    for (size_t j = 0; j + 1 < design->arms; j++) {
        struct errors errors = errors_of(design, users, j + 1, effect);

        regions.shift[j] = plan_advantage(design, effect) / errors.actual;
        if (plan_is_two_sided(design))
            regions.shift[j] = fabs(regions.shift[j]);
        regions.critical[j] = critical * errors.tested / errors.actual;
    }
    return regions;
}

static const struct many_to_one_bound no_lower = {-INFINITY, 0}, no_upper = {INFINITY, 0};

/* No treatment is found. */
static double none_found(const struct many_to_one *law, const struct regions *regions,
                         bool two_sided)
{
    struct many_to_one_bound low[MANY_TO_ONE_MAX], high[MANY_TO_ONE_MAX];

    for (size_t j = 0; j < law->count; j++) {
        high[j] = (struct many_to_one_bound){regions->critical[j], -regions->shift[j]};
        low[j] = two_sided ? (struct many_to_one_bound){-regions->critical[j], -regions->shift[j]}
                           : no_lower;
    }
    return many_to_one_probability(law, low, high);
}

/* Every treatment is found, in the direction of the effect. */
static double all_found(const struct many_to_one *law, const struct regions *regions)
{
    struct many_to_one_bound low[MANY_TO_ONE_MAX], high[MANY_TO_ONE_MAX];

    for (size_t j = 0; j < law->count; j++) {
        low[j] = (struct many_to_one_bound){regions->critical[j], -regions->shift[j]};
        high[j] = no_upper;
    }
    return many_to_one_probability(law, low, high);
}

/* Holm's procedure finds all treatments: the smallest statistic passes the critical value of one
 * comparison, the next that of two, and so on. The share of draws from the joint law. */
static double holm_all_found(const struct plan_design *design, const struct many_to_one *law,
                             const struct regions *regions)
{
    struct random random = random_start(PLAN_SEED, 0);
    double levels[MANY_TO_ONE_MAX], statistics[MANY_TO_ONE_MAX] = {0};
    int64_t reached = 0;

    plan_holm_levels(design, law, levels);
    for (int run = 0; run < PLAN_RUNS; run++) {
        double control = random_normal(&random), spread = 1;

        if (isfinite(law->df))
            spread = sqrt(2 * random_gamma(&random, law->df / 2) / law->df);
        for (size_t j = 0; j < law->count; j++) {
            double lambda = law->lambda[j], own = sqrt(1 - lambda * lambda);
            double z = lambda * control + own * random_normal(&random) + regions->shift[j];

            statistics[j] = z / spread / regions->critical[j] * levels[0];
        }
        reached += plan_holm_finds_all(levels, statistics, law->count);
    }
    return (double)reached / PLAN_RUNS;
}

static void set_simulated(double share, struct plan_power *found)
{
    found->power = share;
    found->standard_error = sqrt(share * (1 - share) / PLAN_RUNS);
}

/* The least of the treatments' own powers. */
static double least_power(const struct many_to_one *law, const struct regions *regions)
{
    double least = 1;

    for (size_t j = 0; j < law->count; j++) {
        struct many_to_one one = {.count = 1, .df = law->df};
        struct many_to_one_bound low = {regions->critical[j], -regions->shift[j]};

        least = fmin(least, many_to_one_probability(&one, &low, &no_upper));
    }
    return least;
}

/* Both one-sided tests reject: the estimate lies within the margins by the critical distance. */
static double equivalence_power(const struct plan_design *design, const struct many_to_one *law,
                                const double *users, double effect, double critical)
{
    double least = 1;

    for (size_t j = 0; j < law->count; j++) {
        struct many_to_one one = {.count = 1, .df = law->df};
        double error = errors_of(design, users, j + 1, effect).actual;
        struct many_to_one_bound low = {critical, -(design->margin + effect) / error};
        struct many_to_one_bound high = {-critical, (design->margin - effect) / error};

        least = fmin(least, many_to_one_probability(&one, &low, &high));
    }
    return least;
}

static bool is_possible(const struct plan_design *design, double effect)
{
    double level = design->baseline + effect;

    if (design->metric == PLAN_BINARY)
        return level > 0 && level < 1;
    return design->metric != PLAN_COUNT || level > 0;
}

struct plan_power plan_power(const struct plan_design *design, const double *users, double effect)
{
    struct many_to_one law;
    struct plan_power found = {.power = NAN};
    struct regions regions;

    if (!is_possible(design, effect))
        return found;
    law = plan_law(design, users, effect);
    found.df = law.df;
    found.critical = plan_critical(design, &law);
    if (design->alternative == PLAN_EQUIVALENCE) {
        found.power = equivalence_power(design, &law, users, effect, found.critical);
        return found;
    }
    regions = regions_of(design, users, effect, found.critical);
    if (design->target == PLAN_EACH || law.count == 1)
        found.power = least_power(&law, &regions);
    else if (design->target == PLAN_ANY)
        found.power = 1 - none_found(&law, &regions, plan_is_two_sided(design));
    else if (design->correction != PLAN_HOLM)
        found.power = all_found(&law, &regions);
    else
        set_simulated(holm_all_found(design, &law, &regions), &found);
    return found;
}
