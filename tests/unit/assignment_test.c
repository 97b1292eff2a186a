/* Hashes, ranges and variations: golden rows that other clients of the same hash must agree with.
 */
#include "experiments/assignment/assignment.h"
#include "test.h"

static struct arena *arena;

TEST(known_hashes)
{
    static const struct {
        const char *text;
        uint32_t hash;
    } rows[] = {{"", 0x811c9dc5},       {"a", 0xe40c292c}, {"ab", 0x4d2505ca},
                {"foobar", 0xbf9cf968}, {"é", 0x6c0b6c44}, {"日本", 0x5ffcbea4}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_INT(hash_append(HASH_START, HASH_UTF16, rows[i].text), rows[i].hash);
}

/* One unit, or the two of UTF-16. */
TEST(characters_beyond_the_basic_plane)
{
    static const char text[] = "u\U0001F600";

    CHECK_INT(hash_append(HASH_START, HASH_CODE_POINTS, text), 4122285872);
    CHECK_INT(hash_append(HASH_START, HASH_UTF16, text), 293983861);
    CHECK_INT(hash_append(hash_append(HASH_START, HASH_UTF16, "x"), HASH_UTF16, text),
              hash_append(HASH_START, HASH_UTF16, "xu\U0001F600"));
}

TEST(known_places)
{
    static const struct {
        int version;
        const char *seed, *value;
        double place;
    } rows[] = {
        {1, "", "a", .22},
        {1, "b", "a", .946},
        {1, "ef", "d", .652},
        {1, "", "123", .011},
        {2, "seed", "a", .0505},
        {2, "seed", "b", .2696},
        {2, "foo", "ab", .2575},
        {2, "90850943850283058242805", "123", .7516},
        {2, "exp-1", "user-0", .6671},
        {2, "exp-abc", "user-42", .6056},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(hash_unit((enum hash_version)rows[i].version, HASH_UTF16, rows[i].seed,
                        rows[i].value) == rows[i].place);
}

static struct assignment_plan cut(size_t count, double coverage, struct number_list weights)
{
    struct assignment_plan plan = {.seed = "s", .version = HASH_VERSION_2, .count = count};

    assignment_cut(&plan, coverage, &weights);
    return plan;
}

#define WEIGHTS(...)                                                                               \
    (struct number_list)                                                                           \
    {                                                                                              \
        sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[])                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define NO_WEIGHTS ((struct number_list){0})

TEST(known_ranges)
{
    struct assignment_plan plan = cut(3, .2, WEIGHTS(.2, .3, .5));

    CHECK(plan.ranges[0].low == 0 && plan.ranges[1].low == .2 && plan.ranges[2].low == .5);
    CHECK_NEAR(plan.ranges[0].high, .04, 1e-15);
    CHECK_NEAR(plan.ranges[1].high, .26, 1e-15);
    CHECK_NEAR(plan.ranges[2].high, .6, 1e-15);
    CHECK_INT(assignment_at(&plan, .0399), 0);
    CHECK_INT(assignment_at(&plan, .0401), ASSIGNMENT_NONE);
    CHECK_INT(assignment_at(&plan, .2), 1);
    CHECK_INT(assignment_at(&plan, .5), 2);
    CHECK_INT(assignment_at(&plan, .9999), ASSIGNMENT_NONE);
}

TEST(weights_that_do_not_fit_are_equal_ones)
{
    struct assignment_plan few = cut(2, 1, WEIGHTS(.4, .1)), wrong = cut(3, 1, WEIGHTS(.5, .5));
    struct assignment_plan none = cut(4, 1, NO_WEIGHTS), near = cut(2, 1, WEIGHTS(.3, .691));
    struct assignment_plan huge = cut(2, 1, WEIGHTS(1e308, 1e308));

    CHECK(few.ranges[0].high == .5 && few.ranges[1].low == .5 && few.ranges[1].high == 1);
    CHECK_NEAR(wrong.ranges[1].low, 1. / 3, 1e-15);
    CHECK(none.ranges[3].low == .75 && none.ranges[3].high == 1);
    CHECK(near.ranges[1].low == .3);
    CHECK(huge.ranges[0].high == .5);
}

TEST(coverage_is_held_to_its_range)
{
    struct assignment_plan over = cut(2, 1.5, NO_WEIGHTS), under = cut(2, -1, NO_WEIGHTS);

    CHECK(over.ranges[0].high == .5 && under.ranges[0].high == 0);
    CHECK_INT(assignment_at(&under, 0), ASSIGNMENT_NONE);
}

/* More coverage brings users in and moves nobody. */
TEST(ramping_up_moves_nobody)
{
    struct assignment_plan some = cut(3, .3, NO_WEIGHTS), more = cut(3, .6, NO_WEIGHTS);

    for (int i = 0; i < 5000; i++) {
        const char *user = arena_print(arena, "u%d", i);
        int before = assignment_of(&some, user);

        CHECK(before == ASSIGNMENT_NONE || assignment_of(&more, user) == before);
    }
    arena_reset(arena);
}

TEST(known_previews)
{
    static const int64_t first[] = {1, 1, 0, 0, 1, 0, 0, 1};
    struct assignment_preview preview;
    struct assignment_plan plan = {.seed = "exp-1", .version = HASH_VERSION_2, .count = 2};

    assignment_cut(&plan, 1, &NO_WEIGHTS);
    assignment_preview(&plan, "user-", 2000, arena, &preview);
    CHECK(preview.counts[0] == 0 && preview.counts[1] == 1013 && preview.counts[2] == 987);
    CHECK_INT(preview.sample_count, ASSIGNMENT_SAMPLES);
    for (size_t i = 0; i < 8; i++)
        CHECK_INT(preview.samples[i].variation_index, first[i]);
    CHECK_TEXT(preview.samples[24].user_id, "user-24");
    plan.version = HASH_VERSION_1;
    assignment_preview(&plan, "user-", 1000, arena, &preview);
    CHECK(preview.counts[1] == 513 && preview.counts[2] == 487);
    plan = (struct assignment_plan){.seed = "exp-1", .version = HASH_VERSION_2, .count = 3};
    assignment_cut(&plan, .5, &WEIGHTS(.2, .3, .5));
    assignment_preview(&plan, "user-", 1000, arena, &preview);
    CHECK(preview.counts[0] == 500 && preview.counts[1] == 110 && preview.counts[2] == 147 &&
          preview.counts[3] == 243);
    assignment_preview(&plan, "", 3, arena, &preview);
    CHECK_INT(preview.sample_count, 3);
    CHECK_TEXT(preview.samples[2].user_id, "2");
}

TEST(known_namespaces)
{
    static const double places[] = {.993, .694, .511, .7};
    struct payload_namespace space = {"checkout", .511, .7};

    for (int i = 0; i < 4; i++) {
        const char *user = arena_print(arena, "user-%d", i);

        CHECK(assignment_namespace_position("checkout", user) == places[i]);
        CHECK_INT(assignment_in_namespace(&space, user), i == 1 || i == 2);
    }
}

TEST(cost_units)
{
    CHECK_INT(assignment_preview_cost(1), 1);
    CHECK_INT(assignment_preview_cost(10000), 1);
    CHECK_INT(assignment_preview_cost(10001), 2);
    CHECK_INT(assignment_preview_cost(100000), 10);
}

int main(void)
{
    static const struct test_case cases[] = {
        CASE(known_hashes),
        CASE(characters_beyond_the_basic_plane),
        CASE(known_places),
        CASE(known_ranges),
        CASE(weights_that_do_not_fit_are_equal_ones),
        CASE(coverage_is_held_to_its_range),
        CASE(ramping_up_moves_nobody),
        CASE(known_previews),
        CASE(known_namespaces),
        CASE(cost_units),
    };
    int status;

    arena = arena_create(1 << 22);
    status = test_run_all(cases, sizeof cases / sizeof cases[0]);
    arena_destroy(arena);
    return status;
}
