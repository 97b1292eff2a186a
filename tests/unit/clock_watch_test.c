/* A wall clock that is set: nothing that has a retention is deleted until it has run on evenly. */
#include "jobs/clock_watch.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const struct clock_limits limits = {.tolerance_seconds = 60, .settle_seconds = 3600};
static char path[64];
static const int64_t second = 1000000, day = 86400LL * 1000000;

static enum error check(const char *boot, int64_t wall, int64_t since_boot)
{
    struct clock_reading now = {.wall = wall, .since_boot = since_boot};
    struct problem problem;

    snprintf(now.boot, sizeof now.boot, "%s", boot);
    return clock_check_reading(path, &now, &limits, &problem);
}

static void begin(void)
{
    snprintf(path, sizeof path, "/tmp/clock-watch-test-%d", (int)getpid());
    unlink(path);
    CHECK_INT(check("a", 1000 * day, day), ERROR_NONE);
}

TEST(clocks_that_run_alike_are_trusted)
{
    begin();
    for (int64_t i = 1; i < 100; i++) /* slewed by half a minute a day: never by a minute at once */
        CHECK_INT(check("a", 1000 * day + i * (day + 30 * second), day + i * day), ERROR_NONE);
}

TEST(a_clock_set_for_a_moment_deletes_nothing)
{
    begin();
    for (int64_t i = 0; i < 8; i++)
        CHECK_INT(check("a", 1200 * day + 10 * i * second, day + 10 * i * second),
                  ERROR_UNAVAILABLE);
    CHECK_INT(check("a", 1000 * day + 80 * second, day + 80 * second), ERROR_NONE);
    CHECK_INT(check("a", 999 * day, day + 90 * second), ERROR_UNAVAILABLE);
}

TEST(a_clock_that_was_set_right_is_trusted_after_a_while)
{
    begin();
    CHECK_INT(check("a", 1200 * day, day), ERROR_UNAVAILABLE);
    CHECK_INT(check("a", 1200 * day + 3599 * second, day + 3599 * second), ERROR_UNAVAILABLE);
    CHECK_INT(check("a", 1200 * day + 3600 * second, day + 3600 * second), ERROR_NONE);
    CHECK_INT(check("a", 1200 * day + 3700 * second, day + 3700 * second), ERROR_NONE);
}

TEST(a_clock_set_twice_begins_to_wait_anew)
{
    begin();
    CHECK_INT(check("a", 1200 * day, day), ERROR_UNAVAILABLE);
    CHECK_INT(check("a", 1300 * day, day + 3000 * second), ERROR_UNAVAILABLE);
    CHECK_INT(check("a", 1300 * day + 600 * second, day + 3600 * second), ERROR_UNAVAILABLE);
    CHECK_INT(check("a", 1300 * day + 3600 * second, day + 6600 * second), ERROR_NONE);
}

TEST(another_boot_begins_anew)
{
    begin();
    CHECK_INT(check("b", 2000 * day, second), ERROR_NONE);
    CHECK_INT(check("b", 1000 * day, 2 * second), ERROR_UNAVAILABLE);
}

TEST(a_damaged_file_is_replaced)
{
    FILE *file;

    begin();
    file = fopen(path, "w");
    CHECK(file && fputs("assay clock 1\nboot a\ntrusted x", file) >= 0 && fclose(file) == 0);
    CHECK_INT(check("a", 5 * day, day), ERROR_NONE);
    CHECK_INT(check("a", 500 * day, day), ERROR_UNAVAILABLE);
}

TEST(the_clocks_of_this_machine_agree)
{
    char folder[] = "/tmp/clocks-XXXXXX", file[64];
    struct problem problem;

    CHECK(mkdtemp(folder) != NULL);
    CHECK_INT(clock_check(folder, "one", &limits, &problem), ERROR_NONE);
    CHECK_INT(clock_check(folder, "one", &limits, &problem), ERROR_NONE);
    CHECK_INT(clock_check("", "one", &limits, &problem), ERROR_NONE);
    snprintf(file, sizeof file, "%s/one.clock", folder);
    CHECK_INT(unlink(file), 0);
    rmdir(folder);
    unlink(path);
}

TEST_MAIN(CASE(clocks_that_run_alike_are_trusted), CASE(a_clock_set_for_a_moment_deletes_nothing),
          CASE(a_clock_that_was_set_right_is_trusted_after_a_while),
          CASE(a_clock_set_twice_begins_to_wait_anew), CASE(another_boot_begins_anew),
          CASE(a_damaged_file_is_replaced), CASE(the_clocks_of_this_machine_agree))
