/* Sums over rounds. The mean of earlier rounds that leaves the least variance is q times that of
 * the control plus 1 - q times that of the treatment. */
#include "stats/adaptive_effect.h"

#include <math.h>

/* What the rounds so far have shown of an arm. */
struct past {
    double n, sum;
};

static double past_mean(const struct past *past, double start)
{
    return past->n > 0 ? past->sum / past->n : start;
}

static void remember(struct past *past, const struct adaptive_cell *cell)
{
    past->n += cell->n;
    past->sum += cell->n * cell->mean;
}

/* Sum of squares about `center`. */
static double squares_about(const struct adaptive_cell *cell, double center)
{
    return cell->squares + cell->n * (cell->mean - center) * (cell->mean - center);
}

struct totals {
    double score, weight, variance;
};

static void add_round(struct totals *totals, const struct adaptive_pair *round, double control_mean,
                      double treatment_mean)
{
    const struct adaptive_cell *control = &round->control, *treatment = &round->treatment;
    double users = control->n + treatment->n;
    double q = treatment->probability / (control->probability + treatment->probability);
    double m = q * control_mean + (1 - q) * treatment_mean;
    double score =
        (1 - q) * treatment->n * (treatment->mean - m) - q * control->n * (control->mean - m);
    double squares =
        (1 - q) * (1 - q) * squares_about(treatment, m) + q * q * squares_about(control, m);

    totals->score += score;
    totals->weight += users * q * (1 - q);
    /* A single user says nothing about the spread of its round: the square itself is larger. */
    totals->variance +=
        users > 1 ? fmax(squares - score * score / users, 0) * users / (users - 1) : squares;
}

void adaptive_effect(const struct adaptive_pair *rounds, size_t count, double start,
                     struct adaptive_effect *result)
{
    struct past control = {0}, treatment = {0};
    struct totals totals = {0};

    *result = (struct adaptive_effect){0};
    for (size_t i = 0; i < count; i++) {
        if (rounds[i].control.n + rounds[i].treatment.n > 0)
            add_round(&totals, &rounds[i], past_mean(&control, start),
                      past_mean(&treatment, start));
        remember(&control, &rounds[i].control);
        remember(&treatment, &rounds[i].treatment);
    }
    result->users = control.n + treatment.n;
    if (control.n < 2 || treatment.n < 2 || !(totals.variance > 0) || !(totals.weight > 0))
        return;
    result->evaluable = true;
    result->effect = totals.score / totals.weight;
    result->variance = totals.variance / totals.weight / totals.weight;
}
