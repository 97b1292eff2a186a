/* The two clocks, and the text form of a timestamp. */
#include "base/clock.h"

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

int64_t clock_unix_seconds(void)
{
    return clock_unix_microseconds() / 1000000;
}

int64_t clock_monotonic_microseconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* `count` digits and the byte that follows them. */
static char *put_digits(char *at, int value, int count, char follower)
{
    for (int i = count; i-- > 0; value /= 10)
        at[i] = (char)('0' + value % 10);
    at[count] = follower;
    return at + count + 1;
}

void clock_format(int64_t unix_microseconds, char text[CLOCK_TEXT_MAX])
{
    int64_t fraction = unix_microseconds % 1000000;
    time_t seconds = (time_t)(unix_microseconds / 1000000);
    struct tm utc;
    char *at = text;

    if (fraction < 0) {
        fraction += 1000000;
        seconds--;
    }
    gmtime_r(&seconds, &utc);
    at = put_digits(at, utc.tm_year + 1900, 4, '-');
    at = put_digits(at, utc.tm_mon + 1, 2, '-');
    at = put_digits(at, utc.tm_mday, 2, 'T');
    at = put_digits(at, utc.tm_hour, 2, ':');
    at = put_digits(at, utc.tm_min, 2, ':');
    at = put_digits(at, utc.tm_sec, 2, '.');
    at = put_digits(at, (int)fraction, 6, '+');
    at = put_digits(at, 0, 2, ':');
    put_digits(at, 0, 2, '\0');
}
