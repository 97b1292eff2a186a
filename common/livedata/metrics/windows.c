/* Calendar arithmetic by mktime() in the zone; the process's zone is restored afterwards. */
#include "livedata/metrics/windows.h"

#include "base/zone.h"
#include "livedata/timestamp.h"

#include <string.h>
#include <time.h>

const char *const calendar_windows[] = {"this_hour", "today",      "yesterday",  "this_week",
                                        "last_week", "this_month", "last_month", "this_year",
                                        "last_year", NULL};

static struct tm clock_at(int64_t at)
{
    time_t seconds = (time_t)(at / us_per_second - (at % us_per_second < 0));
    struct tm tm;

    localtime_r(&seconds, &tm);
    return tm;
}

/* The beginning of a day, which may overflow its month; where clocks skip midnight or show it
 * twice, the first moment of the day. */
static int64_t day_start(int year, int month, int day)
{
    struct tm noon = {
        .tm_year = year, .tm_mon = month, .tm_mday = day, .tm_hour = 12, .tm_isdst = -1};
    struct tm tm = {.tm_year = year, .tm_mon = month, .tm_mday = day, .tm_isdst = -1};
    time_t at, earlier;

    (void)mktime(&noon);
    at = mktime(&tm);
    for (int i = 0; i < 8 && tm.tm_mday != noon.tm_mday; i++) {
        at += 1800;
        localtime_r(&at, &tm);
    }
    earlier = at - 3600;
    localtime_r(&earlier, &tm);
    if (tm.tm_mday == noon.tm_mday)
        at = earlier;
    return (int64_t)at * us_per_second;
}

static int64_t hour_start(int64_t at)
{
    struct tm tm = clock_at(at);

    return (at / us_per_second - tm.tm_min * 60 - tm.tm_sec) * us_per_second;
}

static struct time_range days(const struct tm *today, int first, int count)
{
    return (struct time_range){
        day_start(today->tm_year, today->tm_mon, today->tm_mday + first),
        day_start(today->tm_year, today->tm_mon, today->tm_mday + first + count)};
}

static struct time_range months(int year, int month, int count)
{
    return (struct time_range){day_start(year, month, 1), day_start(year, month + count, 1)};
}

static bool calendar_range(const char *text, int64_t now, struct time_range *range)
{
    struct tm today = clock_at(now);
    int monday = -((today.tm_wday + 6) % 7), year = today.tm_year, month = today.tm_mon;
    size_t which = 0;

    while (calendar_windows[which] && strcmp(calendar_windows[which], text) != 0)
        which++;
    if (!calendar_windows[which])
        return false;
    switch (which) {
    case 0:
        *range = (struct time_range){hour_start(now), hour_start(now) + us_per_hour};
        break;
    case 1:
    case 2:
        *range = days(&today, which == 1 ? 0 : -1, 1);
        break;
    case 3:
    case 4:
        *range = days(&today, which == 3 ? monday : monday - 7, 7);
        break;
    case 5:
    case 6:
        *range = months(year, which == 5 ? month : month - 1, 1);
        break;
    default:
        *range = months(which == 7 ? year : year - 1, 0, 12);
    }
    return true;
}

bool window_calendar(const char *text, const char *zone, int64_t now, struct time_range *range)
{
    struct kept_zone kept = zone_enter(zone);
    bool known = calendar_range(text, now, range);

    zone_leave(&kept);
    return known;
}

bool step_parse(const char *text, struct time_step *step)
{
    static const struct {
        const char *text;
        struct time_step step;
    } words[] = {{"minute", {STEP_MINUTES, 1}}, {"hour", {STEP_MINUTES, 60}},
                 {"day", {STEP_DAYS, 1}},       {"week", {STEP_WEEKS, 1}},
                 {"month", {STEP_MONTHS, 1}},   {"1d", {STEP_DAYS, 1}},
                 {"1w", {STEP_WEEKS, 1}}};
    int64_t size;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].text, text) == 0) {
            *step = words[i].step;
            return true;
        }
    if (!day_part_parse(text, &size) || size == us_per_day)
        return false;
    *step = (struct time_step){STEP_MINUTES, size / us_per_minute};
    return true;
}

/* How long ago the clock showed a multiple of the step, were it not changed in between. */
static int64_t into_step(int64_t at, int64_t step)
{
    struct tm tm = clock_at(at);
    int64_t minutes = (int64_t)tm.tm_hour * 60 + tm.tm_min;

    return (minutes * us_per_minute + tm.tm_sec * us_per_second + at % us_per_second) % step;
}

/* The next moment at which the clock shows a multiple of the step. Where clocks are changed before
 * it, they are past it or not yet there. */
static int64_t next_multiple(int64_t at, int64_t step)
{
    int64_t next = at + step - into_step(at, step), into = into_step(next, step);

    if (into && next - into > at && !into_step(next - into, step))
        return next - into;
    return into ? next + step - into : next;
}

/* The next beginning of a bucket. On a day when clocks change, a bucket of minutes or hours is
 * shorter or longer. */
static int64_t step_next(int64_t at, const struct time_step *step)
{
    struct tm tm = clock_at(at);

    if (step->unit == STEP_DAYS)
        return day_start(tm.tm_year, tm.tm_mon, tm.tm_mday + 1);
    if (step->unit == STEP_WEEKS)
        return day_start(tm.tm_year, tm.tm_mon, tm.tm_mday - (tm.tm_wday + 6) % 7 + 7);
    if (step->unit == STEP_MONTHS)
        return day_start(tm.tm_year, tm.tm_mon + 1, 1);
    return next_multiple(at, step->count * us_per_minute);
}

bool window_buckets(struct arena *arena, struct time_range range, const struct time_step *step,
                    const char *zone, struct time_bounds *bounds)
{
    struct kept_zone kept = zone_enter(zone);
    int64_t at = range.from;

    *bounds = (struct time_bounds){.items = ARENA_ARRAY(arena, int64_t, WINDOW_BUCKETS_MAX + 1)};
    for (; at < range.to && bounds->count < WINDOW_BUCKETS_MAX; at = step_next(at, step))
        bounds->items[bounds->count++] = at;
    zone_leave(&kept);
    if (at < range.to)
        return false;
    bounds->items[bounds->count++] = range.to;
    return true;
}
