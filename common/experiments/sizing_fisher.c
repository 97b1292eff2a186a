/*
 * The Fisher plan: exact power of the two-sided Fisher test for two arms of equal size, the scan
 * for the smallest size that reaches a target, and the continuity-corrected size beyond the scan.
 *
 * With equal arms the distribution of the treatment's successes given the total m is symmetric
 * about m/2, so the two-sided p-value of x is twice the smaller tail, and the test rejects outside
 * an interval [c+1, m-c-1]. One more success in total moves c by 0 or 1, which makes finding the
 * whole rejection region one sweep over m.
 */
#include "experiments/sizing_kernels.h"

#include "math/special.h"

#include <math.h>

/* Totals outside the sweep have together less than this probability. */
#define SKIPPED_MASS 1e-15

/* A p-value this close to alpha is alpha: exact ties (one table in twenty, say) must not depend on
 * rounding, and a tie does not reject. */
#define TIE_TOLERANCE 1e-10

/* Keeps odds finite; n times this is far below SKIPPED_MASS. */
#define RATE_MINIMUM 1e-30

struct two_arms {
    double n; /* per arm */
    double control_rate, treatment_rate;
    double odds_ratio;                    /* treatment against control */
    double log_control, log_control_rest; /* of the rate and of 1 - rate */
    double log_treatment, log_treatment_rest;
};

/* ln n! from a table that fills itself: the scan asks for the same ones over and over. */
static double factorial_log(int64_t n)
{
    enum {
        TABLE_SIZE = 2 * 2 * (4 * FISHER_SCAN_LIMIT + 100) + 1
    }; /* 2n at twice the scan's end */
    static double table[TABLE_SIZE];

    if (n < 2)
        return 0;
    if (n >= TABLE_SIZE)
        return log_factorial(n);
    if (table[n] == 0)
        table[n] = log_factorial(n);
    return table[n];
}

static double choose_log(int64_t n, int64_t k)
{
    return factorial_log(n) - factorial_log(k) - factorial_log(n - k);
}

static int64_t least_successes(int64_t n, int64_t m)
{
    return m > n ? m - n : 0;
}

/* P(X <= c) for X hypergeometric: successes in one of two arms of n, m in all; c below the mean, so
 * the terms fall from c downwards. */
static double lower_tail(int64_t n, int64_t m, int64_t c)
{
    int64_t least = least_successes(n, m);
    double term, sum;

    if (c < least)
        return 0;
    term = exp(choose_log(n, c) + choose_log(n, m - c) - choose_log(2 * n, m));
    sum = term;
    for (int64_t x = c; x > least && term > sum * 1e-17; x--) {
        term *= (double)x * (double)(n - m + x) / ((double)(n - x + 1) * (double)(m - x + 1));
        sum += term;
    }
    return sum;
}

static bool rejects(int64_t n, int64_t m, int64_t c, double alpha)
{
    return 2 * c <= m - 2 && 2 * lower_tail(n, m, c) < alpha * (1 - TIE_TOLERANCE);
}

/* Largest c whose tail rejects, below the support when none does; by bisection. */
static int64_t critical_successes(int64_t n, int64_t m, double alpha)
{
    int64_t rejected = least_successes(n, m) - 1, kept = m / 2 + 1;

    while (kept - rejected > 1) {
        int64_t middle = rejected + (kept - rejected) / 2;

        if (rejects(n, m, middle, alpha))
            rejected = middle;
        else
            kept = middle;
    }
    return rejected;
}

/* P(m - x control successes and x treatment successes). */
static double joint_mass(const struct two_arms *arms, int64_t m, int64_t x)
{
    int64_t n = (int64_t)arms->n;
    double control = (double)(m - x), treatment = (double)x;

    return exp(choose_log(n, m - x) + control * arms->log_control +
               (arms->n - control) * arms->log_control_rest + choose_log(n, x) +
               treatment * arms->log_treatment + (arms->n - treatment) * arms->log_treatment_rest);
}

/* joint_mass(x + 1) / joint_mass(x) */
static double joint_ratio(const struct two_arms *arms, double m, double x)
{
    return arms->odds_ratio * (arms->n - x) * (m - x) / ((x + 1) * (arms->n - m + x + 1));
}

/* The x at which joint_mass peaks for a given total: where joint_ratio crosses 1. */
static double joint_mode(const struct two_arms *arms, double m)
{
    double a = arms->odds_ratio - 1;
    double b = arms->odds_ratio * (arms->n + m) + arms->n - m + 2;
    double c = arms->odds_ratio * arms->n * m - (arms->n - m + 1);

    return ceil(2 * c / (b + sqrt(fmax(b * b - 4 * a * c, 0))));
}

/* Sum of joint_mass over first..last, outwards from its largest term. */
static double joint_sum(const struct two_arms *arms, int64_t m, int64_t first, int64_t last)
{
    double total = (double)m, start, largest, term, sum;

    if (first > last)
        return 0;
    start = fmin(fmax(joint_mode(arms, total), (double)first), (double)last);
    largest = joint_mass(arms, m, (int64_t)start);
    term = sum = largest;
    for (double x = start; x < (double)last && term > largest * 1e-17; x++) {
        term *= joint_ratio(arms, total, x);
        sum += term;
    }
    term = largest;
    for (double x = start; x > (double)first && term > largest * 1e-17; x--) {
        term /= joint_ratio(arms, total, x - 1);
        sum += term;
    }
    return sum;
}

static struct two_arms make_arms(double control_rate, double treatment_rate, int64_t n)
{
    double control_rest = fmax(1 - control_rate, RATE_MINIMUM);
    double treatment_rest = fmax(1 - treatment_rate, RATE_MINIMUM);
    struct two_arms arms = {
        .n = (double)n,
        .control_rate = fmax(control_rate, RATE_MINIMUM),
        .treatment_rate = fmax(treatment_rate, RATE_MINIMUM),
        .log_control_rest = log(control_rest),
        .log_treatment_rest = log(treatment_rest),
    };

    arms.log_control = log(arms.control_rate);
    arms.log_treatment = log(arms.treatment_rate);
    arms.odds_ratio = arms.treatment_rate / treatment_rest * (control_rest / arms.control_rate);
    return arms;
}

/* Totals farther from the mean than this are skipped (Bernstein's inequality, both sides). */
static double total_reach(const struct two_arms *arms)
{
    double variance = arms->n * (arms->control_rate * (1 - arms->control_rate) +
                                 arms->treatment_rate * (1 - arms->treatment_rate));
    double level = log(2 / SKIPPED_MASS);

    return level / 3 + sqrt(level * level / 9 + 2 * level * variance);
}

double fisher_exact_power(double control_rate, double treatment_rate, int64_t n, double alpha)
{
    struct two_arms arms = make_arms(control_rate, treatment_rate, n);
    double mean = arms.n * (control_rate + treatment_rate);
    double reach = total_reach(&arms), power = 0;
    int64_t first = (int64_t)fmax(0, floor(mean - reach));
    int64_t last = (int64_t)fmin(2 * arms.n, ceil(mean + reach));
    int64_t c;

    if (n < 1)
        return 0;
    c = critical_successes(n, first, alpha);
    for (int64_t m = first; m <= last; m++) {
        int64_t least = least_successes(n, m);

        if (rejects(n, m, c + 1, alpha))
            c++;
        power += joint_sum(&arms, m, least, c) + joint_sum(&arms, m, m - c, m - least);
    }
    return fmin(power, 1);
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
