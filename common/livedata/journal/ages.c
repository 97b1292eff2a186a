/* Ages computed and judged. */
#include "livedata/journal/ages.h"

#include "livedata/timestamp.h"

#include <math.h>

static struct optional_number age_of(int64_t timestamp, int64_t now)
{
    if (!timestamp)
        return (struct optional_number){0};
    return GIVEN_NUMBER(fmax(0, timestamp_seconds(timestamp, now)));
}

struct data_ages data_ages(struct event_mark mark, int64_t now)
{
    if (mark.applied_at > now + APPLIED_AHEAD_SECONDS * us_per_second)
        return (struct data_ages){.in_future = true};
    return (struct data_ages){.freshness_seconds = age_of(mark.applied_at, now),
                              .event_age_seconds = age_of(mark.event_at, now)};
}

bool data_ages_are_stale(struct data_ages ages, double budget_seconds)
{
    return ages.in_future ||
           (ages.freshness_seconds.given && ages.freshness_seconds.value > budget_seconds) ||
           (ages.event_age_seconds.given && ages.event_age_seconds.value > budget_seconds);
}
