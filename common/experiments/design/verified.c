/* Computes the size that a test needs from its power at given arms. */
#include "experiments/design/verified.h"

#include "experiments/design/exact_power.h"
#include "experiments/design/sizing_kernels.h"
#include "math/normal.h"

#include <math.h>

/* Sizes where enumeration takes long and changes nothing. */
#define ENUMERATED_VARIANCE_MAX 1e6
#define INTEGRATED_USERS_MAX 1e8

/* The same for the slower walk of conditional tests of unequal arms. */
#define UNEQUAL_VARIANCE_MAX 4000.0

/* Sawteeth are searched in steps of the size divided by this: the power rises by about 0.4 of
 * that. */
#define SCAN_RESOLUTION 2500.0
#define FISHER_SCAN_RESOLUTION 300.0

/* Conversions, or failures, of an arm from which on the teeth are as wide as for normal ones. */
#define MANY_CONVERSIONS 100.0

/* Variance of the conversions from which on a tooth is less than 0.1 percentage points. */
#define TEETH_VARIANCE_MAX 1e5

/* Sawteeth too low to print, and too low to be visible in a curve. */
#define SMOOTH_BOUND 5e-5
#define CURVE_SMOOTH_BOUND 2e-4

/* From where on a curve is smooth between its nodes: users, by the kind of test, and events. */
#define CURVE_USERS 40
#define CURVE_RANKED_USERS 100
#define CURVE_EVENTS 2000.0

/* Less is not added to the formula's power. */
#define WRONG_SIDE_LEAST 1e-7
enum { CURVE_NODES = 5 };

/* Events from which on the sawteeth of the count test are negligible. */
#define MANY_EVENTS 2000.0

/* Ranks are exact up to 15 users an arm and approximate beyond. */
enum { RANKS_SMOOTH_FROM = 40, RANKS_SPAN = 4 };

/* The search for a size: no further than this at once, nor in all; so many steps before it halves.
 */
#define SEARCH_GROWTH_MAX 8.0
#define SEARCH_USERS_MAX ((int64_t)1 << 52)
enum { SEARCH_STEPS_FREE = 12 };

/* Rounding makes no cluster. */
#define PART_OF_A_CLUSTER 1e-12

/* Powers are taken for no nearer to 0 and 1. */
#define POWER_LEAST 1e-12

struct power_of {
    const struct sizing_request *request;
    const struct sizing_plan *plan;
    double deviation;              /* of a user's value, or of the mean of a cluster */
    struct rank_alternative ranks; /* Mann-Whitney only */
};

/* Clusters of one user each are users. */
static bool is_clustered(const struct power_of *of)
{
    return of->plan->clustered && of->request->avg_cluster_size.value > 1;
}

/* The standard deviation of the mean of a cluster: that of a user's value, times the root of the
 * design effect over the users of a cluster. Of two rates, the mean variance. */
static double cluster_deviation(const struct power_of *of)
{
    const struct sizing_request *request = of->request;
    double rate = request->baseline_value, other = rate + of->plan->alternative;
    double variance = request->std_dev.value * request->std_dev.value;

    if (request->metric_type == METRIC_BINARY)
        variance = (rate * (1 - rate) + other * (1 - other)) / 2;
    if (request->metric_type == METRIC_COUNT)
        variance = (rate + other) / 2 /
                   (request->exposure_per_user.given ? request->exposure_per_user.value : 1);
    return sqrt(variance * of->plan->design_effect / request->avg_cluster_size.value);
}

static struct power_of power_of(const struct sizing_request *request,
                                const struct sizing_plan *plan)
{
    struct power_of of = {.request = request, .plan = plan};

    of.deviation = is_clustered(&of) ? cluster_deviation(&of) : request->std_dev.value;
    if (plan->planned_test == PLAN_MANN_WHITNEY)
        of.ranks = rank_alternative(fabs(plan->alternative) / of.deviation);
    return of;
}

static double events_per_user(const struct sizing_request *request)
{
    return request->baseline_value *
           (request->exposure_per_user.given ? request->exposure_per_user.value : 1);
}

static double rate_ratio(const struct power_of *of)
{
    return 1 + of->plan->alternative / of->request->baseline_value;
}

/* Of the conversions of both arms, or the number of events, or nothing to enumerate. */
static double enumerated_variance(const struct power_of *of, double users)
{
    double rate = of->request->baseline_value, other = rate + of->plan->alternative;

    if (of->plan->planned_test == PLAN_POISSON_RATE)
        return users * events_per_user(of->request) * (1 + rate_ratio(of));
    if (of->request->metric_type == METRIC_BINARY)
        return users * (rate * (1 - rate) + other * (1 - other));
    return 0;
}

static bool is_enumerated(const struct power_of *of, double users)
{
    if (is_clustered(of))
        return users <= INTEGRATED_USERS_MAX;
    return enumerated_variance(of, users) <= ENUMERATED_VARIANCE_MAX &&
           (of->request->metric_type == METRIC_BINARY ||
            of->plan->planned_test == PLAN_POISSON_RATE || users <= INTEGRATED_USERS_MAX);
}

/* Of the z-test of two rates: that the power without its teeth is this close. */
static bool is_smooth_within(const struct power_of *of, int64_t users, double bound)
{
    double rate = of->request->baseline_value, other = rate + of->plan->alternative;
    double fewest = (double)users * fmin(fmin(rate, 1 - rate), fmin(other, 1 - other));

    return fewest > MANY_CONVERSIONS &&
           pooled_z_lattice_bound(rate, other, users, of->plan->adjusted_alpha) < bound;
}

static double smooth_power_of_proportions(const struct power_of *of, int64_t users)
{
    double rate = of->request->baseline_value, other = rate + of->plan->alternative;

    return pooled_z_smooth_power(rate, other, users, of->plan->adjusted_alpha);
}

static double power_of_proportions(const struct power_of *of, struct arm_sizes arms)
{
    double rate = of->request->baseline_value, other = rate + of->plan->alternative;

    if (arms.control == arms.treatment && is_smooth_within(of, arms.control, SMOOTH_BOUND))
        return smooth_power_of_proportions(of, arms.control);
    return pooled_z_power(rate, other, arms, of->plan->adjusted_alpha);
}

static double power_of_fisher(const struct power_of *of, struct arm_sizes arms)
{
    double rate = of->request->baseline_value, other = rate + of->plan->alternative;

    if (arms.control != arms.treatment)
        return fisher_unequal_power(rate, other, arms, of->plan->adjusted_alpha);
    return fisher_exact_power(rate, other, arms.control, of->plan->adjusted_alpha);
}

static double power_of_means(const struct power_of *of, struct arm_sizes arms)
{
    double shift = fabs(of->plan->alternative) / of->deviation;

    if (of->request->metric_type == METRIC_RATIO)
        return estimated_z_power(shift, arms, of->plan->adjusted_alpha);
    return welch_power(shift, arms, of->plan->adjusted_alpha);
}

static double power_of_z_test(const struct power_of *of, struct arm_sizes arms)
{
    return of->request->metric_type == METRIC_BINARY ? power_of_proportions(of, arms)
                                                     : power_of_means(of, arms);
}

static double power_of_ranks(const struct power_of *of, struct arm_sizes arms)
{
    return rank_sum_power(&of->ranks, arms, of->plan->adjusted_alpha);
}

static double power_of_equivalence(const struct power_of *of, struct arm_sizes arms)
{
    return equivalence_power(of->plan->equivalence_margin_absolute / of->deviation, arms,
                             of->plan->adjusted_alpha);
}

static double power_of_counts(const struct power_of *of, struct arm_sizes arms)
{
    double control = (double)arms.control, treatment = (double)arms.treatment;
    double events = control * events_per_user(of->request), ratio = rate_ratio(of);

    if (arms.control != arms.treatment)
        return count_unequal_power(events, treatment * events_per_user(of->request) * ratio,
                                   control / (control + treatment), of->plan->adjusted_alpha);
    return conditional_count_power(events, events * ratio, of->plan->adjusted_alpha);
}

static double (*const powers[PLAN__MAX])(const struct power_of *, struct arm_sizes) = {
    [PLAN_Z_TEST] = power_of_z_test,       [PLAN_FISHER_EXACT] = power_of_fisher,
    [PLAN_MANN_WHITNEY] = power_of_ranks,  [PLAN_TOST] = power_of_equivalence,
    [PLAN_POISSON_RATE] = power_of_counts,
};

/* Student's t-test of the means of clusters (Donner and Klar 2000, 6.1): the arms are as many
 * clusters. Equivalence and ranks are of these means too. */
static double power_of_clusters(const struct power_of *of, struct arm_sizes arms)
{
    if (arms.control < SIZING_USERS_MIN || arms.treatment < SIZING_USERS_MIN)
        return 0;
    if (of->plan->planned_test == PLAN_TOST)
        return power_of_equivalence(of, arms);
    if (of->plan->planned_test == PLAN_MANN_WHITNEY)
        return power_of_ranks(of, arms);
    return welch_power(fabs(of->plan->alternative) / of->deviation, arms, of->plan->adjusted_alpha);
}

static double power_of_arms(const struct power_of *of, struct arm_sizes arms)
{
    return is_clustered(of) ? power_of_clusters(of, arms)
                            : powers[of->plan->planned_test](of, arms);
}

static double power_at(const struct power_of *of, int64_t users)
{
    return power_of_arms(of, (struct arm_sizes){users, users});
}

/* A power that is too expensive to enumerate counts as 1, so that every search ends. */
static double power_or_one(const struct power_of *of, int64_t users)
{
    return is_enumerated(of, 2 * (double)users) ? power_at(of, users) : 1;
}

static bool reaches(const struct power_of *of, int64_t users)
{
    return !(power_or_one(of, users) < of->request->power);
}

/* The number of users over which the power of a test of two proportions falls back and recovers:
 * one table more or less at the boundary, over what a user adds. 0 when the boundary, drawn through
 * many totals, passes so many tables at once that nothing is left of the teeth. */
static double teeth_of_proportions(const struct power_of *of, double users)
{
    double rate = of->request->baseline_value, other = rate + of->plan->alternative;
    double mean = (rate + other) / 2,
           critical = normal_upper_quantile(of->plan->adjusted_alpha / 2);
    double distance = fmax(critical + normal_quantile(of->request->power), critical);
    double deviation = sqrt(users * (rate * (1 - rate) + other * (1 - other)));
    double fall = 2 * users / (distance * deviation);
    double period = sqrt(2 * users / (mean * (1 - mean))) / critical;
    double spread = M_PI * critical * (1 - 2 * mean);
    double fewest = users * fmin(fmin(rate, 1 - rate), fmin(other, 1 - other));

    if (deviation * deviation > TEETH_VARIANCE_MAX ||
        (of->plan->planned_test == PLAN_Z_TEST &&
         is_smooth_within(of, (int64_t)users, SMOOTH_BOUND)))
        return 0;
    if (fewest > MANY_CONVERSIONS && fall * exp(-spread * spread / 2) < 0.5)
        return 0;
    return ceil(fmax(fall, period)) + 2;
}

static double teeth(const struct power_of *of, double users)
{
    if (is_clustered(of) && of->plan->planned_test != PLAN_MANN_WHITNEY)
        return 0;
    switch (of->plan->planned_test) {
    case PLAN_MANN_WHITNEY:
        return users < RANKS_SMOOTH_FROM ? RANKS_SPAN : 0;
    case PLAN_POISSON_RATE:
        return enumerated_variance(of, users) < MANY_EVENTS ? ceil(users / 50) + 2 : 0;
    case PLAN_FISHER_EXACT:
        return teeth_of_proportions(of, users);
    default:
        return of->request->metric_type == METRIC_BINARY ? teeth_of_proportions(of, users) : 0;
    }
}

/* Where the target would be met if the quantile of the power, past the critical value, rose with
 * the root of the size: with most tests it nearly does. */
static double proposed_size(const struct power_of *of, int64_t size, double power)
{
    double critical = normal_upper_quantile(of->plan->adjusted_alpha / 2);
    double wanted = critical + normal_quantile(of->request->power);
    double reached = critical + normal_quantile(fmin(fmax(power, POWER_LEAST), 1 - POWER_LEAST));

    if (wanted <= 0 || reached <= wanted / SEARCH_GROWTH_MAX)
        return (double)size * SEARCH_GROWTH_MAX;
    return (double)size * (wanted / reached) * (wanted / reached);
}

/* A size that reaches the target while one user less does not, or `least`. The proposals are
 * between a size that fails and one that reaches the target; slow progress switches to
 * bisection. */
static int64_t find_crossing(const struct power_of *of, int64_t least, int64_t size, double power)
{
    int64_t low = least - 1, high = SEARCH_USERS_MAX, move = 1;
    bool before = false;

    for (int steps = 0;; steps++) {
        bool reached = !(power < of->request->power);
        double proposed = nearbyint(proposed_size(of, size, power));
        int64_t next = (int64_t)fmin(proposed, (double)SEARCH_USERS_MAX);

        if (reached)
            high = size;
        else
            low = size;
        if (high - low <= 1)
            return high;
        move = steps > 0 && reached == before ? 2 * move : 1;
        before = reached;
        next = reached ? (next < size - move ? next : size - move)
                       : (next > size + move ? next : size + move);
        if (steps >= SEARCH_STEPS_FREE && high < SEARCH_USERS_MAX)
            next = low + (high - low) / 2;
        next = next <= low ? low + 1 : next >= high ? high - 1 : next;
        size = next;
        power = power_or_one(of, size);
    }
}

/* From `found`, where one user less fails, to the first size from which the target is kept: it must
 * be kept over a whole span of sawteeth above. */
static int64_t pass_teeth(const struct power_of *of, int64_t found, double span)
{
    bool coarse = of->plan->planned_test == PLAN_FISHER_EXACT;
    double resolution = coarse ? FISHER_SCAN_RESOLUTION : SCAN_RESOLUTION;
    int64_t step = (int64_t)fmax(1, floor((double)found / resolution)), width = (int64_t)span;

    for (;;) {
        int64_t top = found + 2 * width, size = top;

        while (size > found && reaches(of, size))
            size -= step;
        if (size <= found)
            return found;
        if (top - size >= width)
            return size + step;
        found = size + 1;
    }
}

static int64_t find_size(const struct power_of *of, int64_t least, int64_t start, double power)
{
    int64_t found = find_crossing(of, least, start, power);
    double span = teeth(of, (double)found);

    return span > 0 ? pass_teeth(of, found, span) : found;
}

/* The minimum of the analyses. */
static int64_t least_users(const struct sizing_plan *plan)
{
    return plan->planned_test == PLAN_POISSON_RATE ? 1 : SIZING_USERS_MIN;
}

static enum error find_clusters(const struct power_of *of, struct verified_plan *verified,
                                struct problem *problem)
{
    int64_t planned = of->plan->clusters_per_variant;
    int64_t start = planned > SIZING_USERS_MIN ? planned : SIZING_USERS_MIN;
    double size = of->request->avg_cluster_size.value, gap;

    verified->power = power_at(of, planned);
    verified->clusters = find_size(of, SIZING_USERS_MIN, start, power_at(of, start));
    gap = fabs((double)(verified->clusters - planned));
    verified->differs = gap * size > 1 && gap > (double)planned / 100;
    return settle_size((double)verified->clusters * size, "verified sample size per variant",
                       &verified->sample_size_per_variant, problem);
}

enum error verified_plan_find(const struct sizing_request *request, const struct sizing_plan *plan,
                              struct verified_plan *verified, struct problem *problem)
{
    struct power_of of = power_of(request, plan);
    double planned = (double)plan->sample_size_per_variant, gap;
    int64_t users = plan->individual_sample_size;

    *verified = (struct verified_plan){.sample_size_per_variant = plan->sample_size_per_variant};
    if (!is_enumerated(&of, 2 * (double)users)) {
        verified->power = sizing_power(request, plan, planned);
        return ERROR_NONE;
    }
    if (is_clustered(&of))
        return find_clusters(&of, verified, problem);
    verified->power = power_at(&of, users);
    users = find_size(&of, least_users(plan), users, verified->power);
    gap = fabs((double)users - (double)plan->individual_sample_size);
    verified->differs = gap > 1 && gap > (double)plan->individual_sample_size / 100;
    return settle_size((double)users * plan->design_effect, "verified sample size per variant",
                       &verified->sample_size_per_variant, problem);
}

/* What a test counts: users, or as many clusters as so many independent users are worth, a part of
 * one being one. */
static int64_t units(const struct power_of *of, int64_t users)
{
    double clusters;

    if (!is_clustered(of))
        return users;
    clusters = (double)users * of->plan->design_effect / of->request->avg_cluster_size.value;
    return (int64_t)ceil(clusters * (1 - PART_OF_A_CLUSTER));
}

struct optional_number verified_power(const struct sizing_request *request,
                                      const struct sizing_plan *plan, int64_t control,
                                      int64_t treatment)
{
    struct power_of of = power_of(request, plan);
    bool walked =
        plan->planned_test == PLAN_FISHER_EXACT || plan->planned_test == PLAN_POISSON_RATE;

    if (!is_enumerated(&of, (double)control + (double)treatment) ||
        (walked && !is_clustered(&of) && control != treatment &&
         enumerated_variance(&of, (double)fmax(control, treatment)) > UNEQUAL_VARIANCE_MAX))
        return (struct optional_number){0};
    return GIVEN_NUMBER(
        power_of_arms(&of, (struct arm_sizes){units(&of, control), units(&of, treatment)}));
}

double verified_power_of_size(const struct sizing_request *request, const struct sizing_plan *plan,
                              int64_t size)
{
    double worth = floor((double)size / plan->design_effect);
    int64_t users = size == plan->sample_size_per_variant ? plan->individual_sample_size
                                                          : (int64_t)fmax(worth, 1);
    struct optional_number power = {0};

    if (users >= least_users(plan))
        power = verified_power(request, plan, users, users);
    return power.given ? power.value : sizing_power(request, plan, (double)size);
}

/* From the smallest size of the curve on. */
static bool is_smooth_curve(const struct power_of *of, int64_t smallest)
{
    if (is_clustered(of))
        return false;
    switch (of->plan->planned_test) {
    case PLAN_FISHER_EXACT:
    case PLAN_TOST: /* has a kink where its power comes down to 0 */
        return false;
    case PLAN_MANN_WHITNEY:
        return smallest > CURVE_RANKED_USERS;
    case PLAN_POISSON_RATE:
        return enumerated_variance(of, (double)smallest) > CURVE_EVENTS;
    default:
        return of->request->metric_type == METRIC_BINARY
                   ? is_smooth_within(of, smallest, CURVE_SMOOTH_BOUND)
                   : smallest > CURVE_USERS;
    }
}

static double quantile_of_power(double power)
{
    return normal_quantile(fmin(fmax(power, POWER_LEAST), 1 - POWER_LEAST));
}

/* The formula's power with rejections to the wrong side, which it omits, as a quantile. How
 * far the power of the test is from that hardly bends with the size. */
static double formula_quantile(const struct power_of *of, double power)
{
    double critical = normal_upper_quantile(of->plan->adjusted_alpha / 2);
    double quantile = quantile_of_power(power), wrong = normal_cdf(-quantile - 2 * critical);

    return wrong < WRONG_SIDE_LEAST ? quantile : quantile_of_power(power + wrong);
}

/* Newton's polynomial through the nodes, in the logarithm of the size. */
struct gap {
    double at[CURVE_NODES], coefficients[CURVE_NODES];
};

static double gap_at(const struct gap *gap, double size)
{
    double x = log(size), sum = gap->coefficients[CURVE_NODES - 1];

    for (int i = CURVE_NODES - 2; i >= 0; i--)
        sum = sum * (x - gap->at[i]) + gap->coefficients[i];
    return sum;
}

static void find_gap(const struct power_of *of, const struct power_point *points, size_t count,
                     struct gap *gap)
{
    bool rates = of->request->metric_type == METRIC_BINARY;

    for (size_t i = 0; i < CURVE_NODES; i++) {
        const struct power_point *point = &points[i * (count - 1) / (CURVE_NODES - 1)];
        double worth = floor((double)point->sample_size_per_variant / of->plan->design_effect);
        double power =
            rates ? smooth_power_of_proportions(of, (int64_t)worth) : power_at(of, (int64_t)worth);

        gap->at[i] = log((double)point->sample_size_per_variant);
        gap->coefficients[i] = quantile_of_power(power) - formula_quantile(of, point->power);
    }
    for (int order = 1; order < CURVE_NODES; order++)
        for (int i = CURVE_NODES - 1; i >= order; i--)
            gap->coefficients[i] = (gap->coefficients[i] - gap->coefficients[i - 1]) /
                                   (gap->at[i] - gap->at[i - order]);
}

static void draw_smooth(const struct power_of *of, struct power_point *points, size_t count)
{
    struct gap gap;

    find_gap(of, points, count, &gap);
    for (size_t i = 0; i < count; i++)
        points[i].verified_power =
            normal_cdf(formula_quantile(of, points[i].power) +
                       gap_at(&gap, (double)points[i].sample_size_per_variant));
}

size_t verified_power_curve(const struct sizing_request *request, const struct sizing_plan *plan,
                            const struct verified_plan *verified, struct power_point *points,
                            size_t capacity)
{
    struct power_of of = power_of(request, plan);
    size_t count = sizing_power_curve(request, plan, points, capacity);
    double smallest = (double)points[0].sample_size_per_variant / plan->design_effect;
    double largest = (double)points[count - 1].sample_size_per_variant / plan->design_effect;
    bool smooth = count > CURVE_NODES && is_smooth_curve(&of, (int64_t)smallest) &&
                  is_enumerated(&of, 2 * largest);

    if (smooth)
        draw_smooth(&of, points, count);
    for (size_t i = 0; i < count; i++) {
        int64_t size = points[i].sample_size_per_variant;

        if (size == plan->sample_size_per_variant)
            points[i].verified_power = verified->power;
        else if (!smooth)
            points[i].verified_power = verified_power_of_size(request, plan, size);
    }
    return count;
}
