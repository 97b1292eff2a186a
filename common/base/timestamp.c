/* Reads and writes timestamps. Years have four digits; days are of the Gregorian calendar. */
#include "base/timestamp.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

enum { MICROSECONDS = 1000000, DAY_SECONDS = 86400, HOUR_SECONDS = 3600, MINUTE_SECONDS = 60 };

/* Lengths of the parts of clock_format()'s output. */
enum { UNTIL_SECONDS = 19, UNTIL_FRACTION = 26 };

/* Numbers up to this size are seconds (until the year 2603), larger ones milliseconds. */
static const double SECONDS_MOST = 2e10;

/* 0001-01-01T00:00:00 and the last microsecond of the year 9999. */
static const int64_t FIRST = INT64_C(-62135596800) * MICROSECONDS;
static const int64_t LAST = INT64_C(253402300800) * MICROSECONDS - 1;

static bool within_years(int64_t microseconds)
{
    return microseconds >= FIRST && microseconds <= LAST;
}

bool timestamp_from_number(double number, int64_t *microseconds)
{
    double value = number * (fabs(number) <= SECONDS_MOST ? 1e6 : 1e3);

    if (!(fabs(value) < 9e18))
        return false;
    /* A double of seconds may be inexact, so it is rounded to the microsecond. */
    *microseconds = (int64_t)(fabs(number) <= SECONDS_MOST ? rint(value) : trunc(value));
    return within_years(*microseconds);
}

/* Reads exactly `count` digits and advances. */
static bool read_digits(const char **at, int count, int *value)
{
    *value = 0;
    for (; count > 0; count--, ++*at) {
        if (**at < '0' || **at > '9')
            return false;
        *value = *value * 10 + (**at - '0');
    }
    return true;
}

/* Days since 1970-01-01, counting years from March (Howard Hinnant's days_from_civil). */
static int64_t days_of(int year, int month, int day)
{
    int shifted = month <= 2 ? year - 1 : year;
    int era = shifted / 400, of_era = shifted - era * 400;
    int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;

    return (int64_t)era * 146097 + day_of_era - 719468;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2 && leap ? 29 : days[month - 1];
}

static bool read_date(const char **at, int64_t *seconds)
{
    int year, month, day;

    if (!read_digits(at, 4, &year) || *(*at)++ != '-' || !read_digits(at, 2, &month) ||
        *(*at)++ != '-' || !read_digits(at, 2, &day))
        return false;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month))
        return false;
    *seconds = days_of(year, month, day) * DAY_SECONDS;
    return true;
}

/* Digits beyond the sixth are dropped. */
static bool read_fraction(const char **at, bool strict, int64_t *microseconds)
{
    int64_t unit = MICROSECONDS / 10;
    int count = 0;

    for (; **at >= '0' && **at <= '9'; ++*at, unit /= 10, count++)
        *microseconds += (**at - '0') * unit;
    return count > 0 && (count <= 9 || !strict);
}

static bool read_time(const char **at, bool strict, int64_t *seconds, int64_t *microseconds)
{
    int hour, minute, second = 0;

    if (!read_digits(at, 2, &hour) || *(*at)++ != ':' || !read_digits(at, 2, &minute))
        return false;
    if (**at == ':') {
        ++*at;
        if (!read_digits(at, 2, &second))
            return false;
        if ((**at == '.' || (**at == ',' && !strict)) &&
            (++*at, !read_fraction(at, strict, microseconds)))
            return false;
    }
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    *seconds += hour * HOUR_SECONDS + minute * MINUTE_SECONDS + second;
    return true;
}

static bool read_offset(const char **at, int64_t *seconds)
{
    int hour, minute, sign = **at == '-' ? 1 : -1;

    if (**at == 'Z' || **at == 'z') {
        ++*at;
        return true;
    }
    if (**at != '+' && **at != '-')
        return true;
    ++*at;
    if (!read_digits(at, 2, &hour))
        return false;
    *at += **at == ':';
    if (!read_digits(at, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *seconds += sign * (hour * HOUR_SECONDS + minute * MINUTE_SECONDS);
    return true;
}

static bool read_text(const char *text, bool strict, int64_t *microseconds)
{
    int64_t seconds, fraction = 0;
    const char *at = text;

    if (!read_date(&at, &seconds))
        return false;
    if (*at) {
        if (*at != 'T' && *at != 't' && *at != ' ')
            return false;
        at++;
        if (!read_time(&at, strict, &seconds, &fraction) || !read_offset(&at, &seconds) || *at)
            return false;
    }
    *microseconds = seconds * MICROSECONDS + fraction;
    return within_years(*microseconds);
}

bool timestamp_from_iso(const char *text, int64_t *microseconds)
{
    return read_text(text, true, microseconds);
}

bool timestamp_from_text(const char *text, int64_t *microseconds)
{
    double number;

    if (strlen(text) < 10 || text[4] != '-')
        return number_parse(text, &number) && timestamp_from_number(number, microseconds);
    return read_text(text, false, microseconds);
}

void timestamp_to_z(int64_t microseconds, bool fraction, char text[CLOCK_TEXT_MAX])
{
    size_t length = fraction && microseconds % MICROSECONDS ? UNTIL_FRACTION : UNTIL_SECONDS;

    clock_format(microseconds, text);
    memcpy(text + length, "Z", sizeof "Z");
}
