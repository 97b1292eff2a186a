/* Shares of adaptive arms: whole units that sum to all of them, with a floor that holds exactly. */
#include "experiments/adaptive/adaptive.h"
#include "math/random.h"
#include "test.h"

#include <math.h>

enum { DIVISIONS = 20000 };

/* The floor in units, rounded up; what all arms can have where they cannot. */
static double floor_units(double floor, size_t count)
{
    const size_t most = ADAPTIVE_UNITS / count;

    return fmin(ceil(floor * ADAPTIVE_UNITS - 1e-9), (double)most);
}

TEST(no_arm_has_less_than_the_floor_and_shares_sum_to_one)
{
    struct random source = random_start(9, 0);

    for (int i = 0; i < DIVISIONS; i++) {
        size_t count = 2 + (size_t)random_below(&source, ADAPTIVE_ARMS_MAX - 1);
        double floor = random_uniform(&source) / (double)count, best[ADAPTIVE_ARMS_MAX];
        struct adaptive_shares shares;
        int64_t sum = 0, least = ADAPTIVE_UNITS;

        for (size_t k = 0; k < count; k++)
            best[k] = i % 3 ? pow(random_uniform(&source), 8) : (double)(k == 1);
        adaptive_divide(best, count, floor, &shares);
        for (size_t k = 0; k < count; k++) {
            sum += shares.units[k];
            least = shares.units[k] < least ? shares.units[k] : least;
        }
        CHECK_INT(shares.count, count);
        CHECK_INT(sum, ADAPTIVE_UNITS);
        CHECK(least >= (int64_t)floor_units(floor, count));
    }
}

TEST(the_arm_that_is_surely_best_has_all_beyond_the_floor)
{
    const double best[] = {0, 1, 0, 0};
    struct adaptive_shares shares;

    adaptive_divide(best, 4, 0.05, &shares);
    CHECK_INT(shares.units[0], 500);
    CHECK_INT(shares.units[1], 8500);
    CHECK_INT(shares.units[3], 500);
}

TEST(a_round_is_due_after_its_time_and_its_users)
{
    const struct adaptive_document settings = {.update_minutes = 1};
    const struct adaptive_document paused = {.update_minutes = 1, .paused = true};
    const struct adaptive_round first = {.round = 1, .users = 0};
    const struct adaptive_round later = {.round = 9, .users = 5000};
    const struct adaptive_round last = {.round = ADAPTIVE_ROUNDS_MAX, .users = 5000};
    const int64_t minute = INT64_C(60000000);

    CHECK(adaptive_is_due(&settings, &first, 100, minute));
    CHECK(!adaptive_is_due(&settings, &first, 99, minute));
    CHECK(!adaptive_is_due(&settings, &first, 100, minute - 1));
    CHECK(!adaptive_is_due(&settings, &later, 5499, minute));
    CHECK(adaptive_is_due(&settings, &later, 5500, minute));
    CHECK(!adaptive_is_due(&settings, &last, 100000, minute));
    CHECK(!adaptive_is_due(&paused, &first, 100, minute));
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(no_arm_has_less_than_the_floor_and_shares_sum_to_one),
        CASE(the_arm_that_is_surely_best_has_all_beyond_the_floor),
        CASE(a_round_is_due_after_its_time_and_its_users),
    };

    return test_run_all(cases, sizeof cases / sizeof cases[0]);
}
