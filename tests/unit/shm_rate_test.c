/*
 * Rate limits: the window against golden cases and against plain models, exact totals of eight
 * processes, full tables, and workers that are killed, stopped or find damaged memory.
 */
#include "shm/rate.h"

#include "shm_children.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

static int64_t test_time;

static int64_t read_test_clock(void)
{
    return test_time;
}

static struct shm_region *open_at(double seconds)
{
    struct shm_region *region = open_anonymous();

    test_time = (int64_t)(seconds * 1e6);
    shm_region_set_clock(region, read_test_clock);
    return region;
}

static struct rate_decision allow_at(struct shm_region *region, double seconds, const char *key,
                                     uint32_t max, uint32_t window)
{
    test_time = (int64_t)(seconds * 1e6);
    return rate_allow(region, key, (struct rate_rule){max, window});
}

static void check_decision(struct rate_decision actual, bool allowed, uint32_t remaining,
                           uint32_t retry_after, uint32_t reset)
{
    CHECK_INT(actual.allowed, allowed);
    CHECK_INT(actual.remaining, remaining);
    CHECK_INT(actual.retry_after_seconds, retry_after);
    CHECK_INT(actual.reset_seconds, reset);
}

static struct rate_figures figures_of(struct shm_region *region)
{
    struct rate_figures figures;

    rate_read_figures(region, &figures);
    return figures;
}

TEST(two_calls_in_sixty_seconds)
{
    struct shm_region *region = open_at(1000);

    check_decision(allow_at(region, 1000, "a", 2, 60), true, 1, 0, 60);
    check_decision(allow_at(region, 1010.5, "a", 2, 60), true, 0, 0, 50);
    check_decision(allow_at(region, 1020, "a", 2, 60), false, 0, 40, 40);
    check_decision(allow_at(region, 1059.999999, "a", 2, 60), false, 0, 1, 1);
    /* The first call is as old as the window. The other one counts for half of the next window. */
    check_decision(allow_at(region, 1060, "a", 2, 60), true, 0, 0, 30);
    check_decision(allow_at(region, 1070, "a", 2, 60), false, 0, 20, 20);
    check_decision(allow_at(region, 1090, "a", 2, 60), true, 0, 0, 30);
    check_decision(allow_at(region, 9999, "a", 2, 60), true, 1, 0, 60);
    shm_region_close(region);
}

/* At once, at an even pace, and with all but the first call at the end. */
static double time_of_call(int pace, uint32_t call, uint32_t calls)
{
    return pace == 0 ? 0 : pace == 1 ? 59.9 * call / calls : call > 0 ? 59.9 : 0;
}

TEST(in_a_quiet_window_the_call_after_the_limit_is_refused)
{
    struct shm_region *region = open_at(1000);

    for (uint32_t max = 1; max < 500; max += 7) {
        for (int pace = 0; pace < 3; pace++) {
            char key[32];

            snprintf(key, sizeof key, "%u:%d", max, pace);
            for (uint32_t i = 0; i < 2 * max; i++) {
                double passed = time_of_call(pace, i, 2 * max);
                struct rate_decision decision = allow_at(region, 2000 + passed, key, max, 60);

                CHECK_INT(decision.allowed, i < max);
                CHECK_INT(decision.remaining, i < max ? max - i - 1 : 0);
                CHECK_INT(decision.reset_seconds, (int)ceil(60 - passed));
                CHECK_INT(decision.retry_after_seconds, i < max ? 0 : (int)ceil(60 - passed));
            }
        }
    }
    shm_region_close(region);
}

TEST(after_a_whole_window_without_calls_all_fit_again)
{
    struct shm_region *region = open_at(1000);

    CHECK(allow_at(region, 1000, "a", 10, 60).allowed);
    for (int i = 0; i < 9; i++)
        CHECK(allow_at(region, 1059, "a", 10, 60).allowed);
    for (int i = 0; i < 5; i++) /* refused calls are not recorded */
        CHECK(!allow_at(region, 1059.5, "a", 10, 60).allowed);
    for (uint32_t i = 0; i < 10; i++)
        check_decision(allow_at(region, 1119, "a", 10, 60), true, 9 - i, 0, 60);
    CHECK(!allow_at(region, 1119, "a", 10, 60).allowed);
    shm_region_close(region);
}

TEST(keys_have_their_own_windows)
{
    struct shm_region *region = open_at(1000);

    CHECK(allow_at(region, 1000, "api:1", 1, 10).allowed);
    CHECK(allow_at(region, 1000, "api_key:1", 1, 3600).allowed);
    CHECK(allow_at(region, 1000, "", 1, 60).allowed);
    CHECK(!allow_at(region, 1009, "api:1", 1, 10).allowed);
    CHECK(allow_at(region, 1010, "api:1", 1, 10).allowed);
    CHECK(!allow_at(region, 1010, "", 1, 60).allowed);
    check_decision(allow_at(region, 1010, "api_key:1", 1, 3600), false, 0, 3590, 3590);
    CHECK(!allow_at(region, 4599, "api_key:1", 1, 3600).allowed);
    CHECK(allow_at(region, 4600, "api_key:1", 1, 3600).allowed);
    shm_region_close(region);
}

TEST(odd_rules_are_refusals_or_one_second)
{
    struct shm_region *region = open_at(1000);

    check_decision(allow_at(region, 1000, "a", 0, 60), false, 0, 60, 0);
    CHECK(allow_at(region, 1000, "b", 1, 0).allowed);
    CHECK(!allow_at(region, 1000.9, "b", 1, 0).allowed);
    CHECK(allow_at(region, 1001, "b", 1, 0).allowed);
    CHECK_INT(figures_of(region).keys, 1); /* "a" has left no trace */
    shm_region_close(region);
}

TEST(peeking_records_nothing)
{
    const struct rate_rule rule = {2, 60};
    struct shm_region *region = open_at(1000);

    for (int i = 0; i < 5; i++)
        check_decision(rate_peek(region, "a", rule), true, 2, 0, 0);
    CHECK_INT(figures_of(region).keys, 0);
    CHECK(allow_at(region, 1000, "a", 2, 60).allowed);
    check_decision(rate_peek(region, "a", rule), true, 1, 0, 60);
    CHECK(allow_at(region, 1010, "a", 2, 60).allowed);
    check_decision(rate_peek(region, "a", rule), false, 0, 50, 50);
    shm_region_close(region);
}

TEST(charges_are_recorded_even_when_refused)
{
    const struct rate_rule rule = {10, 60};
    struct shm_region *region = open_at(1000);

    check_decision(rate_charge(region, "a", rule, 8), true, 2, 0, 60);
    test_time += 10 * MICROSECONDS;
    check_decision(rate_charge(region, "a", rule, 8), false, 0, 60, 50);
    check_decision(rate_charge(region, "a", rule, 11), false, 0, 60, 50); /* never fits */
    /* 27 calls count; by 1100 they have become 9. */
    check_decision(allow_at(region, 1059, "a", 10, 60), false, 0, 11, 1);
    check_decision(allow_at(region, 1070, "a", 10, 60), true, 9, 0, 60);
    shm_region_close(region);
}

TEST(a_lowered_limit_tells_when_a_call_will_really_fit)
{
    struct shm_region *region = open_at(1000);

    for (int i = 0; i < 20; i++)
        CHECK(allow_at(region, 1000 + i, "a", 20, 60).allowed);
    /* A quarter of the 20 counts when three quarters of the next window have passed; but the last
     * call was at 1019. */
    check_decision(allow_at(region, 1020, "a", 5, 60), false, 0, 59, 40);
    CHECK(!allow_at(region, 1078.9, "a", 5, 60).allowed);
    CHECK(allow_at(region, 1079, "a", 5, 60).allowed);
    shm_region_close(region);
}

TEST(a_larger_limit_is_held_to_what_can_be_counted)
{
    const struct rate_rule rule = {UINT32_MAX, UINT32_MAX};
    struct shm_region *region = open_at(1000);
    struct rate_decision decision = rate_charge(region, "a", rule, UINT32_MAX);

    CHECK(!decision.allowed);
    CHECK_INT(decision.limit, RATE_COUNT_MAX);
    CHECK_INT(decision.remaining, 0);
    CHECK(!rate_allow(region, "a", rule).allowed);
    shm_region_close(region);
}

TEST(a_forgotten_key_starts_afresh)
{
    struct shm_region *region = open_at(1000);

    CHECK(allow_at(region, 1000, "auth:a", 1, 3600).allowed);
    CHECK(!allow_at(region, 1001, "auth:a", 1, 3600).allowed);
    rate_forget(region, "auth:a");
    rate_forget(region, "auth:unknown");
    CHECK_INT(figures_of(region).keys, 0);
    CHECK(allow_at(region, 1002, "auth:a", 1, 3600).allowed);
    shm_region_close(region);
}

TEST(rare_calls_in_a_long_window_are_counted)
{
    const uint32_t month = 30 * 86400;
    struct shm_region *region = open_at(1000);

    for (int i = 0; i < 100; i++)
        CHECK(allow_at(region, 1000 + 7200.0 * i, "a", 100, month).allowed);
    CHECK(!allow_at(region, 1000 + month - 1.0, "a", 100, month).allowed);
    CHECK(allow_at(region, 1000 + (double)month, "a", 100, month).allowed);
    CHECK(!allow_at(region, 1000 + (double)month, "a", 100, month).allowed);
    shm_region_close(region);
}

static uint32_t random_state = 2463534242;

/* Marsaglia 2003, xorshift with 32 bits: the same sequence in every run. */
static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

enum { MODEL_KEYS = 60, MODEL_EVENTS = 20000, MODEL_STEPS = 100000 };

struct model_key {
    uint32_t max, window;
    int count;
    int64_t events[MODEL_EVENTS]; /* admitted */
};

/* Calls admitted within a window before now. */
static uint32_t recent(const struct model_key *key)
{
    uint32_t count = 0;

    for (int i = key->count; i > 0 && key->events[i - 1] > test_time - key->window * MICROSECONDS;
         i--)
        count++;
    return count;
}

/* What was told holds: to wait helps, to wait a second less does not. */
static int wrong_waits(struct shm_region *region, const char *name, struct rate_rule rule,
                       uint32_t seconds)
{
    int64_t now = test_time;
    int wrong;

    test_time = now + seconds * MICROSECONDS;
    wrong = !rate_peek(region, name, rule).allowed;
    test_time = now + (seconds - 1) * MICROSECONDS;
    wrong += rate_peek(region, name, rule).allowed;
    test_time = now;
    return wrong;
}

TEST(random_calls_keep_to_the_limit)
{
    static struct model_key model[MODEL_KEYS];
    struct shm_region *region = open_at(1000);
    int over = 0, early = 0, waits = 0, refused = 0;

    for (int i = 0; i < MODEL_KEYS; i++)
        model[i] = (struct model_key){.max = 1 + random_below(i % 5 ? 30 : 399),
                                      .window = 1 + random_below(i % 3 ? 10 : 100)};
    for (int step = 0; step < MODEL_STEPS; step++) {
        struct model_key *key = &model[random_below(MODEL_KEYS)];
        struct rate_rule rule = {key->max, key->window};
        struct rate_decision decision;
        char name[16];

        test_time += random_below(step % 1000 ? 3000 : 20000000);
        snprintf(name, sizeof name, "key-%d", (int)(key - model));
        decision = rate_allow(region, name, rule);
        if (decision.allowed)
            key->events[key->count++] = test_time;
        over += recent(key) >= 2 * key->max && key->max > 1;
        early += !decision.allowed && recent(key) == 0;
        refused += !decision.allowed;
        if (!decision.allowed)
            waits += wrong_waits(region, name, rule, decision.retry_after_seconds);
    }
    CHECK(refused > MODEL_STEPS / 10);
    CHECK_INT(over, 0);
    CHECK_INT(early, 0);
    CHECK_INT(waits, 0);
    CHECK_INT(figures_of(region).evicted, 0);
    shm_region_close(region);
}

/* What a client gets that asks all the time: no more than the limit for each window, in the long
 * run. */
TEST(a_client_that_never_stops_gets_its_limit)
{
    struct shm_region *region = open_at(1000);
    int admitted = 0;

    for (int i = 0; i < 600000; i++) /* 6000 seconds in hundredths: 100 windows */
        admitted += allow_at(region, 1000 + i / 100.0, "a", 30, 60).allowed;
    CHECK(admitted >= 30 * 100 && admitted <= 31 * 100);
    shm_region_close(region);
}

TEST(buckets_hold_their_capacity_and_refill)
{
    const struct rate_bucket bucket = {70, 60}; /* 60 calls a minute and a burst of ten more */
    struct shm_region *region = open_at(1000);
    struct rate_decision decision;

    for (int i = 0; i < 70; i++)
        CHECK(rate_take_token(region, "ip", bucket).allowed);
    check_decision(rate_take_token(region, "ip", bucket), false, 0, 1, 70);
    test_time += MICROSECONDS - 1;
    check_decision(rate_take_token(region, "ip", bucket), false, 0, 1, 70);
    test_time += 1;
    check_decision(rate_take_token(region, "ip", bucket), true, 0, 0, 70);
    test_time += 30 * MICROSECONDS;
    decision = rate_take_token(region, "ip", bucket);
    check_decision(decision, true, 29, 0, 41);
    CHECK_INT(decision.limit, 70);
    test_time += 1000 * MICROSECONDS;
    check_decision(rate_take_token(region, "ip", bucket), true, 69, 0, 1);
    shm_region_close(region);
}

TEST(buckets_do_not_drift)
{
    const struct rate_bucket bucket = {1, 7};
    struct shm_region *region = open_at(0);
    int admitted = 0;

    for (int i = 0; i < 70000; i++) { /* 70000 seconds in steps of one */
        test_time += MICROSECONDS;
        admitted += rate_take_token(region, "ip", bucket).allowed;
    }
    /* One token each 8.571... s, seen at the next whole second: every 9 s. */
    CHECK_INT(admitted, (70000 + 8) / 9);
    admitted = 0;
    for (int i = 0; i < 600000; i++) { /* 6000 seconds in hundredths */
        test_time += MICROSECONDS / 100;
        admitted += rate_take_token(region, "other", bucket).allowed;
    }
    CHECK_INT(admitted, (600000 + 857) / 858); /* every 8.58 s */
    shm_region_close(region);
}

TEST(odd_buckets_are_bounded)
{
    struct shm_region *region = open_at(1000);

    CHECK(!rate_take_token(region, "a", (struct rate_bucket){0, 60}).allowed);
    CHECK_INT(figures_of(region).keys, 0);
    CHECK(rate_take_token(region, "b", (struct rate_bucket){1, 0}).allowed);
    check_decision(rate_take_token(region, "b", (struct rate_bucket){1, 0}), false, 0, 60, 60);
    CHECK(rate_take_token(region, "c", (struct rate_bucket){UINT32_MAX, UINT32_MAX}).allowed);
    /* Made smaller, it holds as little as it can: the token taken just now is its only one. */
    check_decision(rate_take_token(region, "c", (struct rate_bucket){1, 1}), false, 0, 60, 60);
    /* A key that changes over from bucket to window starts afresh. */
    CHECK(allow_at(region, 1000, "b", 1, 60).allowed);
    CHECK(rate_take_token(region, "b", (struct rate_bucket){1, 1}).allowed);
    shm_region_close(region);
}

static int hammer(int child, void *context)
{
    int *admitted = context; /* shared: one count for each child and key */
    struct shm_region *region = *(struct shm_region **)(admitted + 8 * 4);
    static const char *const keys[] = {"one", "two", "three", "four"};

    for (int i = 0; i < 8000; i++) {
        int key = i % 4;

        admitted[child * 4 + key] +=
            rate_allow(region, keys[key], (struct rate_rule){1000u * (uint32_t)(key + 1), 3600})
                .allowed;
    }
    return 0;
}

TEST(eight_processes_admit_exactly_the_limit)
{
    struct shm_region *region = open_anonymous();
    int *admitted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (admitted == MAP_FAILED)
        abort();
    *(struct shm_region **)(admitted + 8 * 4) = region;
    CHECK_INT(run_children(8, hammer, admitted), 0);
    for (int key = 0; key < 4; key++) {
        int total = 0;

        for (int child = 0; child < 8; child++)
            total += admitted[child * 4 + key];
        CHECK_INT(total, 1000 * (key + 1));
    }
    munmap(admitted, 4096);
    shm_region_close(region);
}

static void call_many(struct shm_region *region, const char *prefix, int count,
                      struct rate_rule rule)
{
    char key[48];

    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%s:%d", prefix, i);
        rate_allow(region, key, rule);
    }
}

/* Of `count` keys with one call each, those that are known. */
static int count_known(struct shm_region *region, const char *prefix, int count,
                       struct rate_rule rule)
{
    char key[48];
    int known = 0;

    for (int i = 0; i < count; i++) {
        snprintf(key, sizeof key, "%s:%d", prefix, i);
        known += rate_peek(region, key, rule).remaining < rule.max;
    }
    return known;
}

TEST(a_full_table_drops_expired_keys_first)
{
    const struct rate_rule longer = {5, 3600}, shorter = {5, 60};
    struct shm_region *region = open_at(1000);

    call_many(region, "long", 8000, longer);
    CHECK_INT(count_known(region, "long", 8000, longer), 8000);
    call_many(region, "short", 60000, shorter);
    test_time += 61 * MICROSECONDS;
    call_many(region, "long", 8000, longer); /* those that were evicted begin again */
    for (int i = 0; i < 20; i++) {
        test_time += 61 * MICROSECONDS;
        call_many(region, "new", 8000, shorter);
    }
    CHECK(count_known(region, "long", 8000, longer) >= 7900);
    shm_region_close(region);
}

TEST(then_those_idle_longest_and_says_so)
{
    const struct rate_rule rule = {1, 3600};
    struct shm_region *region = open_at(1000);
    struct rate_figures figures;
    char prefix[16];

    CHECK(rate_allow(region, "blocked", rule).allowed);
    for (int i = 0; i < 60; i++) {
        test_time += MICROSECONDS;
        snprintf(prefix, sizeof prefix, "flood-%d", i);
        call_many(region, prefix, 1000, rule);
        /* One that goes on asking is not idle, although nothing is recorded for it. */
        CHECK(!rate_allow(region, "blocked", rule).allowed);
    }
    figures = figures_of(region);
    CHECK(figures.keys <= RATE_KEYS_MAX);
    CHECK(figures.keys > RATE_KEYS_MAX * 9 / 10);
    CHECK_INT(figures.keys + figures.evicted, 60001);
    CHECK(count_known(region, "flood-0", 1000, rule) < 50); /* of sets with few keys */
    CHECK_INT(count_known(region, "flood-59", 1000, rule), 1000);
    shm_region_close(region);
}

static const struct rate_rule hundred = {100, 60};

/* Calls of another window that are carried, a key that has expired, one that is forgotten. */
static struct shm_region *make_region(void)
{
    struct shm_region *region = open_at(1000);

    (void)rate_charge(region, "expired", hundred, 30);
    test_time += 50 * MICROSECONDS;
    (void)rate_charge(region, "carried", hundred, 40);
    (void)rate_charge(region, "steady", hundred, 40);
    test_time += 50 * MICROSECONDS;
    (void)rate_charge(region, "carried", hundred, 20);
    test_time += 20 * MICROSECONDS;
    return region;
}

static void work(void *context)
{
    (void)rate_charge(context, "carried", hundred, 5);
    (void)rate_allow(context, "steady", hundred);
    (void)rate_allow(context, "expired", hundred);
    (void)rate_charge(context, "fresh", hundred, 15);
    (void)rate_take_token(context, "bucket", (struct rate_bucket){10, 1});
    rate_forget(context, "fresh");
}

static uint32_t used_of(struct shm_region *region, const char *key)
{
    return hundred.max - rate_peek(region, key, hundred).remaining;
}

TEST(a_worker_killed_anywhere_leaves_a_usable_table)
{
    int n = 1;

    for (bool killed = true; killed; n++) {
        struct shm_region *region = make_region();
        uint32_t used;

        killed = child_killed_at(n, work, region);
        CHECK(used_of(region, "carried") >= 49); /* 60 in the window before, 50/60 of it covered */
        CHECK(used_of(region, "steady") <= 41);
        CHECK(used_of(region, "expired") <= 31);
        CHECK(used_of(region, "fresh") <= 15);
        CHECK_INT(figures_of(region).unchecked, 0);
        used = used_of(region, "steady");
        for (uint32_t i = used; i < 100; i++)
            CHECK(rate_allow(region, "steady", hundred).allowed);
        CHECK(!rate_allow(region, "steady", hundred).allowed);
        test_time += 120 * MICROSECONDS; /* a window later at most, nothing is left of it */
        work(region);
        CHECK_INT(used_of(region, "carried"), 5);
        CHECK_INT(used_of(region, "steady"), 1);
        CHECK_INT(used_of(region, "expired"), 1);
        CHECK_INT(used_of(region, "fresh"), 0);
        shm_region_close(region);
    }
    CHECK(n > 15);
}

static void allow_once(void *context)
{
    (void)rate_allow(context, "steady", hundred);
}

TEST(a_holder_that_stands_still_means_refusal)
{
    struct shm_region *region = make_region();
    pid_t child = child_stopped_at(1, allow_once, region);

    check_decision(rate_allow(region, "steady", hundred), false, 0, 1, 1);
    end_child(child);
    CHECK(rate_allow(region, "steady", hundred).allowed);
    CHECK_INT(figures_of(region).unchecked, 1);
    shm_region_close(region);
}

static void damage_cells(struct rate_shard *shard)
{
    unsigned char *bytes = (unsigned char *)shard->sets;

    for (int i = 0; i < 50000; i++)
        bytes[random_below(sizeof shard->sets)] = (unsigned char)random_below(256);
}

TEST(random_damage_never_crashes_a_worker_nor_lasts)
{
    struct shm_region *region = make_region();
    char key[16];

    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < RATE_SHARDS; i++)
            damage_cells(&region->layout->rate_shards[i]);
        for (int i = 0; i < 5000; i++) {
            snprintf(key, sizeof key, "key-%u", random_below(500));
            test_time += random_below(300000);
            if (i % 3 == 0)
                (void)rate_take_token(region, key, (struct rate_bucket){5, 60});
            else
                (void)rate_charge(region, key, hundred, random_below(100));
        }
    }
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "key-%d", i);
        rate_forget(region, key);
        CHECK(rate_allow(region, key, hundred).allowed);
        CHECK_INT(used_of(region, key), 1);
    }
    shm_region_close(region);
}

TEST_MAIN(CASE(two_calls_in_sixty_seconds),
          CASE(in_a_quiet_window_the_call_after_the_limit_is_refused),
          CASE(after_a_whole_window_without_calls_all_fit_again), CASE(keys_have_their_own_windows),
          CASE(odd_rules_are_refusals_or_one_second), CASE(peeking_records_nothing),
          CASE(charges_are_recorded_even_when_refused),
          CASE(a_lowered_limit_tells_when_a_call_will_really_fit),
          CASE(a_larger_limit_is_held_to_what_can_be_counted), CASE(a_forgotten_key_starts_afresh),
          CASE(rare_calls_in_a_long_window_are_counted), CASE(random_calls_keep_to_the_limit),
          CASE(a_client_that_never_stops_gets_its_limit),
          CASE(buckets_hold_their_capacity_and_refill), CASE(buckets_do_not_drift),
          CASE(odd_buckets_are_bounded), CASE(eight_processes_admit_exactly_the_limit),
          CASE(a_full_table_drops_expired_keys_first), CASE(then_those_idle_longest_and_says_so),
          CASE(a_worker_killed_anywhere_leaves_a_usable_table),
          CASE(a_holder_that_stands_still_means_refusal),
          CASE(random_damage_never_crashes_a_worker_nor_lasts))
