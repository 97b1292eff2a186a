/*
 * Death, stillness and damage: workers killed at every checkpoint of the rate limits, holders that
 * are stopped, random bytes in the table, and threads (for the thread sanitizer).
 */
#include "shm/admission.h"
#include "shm/counters.h"
#include "shm/histogram.h"
#include "shm/rate.h"
#include "shm_children.h"
#include "shm_rate_check.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/ptrace.h>

static const struct rate_rule rule = {100, 60};

static int64_t test_time;

static int64_t read_test_clock(void)
{
    return test_time;
}

static struct rate_figures figures_of(struct shm_region *region)
{
    struct rate_figures figures;

    rate_read_figures(region, &figures);
    return figures;
}

static uint32_t events_of(struct shm_region *region, const char *key)
{
    return rule.max - rate_peek(region, key, rule).remaining;
}

/* "steady" has 40 events that stay; "moving" has 24 of which 13 are about to leave the window;
 * "leaving" is about to be swept away; "bucket" has taken one token. */
static struct shm_region *make_region(void)
{
    struct shm_region *region = open_anonymous();

    test_time = 1000 * MICROSECONDS;
    shm_region_set_clock(region, read_test_clock);
    (void)rate_charge(region, "leaving", rule, 30);
    (void)rate_charge(region, "moving", rule, 13);
    test_time += 30 * MICROSECONDS;
    (void)rate_charge(region, "moving", rule, 11);
    (void)rate_charge(region, "steady", rule, 40);
    (void)rate_take_token(region, "bucket", (struct rate_bucket){10, 1});
    test_time += 30 * MICROSECONDS;
    return region;
}

/* Passes through appending, taking and freeing blocks, adding, touching, sweeping and removing. */
static void live(void *context)
{
    for (int i = 0; i < 2; i++)
        (void)rate_allow(context, "moving", rule);
    (void)rate_charge(context, "fresh", rule, 15);
    (void)rate_allow(context, "steady", rule);
    (void)rate_take_token(context, "bucket", (struct rate_bucket){10, 1});
    (void)rate_take_token(context, "other bucket", (struct rate_bucket){10, 1});
    for (int i = 0; i < 20; i++)
        (void)rate_peek(context, "sweeps in passing", rule);
    rate_forget(context, "leaving");
    rate_forget(context, "fresh");
}

/* What may be found after live() was cut short anywhere. */
static void check_survivors(struct shm_region *region)
{
    struct rate_figures figures = figures_of(region);
    uint32_t moving = events_of(region, "moving"), steady = events_of(region, "steady");
    struct rate_decision bucket;

    check_shards(region);
    CHECK(moving >= 11 && moving <= 13);
    CHECK(steady == 40 || steady == 41);
    CHECK(events_of(region, "fresh") <= 15);
    CHECK_INT(events_of(region, "leaving"), 0);
    CHECK(figures.repairs <= 2);
    CHECK_INT(figures.lost, 0);
    CHECK_INT(figures.evicted + figures.overflow, 0);
    bucket = rate_take_token(region, "bucket", (struct rate_bucket){10, 1});
    CHECK(bucket.allowed);
    CHECK(bucket.remaining == 7 || bucket.remaining == 8);
}

TEST(a_worker_killed_anywhere_loses_nothing_that_was_recorded)
{
    int n = 1, repaired = 0;

    for (bool killed = true; killed; n++) {
        struct shm_region *region = make_region();

        killed = child_killed_at(n, live, region);
        check_survivors(region);
        repaired += figures_of(region).repairs > 0;
        live(region);
        CHECK(figures_of(region).repairs <= 1);
        check_shards(region);
        shm_region_close(region);
    }
    CHECK_INT(repaired, n - 2); /* every checkpoint lies inside a lock */
}

static const char *places[64];
static size_t place_count;

static void note_place(const char *place)
{
    for (size_t i = 0; i < place_count; i++) {
        if (strcmp(places[i], place) == 0)
            return;
    }
    places[place_count++] = place;
}

TEST(that_life_passes_every_checkpoint)
{
    struct shm_region *region = make_region();

    shm_test_hook = note_place;
    live(region);
    shm_test_hook = NULL;
    CHECK_INT(place_count, 15); /* those of rate_table.c and rate.c */
    shm_region_close(region);
}

/* What a shard would be after its holder had died now. */
static void check_as_if_dead(struct shm_region *region, const struct rate_shard *shard)
{
    static struct rate_shard copy;
    static const struct {
        const char *key;
        uint32_t least, most;
    } expected[] = {{"steady", 40, 41}, {"moving", 11, 26}, {"fresh", 0, 15}};

    memcpy(&copy, shard, offsetof(struct rate_shard, keys));
    memcpy(copy.keys, shard->keys, sizeof copy.keys[0] * 20);
    memcpy(copy.blocks, shard->blocks, sizeof copy.blocks[0] * 40);
    CHECK(copy.keys_touched <= 20 && copy.blocks_touched <= 40);
    rate_shard_repair(&copy, test_time);
    CHECK(shard_is_whole(&copy));
    CHECK_INT(copy.lost, 0);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        unsigned char digest[DIGEST_SHORT_BYTES];
        uint32_t reference, events;

        digest_short(region->layout->header.rate_secret, expected[i].key, strlen(expected[i].key),
                     digest);
        if (&region->layout->rate_shards[digest[DIGEST_SHORT_BYTES - 1] % RATE_SHARDS] != shard)
            continue;
        CHECK(rate_shard_find(&copy, digest, &reference));
        events = reference ? rate_shard_key(&copy, reference)->events : 0;
        CHECK(events >= expected[i].least && events <= expected[i].most);
    }
}

static bool is_locked(const struct rate_shard *shard)
{
    return __atomic_load_n((const int *)(const void *)&shard->lock, __ATOMIC_SEQ_CST) != 0;
}

enum { INSTRUCTIONS_MAX = 200000 }; /* some 27000 are needed; valgrind and the like add many */

/* The child goes on by single instructions; wherever it holds a lock, its sudden death is played
 * through on a copy of the shard. */
TEST(death_at_any_instruction_loses_nothing)
{
    struct shm_region *region;
    long instructions = 0, inside = 0;
    int status;
    pid_t child;

    if (SHM_THREAD_SANITIZER)
        return; /* the same stores among twenty times the instructions: a minute, not a second */
    region = make_region();
    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(77);
        raise(SIGSTOP);
        live(region);
        _exit(0);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        for (int i = 0; i < RATE_SHARDS; i++) {
            const struct rate_shard *shard = &region->layout->rate_shards[i];

            if (is_locked(shard) && ++inside)
                check_as_if_dead(region, shard);
        }
        ptrace(++instructions < INSTRUCTIONS_MAX ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL,
               NULL);
    }
    CHECK(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        printf("tracing is not allowed here; death at any instruction was not tried\n");
    else
        CHECK(WEXITSTATUS(status) == 0 && (inside > 1000 || instructions >= INSTRUCTIONS_MAX));
    shm_region_close(region);
}

TEST(a_worker_killed_while_repairing_does_no_harm)
{
    for (int n = 1; n < 60; n += 7) {
        for (int m = 1; m <= 2; m++) { /* surveyed, half repaired */
            struct shm_region *region = make_region();

            CHECK(child_killed_at(n, live, region));
            CHECK(child_killed_at(m, live, region));
            check_survivors(region);
            shm_region_close(region);
        }
    }
}

static void allow_once(void *context)
{
    (void)rate_allow(context, "steady", rule);
}

TEST(a_holder_that_stands_still_means_refusal)
{
    struct shm_region *region = make_region();
    pid_t child = child_stopped_at(1, allow_once, region);
    struct rate_decision decision = rate_allow(region, "steady", rule);

    CHECK(!decision.allowed);
    CHECK_INT(decision.retry_after_seconds, 1);
    CHECK_INT(decision.remaining, 0);
    end_child(child);
    CHECK(rate_allow(region, "steady", rule).allowed);
    CHECK_INT(figures_of(region).repairs, 1);
    shm_region_close(region);
}

static uint32_t random_state = 88172645;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

static void damage(void *memory, size_t length, uint32_t changes)
{
    unsigned char *bytes = memory;

    for (uint32_t i = 0; i < changes; i++)
        bytes[random_below((uint32_t)length)] = (unsigned char)random_below(256);
}

static void damage_shard(struct rate_shard *shard)
{
    unsigned char *fields = (unsigned char *)&shard->free_key;
    size_t touched_keys = sizeof shard->keys[0] * 100,
           touched_blocks = sizeof shard->blocks[0] * 200;

    if (random_below(2))
        damage(fields, offsetof(struct rate_shard, chains) - offsetof(struct rate_shard, free_key),
               random_below(20));
    if (random_below(2))
        damage(shard->chains, sizeof shard->chains, random_below(500));
    if (random_below(2))
        damage(shard->keys, touched_keys, random_below(300));
    if (random_below(2))
        damage(shard->blocks, touched_blocks, random_below(300));
}

static void call_at_random(struct shm_region *region)
{
    struct rate_rule random_rule = {1 + random_below(50), 1 + random_below(100)};
    char key[16];

    snprintf(key, sizeof key, "key-%u", random_below(500));
    test_time += random_below(300000);
    switch (random_below(5)) {
    case 0:
        (void)rate_charge(region, key, random_rule, random_below(100));
        break;
    case 1:
        (void)rate_take_token(region, key, (struct rate_bucket){5, 60});
        break;
    case 2:
        rate_forget(region, key);
        break;
    default:
        (void)rate_allow(region, key, random_rule);
    }
}

TEST(random_damage_never_crashes_or_hangs_a_worker)
{
    struct shm_region *region = make_region();
    uint64_t repairs = 0;

    alarm(300); /* a hang ends the program */
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < RATE_SHARDS; i++)
            damage_shard(&region->layout->rate_shards[i]);
        for (int i = 0; i < 500; i++)
            call_at_random(region);
        for (int i = 0; i < RATE_SHARDS; i++) {
            rate_shard_repair(&region->layout->rate_shards[i], test_time);
            CHECK(shard_is_whole(&region->layout->rate_shards[i]));
            repairs += region->layout->rate_shards[i].repairs > 0;
        }
    }
    CHECK(repairs > 0);
    alarm(0);
    shm_region_close(region);
}

struct thread_share {
    struct shm_region *region;
    struct shm_family *family;
    int number, admitted;
};

static void *live_in_thread(void *argument)
{
    const struct admission_limits limits = {2, 2, 250, 20000};
    struct thread_share *share = argument;
    struct admission_ticket ticket;
    struct note note;

    for (int i = 0; i < 3000; i++) {
        counters_add(share->family, 0, 1);
        stamps_set(share->family, 0, i + 1);
        histogram_record(share->family, 0, (uint64_t)i);
        share->admitted += rate_allow(share->region, "k", (struct rate_rule){5000, 3600}).allowed;
        if (i % 10 == 0) {
            notes_set(share->family, 0, i, "note");
            (void)notes_read(share->family, 0, &note);
            if (admission_acquire(share->region, &limits, 8, share->number % 2, "t", &ticket) ==
                ADMISSION_GRANTED)
                admission_release(share->region, &ticket);
        }
    }
    return NULL;
}

TEST(threads_share_as_processes_do)
{
    struct shm_region *region = open_anonymous();
    struct thread_share shares[4];
    struct admission_figures admission;
    struct histogram_view view = {0};
    pthread_t threads[4];
    int admitted = 0;

    for (int i = 0; i < 4; i++) {
        shares[i] = (struct thread_share){region, join(region, "core"), i, 0};
        CHECK_INT(pthread_create(&threads[i], NULL, live_in_thread, &shares[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        admitted += shares[i].admitted;
    }
    CHECK_INT(admitted, 5000);
    CHECK_INT(counters_total(region, 0), 12000);
    histogram_add_all(&view, region, 0);
    CHECK_INT(view.count, 12000);
    admission_read_figures(region, &admission);
    CHECK_INT(admission.admitted, 1200);
    CHECK_INT(admission.heavy_in_flight + admission.cheap_in_flight, 0);
    check_shards(region);
    shm_region_close(region);
}

TEST_MAIN(CASE(a_worker_killed_anywhere_loses_nothing_that_was_recorded),
          CASE(that_life_passes_every_checkpoint), CASE(death_at_any_instruction_loses_nothing),
          CASE(a_worker_killed_while_repairing_does_no_harm),
          CASE(a_holder_that_stands_still_means_refusal),
          CASE(random_damage_never_crashes_or_hangs_a_worker), CASE(threads_share_as_processes_do))
