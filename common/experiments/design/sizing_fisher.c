/*
 * The Fisher plan: exact power of the two-sided Fisher test for two arms of equal size, the scan
 * for the smallest size that reaches a target, and the continuity-corrected size beyond the scan.
 *
 * With equal arms the distribution of the treatment's successes given the total m is symmetric
 * about m/2, so the two-sided p-value of x is twice the smaller tail, and the test rejects outside
 * an interval [c+1, m-c-1]. One more success in total moves c by 0 or 1. So j successes in one arm
 * reject from some total on, that is from some number of successes in the other arm on, and these
 * numbers grow with j: the power is one walk down from the largest j, with four binomial
 * distributions in step, whose upper tails so are sums of what was passed.
 */
#include "experiments/design/sizing_kernels.h"

#include "math/binomial.h"
#include "math/hypergeometric.h"

#include <math.h>

/* Totals outside the walk have together less than this probability. */
#define SKIPPED_MASS 1e-15

/* A p-value this close to alpha is alpha: exact ties (one table in twenty, say) must not depend on
 * rounding, and a tie does not reject. */
#define TIE_TOLERANCE 1e-10

/* Below this a mass is made anew, lest it stay 0. */
#define MASS_MINIMUM 1e-280

/* A sum that a term takes so much from is made anew. */
#define CANCELLED 1e-3

enum { TAIL_STEPS = 256 }; /* after which rounding is shaken off */

/* P(X = at) and P(X >= at) of a binomial distribution, for `at` going down. */
struct binomial_walk {
    int64_t n, at;
    double rate, odds;
    double mass, above;
};

/* P(X = k) and P(X <= k) for X hypergeometric: successes in one of two arms of n, m in all; k below
 * the mean, so that the terms fall from k downwards. */
struct tail {
    int64_t n, m, k;
    double mass, sum;
};

static int64_t least_successes(int64_t n, int64_t m)
{
    return m > n ? m - n : 0;
}

static struct tail tail_at(int64_t n, int64_t m, int64_t k)
{
    return (struct tail){n, m, k, hypergeometric_pmf(k, 2 * n, m, n),
                         hypergeometric_cdf(k, 2 * n, m, n)};
}

/* One success less in all: one of both arms' 2n - m + 1 failures was it, n - k of them this arm's.
 */
static void tail_previous_total(struct tail *tail)
{
    double n = (double)tail->n, m = (double)tail->m, k = (double)tail->k, rest = 2 * n - m + 1;

    tail->m--;
    if (tail->mass < MASS_MINIMUM || tail->m % TAIL_STEPS == 0) {
        *tail = tail_at(tail->n, tail->m, tail->k);
        return;
    }
    tail->mass *= (m - k) * rest / ((n - m + 1 + k) * m);
    tail->sum += tail->mass * ((n - k) / rest);
}

static void tail_previous_success(struct tail *tail)
{
    double n = (double)tail->n, m = (double)tail->m, k = (double)tail->k;
    bool cancelled;

    tail->sum -= tail->mass;
    cancelled = tail->sum < CANCELLED * tail->mass;
    tail->mass *= k * (n - m + k) / ((n - k + 1) * (m - k + 1));
    tail->k--;
    if (cancelled)
        *tail = tail_at(tail->n, tail->m, tail->k);
}

static bool rejects(const struct tail *tail, double alpha)
{
    return 2 * tail->k <= tail->m - 2 && 2 * tail->sum < alpha * (1 - TIE_TOLERANCE);
}

/* Largest c whose tail rejects, below the support when none does; by bisection. */
static int64_t critical_successes(int64_t n, int64_t m, double alpha)
{
    int64_t rejected = least_successes(n, m) - 1, kept = m / 2 + 1;

    while (kept - rejected > 1) {
        int64_t middle = rejected + (kept - rejected) / 2;
        struct tail tail = tail_at(n, m, middle);

        if (rejects(&tail, alpha))
            rejected = middle;
        else
            kept = middle;
    }
    return rejected;
}

/* How far from its mean a sum of coin tosses of that variance is with less than SKIPPED_MASS
 * (Bernstein's inequality, both sides). */
static double reach_of(double variance)
{
    double level = log(2 / SKIPPED_MASS);

    return level / 3 + sqrt(level * level / 9 + 2 * level * variance);
}

static struct binomial_walk walk_from_top(int64_t n, double rate)
{
    double mean = (double)n * rate;
    int64_t top = (int64_t)fmin((double)n, ceil(mean + reach_of(mean * (1 - rate))));

    return (struct binomial_walk){.n = n,
                                  .at = top,
                                  .rate = rate,
                                  .odds = rate / (1 - rate),
                                  .mass = binomial_pmf(top, n, rate),
                                  .above = binomial_survival(top - 1, n, rate)};
}

/* A mass below the minimum grows until the mean; beyond it, there is none left. */
static void walk_to(struct binomial_walk *walk, int64_t at)
{
    while (walk->at > at) {
        double n = (double)walk->n, from = (double)walk->at;

        walk->at--;
        if (walk->mass > MASS_MINIMUM)
            walk->mass *= from / ((n - from + 1) * walk->odds);
        else
            walk->mass = from > n * walk->rate ? binomial_pmf(walk->at, walk->n, walk->rate) : 0;
        walk->above += walk->mass;
    }
}

static double mass_at(struct binomial_walk *walk, int64_t at)
{
    walk_to(walk, at);
    return walk->at == at ? walk->mass : 0;
}

static double mass_from(struct binomial_walk *walk, int64_t at)
{
    walk_to(walk, at);
    return walk->at == at ? walk->above : 0;
}

/* The arms, each as the one with j successes and as the other one. */
struct power_walk {
    struct binomial_walk control, treatment;
    struct binomial_walk other_control, other_treatment;
    double power;
};

/* With j successes in one arm the test rejects from `others` in the other one on. */
static void add_rejection(struct power_walk *walk, int64_t j, int64_t others)
{
    walk->power += mass_at(&walk->treatment, j) * mass_from(&walk->other_control, others) +
                   mass_at(&walk->control, j) * mass_from(&walk->other_treatment, others);
}

double fisher_exact_power(double control_rate, double treatment_rate, int64_t n, double alpha)
{
    double control = (double)n * control_rate, treatment = (double)n * treatment_rate;
    double mean = control + treatment;
    double reach = reach_of(control * (1 - control_rate) + treatment * (1 - treatment_rate));
    int64_t first = (int64_t)fmax(0, floor(mean - reach));
    int64_t last = (int64_t)fmin(2 * (double)n, ceil(mean + reach));
    int64_t end = (int64_t)fmax(0, floor(fmin(control, treatment) - reach));
    struct power_walk walk = {.control = walk_from_top(n, control_rate),
                              .treatment = walk_from_top(n, treatment_rate)};
    struct tail tail;

    if (n < 1)
        return 0;
    walk.other_control = walk.control;
    walk.other_treatment = walk.treatment;
    tail = tail_at(n, last, critical_successes(n, last, alpha));
    while (tail.m > first) {
        int64_t total = tail.m;

        tail_previous_total(&tail);
        if (!rejects(&tail, alpha)) {
            add_rejection(&walk, tail.k, total - tail.k);
            tail_previous_success(&tail);
        }
    }
    /* totals below `first` do not count, so that all of these may begin where the largest does */
    for (int64_t j = tail.k, others = first - tail.k; j >= end; j--)
        add_rejection(&walk, j, others);
    return fmin(walk.power, 1);
}

enum error fisher_smallest_size(double control_rate, double treatment_rate, double alpha,
                                double power, int64_t normal_size, int64_t *n,
                                struct problem *problem)
{
    int64_t end = 4 * normal_size + 100;

    for (int64_t size = normal_size > 2 ? normal_size : 2; size <= end; size++) {
        if (fisher_exact_power(control_rate, treatment_rate, size, alpha) >= power) {
            *n = size;
            return ERROR_NONE;
        }
    }
    return problem_set(problem, ERROR_INVALID, "exact_power_not_reached",
                       "planned_test fisher_exact does not reach a power of %g with up to %lld "
                       "users per variant, although the z-test plan needs %lld.",
                       power, (long long)end, (long long)normal_size);
}

double fisher_corrected_size(double normal_size, double difference)
{
    double root = 1 + sqrt(1 + 4 / (normal_size * fabs(difference)));

    return normal_size / 4 * (root * root);
}

double fisher_uncorrected_size(double corrected_size, double difference)
{
    double root = sqrt(corrected_size) - 1 / (fabs(difference) * sqrt(corrected_size));

    return root > 0 ? root * root : 0;
}
