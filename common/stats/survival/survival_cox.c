/* The proportional-hazards model of two arms: Newton's method on Efron's partial likelihood. */
#include "stats/survival/survival.h"

#include "math/normal.h"

#include <math.h>

enum { STEPS_MAX = 50, HALVINGS_MAX = 60 };

static const double STEP_TOLERANCE = 1e-10;
static const double LOG_RATIO_MAX = 30;

/* Derivatives of the log partial likelihood at one log hazard ratio. */
struct slope {
    double first;  /* the first derivative: the score */
    double second; /* the negative second derivative: the information */
};

/* Adds the d events of one time; each removes 1/d of the tied subjects from the risk set (Efron).
 * The hazard shares of the two arms are separate sums, so that nothing cancels where one is near
 * 1. */
static void add_events(struct slope *slope, const int64_t at_risk[2], const int64_t events[2],
                       double ratio)
{
    double d0 = (double)events[0], d1 = (double)events[1], d = d0 + d1;

    for (double gone = 0; gone < d; gone++) {
        double control = (double)at_risk[0] - gone / d * d0;
        double treatment = ((double)at_risk[1] - gone / d * d1) * ratio;
        double p = treatment / (control + treatment), q = control / (control + treatment);

        slope->first += (d1 * q - d0 * p) / d;
        slope->second += p * q;
    }
}

static struct slope slope_at(const struct survival_table *table, double log_ratio)
{
    struct slope slope = {0, 0};
    double ratio = exp(log_ratio);

    for (size_t row = 0; row < table->time_count; row++) {
        const int64_t *at_risk = table->at_risk + row * table->arm_count;

        if (at_risk[0] && at_risk[1])
            add_events(&slope, at_risk, table->events + row * table->arm_count, ratio);
    }
    return slope;
}

/* The likelihood is concave, and falls off on both sides exactly when each arm had an event while a
 * subject of the other was at risk. Otherwise it rises without bound: separation. */
static bool has_maximum(const struct survival_table *table)
{
    bool found[2] = {false, false};

    for (size_t row = 0; row < table->time_count; row++) {
        const int64_t *at_risk = table->at_risk + row * table->arm_count;
        const int64_t *events = table->events + row * table->arm_count;

        found[0] = found[0] || (events[0] && at_risk[1]);
        found[1] = found[1] || (events[1] && at_risk[0]);
    }
    return found[0] && found[1];
}

/* Takes the step, halved until the score is smaller. False when no step reduces it: only rounding
 * remains. */
static bool advance(const struct survival_table *table, double step, double *log_ratio,
                    struct slope *slope)
{
    for (int i = 0; i < HALVINGS_MAX; i++, step /= 2) {
        struct slope next = slope_at(table, *log_ratio + step);

        if (next.second > 0 && fabs(next.first) < fabs(slope->first)) {
            *log_ratio += step;
            *slope = next;
            return true;
        }
    }
    return false;
}

/* Finds the maximum and the information there; false when it is not found. */
static bool maximise(const struct survival_table *table, double *log_ratio, double *information)
{
    struct slope slope = slope_at(table, 0);

    *log_ratio = 0;
    for (int i = 0; i < STEPS_MAX; i++) {
        double step = slope.first / slope.second;

        if (!(fabs(*log_ratio) <= LOG_RATIO_MAX && slope.second > 0))
            return false;
        *information = slope.second;
        if (fabs(step) < STEP_TOLERANCE || !advance(table, step, log_ratio, &slope))
            return true;
    }
    return false;
}

bool cox_fit(const struct survival_table *table, struct cox_result *result)
{
    double information = 0;

    *result = (struct cox_result){.p_value = 1};
    if (!has_maximum(table) || !maximise(table, &result->log_hazard_ratio, &information))
        return false;
    result->standard_error = 1 / sqrt(information);
    result->z = result->log_hazard_ratio / result->standard_error;
    result->p_value = fmin(1, 2 * normal_survival(fabs(result->z)));
    return true;
}
