/*
 * How often the comparison of adaptive arms is wrong where there is no effect, by simulation:
 * Thompson sampling in rounds, looked at after each, until a comparison is significant at any look.
 * Prints the table of docs/use/error-rates-adaptive.md.
 *
 *   adaptive_error_rates [RUNS]     10 000 by default
 */
#include "base/number.h"
#include "experiments/adaptive/adaptive.h"
#include "math/beta.h"
#include "math/random.h"
#include "stats/adaptive_effect.h"
#include "stats/always_valid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 10000, ROUNDS = 40, ARMS_MAX = 4, DRAWS = 100 };

#define ALPHA 0.05

static struct random source;

/* Values of an arm's users; `level` moves the mean of all arms from round to round. */
struct game {
    const char *what;
    size_t arms;
    double floor;
    int64_t users; /* of a round */
    bool binary;
    double drift;     /* of the level over all rounds */
    double spread[2]; /* standard deviations of the control and of the others */
    bool skewed;      /* log-normal */
    bool pooled;      /* a control: the test of pooled arms at every look */
};

struct arm {
    double n, sum, squares;
};

static double value(const struct game *game, size_t arm, double level)
{
    double spread = game->spread[arm > 0];

    if (game->binary)
        return random_uniform(&source) < level;
    if (game->skewed)
        return level + spread * (exp(random_normal(&source)) - exp(0.5)) / 2.161197;
    return level + spread * random_normal(&source);
}

static double level_of(const struct game *game, int round)
{
    double start = game->binary ? 0.1 : 10;

    return start + game->drift * round / ROUNDS;
}

static void add(struct arm *arm, double x)
{
    arm->n++;
    arm->sum += x;
    arm->squares += x * x;
}

static struct adaptive_cell cell(const struct arm *arm, double probability)
{
    struct adaptive_cell cell = {.n = arm->n, .probability = probability};

    if (arm->n > 0) {
        cell.mean = arm->sum / arm->n;
        cell.squares = fmax(arm->squares - arm->n * cell.mean * cell.mean, 0);
    }
    return cell;
}

/* A round's users, by the shares. */
static void play(const struct game *game, int round, const struct adaptive_shares *shares,
                 struct arm arms[ARMS_MAX])
{
    for (int64_t i = 0; i < game->users; i++) {
        double at = random_uniform(&source) * ADAPTIVE_UNITS;
        size_t arm = 0;

        while (arm + 1 < game->arms && at >= (double)shares->units[arm])
            at -= (double)shares->units[arm++];
        add(&arms[arm], value(game, arm, level_of(game, round)));
    }
}

/* The probability of being best by draws from normal posteriors: the exact integral of the service
 * would take hours here. */
static void next_shares(const struct game *game, const struct arm totals[ARMS_MAX],
                        struct adaptive_shares *shares)
{
    double best[ARMS_MAX] = {0};

    for (int draw = 0; draw < DRAWS; draw++) {
        size_t most = 0;
        double largest = -INFINITY;

        for (size_t i = 0; i < game->arms; i++) {
            struct adaptive_cell seen = cell(&totals[i], 1);
            double drawn = seen.mean + sqrt((seen.squares + 1e-9) / fmax(seen.n, 1)) /
                                           sqrt(fmax(seen.n - 1, 1)) * random_normal(&source);

            if (drawn > largest) {
                largest = drawn;
                most = i;
            }
        }
        best[most]++;
    }
    adaptive_divide(best, game->arms, game->floor, shares);
}

static bool pooled_is_wrong(const struct arm *control, const struct arm *treatment, double mixture)
{
    struct adaptive_cell one = cell(control, 1), other = cell(treatment, 1);
    struct always_valid test;

    always_valid_test(other.mean - one.mean,
                      one.squares / one.n / (one.n - 1) + other.squares / other.n / (other.n - 1),
                      mixture, ALPHA, &test);
    return test.is_significant;
}

/* Whether any comparison is significant after any round. Users of a round are in `rounds`. */
static bool run_is_wrong(const struct game *game)
{
    struct adaptive_pair rounds[ARMS_MAX][ROUNDS];
    struct arm totals[ARMS_MAX] = {{0}};
    struct adaptive_shares shares;
    double even[ARMS_MAX] = {1, 1, 1, 1};
    double mixture = game->binary ? 0.02 * 0.02 : 0.1 * 0.1;
    double alpha = ALPHA / (double)(game->arms - 1);
    bool wrong = false;

    adaptive_divide(even, game->arms, game->floor, &shares);
    for (int round = 0; round < ROUNDS && !wrong; round++) {
        struct arm arms[ARMS_MAX] = {{0}};

        play(game, round, &shares, arms);
        for (size_t arm = 0; arm < game->arms; arm++) {
            totals[arm].n += arms[arm].n;
            totals[arm].sum += arms[arm].sum;
            totals[arm].squares += arms[arm].squares;
        }
        for (size_t arm = 1; arm < game->arms; arm++) {
            struct adaptive_effect effect;
            struct always_valid test;

            rounds[arm][round] = (struct adaptive_pair){
                cell(&arms[0], (double)shares.units[0] / ADAPTIVE_UNITS),
                cell(&arms[arm], (double)shares.units[arm] / ADAPTIVE_UNITS)};
            adaptive_effect(rounds[arm], (size_t)round + 1, game->binary ? 0.1 : 10, &effect);
            always_valid_test(effect.effect, effect.variance, mixture, alpha, &test);
            wrong = wrong || (game->pooled ? pooled_is_wrong(&totals[0], &totals[arm], mixture)
                                           : effect.evaluable && test.is_significant);
        }
        next_shares(game, totals, &shares);
    }
    return wrong;
}

static const struct game games[] = {
    {"rates, 2 arms, floor 10 %", 2, 0.1, 200, true, 0, {0}, false, false},
    {"rates, 2 arms, floor 1 %", 2, 0.01, 200, true, 0, {0}, false, false},
    {"rates, 4 arms, floor 5 %", 4, 0.05, 400, true, 0, {0}, false, false},
    {"rates that rise from 10 to 30 %, 2 arms, floor 5 %",
     2,
     0.05,
     200,
     true,
     0.2,
     {0},
     false,
     false},
    {"means, 2 arms, floor 10 %", 2, 0.1, 200, false, 0, {1, 1}, false, false},
    {"means, 4 arms, floor 5 %", 4, 0.05, 400, false, 0, {1, 1}, false, false},
    {"means that rise by 2 deviations, 2 arms, floor 5 %",
     2,
     0.05,
     200,
     false,
     2,
     {1, 1},
     false,
     false},
    {"means, deviations 1 and 3, 2 arms, floor 5 %", 2, 0.05, 200, false, 0, {1, 3}, false, false},
    {"log-normal values, 2 arms, floor 10 %", 2, 0.1, 400, false, 0, {1, 1}, true, false},
    {"control: pooled arms, rates that rise from 10 to 30 %",
     2,
     0.05,
     200,
     true,
     0.2,
     {0},
     false,
     true},
    {"control: pooled arms, means that rise by 2 deviations",
     2,
     0.05,
     200,
     false,
     2,
     {1, 1},
     false,
     true},
};

static void print_game(const struct game *game, int64_t runs)
{
    int64_t wrong = 0;
    double low, high;

    for (int64_t i = 0; i < runs; i++)
        wrong += run_is_wrong(game);
    low = wrong ? beta_quantile(0.005, (double)wrong, (double)(runs - wrong + 1)) : 0;
    high = wrong < runs ? beta_quantile(0.995, (double)(wrong + 1), (double)(runs - wrong)) : 1;
    printf("| %s | %.2f %% | %.2f to %.2f %% | %s |\n", game->what,
           100 * (double)wrong / (double)runs, 100 * low, 100 * high,
           low > ALPHA ? "above 5 %" : "holds");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int64_t runs = RUNS;

    if (argc > 2 || (argc == 2 && (!integer_parse(argv[1], &runs) || runs < 1))) {
        fprintf(stderr, "usage: adaptive_error_rates [RUNS]\n");
        return 2;
    }
    source = random_start(35, 0);
    printf("| what is compared after each of %d rounds | ever wrong | 99 %% interval | |\n"
           "|---|---|---|---|\n",
           ROUNDS);
    for (size_t i = 0; i < sizeof games / sizeof games[0]; i++)
        print_game(&games[i], runs);
    return 0;
}
