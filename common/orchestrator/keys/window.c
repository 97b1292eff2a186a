/* Windows of budgets; mktime() knows the zone's changes of clock. */
#include "orchestrator/keys/window.h"

#include <stddef.h>
#include <time.h>

static const int64_t second_us = 1000000;

enum { PARTS = 60 };

const char *const budget_period_names[BUDGET_PERIOD__MAX + 1] = {"hour",  "day",     "week",
                                                                 "month", "quarter", NULL};

static const int64_t lengths_s[BUDGET_PERIOD__MAX] = {3600, 86400, 7 * 86400, 30 * 86400,
                                                      91 * 86400};

/* The date as a number that grows from day to day. */
static int date_of(time_t seconds)
{
    struct tm tm = {0};

    localtime_r(&seconds, &tm);
    return (tm.tm_year * 12 + tm.tm_mon) * 31 + tm.tm_mday - 1;
}

/* The first second of a day; months and days may overflow. Where the clock is set back to midnight,
 * mktime() takes either of the two, by what it was asked before: so the second is searched. */
static int64_t midnight(int year, int month, int day)
{
    struct tm noon = {
        .tm_year = year, .tm_mon = month, .tm_mday = day, .tm_hour = 12, .tm_isdst = -1};
    time_t within = mktime(&noon), before = within - 86400;
    int date = date_of(within);

    while (within - before > 1) {
        time_t middle = before + (within - before) / 2;

        if (date_of(middle) < date)
            before = middle;
        else
            within = middle;
    }
    return (int64_t)within * second_us;
}

static struct tm calendar_of(int64_t now)
{
    time_t seconds = (time_t)(now / second_us);
    struct tm tm = {0};

    localtime_r(&seconds, &tm);
    return tm;
}

/* Whole hours of the zone: its offset need not be a whole hour. */
static int64_t hour_start(const struct tm *tm, int64_t now)
{
    int64_t into_hour = (tm->tm_min * 60 + tm->tm_sec) * second_us + now % second_us;

    return now - into_hour;
}

static void calendar_window(enum budget_period period, int64_t now, int64_t *from, int64_t *until)
{
    struct tm tm = calendar_of(now);
    int monday = tm.tm_mday - (tm.tm_wday + 6) % 7, quarter = tm.tm_mon - tm.tm_mon % 3;

    switch (period) {
    case PERIOD_HOUR:
        *from = hour_start(&tm, now);
        *until = *from + 3600 * second_us;
        return;
    case PERIOD_DAY:
        *from = midnight(tm.tm_year, tm.tm_mon, tm.tm_mday);
        *until = midnight(tm.tm_year, tm.tm_mon, tm.tm_mday + 1);
        return;
    case PERIOD_WEEK:
        *from = midnight(tm.tm_year, tm.tm_mon, monday);
        *until = midnight(tm.tm_year, tm.tm_mon, monday + 7);
        return;
    case PERIOD_MONTH:
        *from = midnight(tm.tm_year, tm.tm_mon, 1);
        *until = midnight(tm.tm_year, tm.tm_mon + 1, 1);
        return;
    default:
        *from = midnight(tm.tm_year, quarter, 1);
        *until = midnight(tm.tm_year, quarter + 3, 1);
    }
}

int64_t budget_part_ends(enum budget_period period, int64_t part_at)
{
    int64_t length = lengths_s[period] * second_us;

    return part_at + length + length / PARTS;
}

struct budget_window budget_window_at(enum budget_period period, bool rolling, int64_t now)
{
    int64_t length = lengths_s[period] * second_us, width = length / PARTS;
    struct budget_window window;

    if (rolling) {
        window.part_at = now - now % width;
        window.first = now - length - width + 1;
        window.last = INT64_MAX; /* also amounts from before the clock was set back */
        window.until = budget_part_ends(period, window.part_at);
        window.begins = now - now % length;
        return window;
    }
    calendar_window(period, now, &window.part_at, &window.until);
    window.first = window.last = window.begins = window.part_at;
    return window;
}

void window_day(int64_t now, char day[WINDOW_DAY_MAX])
{
    struct tm tm = calendar_of(now);

    (void)!strftime(day, WINDOW_DAY_MAX, "%Y-%m-%d", &tm);
}
