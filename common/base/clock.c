/* The two clocks and the one text form of a moment. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_unix_microseconds(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_monotonic_microseconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void clock_format(int64_t unix_microseconds, char text[CLOCK_TEXT_MAX])
{
    int64_t fraction = unix_microseconds % 1000000;
    time_t seconds = (time_t)(unix_microseconds / 1000000);
    struct tm utc;
    char day[24];

    if (fraction < 0) {
        fraction += 1000000;
        seconds--;
    }
    gmtime_r(&seconds, &utc);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text, CLOCK_TEXT_MAX, "%s.%06d+00:00", day, (int)fraction);
}
