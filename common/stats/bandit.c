/* Thompson sampling, optimized for speed. Must not depend on the caller or on the number of
 * processors. */
#include "stats/bandit.h"

#include "math/draws.h"

#include <math.h>
#include <pthread.h>

/* Below this many draws another thread costs more than it saves. */
static const double DRAWS_PER_THREAD = 2e6;

enum { LEAST_COST = 15 };

/* Data that all threads read. */
struct table {
    const struct bandit_game *game;
    struct ziggurat ziggurat;
    const struct gamma_shape *shapes; /* [n] belongs to the beta parameter n, 1 to horizon + 1 */
    size_t best_arm;
    size_t point_count;
    int64_t steps[BANDIT_POINTS_MAX];
};

/* Sums over simulations. */
struct tally {
    int64_t pulls[BANDIT_POINTS_MAX][BANDIT_ARMS_MAX]; /* up to the step of each point */
    int64_t found; /* simulations that pulled the best arm most */
};

/* The simulations of one thread: `first`, `first + stride`... */
struct share {
    const struct table *table;
    int64_t first, stride;
    struct tally tally;
    pthread_t thread;
};

/* Parameters of the beta posteriors: wins + 1 and losses + 1. */
struct posterior {
    int64_t wins[BANDIT_ARMS_MAX], losses[BANDIT_ARMS_MAX];
};

/* The arm with the largest draw from its posterior. A beta is x / (x + y) of two gammas; comparing
 * x / y gives the same order without a division. */
static size_t choose_arm(struct draws *draws, const struct gamma_shape *shapes,
                         const struct posterior *posterior, size_t arms)
{
    double best_x = 0, best_y = 1;
    size_t chosen = 0;

    for (size_t i = 0; i < arms; i++) {
        double x = draws_gamma(draws, &shapes[posterior->wins[i]]);
        double y = draws_gamma(draws, &shapes[posterior->losses[i]]);
        bool larger = x * best_y > best_x * y;

        best_x = larger ? x : best_x;
        best_y = larger ? y : best_y;
        chosen = larger ? i : chosen;
    }
    return chosen;
}

static size_t largest(const int64_t *values, size_t count)
{
    size_t at = 0;

    for (size_t i = 1; i < count; i++)
        if (values[i] > values[at])
            at = i;
    return at;
}

static void simulate(const struct table *table, uint64_t stream, struct tally *tally)
{
    const struct bandit_game *game = table->game;
    const double *rates = game->arm_rates.items;
    size_t arms = game->arm_rates.count;
    int64_t pulls[BANDIT_ARMS_MAX] = {0}, step = 0;
    struct posterior posterior;
    struct draws draws;

    draws_start(&draws, &table->ziggurat, game->seed, stream);
    for (size_t i = 0; i < BANDIT_ARMS_MAX; i++)
        posterior.wins[i] = posterior.losses[i] = 1;
    for (size_t point = 0; point < table->point_count; point++) {
        for (; step < table->steps[point]; step++) {
            size_t arm = choose_arm(&draws, table->shapes, &posterior, arms);
            bool won = draws_uniform(&draws) < rates[arm];

            posterior.wins[arm] += won;
            posterior.losses[arm] += !won;
            pulls[arm]++;
        }
        for (size_t i = 0; i < arms; i++)
            tally->pulls[point][i] += pulls[i];
    }
    tally->found += largest(pulls, arms) == table->best_arm;
}

static void *play(void *argument)
{
    struct share *share = argument;

    for (int64_t i = share->first; i < share->table->game->simulations; i += share->stride)
        simulate(share->table, (uint64_t)i, &share->tally);
    return NULL;
}

static void add_tally(struct tally *sum, const struct tally *part)
{
    for (size_t point = 0; point < BANDIT_POINTS_MAX; point++)
        for (size_t i = 0; i < BANDIT_ARMS_MAX; i++)
            sum->pulls[point][i] += part->pulls[point][i];
    sum->found += part->found;
}

/* This thread runs share 0, and every share for which no thread could be started. */
static void play_shares(struct share *shares, int count, struct tally *sum)
{
    bool started[BANDIT_THREADS_MAX] = {false};

    for (int i = 1; i < count; i++)
        started[i] = pthread_create(&shares[i].thread, NULL, play, &shares[i]) == 0;
    for (int i = 0; i < count; i++)
        if (!started[i])
            play(&shares[i]);
    for (int i = 0; i < count; i++) {
        if (started[i])
            pthread_join(shares[i].thread, NULL);
        add_tally(sum, &shares[i].tally);
    }
}

static double count_draws(const struct bandit_game *game)
{
    return (double)game->simulations * (double)game->horizon * (double)game->arm_rates.count;
}

static int useful_threads(const struct bandit_game *game, int threads)
{
    double useful = fmin(count_draws(game) / DRAWS_PER_THREAD, (double)game->simulations);

    return (int)fmax(1, fmin(fmin(threads, BANDIT_THREADS_MAX), useful));
}

size_t bandit_steps(int64_t horizon, int64_t steps[BANDIT_POINTS_MAX])
{
    double spacing = (double)(horizon - 1) / (BANDIT_POINTS_MAX - 1);
    size_t count = horizon < BANDIT_POINTS_MAX ? (size_t)horizon : BANDIT_POINTS_MAX;

    for (size_t i = 0; i < count; i++)
        steps[i] = horizon <= BANDIT_POINTS_MAX ? (int64_t)i + 1
                                                : (int64_t)nearbyint((double)i * spacing + 1);
    steps[count - 1] = horizon;
    return count;
}

static double best_rate(const struct bandit_game *game, size_t *arm)
{
    const double *rates = game->arm_rates.items;

    *arm = 0;
    for (size_t i = 1; i < game->arm_rates.count; i++)
        if (rates[i] > rates[*arm])
            *arm = i;
    return rates[*arm];
}

static double mean_gap(const struct bandit_game *game, double best)
{
    double sum = 0;

    for (size_t i = 0; i < game->arm_rates.count; i++)
        sum += game->arm_rates.items[i];
    return best - sum / (double)game->arm_rates.count;
}

static void summarise(const struct table *table, const struct tally *tally, double best,
                      struct bandit_result *result)
{
    const struct bandit_game *game = table->game;
    double simulations = (double)game->simulations;
    double gap = mean_gap(game, best);
    const int64_t *pulls = tally->pulls[table->point_count - 1];

    *result = (struct bandit_result){.best_arm = table->best_arm,
                                     .probability_best = (double)tally->found / simulations,
                                     .point_count = table->point_count};
    for (size_t i = 0; i < game->arm_rates.count; i++)
        result->allocation[i] = (double)pulls[i] / (simulations * (double)game->horizon);
    for (size_t point = 0; point < table->point_count; point++) {
        double regret = 0;

        for (size_t i = 0; i < game->arm_rates.count; i++)
            regret += (best - game->arm_rates.items[i]) * (double)tally->pulls[point][i];
        result->points[point] =
            (struct bandit_point){.step = table->steps[point],
                                  .bandit_regret = regret / simulations,
                                  .uniform_regret = gap * (double)table->steps[point]};
    }
}

void bandit_simulate(const struct bandit_game *game, int threads, struct arena *arena,
                     struct bandit_result *result)
{
    size_t parameters = (size_t)game->horizon + 2;
    struct gamma_shape *shapes = ARENA_ARRAY(arena, struct gamma_shape, parameters);
    struct table *table = ARENA_NEW(arena, struct table);
    struct tally *sum = ARENA_NEW(arena, struct tally);
    int count = useful_threads(game, threads);
    struct share *shares = ARENA_ARRAY(arena, struct share, (size_t)count);
    double best;

    for (size_t i = 1; i < parameters; i++)
        shapes[i] = gamma_shape_of((double)i);
    table->game = game;
    table->shapes = shapes;
    table->point_count = bandit_steps(game->horizon, table->steps);
    ziggurat_build(&table->ziggurat);
    best = best_rate(game, &table->best_arm);
    for (int i = 0; i < count; i++)
        shares[i] = (struct share){.table = table, .first = i, .stride = count};
    play_shares(shares, count, sum);
    summarise(table, sum, best, result);
}

int64_t bandit_cost(const struct bandit_game *game)
{
    double steps = (double)game->simulations * (double)game->horizon;

    return (int64_t)fmax(LEAST_COST, ceil(fmax(steps / 50000, count_draws(game) / 100000)));
}
