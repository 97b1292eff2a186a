/* The bandit: golden cases, bounds that hold for any seed, and the same bits on any number of
 * threads. */
#include "stats/bandit.h"
#include "test.h"

static struct arena *arena;

#define GAME(steps, runs, start, ...)                                                              \
    {                                                                                              \
        .arm_rates = {sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__}},  \
        .horizon = (steps), .simulations = (runs), .seed = (start)                                 \
    }

static struct bandit_result play(struct bandit_game game, int threads)
{
    struct bandit_result result;

    arena_reset(arena);
    bandit_simulate(&game, threads, arena, &result);
    return result;
}

static bool same(const struct bandit_result *one, const struct bandit_result *other)
{
    bool equal = one->best_arm == other->best_arm && one->point_count == other->point_count &&
                 one->probability_best == other->probability_best;

    for (size_t i = 0; i < BANDIT_ARMS_MAX; i++)
        equal = equal && one->allocation[i] == other->allocation[i];
    for (size_t i = 0; i < one->point_count; i++)
        equal = equal && one->points[i].step == other->points[i].step &&
                one->points[i].bandit_regret == other->points[i].bandit_regret &&
                one->points[i].uniform_regret == other->points[i].uniform_regret;
    return equal;
}

static const struct bandit_point *last(const struct bandit_result *result)
{
    return &result->points[result->point_count - 1];
}

TEST(golden_game)
{
    struct bandit_game game = GAME(400, 200, 7, 0.05, 0.12);
    struct bandit_result result = play(game, 1);

    CHECK_INT(result.best_arm, 1);
    CHECK(result.allocation[1] > 0.5 && result.probability_best > 0.5);
    CHECK_NEAR(last(&result)->uniform_regret, 14.0, 1e-12);
    CHECK(last(&result)->bandit_regret > 0 && last(&result)->bandit_regret < 14);
    CHECK_INT(last(&result)->step, 400);
    CHECK_INT(result.point_count, 40);
}

TEST(regret_is_what_the_pulls_cost)
{
    struct bandit_game game = GAME(777, 60, 3, 0.3, 0.1, 0.25, 0.0);
    struct bandit_result result = play(game, 1);
    double pulls = 0, regret = 0;

    for (size_t i = 0; i < 4; i++) {
        pulls += result.allocation[i];
        regret += (0.3 - game.arm_rates.items[i]) * result.allocation[i] * 777;
    }
    CHECK_NEAR(pulls, 1, 1e-12);
    CHECK_RELATIVE(last(&result)->bandit_regret, regret, 1e-12);
    for (size_t i = 1; i < result.point_count; i++) {
        CHECK(result.points[i].step > result.points[i - 1].step);
        CHECK(result.points[i].bandit_regret >= result.points[i - 1].bandit_regret);
        CHECK(result.points[i].uniform_regret > result.points[i - 1].uniform_regret);
    }
}

TEST(seeds_decide)
{
    struct bandit_game game = GAME(200, 50, 1, 0.1, 0.2, 0.15);
    struct bandit_result first = play(game, 1), again = play(game, 1), other;

    CHECK(same(&first, &again));
    game.seed = 2;
    other = play(game, 1);
    CHECK(!same(&first, &other));
}

TEST(threads_do_not_change_a_bit)
{
    struct bandit_game game = GAME(5000, 331, 9, 0.05, 0.06, 0.07, 0.08, 0.1);
    struct bandit_result alone = play(game, 1);

    for (int threads = 2; threads <= BANDIT_THREADS_MAX + 1; threads += 5) {
        struct bandit_result result = play(game, threads);

        CHECK(same(&alone, &result));
    }
}

/* A simulation is the same whichever others are played with it. */
TEST(simulations_are_added_one_by_one)
{
    struct bandit_game game = GAME(100, 1, 5, 0.2, 0.4);
    double pulls = play(game, 1).allocation[1] * 100;

    game.simulations = 2;
    double both = play(game, 1).allocation[1] * 200;

    CHECK(both >= pulls && both <= pulls + 100);
    CHECK_NEAR(both, nearbyint(both), 1e-9);
}

TEST(certain_arms)
{
    struct bandit_game game = GAME(1000, 100, 1, 0.0, 1.0);
    struct bandit_result result = play(game, 1);

    CHECK(result.allocation[1] > 0.98 && result.probability_best == 1);
    CHECK(last(&result)->bandit_regret < 10);
}

TEST(equal_arms_cost_nothing)
{
    struct bandit_game none = GAME(50, 10, 1, 0.0, 0.0), all = GAME(50, 10, 1, 1.0, 1.0, 1.0);
    struct bandit_result nobody = play(none, 1), everybody = play(all, 1);

    CHECK(nobody.best_arm == 0 && everybody.best_arm == 0);
    CHECK(last(&nobody)->bandit_regret == 0 && last(&nobody)->uniform_regret == 0);
    CHECK(last(&everybody)->bandit_regret == 0 && last(&everybody)->uniform_regret == 0);
    CHECK_NEAR(everybody.allocation[0] + everybody.allocation[1] + everybody.allocation[2], 1,
               1e-12);
}

/* numpy.unique(numpy.linspace(1, horizon, 40).round()) beyond 40 steps. */
TEST(steps_of_the_curve)
{
    static const int64_t of_100[] = {1,  4,  6,  9,  11, 14, 16, 19, 21, 24, 26, 29, 31, 34,
                                     37, 39, 42, 44, 47, 49, 52, 54, 57, 59, 62, 64, 67, 70,
                                     72, 75, 77, 80, 82, 85, 87, 90, 92, 95, 97, 100};
    int64_t steps[BANDIT_POINTS_MAX];

    CHECK_INT(bandit_steps(1, steps), 1);
    CHECK_INT(steps[0], 1);
    CHECK_INT(bandit_steps(40, steps), 40);
    CHECK_INT(steps[39], 40);
    CHECK_INT(bandit_steps(100, steps), 40);
    CHECK(memcmp(steps, of_100, sizeof of_100) == 0);
    for (int64_t horizon = 1; horizon <= 5000; horizon += horizon < 300 ? 1 : 97) {
        size_t count = bandit_steps(horizon, steps);

        CHECK(steps[0] == 1 && steps[count - 1] == horizon);
        for (size_t i = 1; i < count; i++)
            CHECK(steps[i] > steps[i - 1]);
    }
}

TEST(cost_units)
{
    struct bandit_game small = GAME(10, 1, 1, 0.1, 0.2), usual = GAME(1000, 400, 1, 0.1, 0.2);
    struct bandit_game large = GAME(5000, 2000, 1, 0.1, 0.2);
    struct bandit_game many = GAME(5000, 2000, 1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1);

    CHECK_INT(bandit_cost(&small), 15);
    CHECK_INT(bandit_cost(&usual), 15);
    CHECK_INT(bandit_cost(&large), 200);
    CHECK_INT(bandit_cost(&many), 1000);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(golden_game),
        CASE(regret_is_what_the_pulls_cost),
        CASE(seeds_decide),
        CASE(threads_do_not_change_a_bit),
        CASE(simulations_are_added_one_by_one),
        CASE(certain_arms),
        CASE(equal_arms_cost_nothing),
        CASE(steps_of_the_curve),
        CASE(cost_units),
    };
    int status;

    arena = arena_create(1 << 24);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
