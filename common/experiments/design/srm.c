/*
 * The sample ratio mismatch check. Knows counts and weights alone.
 */
#include "experiments/design/srm.h"

#include "math/chi_square.h"

#include <float.h>
#include <math.h>

#define SRM_THRESHOLD 0.001

/* A share below this is none: its square would not leave a finite chi-square. */
#define SHARE_MINIMUM 1e-200

/* A count this close to its expectation, relatively, is met: shares of a third are rounded. */
#define SHARE_ROUNDING (2 * DBL_EPSILON)

static enum error check_counts(const struct integer_list *counts, double *total,
                               struct problem *problem)
{
    *total = 0;
    for (size_t i = 0; i < counts->count; i++) {
        if (counts->items[i] < 0)
            return problem_set(problem, ERROR_INVALID, "no_observations",
                               "Observed count %zu is negative.", i + 1);
        *total += (double)counts->items[i];
    }
    if (*total > 0)
        return ERROR_NONE;
    return problem_set(problem, ERROR_INVALID, "no_observations",
                       "The observed counts must have a positive sum.");
}

/* The largest weight and, in its unit, the sum: the sum itself may overflow. */
static double largest_weight(const struct number_list *weights, double *sum)
{
    double largest = 0;

    for (size_t i = 0; i < weights->count; i++)
        largest = fmax(largest, weights->items[i]);
    *sum = 0;
    for (size_t i = 0; i < weights->count; i++)
        *sum += weights->items[i] / largest;
    return largest;
}

enum error srm_check(const struct integer_list *counts, const struct number_list *weights,
                     double *expected, struct srm_result *result, struct problem *problem)
{
    double total, sum, largest, chi_square = 0, most = 0;
    int64_t furthest = 0;
    enum error error = check_counts(counts, &total, problem);

    if (error)
        return error;
    largest = largest_weight(weights, &sum);
    for (size_t i = 0; i < counts->count; i++) {
        double share = weights->items[i] / largest / sum;
        double expectation = share * total;
        double excess = (double)counts->items[i] - expectation, part = 0;

        if (!(share >= SHARE_MINIMUM))
            return problem_set(problem, ERROR_INVALID, "fraction_not_positive",
                               "Expected fraction %zu is %g; every variant needs a positive share.",
                               i + 1, weights->items[i]);
        if (expected)
            expected[i] = expectation;
        if (fabs(excess) > SHARE_ROUNDING * expectation)
            part = excess * (excess / expectation);
        chi_square += part;
        if (part > most) {
            most = part;
            furthest = (int64_t)i;
        }
    }
    result->chi_square = chi_square;
    result->p_value = chi_square_survival(chi_square, (double)counts->count - 1);
    result->is_srm = result->p_value < SRM_THRESHOLD;
    result->deviating_arm = (struct optional_integer){0};
    if (result->is_srm && counts->count > 2)
        result->deviating_arm = GIVEN_INTEGER(furthest);
    return ERROR_NONE;
}

bool srm_counts_are_not_negative(const struct integer_list *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        if (counts->items[i] < 0)
            return false;
    return true;
}

bool srm_counts_have_users(const struct integer_list *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        if (counts->items[i] > 0)
            return true;
    return false;
}
