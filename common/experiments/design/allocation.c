/* Totals for arms in any ratio, and the days that they take. */
#include "experiments/design/allocation.h"

#include "experiments/design/sizing_kernels.h"
#include "math/normal.h"

#include <math.h>

/* Weights this close, relatively, are even. */
#define EVEN 1e-9

/* The verified total is searched to this relative precision. */
#define TOTAL_RESOLUTION 5000.0
#define WALKED_TOTAL_RESOLUTION 300.0 /* of tests whose power takes longer */

/* Shares of all users in a comparison. */
struct pair {
    double control, treatment;
};

typedef double total_function(const struct sizing_request *request, const struct sizing_plan *plan,
                              struct pair pair);

static double weakness(struct pair pair)
{
    return 1 / pair.control + 1 / pair.treatment;
}

/* Fleiss, Levin and Paik 2003, 4.2.2, in all users: the rate under the null is that of both. */
static double total_of_proportions(const struct sizing_request *request,
                                   const struct sizing_plan *plan, struct pair pair)
{
    double p = request->baseline_value, q = p + plan->mde_absolute;
    double mean = (pair.control * p + pair.treatment * q) / (pair.control + pair.treatment);
    double root =
        normal_upper_quantile(plan->adjusted_alpha / 2) * sqrt(mean * (1 - mean) * weakness(pair)) +
        normal_quantile(request->power) *
            sqrt(p * (1 - p) / pair.control + q * (1 - q) / pair.treatment);

    return root * root / (plan->mde_absolute * plan->mde_absolute);
}

static double total_of_means(const struct sizing_request *request, const struct sizing_plan *plan,
                             struct pair pair)
{
    return size_two_means(request->std_dev.value, plan->mde_absolute, plan->adjusted_alpha,
                          request->power) /
           2 * weakness(pair);
}

static double total_of_z_test(const struct sizing_request *request, const struct sizing_plan *plan,
                              struct pair pair)
{
    return request->metric_type == METRIC_BINARY ? total_of_proportions(request, plan, pair)
                                                 : total_of_means(request, plan, pair);
}

/* The correction for continuity of unequal arms (Fleiss, Tytun and Ury 1980). */
static double total_of_fisher(const struct sizing_request *request, const struct sizing_plan *plan,
                              struct pair pair)
{
    double control = total_of_proportions(request, plan, pair) * pair.control;
    double ratio = pair.treatment / pair.control;
    double root = 1 + sqrt(1 + 2 * (ratio + 1) / (ratio * control * fabs(plan->mde_absolute)));

    return control / 4 * root * root / pair.control;
}

static double total_of_ranks(const struct sizing_request *request, const struct sizing_plan *plan,
                             struct pair pair)
{
    return total_of_means(request, plan, pair) / MANN_WHITNEY_EFFICIENCY;
}

static double total_of_equivalence(const struct sizing_request *request,
                                   const struct sizing_plan *plan, struct pair pair)
{
    double quantiles = normal_upper_quantile(plan->adjusted_alpha) +
                       normal_upper_quantile((1 - request->power) / 2);
    double root = quantiles * (request->std_dev.value / plan->equivalence_margin_absolute);

    return root * root * weakness(pair);
}

/* Of all events, treatment's share without and with the effect. */
static double total_of_counts(const struct sizing_request *request, const struct sizing_plan *plan,
                              struct pair pair)
{
    double ratio = 1 + fabs(request->mde_pct) / 100;
    double weighed = pair.control + ratio * pair.treatment;
    double null = pair.treatment / (pair.control + pair.treatment);
    double share = ratio * pair.treatment / weighed;
    double excess =
        pair.control * pair.treatment * (ratio - 1) / ((pair.control + pair.treatment) * weighed);
    double root = normal_upper_quantile(plan->adjusted_alpha / 2) * sqrt(null * (1 - null)) +
                  normal_quantile(request->power) * sqrt(share * (1 - share));
    double exposure = request->exposure_per_user.given ? request->exposure_per_user.value : 1;

    return ceil(root * root / (excess * excess)) / (request->baseline_value * weighed * exposure);
}

static total_function *const total_functions[PLAN__MAX] = {
    [PLAN_Z_TEST] = total_of_z_test,       [PLAN_FISHER_EXACT] = total_of_fisher,
    [PLAN_MANN_WHITNEY] = total_of_ranks,  [PLAN_TOST] = total_of_equivalence,
    [PLAN_POISSON_RATE] = total_of_counts,
};

static bool is_even(const struct number_list *split)
{
    for (size_t i = 1; i < split->count; i++)
        if (fabs(split->items[i] - split->items[0]) > EVEN * split->items[0])
            return false;
    return true;
}

/* Shares of the variants; weights may be as large as doubles are. */
static void find_shares(const struct number_list *split, double *shares)
{
    double largest = 0, sum = 0;

    for (size_t i = 0; i < split->count; i++)
        largest = fmax(largest, split->items[i]);
    for (size_t i = 0; i < split->count; i++)
        sum += split->items[i] / largest;
    for (size_t i = 0; i < split->count; i++)
        shares[i] = split->items[i] / largest / sum;
}

/* Of one total: the users of each arm, and the days until the last is full. */
static enum error share_out(const struct sizing_plan *plan, const double *shares, size_t variants,
                            double total, struct allocated_users *users, struct problem *problem)
{
    double sum = 0;

    users->duration_days = 1;
    for (size_t i = 0; i < variants; i++) {
        int64_t days;
        enum error error = settle_size(fmax(total * shares[i], SIZING_USERS_MIN),
                                       "sample size of a variant", &users->users[i], problem);

        if (!error &&
            !round_size_up((double)users->users[i] / (plan->allocated_daily_traffic * shares[i]),
                           &days))
            error = problem_set(problem, ERROR_INVALID, "duration_not_finite",
                                "The duration for this traffic_split is too large to be finite "
                                "(more than 2^53).");
        if (error)
            return error;
        sum += (double)users->users[i];
        if (days > users->duration_days)
            users->duration_days = days;
    }
    return settle_size(sum, "total sample size", &users->total, problem);
}

/* A search for the total at which the comparison that needs the most users reaches the target. */
struct total_search {
    const struct sizing_request *request;
    const struct sizing_plan *plan;
    struct pair pair;
};

static int64_t independent_users(double total, double share)
{
    return (int64_t)fmax(ceil(total * share), SIZING_USERS_MIN);
}

static struct optional_number power_of_total(const struct total_search *search, double total)
{
    return verified_power(search->request, search->plan,
                          independent_users(total, search->pair.control),
                          independent_users(total, search->pair.treatment));
}

/* A power beyond the precision of the computation counts as reached, so that every search ends. */
static bool total_reaches(const struct total_search *search, double total)
{
    struct optional_number power = power_of_total(search, total);

    return !power.given || power.value >= search->request->power;
}

/* Independent users. Arms of different sizes have their sawteeth at different totals, so that
 * hardly any remain. */
static double find_total(const struct total_search *search, double start)
{
    double least = 2 * SIZING_USERS_MIN;
    double low = ceil(start), high = low, step = fmax(1, floor(start / 64));
    bool walked = search->plan->planned_test == PLAN_FISHER_EXACT ||
                  search->plan->planned_test == PLAN_POISSON_RATE;
    double resolution = walked ? WALKED_TOTAL_RESOLUTION : TOTAL_RESOLUTION;

    if (total_reaches(search, start)) {
        while (low > least && total_reaches(search, low)) {
            high = low;
            low = fmax(low - step, least);
            step *= 2;
        }
    } else {
        do {
            low = high;
            high += step;
            step *= 2;
        } while (!total_reaches(search, high));
    }
    while (high - low > fmax(1, floor(high / resolution))) { /* whole numbers */
        double middle = floor(low + (high - low) / 2);

        if (total_reaches(search, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void copy_plan(const struct sizing_plan *plan, struct allocation *allocation)
{
    for (size_t i = 0; i < allocation->variants; i++)
        allocation->planned.users[i] = plan->sample_size_per_variant;
    allocation->planned.total = plan->total_sample_size;
    allocation->planned.duration_days = plan->estimated_duration_days;
    allocation->total_ratio = 1;
}

static enum error copy_verified(const struct sizing_request *request,
                                const struct sizing_plan *plan,
                                const struct verified_plan *verified, struct allocation *allocation,
                                struct problem *problem)
{
    struct allocated_users *users = &allocation->verified;
    double total = (double)verified->sample_size_per_variant * (double)allocation->variants;
    enum error error = settle_size(total, "verified total sample size", &users->total, problem);

    for (size_t i = 0; i < allocation->variants; i++)
        users->users[i] = verified->sample_size_per_variant;
    allocation->power = GIVEN_NUMBER(verified->power);
    allocation->verified_given = true;
    return error ? error
                 : duration_in_days(request, plan, verified->sample_size_per_variant,
                                    &users->duration_days, problem);
}

enum error allocation_find(const struct sizing_request *request, const struct sizing_plan *plan,
                           const struct verified_plan *verified, struct allocation *allocation,
                           struct problem *problem)
{
    size_t variants = request->traffic_split.count;
    double shares[ALLOCATION_VARIANTS_MAX], total = 0;
    struct total_search search = {.request = request, .plan = plan};
    enum error error;

    *allocation = (struct allocation){.variants = variants};
    if (is_even(&request->traffic_split)) {
        copy_plan(plan, allocation);
        return copy_verified(request, plan, verified, allocation, problem);
    }
    allocation->unequal = true;
    find_shares(&request->traffic_split, shares);
    for (size_t i = 1; i < variants; i++) {
        struct pair pair = {shares[0], shares[i]};
        double needed = total_functions[plan->planned_test](request, plan, pair);

        if (i == 1 || needed > total) {
            total = needed;
            search.pair = pair;
        }
    }
    error = share_out(plan, shares, variants, total * plan->design_effect, &allocation->planned,
                      problem);
    if (error)
        return error;
    allocation->total_ratio = (double)allocation->planned.total / (double)plan->total_sample_size;
    allocation->power = power_of_total(&search, total);
    if (!allocation->power.given)
        return ERROR_NONE;
    allocation->verified_given = true;
    return share_out(plan, shares, variants, find_total(&search, total) * plan->design_effect,
                     &allocation->verified, problem);
}
