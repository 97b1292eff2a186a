/* The posterior of a beta-binomial model, on a grid. */
#include "orchestrator/measures/effective_votes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ERROR_STEPS = 25, CORRELATION_STEPS = 46, FINE_STEPS = 9 };

static const double error_width = 0.02;   /* of a step; steps are centered */
static const double prior_exponent = 0.3; /* of 1 - r */

/* Logarithms of the products that a sequence of right and wrong votes is made of: wrong[k] of k
 * errors, right[k] of k right votes, all[n] of n votes. */
struct cell {
    double wrong[VOTERS_MAX + 1], right[VOTERS_MAX + 1], all[VOTERS_MAX + 1];
};

/* Even above 0.05; below it geometric, because n votes differ much there. */
static double correlation_at(size_t step)
{
    if (step == 0)
        return 0;
    if (step < FINE_STEPS)
        return 0.002 * pow(25, (double)(step - 1) / (FINE_STEPS - 2));
    return 0.075 + 0.025 * (double)(step - FINE_STEPS);
}

static double error_at(size_t step)
{
    return error_width * ((double)step + 0.5);
}

/* Half the distance between the neighbors (the trapezoid rule), times the prior. */
static double correlation_weight(size_t step)
{
    double here = correlation_at(step);
    double before = step ? correlation_at(step - 1) : here;
    double after = step + 1 < CORRELATION_STEPS ? correlation_at(step + 1) : 1;

    return (after - before) / 2 * pow(1 - here, prior_exponent);
}

/* Rising factorials of the beta distribution's parameters; without correlation, powers. */
static void fill_cell(struct cell *cell, double error_rate, double correlation)
{
    double sum = correlation > 0 ? 1 / correlation - 1 : 1;
    double step = correlation > 0 ? 1 : 0;

    memset(cell, 0, sizeof *cell);
    for (int i = 0; i < VOTERS_MAX; i++) {
        cell->wrong[i + 1] = cell->wrong[i] + log(error_rate * sum + step * i);
        cell->right[i + 1] = cell->right[i] + log((1 - error_rate) * sum + step * i);
        cell->all[i + 1] = cell->all[i] + log(sum + step * i);
    }
}

static double log_likelihood(const struct cell *cell, int64_t voters, int64_t errors)
{
    return cell->wrong[errors] + cell->right[voters - errors] - cell->all[voters];
}

static double log_sum(double a, double b)
{
    return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
}

static bool counts(const struct vote_record *record)
{
    return record->voters >= 2 && record->voters <= VOTERS_MAX && record->first >= 1 &&
           record->second >= 0 && record->second <= record->first &&
           record->first + record->second <= record->voters && record->right <= record->voters &&
           record->questions > 0;
}

static double log_likelihood_of_all(const struct cell *cell, const struct vote_record *records,
                                    size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const struct vote_record *record = &records[i];
        double one;

        if (!counts(record))
            continue;
        if (record->right >= 0)
            one = log_likelihood(cell, record->voters, record->voters - record->right);
        else
            one = log_sum(log_likelihood(cell, record->voters, record->voters - record->first),
                          log_likelihood(cell, record->voters, record->voters - record->second));
        sum += one * (double)record->questions;
    }
    return sum;
}

/* The probability that the majority of the votes is wrong. */
static double majority_error(size_t voters, double error_rate, double correlation)
{
    struct cell cell;
    double sum = 0, ways = 1;

    fill_cell(&cell, error_rate, correlation);
    for (size_t errors = 0; errors <= voters; errors++) {
        double share = 2 * errors > voters ? 1 : 2 * errors == voters ? 0.5 : 0;

        sum += share * ways * exp(log_likelihood(&cell, (int64_t)voters, (int64_t)errors));
        ways = ways * (double)(voters - errors) / (double)(errors + 1);
    }
    return sum;
}

static void find_means(const double likelihoods[ERROR_STEPS][CORRELATION_STEPS], double highest,
                       struct vote_estimate *estimate)
{
    double total = 0;

    for (size_t i = 0; i < ERROR_STEPS; i++) {
        for (size_t j = 0; j < CORRELATION_STEPS; j++) {
            double weight = exp(likelihoods[i][j] - highest) * correlation_weight(j);

            total += weight;
            estimate->error_rate += weight * error_at(i);
            estimate->correlation += weight * correlation_at(j);
        }
    }
    estimate->error_rate /= total;
    estimate->correlation /= total;
}

void votes_estimate(const struct vote_record *records, size_t count, size_t voters,
                    struct vote_estimate *estimate)
{
    double likelihoods[ERROR_STEPS][CORRELATION_STEPS], highest = -INFINITY;
    struct cell cell;

    *estimate = (struct vote_estimate){0};
    voters = voters < 1 ? 1 : voters > VOTERS_MAX ? VOTERS_MAX : voters;
    for (size_t i = 0; i < ERROR_STEPS; i++) {
        for (size_t j = 0; j < CORRELATION_STEPS; j++) {
            fill_cell(&cell, error_at(i), correlation_at(j));
            likelihoods[i][j] = log_likelihood_of_all(&cell, records, count);
            highest = fmax(highest, likelihoods[i][j]);
        }
    }
    find_means(likelihoods, highest, estimate);
    for (size_t i = 0; i < count; i++)
        if (counts(&records[i]))
            *(records[i].right >= 0 ? &estimate->known : &estimate->unknown) +=
                records[i].questions;
    estimate->independent = (double)voters / (1 + (double)(voters - 1) * estimate->correlation);
    estimate->majority_error_rate =
        majority_error(voters, estimate->error_rate, estimate->correlation);
}

size_t votes_needed(size_t first, size_t second, size_t open)
{
    size_t needed = 0;

    while (needed < open && first + needed <= second + (open - needed))
        needed++;
    return needed;
}
