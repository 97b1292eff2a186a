/*
 * Limits over hosts, on a Redis of the test's own: the script of the rates against shared memory,
 * which has the same arithmetic; two hosts with one limit; places that come back; breakers; and
 * what holds while the server is away. A host is a region.
 */
#include "crypto/crypto.h"
#include "limits/limits_internal.h"
#include "redis_fixture.h"
#include "shm_children.h"

#include <string.h>

static struct redis_server server;

struct host {
    struct arena *arena;
    struct shm_region *region;
};

static void open_host_with(struct host *host, double timeout, double retry, double lease)
{
    const struct limits_config config = {.url = server.url,
                                         .service = "tests",
                                         .timeout = timeout,
                                         .retry_seconds = retry,
                                         .host_seconds = 3600,
                                         .lease_seconds = lease};
    struct problem problem = {0};

    if (!server.pid)
        redis_start(&server);
    host->arena = arena_create(1 << 20);
    host->region = open_anonymous();
    CHECK_INT(limits_attach(host->arena, host->region, &config, &problem), 0);
}

static void open_host(struct host *host)
{
    open_host_with(host, 20, 0.1, 60);
}

static void close_host(struct host *host)
{
    limits_detach(host->region);
    shm_region_close(host->region);
    arena_destroy(host->arena);
}

/* The beats of a second. */
static void beat(struct host *host)
{
    int64_t last = shm_number(host->region, LIMITS_BEAT_AT);

    (void)shm_number_replace(host->region, LIMITS_BEAT_AT, last, 0);
    limits_beat(host->region);
}

/* Until the server is known to be back, or away. */
static void beat_until(struct host *host, bool answers)
{
    struct limits_state state = {.answers = !answers};

    for (int i = 0; i < 3000 && state.answers != answers; i++) {
        usleep(20000);
        beat(host);
        limits_read_state(host->region, &state);
    }
    CHECK_INT(state.answers, answers);
}

static int64_t test_time;

static int64_t read_test_clock(void)
{
    return test_time;
}

/* The arithmetic of the script, at the time of the test. */
static struct rate_decision decide_at(struct limits *limits, const char *const words[4])
{
    static struct redis_script script;
    static char text[16384];
    int64_t numbers[4] = {-1, -1, -1, -1};
    struct limits_text now;
    const struct redis_arguments arguments = {
        .items = {words[0], words[1], words[2], words[3], limits_number(&now, test_time)},
        .count = 5};

    if (!script.text) {
        snprintf(text, sizeof text, "local now = tonumber(ARGV[5])\n%s", limits_rates_arithmetic);
        redis_script_init(&script, text);
    }
    CHECK(redis_run_script(limits->redis, &script, "model", &arguments, numbers, 4));
    return (struct rate_decision){.allowed = numbers[0] == 1,
                                  .limit = (uint32_t)strtoul(words[1], NULL, 10),
                                  .remaining = (uint32_t)numbers[1],
                                  .retry_after_seconds = (uint32_t)numbers[2],
                                  .reset_seconds = (uint32_t)numbers[3]};
}

static void check_same(struct rate_decision actual, struct rate_decision wanted)
{
    CHECK_INT(actual.allowed, wanted.allowed);
    CHECK_INT(actual.limit, wanted.limit);
    CHECK_INT(actual.remaining, wanted.remaining);
    CHECK_INT(actual.retry_after_seconds, wanted.retry_after_seconds);
    CHECK_INT(actual.reset_seconds, wanted.reset_seconds);
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state % below);
}

/* Small steps, the length of a window, and long silences. */
static int64_t next_step(uint32_t window)
{
    switch (draw(4)) {
    case 0:
        return draw(3);
    case 1:
        return draw(window * 100000);
    case 2:
        return (int64_t)window * 1000000 - draw(3) + 1;
    default:
        return draw(window * 1000000 / 3);
    }
}

static void walk_windows(struct host *host, struct rate_rule rule)
{
    struct limits *limits = limits_of(host->region);
    struct limits_text max, window, units_text;
    const char *kinds[] = {"allow", "charge", "peek"};

    limits_number(&max, rule.max);
    limits_number(&window, rule.window_seconds * INT64_C(1000000));
    for (int i = 0; i < 400; i++) {
        uint32_t kind = draw(10) < 7 ? 0 : 1 + draw(2);
        uint32_t units = kind == 1 ? draw(rule.max + 3) : 1;
        struct rate_decision wanted, actual;

        test_time += next_step(rule.window_seconds);
        actual = decide_at(limits, (const char *[]){kinds[kind], max.text, window.text,
                                                    limits_number(&units_text, units)});
        wanted = kind == 0   ? rate_allow(host->region, "model", rule)
                 : kind == 1 ? rate_charge(host->region, "model", rule, units)
                             : rate_peek(host->region, "model", rule);
        check_same(actual, wanted);
    }
}

TEST(windows_of_the_script_are_those_of_shared_memory)
{
    const struct rate_rule rules[] = {{1, 1}, {5, 60}, {70, 60}, {3, 7}, {1000, 900}, {0, 60}};
    struct host host;

    open_host(&host);
    shm_region_set_clock(host.region, read_test_clock);
    test_time = INT64_C(1700000000000000);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        test_time += INT64_C(10000000000);
        walk_windows(&host, rules[i]);
    }
    close_host(&host);
}

TEST(token_buckets_of_the_script_are_those_of_shared_memory)
{
    const struct rate_bucket buckets[] = {{70, 60}, {1, 1}, {5, 7}, {1000, 100000}, {0, 5}};
    struct host host;

    open_host(&host);
    shm_region_set_clock(host.region, read_test_clock);
    test_time = INT64_C(1700000000000000);
    for (size_t i = 0; i < sizeof buckets / sizeof buckets[0]; i++) {
        struct limits_text capacity, refill;

        test_time += INT64_C(10000000000);
        limits_number(&capacity, buckets[i].capacity);
        limits_number(&refill, buckets[i].refill_per_minute);
        for (int j = 0; j < 400; j++) {
            test_time += draw(8) ? draw(20) : next_step(60);
            check_same(decide_at(limits_of(host.region),
                                 (const char *[]){"token", capacity.text, refill.text, "1"}),
                       rate_take_token(host.region, "model", buckets[i]));
        }
    }
    close_host(&host);
}

TEST(two_hosts_hold_one_limit)
{
    const struct rate_rule rule = {100, 3600};
    struct host hosts[2];
    int admitted = 0;

    open_host(&hosts[0]);
    open_host(&hosts[1]);
    for (int i = 0; i < 1000; i++)
        admitted += limits_allow(hosts[i % 2].region, "one limit", rule).allowed;
    CHECK_INT(admitted, 100);
    CHECK_INT(limits_peek(hosts[0].region, "one limit", rule).remaining, 0);
    limits_forget(hosts[1].region, "one limit");
    CHECK_INT(limits_peek(hosts[0].region, "one limit", rule).remaining, 100);
    CHECK_INT(limits_charge(hosts[0].region, "one limit", rule, 98).remaining, 2);
    CHECK(!limits_allow_units(hosts[1].region, "one limit", rule, 3).allowed);
    CHECK(limits_allow_units(hosts[1].region, "one limit", rule, 2).allowed);
    CHECK(!limits_allow(hosts[0].region, "one limit", rule).allowed);
    CHECK_INT(shm_number(hosts[0].region, LIMITS_ALONE), 0);
    close_host(&hosts[0]);
    close_host(&hosts[1]);
}

/* As if the server had come back one window ago. */
static void make_return_older(struct host *host, struct rate_rule rule)
{
    int64_t back_at = shm_number(host->region, LIMITS_BACK_AT);

    CHECK(back_at);
    CHECK(shm_number_replace(host->region, LIMITS_BACK_AT, back_at,
                             back_at - rule.window_seconds * INT64_C(1000000)));
}

TEST(each_host_has_its_share_while_the_server_is_away)
{
    const struct rate_rule rule = {101, 3600};
    const struct rate_bucket bucket = {10, 1};
    struct limits_state state;
    struct host hosts[2];
    int admitted = 0;

    open_host(&hosts[0]);
    open_host(&hosts[1]);
    redis_stop(&server); /* with the hosts of other cases */
    redis_start(&server);
    beat(&hosts[0]);
    beat(&hosts[1]);
    beat(&hosts[0]);
    limits_read_state(hosts[0].region, &state);
    CHECK_INT(state.hosts, 2);
    CHECK_TEXT(limits_sentence(hosts[0].arena, &state), "The limits hold over 2 hosts together.");

    redis_stop(&server);
    for (int i = 0; i < 1000; i++)
        admitted += limits_allow(hosts[i % 2].region, "shared", rule).allowed;
    CHECK_INT(admitted, 100);
    CHECK_INT(limits_share(hosts[0].region, 101), 50);
    CHECK_INT(limits_share(hosts[0].region, 1), 1);
    CHECK_INT(limits_share(hosts[0].region, 0), 0);
    admitted = 0;
    for (int i = 0; i < 20; i++)
        admitted += limits_take_token(hosts[0].region, "tokens", bucket).allowed;
    CHECK_INT(admitted, 5);
    limits_read_state(hosts[0].region, &state);
    CHECK(!state.answers && state.hosts == 2 && state.alone == 520);
    CHECK(strstr(limits_sentence(hosts[0].arena, &state), "1/2"));
    CHECK(limits_allow_units(hosts[0].region, "at once", rule, 101).allowed); /* all of its share */
    CHECK(!limits_allow_units(hosts[0].region, "at once", rule, 2).allowed);
    CHECK(limits_allow_units(hosts[1].region, "at once", rule, 30).allowed);
    CHECK(!limits_allow_units(hosts[1].region, "at once", rule, 101).allowed);
    CHECK(!limits_allow_units(hosts[1].region, "never", rule, 102).allowed);

    redis_start(&server);
    beat_until(&hosts[0], true);
    beat_until(&hosts[1], true);
    admitted = 0;
    for (int i = 0; i < 1000; i++)
        admitted += limits_allow(hosts[i % 2].region, "shared", rule).allowed;
    CHECK_INT(admitted, 0); /* in the same window */
    make_return_older(&hosts[0], rule);
    make_return_older(&hosts[1], rule);
    for (int i = 0; i < 1000; i++)
        admitted += limits_allow(hosts[i % 2].region, "shared", rule).allowed;
    CHECK_INT(admitted, 101);
    close_host(&hosts[0]);
    close_host(&hosts[1]);
}

/* A server that starts again between two calls has forgotten what it admitted. */
TEST(a_server_that_forgets_is_noticed)
{
    const struct rate_rule rule = {100, 3600};
    struct host hosts[2];
    int admitted = 0;

    open_host(&hosts[0]);
    open_host(&hosts[1]);
    redis_stop(&server);
    redis_start(&server);
    beat(&hosts[0]);
    beat(&hosts[1]);
    beat(&hosts[0]);
    for (int i = 0; i < 1000; i++)
        admitted += limits_allow(hosts[i % 2].region, "forgotten", rule).allowed;
    CHECK_INT(admitted, 100);
    redis_stop(&server);
    redis_start(&server);
    for (int i = 0; i < 1000; i++)
        admitted += limits_allow(hosts[i % 2].region, "forgotten", rule).allowed;
    CHECK(admitted <= 200);
    CHECK(admitted > 100);
    close_host(&hosts[0]);
    close_host(&hosts[1]);
}

TEST(no_request_waits_for_a_server_that_hangs)
{
    const struct rate_rule rule = {1000000, 3600};
    struct host host;
    int64_t started;

    open_host_with(&host, 0.2, 3600, 60);
    CHECK(limits_allow(host.region, "before", rule).allowed);
    kill(server.pid, SIGSTOP);
    started = limits_now();
    for (int i = 0; i < 1000; i++)
        CHECK(limits_allow(host.region, "meanwhile", rule).allowed);
    CHECK(limits_now() - started < 100 * INT64_C(200000)); /* one waits, not all of them */
    CHECK(shm_number(host.region, LIMITS_ALONE) >= 1000);
    kill(server.pid, SIGCONT);
    close_host(&host);
}

TEST(places_are_held_over_hosts)
{
    struct limits_place places[3] = {{.is_held = false}};
    struct host hosts[2];

    open_host(&hosts[0]);
    open_host(&hosts[1]);
    CHECK(limits_place_take(hosts[0].region, "places", 2, &places[0]));
    CHECK(limits_place_take(hosts[1].region, "places", 2, &places[1]));
    CHECK(!limits_place_take(hosts[1].region, "places", 2, &places[2]));
    CHECK(places[2].renew_after > 0 && !places[2].is_held);
    limits_place_release(hosts[0].region, "places", &places[0]);
    CHECK(!places[0].is_held);
    usleep(40000); /* a refused place is not asked for again at once */
    CHECK(limits_place_take(hosts[1].region, "places", 2, &places[2]));
    places[2].renew_after = 0;
    CHECK(limits_place_renew(hosts[1].region, "places", 2, &places[2]));
    limits_place_release(hosts[1].region, "places", &places[1]);
    limits_place_release(hosts[1].region, "places", &places[2]);
    limits_place_release(hosts[1].region, "places", &places[2]);
    close_host(&hosts[0]);
    close_host(&hosts[1]);
}

/* The host `sleeper` holds a place and does nothing; its lease runs out. */
TEST(places_of_a_dead_host_come_back_and_a_sleeper_loses_its_own)
{
    struct limits_place lost = {.is_held = false}, place = {.is_held = false}, copy;
    struct host sleeper, other;
    bool taken = false;

    open_host_with(&sleeper, 20, 0.1, 1);
    open_host_with(&other, 20, 0.1, 3600);
    CHECK(limits_place_take(sleeper.region, "one place", 1, &lost));
    taken = limits_place_take(other.region, "one place", 1, &place);
    CHECK(!taken || limits_now() - lost.renewed_at >= 1000000);
    for (int i = 0; i < 3000 && !taken; i++) {
        usleep(20000);
        taken = limits_place_take(other.region, "one place", 1, &place);
    }
    CHECK(taken);

    lost.renew_after = 0;
    copy = lost;
    CHECK(!limits_place_renew(sleeper.region, "one place", 1, &lost));
    CHECK(!lost.is_held);
    limits_place_release(sleeper.region, "one place", &copy); /* gives back nobody else's */
    CHECK(!limits_place_take(sleeper.region, "one place", 1, &lost));
    limits_place_release(other.region, "one place", &place);
    close_host(&sleeper);
    close_host(&other);
}

/* Also what was taken while the server was away is told to it, and stays. */
TEST(places_outlive_the_server)
{
    struct limits_place before = {.is_held = false}, away = before, after = before;
    struct host host;

    open_host(&host);
    CHECK(limits_place_take(host.region, "kept", 2, &before));
    redis_stop(&server);
    CHECK(limits_place_take(host.region, "kept", 2, &away));
    before.renew_after = 0;
    CHECK(limits_place_renew(host.region, "kept", 2, &before));
    redis_start(&server);
    beat_until(&host, true);
    before.renew_after = away.renew_after = 0;
    CHECK(limits_place_renew(host.region, "kept", 2, &before));
    CHECK(limits_place_renew(host.region, "kept", 2, &away));
    CHECK(!limits_place_take(host.region, "kept", 2, &after));
    limits_place_release(host.region, "kept", &before);
    limits_place_release(host.region, "kept", &away);
    close_host(&host);
}

static void fail(struct host *host, const char *name, const struct breaker_rule *rule)
{
    struct breaker_permit permit;

    CHECK(breaker_allow(host->region, name, rule, &permit));
    breaker_record(host->region, rule, &permit, false);
}

TEST(hosts_count_failures_together)
{
    static const struct breaker_rule rule = {3, 60000, 1000, false};
    static const char name[] = "https://models.example";
    struct breaker_permit permit;
    struct host hosts[2];

    open_host(&hosts[0]);
    open_host(&hosts[1]);
    shm_region_set_clock(hosts[0].region, read_test_clock); /* what is heard does not grow old */
    shm_region_set_clock(hosts[1].region, read_test_clock);
    fail(&hosts[0], name, &rule);
    fail(&hosts[0], name, &rule);
    CHECK(breaker_allow(hosts[1].region, name, &rule, &permit));
    breaker_cancel(hosts[1].region, &permit);
    beat(&hosts[0]);
    beat(&hosts[1]);
    fail(&hosts[1], name, &rule); /* the third of both */
    CHECK(!breaker_allow(hosts[1].region, name, &rule, &permit));
    CHECK(breaker_allow(hosts[0].region, name, &rule, &permit));
    breaker_cancel(hosts[0].region, &permit);
    beat(&hosts[1]);
    beat(&hosts[0]); /* hears that the other refuses calls */
    CHECK(!breaker_allow(hosts[0].region, name, &rule, &permit));
    close_host(&hosts[0]);
    close_host(&hosts[1]);
}

static bool is_open(struct host *host, const char *name)
{
    return breaker_read_state(host->region, name) != BREAKER_CLOSED;
}

static void call_once(struct host *host, const char *name, const struct breaker_rule *rule)
{
    struct breaker_permit permit;

    CHECK(breaker_allow(host->region, name, rule, &permit));
    breaker_record(host->region, rule, &permit, true);
}

/* A host that nobody uses after an outage. */
TEST(old_failures_of_an_idle_host_do_not_count)
{
    static const struct breaker_rule rule = {3, 60000, 1000, false};
    static const char name[] = "https://was-down.example";
    struct host idle, busy;

    open_host(&idle);
    open_host(&busy);
    shm_region_set_clock(idle.region, read_test_clock);
    shm_region_set_clock(busy.region, read_test_clock);
    for (int i = 0; i < 3; i++)
        fail(&idle, name, &rule);
    test_time += INT64_C(61000000);
    call_once(&busy, name, &rule);
    beat(&idle);
    beat(&busy);
    fail(&busy, name, &rule);
    fail(&busy, name, &rule);
    CHECK(!is_open(&busy, name));
    close_host(&idle);
    close_host(&busy);
}

/* Whichever host the reset reaches: the one whose calls failed, or one that only heard of it. */
TEST(a_reset_holds_on_all_hosts)
{
    static const struct breaker_rule rule = {1, 3600000, 1000, false};
    static const char *const names[] = {"https://reset-at-the-first",
                                        "https://reset-at-the-second"};
    struct host hosts[2];

    open_host(&hosts[0]);
    open_host(&hosts[1]);
    shm_region_set_clock(hosts[0].region, read_test_clock); /* a reset does not grow old */
    shm_region_set_clock(hosts[1].region, read_test_clock);
    for (int i = 0; i < 2; i++) {
        call_once(&hosts[1], names[i], &rule);
        fail(&hosts[0], names[i], &rule);
        beat(&hosts[0]);
        beat(&hosts[1]);
        CHECK(is_open(&hosts[1], names[i]));
        test_time += INT64_C(60000000);
        for (int n = 0; n < 100 && (is_open(&hosts[0], names[i]) || is_open(&hosts[1], names[i]));
             n++) {
            breaker_reset(hosts[i].region, names[i]);
            beat(&hosts[i]);
            beat(&hosts[1 - i]);
        }
        beat(&hosts[0]);
        beat(&hosts[1]);
        CHECK(!is_open(&hosts[0], names[i]) && !is_open(&hosts[1], names[i]));
    }
    close_host(&hosts[0]);
    close_host(&hosts[1]);
}

TEST(breakers_on_servers_of_one_machine_stay_its_own)
{
    static const struct breaker_rule rule = {1, 60000, 1000, true};
    static const char name[] = "http://127.0.0.1:9";
    struct breaker_permit permit;
    struct host hosts[2];

    open_host(&hosts[0]);
    open_host(&hosts[1]);
    CHECK(breaker_allow(hosts[1].region, name, &rule, &permit));
    breaker_cancel(hosts[1].region, &permit);
    fail(&hosts[0], name, &rule);
    beat(&hosts[0]);
    beat(&hosts[1]);
    CHECK(breaker_allow(hosts[1].region, name, &rule, &permit));
    close_host(&hosts[0]);
    close_host(&hosts[1]);
}

TEST(without_a_server_the_limits_are_those_of_the_host)
{
    struct shm_region *region = open_anonymous();
    struct limits_place place = {.is_held = false};
    struct arena *arena = arena_create(1 << 16);
    struct problem problem = {0};
    struct limits_state state;

    CHECK(limits_allow(region, "a", (struct rate_rule){1, 60}).allowed);
    CHECK(!rate_allow(region, "a", (struct rate_rule){1, 60}).allowed);
    CHECK(limits_place_take(region, "p", 1, &place));
    CHECK(limits_place_renew(region, "p", 1, &place));
    CHECK_INT(limits_share(region, 7), 7);
    limits_read_state(region, &state);
    CHECK(!limits_sentence(arena, &state));
    CHECK_INT(limits_check_url(arena, "rediss://127.0.0.1", &problem), ERROR_INVALID);
    CHECK(strstr(problem.text, "ASSAY_LIMITS_URL must be redis://"));
    arena_destroy(arena);
    shm_region_close(region);
}

/* The last case: stops the server. */
TEST(the_server_is_stopped)
{
    redis_stop(&server);
}

static void prepare(void) __attribute__((constructor));

static void prepare(void)
{
    struct problem problem = {0};

    signal(SIGPIPE, SIG_IGN);
    if (crypto_start(&problem))
        abort();
}

TEST_MAIN(CASE(windows_of_the_script_are_those_of_shared_memory),
          CASE(token_buckets_of_the_script_are_those_of_shared_memory),
          CASE(two_hosts_hold_one_limit), CASE(each_host_has_its_share_while_the_server_is_away),
          CASE(a_server_that_forgets_is_noticed), CASE(no_request_waits_for_a_server_that_hangs),
          CASE(places_are_held_over_hosts),
          CASE(places_of_a_dead_host_come_back_and_a_sleeper_loses_its_own),
          CASE(places_outlive_the_server), CASE(hosts_count_failures_together),
          CASE(old_failures_of_an_idle_host_do_not_count), CASE(a_reset_holds_on_all_hosts),
          CASE(breakers_on_servers_of_one_machine_stay_its_own),
          CASE(without_a_server_the_limits_are_those_of_the_host), CASE(the_server_is_stopped))
