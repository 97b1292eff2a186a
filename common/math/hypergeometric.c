/* The hypergeometric distribution, as a table of four cells: marked and unmarked items, drawn and
 * left. */
#include "math/hypergeometric.h"

#include "math/special.h"
#include "math/tails.h"

#include <math.h>
#include <stdbool.h>

/* A sum that would need more terms than about nine standard deviations of this uses the
 * integral. */
static const double LONG_SUM_DEVIATION = 1000;

/* The steepest fall of the mass, per item, at which the Euler-Maclaurin formula is used. */
static const double STEEPEST = 0.02;

struct urn {
    int64_t population, marked, draws;
    int64_t least, most; /* the possible counts */
    double mean, variance;
    double margins; /* the part of the log mass that does not depend on k */
};

static bool are_parameters(int64_t population, int64_t marked, int64_t draws)
{
    return population <= INT64_C(1) << 50 && marked >= 0 && draws >= 0 && marked <= population &&
           draws <= population;
}

static double peak(int64_t count)
{
    return log_poisson_mass((double)count, (double)count, 0);
}

static struct urn urn_of(int64_t population, int64_t marked, int64_t draws)
{
    struct urn urn = {.population = population, .marked = marked, .draws = draws};
    int64_t unmarked = population - marked, left = population - draws;
    double total = (double)population, share = total > 0 ? (double)draws / total : 0;

    urn.least = draws > unmarked ? draws - unmarked : 0;
    urn.most = draws < marked ? draws : marked;
    urn.mean = (double)marked * share;
    urn.variance =
        population > 1 ? urn.mean * ((double)unmarked / total) * (double)left / (total - 1) : 0;
    urn.margins = peak(population) - peak(marked) - peak(unmarked) - peak(draws) - peak(left);
    return urn;
}

/* One cell of the table: a Poisson mass. */
static double cell(double count, double excess)
{
    return log_poisson_mass(count, count + excess, excess);
}

/* The log mass at the real count k + shift. The expected count is a ratio of integers; its distance
 * from k is taken exactly before it is divided. */
static double log_mass(const struct urn *urn, int64_t k, double shift)
{
    __int128 numerator = (__int128)urn->marked * urn->draws - (__int128)k * urn->population;
    double excess = urn->population ? (double)numerator / (double)urn->population - shift : 0;
    double marked_left = (double)(urn->marked - k) - shift;
    double unmarked_drawn = (double)(urn->draws - k) - shift;
    double unmarked_left = (double)(urn->population - urn->marked - urn->draws + k) + shift;

    return urn->margins + cell((double)k + shift, excess) + cell(marked_left, -excess) +
           cell(unmarked_drawn, -excess) + cell(unmarked_left, excess);
}

double hypergeometric_log_pmf(int64_t k, int64_t population, int64_t marked, int64_t draws)
{
    if (!are_parameters(population, marked, draws))
        return NAN;

    struct urn urn = urn_of(population, marked, draws);

    return k < urn.least || k > urn.most ? -INFINITY : log_mass(&urn, k, 0);
}

double hypergeometric_pmf(int64_t k, int64_t population, int64_t marked, int64_t draws)
{
    return exp(hypergeometric_log_pmf(k, population, marked, draws));
}

/* P(K = k + direction) / P(K = k). */
static double step_ratio(const struct urn *urn, int64_t k, int direction)
{
    double drawn = (double)k, marked_left = (double)(urn->marked - k);
    double unmarked_drawn = (double)(urn->draws - k);
    double unmarked_left = (double)(urn->population - urn->marked - urn->draws + k);

    if (direction > 0)
        return marked_left / (drawn + 1) * (unmarked_drawn / (unmarked_left + 1));
    return drawn / (marked_left + 1) * (unmarked_left / (unmarked_drawn + 1));
}

/* The sum of the masses from k outward, divided by the mass at k, term by term. */
static double sum_by_terms(const struct urn *urn, int64_t k, int direction)
{
    double term = 1, total = 1;

    while (term > 1e-17 * total) {
        term *= step_ratio(urn, k, direction);
        total += term;
        k += direction;
    }
    return total;
}

struct outward {
    const struct urn *urn;
    int64_t k;
    double base; /* the log mass at k */
};

static double log_ratio(double v, const void *context)
{
    const struct outward *from = context;

    return log_mass(from->urn, from->k, v) - from->base;
}

/* The same by the Euler-Maclaurin formula: integral + 1/2 - g'/12 + g'''/720, where g is the mass
 * divided by the mass at k, as a function of the distance from k. */
static double sum_by_integral(const struct urn *urn, int64_t k, int direction, double fall)
{
    struct outward from = {.urn = urn, .k = k, .base = log_mass(urn, k, 0)};
    double reach = 80 / (fall + sqrt(fall * fall + 80 / urn->variance));
    double integral = tails_integrate(log_ratio, &from, direction * reach);

    return integral + 0.5 + fall / 12 - fall * (fall * fall - 3 / urn->variance) / 720;
}

/* The sum of all masses from k outward, k included; k lies beyond the mean in that direction. */
static double tail_from(const struct urn *urn, int64_t k, int direction)
{
    if (k < urn->least || k > urn->most)
        return 0;

    double mass = exp(log_mass(urn, k, 0));
    double fall = 0.5 * log(step_ratio(urn, k, -direction) / step_ratio(urn, k, direction));

    if (mass == 0)
        return 0;
    if (urn->variance < LONG_SUM_DEVIATION * LONG_SUM_DEVIATION || !(fall < STEEPEST))
        return mass * sum_by_terms(urn, k, direction);
    return mass * sum_by_integral(urn, k, direction, fall);
}

static double urn_cdf(const struct urn *urn, int64_t k)
{
    if (k < urn->least || k >= urn->most)
        return k < urn->least ? 0 : 1;
    return (double)k < urn->mean ? tail_from(urn, k, -1) : 1 - tail_from(urn, k + 1, 1);
}

static double urn_survival(const struct urn *urn, int64_t k)
{
    if (k < urn->least || k >= urn->most)
        return k < urn->least ? 1 : 0;
    return (double)k < urn->mean ? 1 - tail_from(urn, k, -1) : tail_from(urn, k + 1, 1);
}

double hypergeometric_cdf(int64_t k, int64_t population, int64_t marked, int64_t draws)
{
    if (!are_parameters(population, marked, draws))
        return NAN;

    struct urn urn = urn_of(population, marked, draws);

    return urn_cdf(&urn, k);
}

double hypergeometric_survival(int64_t k, int64_t population, int64_t marked, int64_t draws)
{
    if (!are_parameters(population, marked, draws))
        return NAN;

    struct urn urn = urn_of(population, marked, draws);

    return urn_survival(&urn, k);
}

struct search {
    struct urn urn;
    double lower, upper;
};

static bool reached(int64_t k, const void *context)
{
    const struct search *search = context;

    if (search->lower <= search->upper)
        return urn_cdf(&search->urn, k) >= tails_relaxed_lower(search->lower);
    return urn_survival(&search->urn, k) <= tails_relaxed_upper(search->upper);
}

double hypergeometric_quantile(double probability, int64_t population, int64_t marked,
                               int64_t draws)
{
    if (!is_probability(probability) || !are_parameters(population, marked, draws))
        return NAN;
    if (probability == 1)
        return (double)(draws < marked ? draws : marked);

    struct search search = {
        .urn = urn_of(population, marked, draws), .lower = probability, .upper = 1 - probability};
    const struct urn *urn = &search.urn;
    double total = (double)population;
    double skew = (1 - 2 * (double)marked / total) * (1 - 2 * (double)draws / total);
    double guess = tails_count_guess(urn->mean, urn->variance, skew, probability);

    return (double)tails_search(reached, &search, guess, urn->least, urn->most);
}
