/*
 * Windows and buckets of metrics. A window is a duration that ends now ("6h") or a period of the
 * calendar ("today", "last_month"); a step cuts it into buckets. Calendar days, weeks and months
 * are those of a time zone, by the system's zone database: a day may have 23 or 25 hours. All
 * bounds are computed here, so that they are the same on every engine.
 */
#ifndef ASSAY_LIVEDATA_METRICS_WINDOWS_H
#define ASSAY_LIVEDATA_METRICS_WINDOWS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW_BUCKETS_MAX = 2000 };

/* Microseconds since 1970; `to` is not included. */
struct time_range {
    int64_t from, to;
};

extern const char *const calendar_windows[]; /* "today"...; NULL at the end */

/* Whether the text names a period of the calendar, and which it is at `now`. `zone` is a name of
 * the zone database. */
bool window_calendar(const char *text, const char *zone, int64_t now, struct time_range *range);

enum step_unit { STEP_MINUTES, STEP_DAYS, STEP_WEEKS, STEP_MONTHS };

struct time_step {
    enum step_unit unit;
    int64_t count; /* of minutes, a divisor of a day's 1440; else 1 */
};

/* `5m`, `1h`, `1d`, `1w`, or minute, hour, day, week, month. Minutes and hours must divide a day.
 */
bool step_parse(const char *text, struct time_step *step);

/* Ends of a window's buckets, of which there is one more than buckets. Buckets begin where the
 * zone's clock shows a multiple of the step; the first and the last are cut at the range. */
struct time_bounds {
    size_t count;
    int64_t *items;
};

/* False when there would be more than WINDOW_BUCKETS_MAX buckets. */
bool window_buckets(struct arena *arena, struct time_range range, const struct time_step *step,
                    const char *zone, struct time_bounds *bounds);

#endif
