/*
 * Rate limits: the sliding window against golden cases and against a plain model, exact totals of
 * eight processes, and what happens when memory is full.
 */
#include "shm/rate.h"

#include "shm_children.h"
#include "shm_rate_check.h"

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
    /* An event is gone at its time plus the window, and refused calls were not recorded. */
    check_decision(allow_at(region, 1060, "a", 2, 60), true, 0, 0, 11);
    check_decision(allow_at(region, 1070.4, "a", 2, 60), false, 0, 1, 1);
    check_decision(allow_at(region, 1070.5, "a", 2, 60), true, 0, 0, 50);
    check_decision(allow_at(region, 9999, "a", 2, 60), true, 1, 0, 60);
    check_shards(region);
    shm_region_close(region);
}

TEST(the_window_slides_and_does_not_jump)
{
    struct shm_region *region = open_at(1000);

    for (int i = 0; i < 3; i++)
        CHECK(allow_at(region, 1000 + 10 * i, "a", 3, 30).allowed);
    check_decision(allow_at(region, 1025, "a", 3, 30), false, 0, 5, 5);
    for (int i = 0; i < 30; i++) { /* from now on one call every ten seconds fits */
        CHECK(!allow_at(region, 1029.9 + 10 * i, "a", 3, 30).allowed);
        CHECK(allow_at(region, 1030 + 10 * i, "a", 3, 30).allowed);
    }
    shm_region_close(region);
}

TEST(keys_have_their_own_logs_and_windows)
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

TEST(several_units_go_together_or_not_at_all)
{
    const struct rate_rule rule = {10, 60};
    struct shm_region *region = open_at(1000);

    CHECK(allow_at(region, 1000, "a", 10, 60).allowed);
    test_time += 5 * MICROSECONDS;
    check_decision(rate_allow_units(region, "a", rule, 9), true, 0, 0, 55);
    check_decision(rate_allow_units(region, "a", rule, 1), false, 0, 55, 55);
    check_decision(rate_allow_units(region, "a", rule, 2), false, 0, 60, 55);
    check_decision(rate_allow_units(region, "a", rule, 11), false, 0, 60, 55); /* never fits */
    CHECK_INT(figures_of(region).events, 10);
    shm_region_close(region);
}

TEST(charges_are_recorded_even_when_refused)
{
    const struct rate_rule rule = {10, 60};
    struct shm_region *region = open_at(1000);

    check_decision(rate_charge(region, "a", rule, 8), true, 2, 0, 60);
    test_time += 10 * MICROSECONDS;
    check_decision(rate_charge(region, "a", rule, 8), false, 0, 60, 50);
    CHECK_INT(figures_of(region).events, 16);
    check_decision(allow_at(region, 1059, "a", 10, 60), false, 0, 1, 1);
    check_decision(allow_at(region, 1060, "a", 10, 60), true, 1, 0, 10);
    shm_region_close(region);
}

TEST(a_lowered_limit_tells_when_a_call_will_really_fit)
{
    struct shm_region *region = open_at(1000);

    for (int i = 0; i < 20; i++)
        CHECK(allow_at(region, 1000 + i, "a", 20, 60).allowed);
    /* With 20 in the log and room for 5, 16 must go; the sixteenth came at 1015. */
    check_decision(allow_at(region, 1020, "a", 5, 60), false, 0, 55, 40);
    CHECK(!allow_at(region, 1074.9, "a", 5, 60).allowed);
    CHECK(allow_at(region, 1075, "a", 5, 60).allowed);
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
    check_shards(region);
    shm_region_close(region);
}

TEST(a_hundred_thousand_calls_are_counted_exactly)
{
    struct shm_region *region = open_at(1000);
    struct rate_decision decision;
    int admitted = 0;

    for (int i = 0; i < 100000; i++)
        admitted += allow_at(region, 1000 + i * 0.001, "a", 100000, 60000).allowed;
    CHECK_INT(admitted, 100000);
    decision = allow_at(region, 2000, "a", 100000, 60000);
    check_decision(decision, false, 0, 59000, 59000);
    CHECK_INT(decision.limit, 100000);
    admitted = 0;
    /* At 61025 the 25001 calls up to 1025 have gone. */
    for (int i = 0; i < 30000; i++)
        admitted += allow_at(region, 61025, "a", 100000, 60000).allowed;
    CHECK_INT(admitted, 25001);
    check_shards(region);
    shm_region_close(region);
}

TEST(a_larger_limit_is_held_to_what_can_be_remembered)
{
    struct shm_region *region = open_at(1000);
    struct rate_decision decision =
        rate_charge(region, "a", (struct rate_rule){UINT32_MAX, 60}, UINT32_MAX);

    CHECK_INT(decision.allowed, false);
    CHECK_INT(decision.limit, RATE_EVENTS_PER_KEY_MAX);
    CHECK_INT(figures_of(region).events, RATE_EVENTS_PER_KEY_MAX);
    shm_region_close(region);
}

/* Long windows: the offsets of a block reach only 71 minutes. */
TEST(rare_calls_in_a_long_window_are_counted)
{
    const uint32_t month = 30 * 86400;
    struct shm_region *region = open_at(1000);

    for (int i = 0; i < 100; i++)
        CHECK(allow_at(region, 1000 + 7200.0 * i, "a", 100, month).allowed);
    CHECK(!allow_at(region, 1000 + month - 1.0, "a", 100, month).allowed);
    CHECK(allow_at(region, 1000 + (double)month, "a", 100, month).allowed);
    CHECK(!allow_at(region, 1000 + (double)month, "a", 100, month).allowed);
    check_shards(region);
    shm_region_close(region);
}

enum { MODEL_KEYS = 60, MODEL_EVENTS = 400, MODEL_STEPS = 100000 };

struct model_key {
    uint32_t max, window;
    int count;
    int64_t events[MODEL_EVENTS];
};

static uint32_t random_state = 2463534242;

/* Marsaglia 2003, xorshift with 32 bits: the same sequence in every run. */
static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

/* The rule as it is written down, in the plainest way. */
static bool model_allow(struct model_key *key, int64_t *wait)
{
    int64_t window = key->window * MICROSECONDS;
    int kept = 0;

    for (int i = 0; i < key->count; i++) {
        if (key->events[i] > test_time - window)
            key->events[kept++] = key->events[i];
    }
    key->count = kept;
    if (key->count >= (int)key->max) {
        *wait = key->events[0] + window - test_time;
        return false;
    }
    key->events[key->count++] = test_time;
    return true;
}

TEST(decisions_are_those_of_a_plain_model)
{
    static struct model_key model[MODEL_KEYS];
    struct shm_region *region = open_at(1000);
    int wrong = 0;

    for (int i = 0; i < MODEL_KEYS; i++)
        model[i] = (struct model_key){.max = 1 + random_below(i % 5 ? 30 : 399),
                                      .window = 1 + random_below(i % 3 ? 10 : 100)};
    for (int step = 0; step < MODEL_STEPS; step++) {
        struct model_key *key = &model[random_below(MODEL_KEYS)];
        struct rate_decision decision;
        int64_t wait = 0;
        char name[16];
        bool allowed;

        test_time += random_below(step % 1000 ? 3000 : 20000000);
        allowed = model_allow(key, &wait);
        snprintf(name, sizeof name, "key-%d", (int)(key - model));
        decision = rate_allow(region, name, (struct rate_rule){key->max, key->window});
        wrong +=
            decision.allowed != allowed || decision.remaining != key->max - (uint32_t)key->count;
        wrong += decision.retry_after_seconds !=
                 (allowed ? 0 : (uint32_t)((wait + MICROSECONDS - 1) / MICROSECONDS));
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(figures_of(region).evicted, 0);
    CHECK_INT(figures_of(region).repairs, 0);
    check_shards(region);
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
    check_shards(region);
    shm_region_close(region);
}

/* Seven a minute do not divide a minute; nothing may be lost to rounding in a long run. */
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
    /* A key that changes over from bucket to log starts afresh. */
    CHECK(allow_at(region, 1000, "b", 1, 60).allowed);
    CHECK(rate_take_token(region, "b", (struct rate_bucket){1, 1}).allowed);
    check_shards(region);
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
    struct shm_region *scratch = open_anonymous(); /* its memory is shared with the children */
    int *admitted = (int *)(void *)scratch->layout->families;

    *(struct shm_region **)(admitted + 8 * 4) = region;
    CHECK_INT(run_children(8, hammer, admitted), 0);
    for (int key = 0; key < 4; key++) {
        int total = 0;

        for (int child = 0; child < 8; child++)
            total += admitted[child * 4 + key];
        CHECK_INT(total, 1000 * (key + 1));
    }
    CHECK_INT(figures_of(region).events, 10000);
    check_shards(region);
    shm_region_close(scratch);
    shm_region_close(region);
}

static void call_many(struct shm_region *region, const char *prefix, int first, int count,
                      struct rate_rule rule)
{
    char key[48];

    for (int i = first; i < first + count; i++) {
        snprintf(key, sizeof key, "%s:%d", prefix, i);
        rate_allow(region, key, rule);
    }
}

TEST(old_keys_go_without_being_asked_for)
{
    struct shm_region *region = open_at(1000);

    call_many(region, "short", 0, 5000, (struct rate_rule){5, 60});
    call_many(region, "long", 0, 50, (struct rate_rule){5, 3600});
    CHECK_INT(figures_of(region).keys, 5050);
    test_time += 61 * MICROSECONDS;
    for (int i = 0; i < 40000; i++) /* calls of others sweep in passing */
        rate_peek(region, i % 2 ? "x" : "y", (struct rate_rule){5, 60});
    call_many(region, "new", 0, 5000, (struct rate_rule){5, 60});
    call_many(region, "new", 0, 5000, (struct rate_rule){5, 60});
    CHECK(figures_of(region).keys < 5200);
    CHECK_INT(figures_of(region).evicted, 0);
    for (int i = 0; i < 50; i++) { /* their own window is long */
        char key[48];

        snprintf(key, sizeof key, "long:%d", i);
        CHECK_INT(rate_peek(region, key, (struct rate_rule){5, 3600}).remaining, 4);
    }
    check_shards(region);
    shm_region_close(region);
}

TEST(a_full_table_drops_expired_keys_first)
{
    struct shm_region *region = open_at(1000);

    call_many(region, "long", 0, 10000, (struct rate_rule){5, 3600});
    call_many(region, "short", 0, 20000, (struct rate_rule){5, 60});
    test_time += 61 * MICROSECONDS;
    call_many(region, "new", 0, 15000, (struct rate_rule){5, 60});
    CHECK_INT(figures_of(region).evicted, 0);
    for (int i = 0; i < 10000; i++) {
        char key[48];

        snprintf(key, sizeof key, "long:%d", i);
        CHECK_INT(rate_peek(region, key, (struct rate_rule){5, 3600}).remaining, 4);
    }
    check_shards(region);
    shm_region_close(region);
}

TEST(then_those_idle_longest_and_says_so)
{
    const struct rate_rule rule = {1, 3600};
    struct shm_region *region = open_at(1000);
    struct rate_figures figures;

    CHECK(rate_allow(region, "blocked", rule).allowed);
    for (int i = 0; i < 60; i++) {
        test_time += MICROSECONDS;
        call_many(region, "flood", i * 1000, 1000, rule);
        /* One that goes on asking is not idle, although nothing is recorded for it. */
        CHECK(!rate_allow(region, "blocked", rule).allowed);
    }
    figures = figures_of(region);
    CHECK(figures.keys <= RATE_KEYS_MAX);
    CHECK(figures.keys > RATE_KEYS_MAX * 9 / 10);
    CHECK_INT(figures.keys + figures.evicted, 60001);
    CHECK(rate_peek(region, "flood:0", rule).allowed);
    CHECK(!rate_peek(region, "flood:59999", rule).allowed);
    CHECK_INT(figures.overflow, 0);
    CHECK_INT(figures.repairs, 0);
    check_shards(region);
    shm_region_close(region);
}

/* Twenty logs of 100000 calls do not fit into eight shards of 122880. */
TEST(full_logs_push_out_the_log_idle_longest)
{
    const struct rate_rule rule = {RATE_EVENTS_PER_KEY_MAX, 3600};
    struct shm_region *region = open_at(1000);
    struct rate_figures figures;
    char key[16];

    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "log-%d", i);
        test_time += MICROSECONDS;
        CHECK(rate_charge(region, key, rule, RATE_EVENTS_PER_KEY_MAX).allowed);
        CHECK(!rate_allow(region, key, rule).allowed);
    }
    figures = figures_of(region);
    CHECK(figures.evicted >= 12);
    CHECK_INT(figures.keys + figures.evicted, 20);
    CHECK_INT(figures.events, figures.keys * RATE_EVENTS_PER_KEY_MAX);
    CHECK_INT(rate_peek(region, "log-19", rule).remaining, 0);
    CHECK_INT(figures.overflow, 0);
    check_shards(region);
    shm_region_close(region);
}

/* Calls two hours apart take a block each, the dearest case: one key fills its shard. Nothing else
 * is there to be evicted, so calls are refused, although the rule would admit them. */
TEST(a_log_without_room_refuses)
{
    const struct rate_rule rule = {20000, UINT32_MAX};
    struct shm_region *region = open_at(1000);
    struct rate_decision decision;
    int admitted = 0;

    for (int i = 0; i < RATE_SHARD_BLOCKS + 10; i++) {
        test_time += 7200 * MICROSECONDS;
        decision = rate_allow(region, "slow", rule);
        admitted += decision.allowed;
    }
    CHECK_INT(admitted, RATE_SHARD_BLOCKS);
    CHECK(!decision.allowed);
    CHECK_INT(decision.remaining, 20000 - RATE_SHARD_BLOCKS);
    CHECK_INT(decision.retry_after_seconds, 1);
    CHECK_INT(figures_of(region).overflow, 10);
    CHECK_INT(figures_of(region).evicted, 0);
    CHECK_INT(figures_of(region).repairs, 0);
    check_shards(region);
    shm_region_close(region);
}

TEST_MAIN(CASE(two_calls_in_sixty_seconds), CASE(the_window_slides_and_does_not_jump),
          CASE(keys_have_their_own_logs_and_windows), CASE(odd_rules_are_refusals_or_one_second),
          CASE(peeking_records_nothing), CASE(several_units_go_together_or_not_at_all),
          CASE(charges_are_recorded_even_when_refused),
          CASE(a_lowered_limit_tells_when_a_call_will_really_fit),
          CASE(a_forgotten_key_starts_afresh), CASE(a_hundred_thousand_calls_are_counted_exactly),
          CASE(a_larger_limit_is_held_to_what_can_be_remembered),
          CASE(rare_calls_in_a_long_window_are_counted), CASE(decisions_are_those_of_a_plain_model),
          CASE(buckets_hold_their_capacity_and_refill), CASE(buckets_do_not_drift),
          CASE(odd_buckets_are_bounded), CASE(eight_processes_admit_exactly_the_limit),
          CASE(old_keys_go_without_being_asked_for), CASE(a_full_table_drops_expired_keys_first),
          CASE(then_those_idle_longest_and_says_so), CASE(full_logs_push_out_the_log_idle_longest),
          CASE(a_log_without_room_refuses))
