/* Data sets by their sums: successes, events, means with their sums of squares, clusters. */
#include "experiments/planning/plan_internal.h"
#include "math/binomial.h"
#include "math/poisson.h"
#include "math/random.h"
#include "math/student.h"

#include <math.h>

/* An arm as the analysis sees it: its estimate, and the variance of that. */
struct drawn_arm {
    double users, estimate, variance;
};

/* Everything that stays the same from run to run. */
struct simulation {
    const struct plan_design *design;
    const double *users;
    double effect, df, critical;
    size_t smallest;              /* treatment */
    double holm[MANY_TO_ONE_MAX]; /* critical values of the most extreme, the next, ... */
};

/* Clusters of sizes with the given coefficient of variation: a gamma of that shape. Their means
 * vary by icc, and by the users in them. The variance of the arm is CR2's. */
static struct drawn_arm draw_clusters(const struct simulation *simulation, struct random *random,
                                      double users, double level)
{
    const struct plan_clusters *clusters = &simulation->design->clusters;
    double variance = plan_user_variance(simulation->design, level);
    double shape = 1 / (clusters->size_cv * clusters->size_cv);
    size_t count = (size_t)rint(users / clusters->size);
    double weight = 0, sum = 0, squares = 0, product = 0, whole = 0;

    for (size_t i = 0; i < count; i++) {
        double size = clusters->size, mean, spread;

        if (clusters->size_cv > 0)
            size = fmax(size * random_gamma(random, shape) / shape, 1);
        spread = sqrt(variance * (clusters->icc + (1 - clusters->icc) / size));
        mean = level + spread * random_normal(random);
        weight += size;
        sum += size * mean;
        squares += size * size * mean * mean;
        product += size * size * mean;
        whole += size * size;
    }
    sum /= weight;
    squares += sum * (sum * whole - 2 * product);
    return (struct drawn_arm){users, sum,
                              squares / (weight * weight) / (1 - whole / (weight * weight))};
}

static struct drawn_arm draw_arm(const struct simulation *simulation, struct random *random,
                                 double users, double level)
{
    const struct plan_design *design = simulation->design;
    double deviation = sqrt(plan_user_variance(design, level)), rate;

    if (design->clusters.given)
        return draw_clusters(simulation, random, users, level);
    switch (design->metric) {
    case PLAN_BINARY:
        rate = binomial_quantile(random_uniform(random), (int64_t)users, level) / users;
        return (struct drawn_arm){users, rate, rate * (1 - rate) / users};
    case PLAN_COUNT:
        rate = poisson_quantile(random_uniform(random), level * users) / users;
        return (struct drawn_arm){users, rate, rate / users};
    case PLAN_CONTINUOUS:
    case PLAN_RANKS:
    case PLAN_RATIO:
    case PLAN_METRIC__MAX:
        break;
    }
    return (struct drawn_arm){users, level + deviation / sqrt(users) * random_normal(random),
                              deviation * deviation * 2 * random_gamma(random, (users - 1) / 2) /
                                  (users - 1) / users};
}

/* Means without clusters share one variance; rates that are pooled take that of both arms. */
static double error_of(const struct simulation *simulation, const struct drawn_arm *arms, size_t j)
{
    const struct plan_design *design = simulation->design;
    double squares = 0, users = 0, rate;

    if (design->clusters.given || design->metric == PLAN_RATIO)
        return sqrt(arms[0].variance + arms[j].variance);
    if (design->metric == PLAN_BINARY || design->metric == PLAN_COUNT) {
        if (!plan_pools_rates(design))
            return sqrt(arms[0].variance + arms[j].variance);
        rate = (arms[0].estimate * arms[0].users + arms[j].estimate * arms[j].users) /
               (arms[0].users + arms[j].users);
        return sqrt(plan_user_variance(design, rate) * (1 / arms[0].users + 1 / arms[j].users));
    }
    for (size_t i = 0; i < design->arms; i++) {
        squares += arms[i].variance * arms[i].users * (arms[i].users - 1);
        users += arms[i].users - 1;
    }
    return sqrt(squares / users * (1 / arms[0].users + 1 / arms[j].users));
}

/* The statistic whose size decides: of the worse of both sides for equivalence. */
static double statistic_of(const struct simulation *simulation, const struct drawn_arm *arms,
                           size_t j)
{
    const struct plan_design *design = simulation->design;
    double difference = arms[j].estimate - arms[0].estimate;
    double error = error_of(simulation, arms, j);
    double towards = simulation->effect < 0 ? -difference : difference;

    if (!(error > 0))
        return 0;
    if (design->alternative == PLAN_EQUIVALENCE)
        return (design->margin - fabs(difference)) / error;
    if (plan_is_two_sided(design))
        return towards / error;
    return plan_advantage(design, difference) / error;
}

void plan_holm_levels(const struct plan_design *design, const struct many_to_one *law,
                      double *levels)
{
    double tail = plan_is_two_sided(design) ? design->alpha / 2 : design->alpha;

    for (size_t rank = 0; rank < law->count; rank++)
        levels[rank] = student_upper_quantile(tail / (double)(law->count - rank), law->df);
}

bool plan_holm_finds_all(const double *levels, double *statistics, size_t count)
{
    for (size_t rank = 0; rank < count; rank++) {
        size_t best = rank;

        for (size_t j = rank + 1; j < count; j++)
            if (statistics[j] > statistics[best])
                best = j;
        if (statistics[best] < levels[rank])
            return false;
        statistics[best] = statistics[rank];
    }
    return true;
}

static bool is_reached(const struct simulation *simulation, double *statistics)
{
    const struct plan_design *design = simulation->design;
    size_t count = design->arms - 1, found = 0;

    if (design->target == PLAN_ALL && design->correction == PLAN_HOLM)
        return plan_holm_finds_all(simulation->holm, statistics, count);
    for (size_t j = 0; j < count; j++)
        found += statistics[j] > simulation->critical ||
                 (design->target == PLAN_ANY && plan_is_two_sided(design) &&
                  statistics[j] < -simulation->critical);
    if (design->target == PLAN_ANY)
        return found > 0;
    return design->target == PLAN_ALL ? found == count
                                      : statistics[simulation->smallest] > simulation->critical;
}

static void draw_statistics(const struct simulation *simulation, struct random *random,
                            double *statistics)
{
    const struct plan_design *design = simulation->design;
    struct drawn_arm arms[PLAN_ARMS_MAX] = {0};

    for (size_t arm = 0; arm < design->arms; arm++)
        arms[arm] = draw_arm(simulation, random, simulation->users[arm],
                             design->baseline + (arm > 0 ? simulation->effect : 0));
    for (size_t j = 1; j < design->arms; j++)
        statistics[j - 1] = statistic_of(simulation, arms, j);
}

struct plan_power plan_simulate(const struct plan_design *design, const double *users,
                                double effect, uint64_t seed, int64_t runs)
{
    struct many_to_one law = plan_law(design, users, effect);
    struct simulation simulation = {.design = design,
                                    .users = users,
                                    .effect = effect,
                                    .df = law.df,
                                    .critical = plan_critical(design, &law)};
    struct random random = random_start(seed, 0);
    double statistics[MANY_TO_ONE_MAX] = {0}, share;
    int64_t reached = 0;

    for (size_t j = 1; j < law.count; j++)
        if (users[j + 1] < users[simulation.smallest + 1])
            simulation.smallest = j;
    plan_holm_levels(design, &law, simulation.holm);
    for (int64_t run = 0; run < runs; run++) {
        draw_statistics(&simulation, &random, statistics);
        reached += is_reached(&simulation, statistics);
    }
    share = (double)reached / (double)runs;
    return (struct plan_power){share,
                               sqrt(fmax(share * (1 - share), 1.0 / (double)runs) / (double)runs),
                               simulation.critical, law.df};
}
