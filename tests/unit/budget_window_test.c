/* Windows of budgets where clocks change: one day is one window, whatever was asked before. */
#include "base/zone.h"
#include "orchestrator/keys/window.h"
#include "test.h"

static const int64_t hour = INT64_C(3600000000);

static struct budget_window calendar(enum budget_period period, int64_t at)
{
    return budget_window_at(period, false, at);
}

/* Times from `date -u`; first seconds of days from the tz database. */
TEST(a_midnight_that_comes_twice_begins_one_window)
{
    static const int64_t summer = INT64_C(1783252800) * 1000000; /* 2026-07-05 12:00 UTC */
    static const int64_t winter = INT64_C(1767614400) * 1000000; /* 2026-01-05 12:00 UTC */
    static const int64_t first = INT64_C(1793505600) * 1000000;  /* 2026-11-01 00:00 CDT */

    zone_use("America/Havana"); /* 2026-11-01 01:00 CDT is 00:00 CST */
    for (int64_t at = first; at < first + 25 * hour; at += hour / 2) {
        calendar(PERIOD_DAY, summer);
        CHECK_INT(calendar(PERIOD_DAY, at).part_at, first);
        calendar(PERIOD_DAY, winter);
        CHECK_INT(calendar(PERIOD_DAY, at).part_at, first);
        CHECK_INT(calendar(PERIOD_MONTH, at).part_at, first);
        CHECK_INT(calendar(PERIOD_DAY, at).until, first + 25 * hour);
    }
    CHECK_INT(calendar(PERIOD_DAY, first - 1).until, first);
}

TEST(a_midnight_that_does_not_come_begins_the_window_an_hour_later)
{
    static const int64_t first = INT64_C(1776981600) * 1000000; /* 2026-04-24 01:00 EEST */

    zone_use("Africa/Cairo"); /* 2026-04-24 00:00 EET is 01:00 EEST */
    CHECK_INT(calendar(PERIOD_DAY, first).part_at, first);
    CHECK_INT(calendar(PERIOD_DAY, first).until, first + 23 * hour);
    CHECK_INT(calendar(PERIOD_DAY, first - 1).part_at, first - 24 * hour);
    CHECK_INT(calendar(PERIOD_DAY, first - 1).until, first);
}

TEST(every_window_holds_its_moment_and_the_next_begins_where_it_ends)
{
    static const char *const zones[] = {"Europe/Berlin",       "America/Havana", "Africa/Cairo",
                                        "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"};
    static const int64_t from = INT64_C(1767225600) * 1000000; /* 2026-01-01 00:00 UTC */

    for (size_t zone = 0; zone < sizeof zones / sizeof zones[0]; zone++) {
        zone_use(zones[zone]);
        for (int period = PERIOD_DAY; period < BUDGET_PERIOD__MAX; period++) {
            for (int64_t at = from; at < from + 400 * 24 * hour; at += 7 * hour) {
                struct budget_window window = calendar((enum budget_period)period, at);

                CHECK(window.part_at <= at && at < window.until);
                CHECK_INT(calendar((enum budget_period)period, window.until).part_at, window.until);
            }
        }
    }
}

TEST_MAIN(CASE(a_midnight_that_comes_twice_begins_one_window),
          CASE(a_midnight_that_does_not_come_begins_the_window_an_hour_later),
          CASE(every_window_holds_its_moment_and_the_next_begins_where_it_ends))
