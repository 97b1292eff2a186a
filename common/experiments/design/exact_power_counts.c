/* Power by enumeration: the pooled z-test of two proportions, the conditional test of two counts.
 */
#include "experiments/design/exact_power.h"

#include "math/binomial.h"
#include "math/normal.h"
#include "math/poisson.h"

#include <math.h>
#include <stdbool.h>

/* What is further than so many standard deviations from a mean, and this many besides for skewed
 * ones, has less than 1e-11 of the probability. */
#define REACH_DEVIATIONS 7.0
#define REACH_BESIDES 16

/* A binomial distribution on the way up: the mass at `at` and all of it up to there. */
struct climb {
    int64_t n, at;
    double odds, mass, below;
};

static int64_t reach_below(double mean, double deviation)
{
    return (int64_t)fmax(0, floor(mean - REACH_DEVIATIONS * deviation - REACH_BESIDES));
}

static struct climb climb_from_bottom(int64_t n, double rate)
{
    double mean = (double)n * rate;
    struct climb climb = {.n = n, .odds = rate / (1 - rate)};

    climb.at = reach_below(mean, sqrt(mean * (1 - rate)));
    climb.mass = climb.below = binomial_pmf(climb.at, n, rate);
    return climb;
}

static void climb_step(struct climb *climb)
{
    climb->mass *= (double)(climb->n - climb->at) / (double)(climb->at + 1) * climb->odds;
    climb->below += climb->mass;
    climb->at++;
}

/* P(X <= at), for `at` that never falls. */
static double climb_to(struct climb *climb, int64_t at)
{
    while (climb->at < at && climb->at < climb->n)
        climb_step(climb);
    return climb->at <= at ? climb->below : 0;
}

/* Two arms and the square that z must pass: z^2 = (x2 n1 - x1 n2)^2 N / (n1 n2 S (N - S)). */
struct pooled_test {
    double control, treatment, all, critical;
};

static bool pooled_rejects(const struct pooled_test *test, double control, double treatment)
{
    double successes = control + treatment;
    double difference = treatment * test->control - control * test->treatment;

    return difference * difference * test->all >
           test->critical * successes * (test->all - successes);
}

static struct pooled_test pooled_test_of(struct arm_sizes arms, double alpha)
{
    double z = normal_upper_quantile(alpha / 2);
    double control = (double)arms.control, treatment = (double)arms.treatment;

    return (struct pooled_test){control, treatment, control + treatment,
                                z * z * control * treatment};
}

/* The first conversions of treatment that reject upwards, and the last that reject downwards,
 * beside those of control. Both only rise with them. */
struct boundaries {
    int64_t upper, lower;
};

static void move_boundaries(const struct pooled_test *test, int64_t control,
                            struct boundaries *boundaries)
{
    double x = (double)control, even = x / test->control * test->treatment;

    if ((double)boundaries->upper < even)
        boundaries->upper = (int64_t)ceil(even);
    while ((double)boundaries->upper <= test->treatment &&
           !pooled_rejects(test, x, (double)boundaries->upper))
        boundaries->upper++;
    while ((double)(boundaries->lower + 1) < even &&
           pooled_rejects(test, x, (double)(boundaries->lower + 1)))
        boundaries->lower++;
}

/* Where the lower boundary starts, by bisection; -1 when nothing rejects downwards. */
static int64_t lowest_boundary(const struct pooled_test *test, int64_t control)
{
    double x = (double)control;
    int64_t rejected = -1, kept = (int64_t)ceil(x / test->control * test->treatment);

    while (kept - rejected > 1) {
        int64_t middle = rejected + (kept - rejected) / 2;

        if (pooled_rejects(test, x, (double)middle))
            rejected = middle;
        else
            kept = middle;
    }
    return rejected;
}

double pooled_z_power(double control_rate, double treatment_rate, struct arm_sizes arms,
                      double alpha)
{
    struct pooled_test test = pooled_test_of(arms, alpha);
    struct climb control = climb_from_bottom(arms.control, control_rate);
    struct climb upper = climb_from_bottom(arms.treatment, treatment_rate), lower = upper;
    struct boundaries boundaries = {0};
    double mean = test.control * control_rate, power = 0;
    double end = mean + REACH_DEVIATIONS * sqrt(mean * (1 - control_rate)) + REACH_BESIDES;

    boundaries.lower = lowest_boundary(&test, control.at);
    for (;;) {
        move_boundaries(&test, control.at, &boundaries);
        power += control.mass *
                 (1 - climb_to(&upper, boundaries.upper - 1) + climb_to(&lower, boundaries.lower));
        if (control.at >= arms.control || (double)control.at >= end)
            return fmin(power, 1);
        climb_step(&control);
    }
}

/* P(X >= from) of a binomial distribution whose trials and `from` both rise. */
struct tail {
    double rate, above;
    double before; /* P(X = from - 1) */
};

static struct tail tail_at(int64_t trials, int64_t from, double rate)
{
    return (struct tail){rate, binomial_survival(from - 1, trials, rate),
                         binomial_pmf(from - 1, trials, rate)};
}

static void tail_add_trial(struct tail *tail, int64_t trials, int64_t from)
{
    tail->above += tail->rate * tail->before;
    tail->before *= (double)(trials + 1) / (double)(trials + 2 - from) * (1 - tail->rate);
}

static void tail_move(struct tail *tail, int64_t trials, int64_t from)
{
    double here =
        tail->before * (double)(trials - from + 1) / (double)from * tail->rate / (1 - tail->rate);

    tail->above = fmax(tail->above - here, 0);
    tail->before = here;
}

double conditional_count_power(double control_mean, double treatment_mean, double alpha)
{
    double mean = control_mean + treatment_mean, share = treatment_mean / mean;
    double end = mean + REACH_DEVIATIONS * sqrt(mean) + REACH_BESIDES, power = 0;
    int64_t total = reach_below(mean, sqrt(mean)), from = total / 2 + 1;
    double mass = poisson_pmf(total, mean);
    struct tail null = tail_at(total, from, 0.5), treatment = tail_at(total, from, share);
    struct tail control = tail_at(total, from, 1 - share);

    for (;; total++) {
        while (2 * null.above >= alpha && from <= total) {
            tail_move(&null, total, from);
            tail_move(&treatment, total, from);
            tail_move(&control, total, from);
            from++;
        }
        power += mass * (treatment.above + control.above);
        if ((double)total >= end)
            return fmin(power, 1);
        tail_add_trial(&null, total, from);
        tail_add_trial(&treatment, total, from);
        tail_add_trial(&control, total, from);
        mass *= mean / (double)(total + 1);
    }
}
