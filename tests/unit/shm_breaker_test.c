/* Circuit breakers: when they open, who may probe, and what killed workers leave behind. */
#include "shm/breaker.h"

#include "shm/rate.h"
#include "shm_children.h"

static const struct breaker_rule rule = {.failures = 3, .open_ms = 30000, .probe_ms = 5000};

static int64_t test_time;

static int64_t read_test_clock(void)
{
    return test_time;
}

static struct shm_region *make_region(void)
{
    struct shm_region *region = open_anonymous();

    test_time = 1000 * MICROSECONDS;
    shm_region_set_clock(region, read_test_clock);
    return region;
}

static void pass_seconds(int seconds)
{
    test_time += seconds * MICROSECONDS;
}

static bool call(struct shm_region *region, const char *name, bool well)
{
    struct breaker_permit permit;
    bool allowed = breaker_allow(region, name, &rule, &permit);

    breaker_record(region, &rule, &permit, well);
    return allowed;
}

static void fail_three_times(struct shm_region *region)
{
    for (int i = 0; i < 3; i++)
        CHECK(call(region, "a", false));
}

TEST(opens_after_failures_in_a_row_only)
{
    struct shm_region *region = make_region();

    for (int i = 0; i < 5; i++) {
        CHECK(call(region, "a", false));
        CHECK(call(region, "a", false));
        CHECK(call(region, "a", true));
    }
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED);
    fail_three_times(region);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_OPEN);
    CHECK(!call(region, "a", true));
    CHECK(call(region, "b", true)); /* names are apart */
    shm_region_close(region);
}

TEST(one_probe_at_a_time_decides)
{
    struct shm_region *region = make_region();
    struct breaker_permit probe, other;

    fail_three_times(region);
    pass_seconds(29);
    CHECK(!breaker_allow(region, "a", &rule, &other));
    pass_seconds(1);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_HALF_OPEN);
    CHECK(breaker_allow(region, "a", &rule, &probe));
    CHECK(!breaker_allow(region, "a", &rule, &other));
    breaker_record(region, &rule, &probe, false); /* open for as long again */
    CHECK(!breaker_allow(region, "a", &rule, &other));
    pass_seconds(30);
    CHECK(breaker_allow(region, "a", &rule, &probe));
    breaker_record(region, &rule, &probe, true);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED);
    fail_three_times(region); /* counts from the beginning */
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_OPEN);
    shm_region_close(region);
}

TEST(late_answers_do_not_close_it)
{
    struct shm_region *region = make_region();
    struct breaker_permit early;

    CHECK(breaker_allow(region, "a", &rule, &early));
    fail_three_times(region);
    breaker_record(region, &rule, &early, true);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_OPEN);
    breaker_record(region, &rule, &early, true); /* told twice: harmless */
    shm_region_close(region);
}

TEST(a_probe_that_takes_too_long_makes_way)
{
    struct shm_region *region = make_region();
    struct breaker_permit slow, next;

    fail_three_times(region);
    pass_seconds(30);
    CHECK(breaker_allow(region, "a", &rule, &slow));
    pass_seconds(5);
    CHECK(breaker_allow(region, "a", &rule, &next));
    breaker_record(region, &rule, &slow, true); /* no longer the probe */
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_HALF_OPEN);
    breaker_record(region, &rule, &next, true);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED);
    shm_region_close(region);
}

TEST(reset_it_is_closed_and_forgets_what_is_under_way)
{
    struct shm_region *region = make_region();
    struct breaker_figures figures;
    struct breaker_permit early, probe;

    CHECK(breaker_allow(region, "a", &rule, &early));
    fail_three_times(region);
    pass_seconds(31);
    CHECK(breaker_allow(region, "a", &rule, &probe));
    breaker_reset(region, "a");
    breaker_reset(region, "unknown");
    breaker_read(region, "a", &rule, &figures);
    CHECK_INT(figures.state, BREAKER_CLOSED);
    CHECK_INT(figures.failures, 0);
    breaker_record(region, &rule, &probe, false);
    breaker_record(region, &rule, &early, false);
    CHECK(call(region, "a", false));
    CHECK(call(region, "a", false));
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED); /* two in a row, not four */
    CHECK(call(region, "a", false));
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_OPEN);
    shm_region_close(region);
}

static void hear(struct shm_region *region, uint32_t failures, int64_t open_us, int64_t reset_us)
{
    breaker_hear(region,
                 &(struct breaker_notice){
                     .name = "a", .failures = failures, .open_us = open_us, .reset_us = reset_us});
}

static struct breaker_notice told(struct shm_region *region)
{
    struct breaker_notice notice = {.failures = 0};

    CHECK_INT(breaker_list(region, &notice, 1), 1);
    return notice;
}

TEST(only_what_this_host_saw_lately_is_told)
{
    struct shm_region *region = make_region();

    CHECK(call(region, "a", true));
    hear(region, 2, 20 * MICROSECONDS, -1);
    CHECK(!call(region, "a", true));
    CHECK_INT(told(region).failures, 0);
    CHECK_INT(told(region).open_us, 0);
    pass_seconds(20);
    CHECK(call(region, "a", false)); /* its own probe */
    CHECK_INT(told(region).failures, 3);
    CHECK_INT(told(region).open_us, 30 * MICROSECONDS);
    pass_seconds(BREAKER_HEARD_SECONDS);
    CHECK_INT(told(region).failures, 0);
    CHECK_INT(told(region).open_us, (30 - BREAKER_HEARD_SECONDS) * MICROSECONDS);
    shm_region_close(region);
}

TEST(a_success_forgives_the_failures_of_others)
{
    struct shm_region *region = make_region();

    CHECK(call(region, "a", false));
    hear(region, 1, 0, -1);
    CHECK(call(region, "a", true));
    CHECK(call(region, "a", false));
    CHECK(call(region, "a", false));
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED);
    hear(region, 1, 0, -1);
    CHECK(call(region, "a", false));
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_OPEN);
    shm_region_close(region);
}

TEST(a_reset_is_told_and_closes_what_opened_before_it)
{
    struct shm_region *region = make_region();

    breaker_reset(region, "a"); /* was never called here */
    pass_seconds(1);
    CHECK_INT(told(region).reset_us, MICROSECONDS);
    hear(region, 2, 20 * MICROSECONDS, -1); /* said before the reset came there */
    fail_three_times(region);
    pass_seconds(1);
    hear(region, 0, 0, 2 * MICROSECONDS); /* another host's, and older */
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_OPEN);
    hear(region, 0, 20 * MICROSECONDS, 0);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED);
    pass_seconds(BREAKER_HEARD_SECONDS);
    CHECK(told(region).reset_us < 0);
    hear(region, 0, 20 * MICROSECONDS, -1);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_OPEN);
    shm_region_close(region);
}

TEST(no_rule_no_breaker)
{
    const struct breaker_rule never = {.failures = 0, .open_ms = 1000, .probe_ms = 1000};
    struct shm_region *region = make_region();
    struct breaker_permit permit;

    for (int i = 0; i < 10; i++) {
        CHECK(breaker_allow(region, "a", &never, &permit));
        breaker_record(region, &never, &permit, false);
    }
    shm_region_close(region);
}

TEST(names_beyond_the_table_are_let_through)
{
    struct shm_region *region = make_region();
    char name[BREAKER_NAME_MAX * 2];

    for (int i = 0; i < BREAKERS_MAX; i++) {
        snprintf(name, sizeof name, "host-%d", i);
        CHECK(call(region, name, true));
    }
    for (int i = 0; i < 10; i++)
        CHECK(call(region, "one more", false));
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    CHECK(call(region, name, false));
    shm_region_close(region);
}

TEST(names_long_unused_make_way)
{
    struct shm_region *region = make_region();
    struct breaker_permit old;
    char name[40];

    CHECK(breaker_allow(region, "host-0", &rule, &old));
    for (int i = 0; i < BREAKERS_MAX; i++) {
        snprintf(name, sizeof name, "host-%d", i);
        CHECK(call(region, name, true));
        pass_seconds(1);
    }
    pass_seconds(BREAKER_KEPT_SECONDS - BREAKERS_MAX);
    for (int i = 0; i < 3; i++)
        CHECK(call(region, "new", false)); /* in the place of host-0 */
    CHECK(!call(region, "new", true));
    breaker_record(region, &rule, &old, true); /* means nothing to the new name */
    CHECK_INT(breaker_read_state(region, "new"), BREAKER_OPEN);
    for (int i = 0; i < 3; i++)
        CHECK(call(region, "host-63", false)); /* is remembered */
    CHECK(!call(region, "host-63", true));
    shm_region_close(region);
}

TEST(a_probe_that_is_withdrawn_makes_way)
{
    struct shm_region *region = make_region();
    struct breaker_permit probe, next;

    fail_three_times(region);
    pass_seconds(30);
    CHECK(breaker_allow(region, "a", &rule, &probe));
    breaker_cancel(region, &probe);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_HALF_OPEN);
    CHECK(breaker_allow(region, "a", &rule, &next));
    breaker_cancel(region, &probe); /* twice: harmless */
    breaker_record(region, &rule, &next, true);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED);
    shm_region_close(region);
}

TEST(long_names_are_cut)
{
    struct shm_region *region = make_region();
    char name[BREAKER_NAME_MAX * 2];

    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < 3; i++)
        CHECK(call(region, name, false));
    CHECK_INT(breaker_read_state(region, name), BREAKER_OPEN);
    shm_region_close(region);
}

static int fail_often(int child, void *context)
{
    (void)child;
    for (int i = 0; i < 1000; i++)
        (void)call(context, "a", false);
    return 0;
}

TEST(workers_agree)
{
    struct shm_region *region = make_region();

    CHECK_INT(run_children(4, fail_often, region), 0);
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_OPEN);
    shm_region_close(region);
}

/* Opens, probes and fails, probes and succeeds. */
static void live(void *context)
{
    for (int i = 0; i < 3; i++)
        (void)call(context, "a", false);
    pass_seconds(31);
    (void)call(context, "a", false);
    pass_seconds(31);
    (void)call(context, "a", true);
}

TEST(a_worker_killed_anywhere_blocks_nobody)
{
    bool killed = true;

    for (int n = 1; killed; n++) {
        struct shm_region *region = make_region();

        killed = child_killed_at(n, live, region);
        pass_seconds(62); /* as the child saw it, at most */
        pass_seconds(31);
        CHECK(call(region, "a", true));
        CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED);
        fail_three_times(region);
        CHECK(!call(region, "a", true));
        shm_region_close(region);
    }
}

static void probe_and_die(void *context)
{
    struct breaker_permit permit;

    if (breaker_allow(context, "a", &rule, &permit) && permit.probe)
        kill(getpid(), SIGKILL);
}

TEST(the_probe_of_a_killed_worker_is_made_again_at_once)
{
    struct shm_region *region = make_region();

    fail_three_times(region);
    pass_seconds(30);
    CHECK(child_killed_at(1000, probe_and_die, region));
    CHECK(call(region, "a", true));
    CHECK_INT(breaker_read_state(region, "a"), BREAKER_CLOSED);
    shm_region_close(region);
}

TEST_MAIN(CASE(opens_after_failures_in_a_row_only), CASE(one_probe_at_a_time_decides),
          CASE(late_answers_do_not_close_it), CASE(a_probe_that_takes_too_long_makes_way),
          CASE(reset_it_is_closed_and_forgets_what_is_under_way),
          CASE(only_what_this_host_saw_lately_is_told),
          CASE(a_success_forgives_the_failures_of_others),
          CASE(a_reset_is_told_and_closes_what_opened_before_it), CASE(no_rule_no_breaker),
          CASE(names_beyond_the_table_are_let_through), CASE(names_long_unused_make_way),
          CASE(a_probe_that_is_withdrawn_makes_way), CASE(long_names_are_cut), CASE(workers_agree),
          CASE(a_worker_killed_anywhere_blocks_nobody),
          CASE(the_probe_of_a_killed_worker_is_made_again_at_once))
