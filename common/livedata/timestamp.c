/* Times read and written. */
#include "livedata/timestamp.h"

#include "base/clock.h"
#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Exactly `count` digits. */
static bool digits(const char **at, int count, int *value)
{
    *value = 0;
    for (int i = 0; i < count; i++, ++*at) {
        if (!isdigit((unsigned char)**at))
            return false;
        *value = *value * 10 + (**at - '0');
    }
    return true;
}

static bool literal(const char **at, char byte)
{
    if (**at != byte)
        return false;
    ++*at;
    return true;
}

static bool fraction(const char **at, int64_t *microseconds)
{
    int64_t scale = 100000;
    int count = 0;

    for (; isdigit((unsigned char)**at); ++*at, count++, scale /= 10)
        *microseconds += (**at - '0') * scale;
    return count >= 1 && count <= 9;
}

static bool zone(const char **at, int *minutes)
{
    int hours, rest, sign = **at == '-' ? -1 : 1;

    *minutes = 0;
    if (!**at)
        return true;
    if (literal(at, 'Z') || literal(at, 'z'))
        return true;
    if ((!literal(at, '+') && !literal(at, '-')) || !digits(at, 2, &hours))
        return false;
    (void)literal(at, ':');
    if (!digits(at, 2, &rest) || hours > 23 || rest > 59)
        return false;
    *minutes = sign * (hours * 60 + rest);
    return true;
}

static bool clock_part(const char **at, struct tm *tm, int64_t *microseconds, int *minutes)
{
    if (!literal(at, 'T') && !literal(at, ' ') && !literal(at, 't'))
        return false;
    if (!digits(at, 2, &tm->tm_hour) || !literal(at, ':') || !digits(at, 2, &tm->tm_min))
        return false;
    if (literal(at, ':')) {
        if (!digits(at, 2, &tm->tm_sec))
            return false;
        if (literal(at, '.') && !fraction(at, microseconds))
            return false;
    }
    return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 60 && zone(at, minutes);
}

static bool epoch_seconds(const char *text, int64_t *timestamp)
{
    double seconds;

    if (strspn(text, "0123456789.") != strlen(text) || !number_parse(text, &seconds) ||
        seconds > 253402300799.0 || (strlen(text) == 8 && !strchr(text, '.')))
        return false;
    *timestamp = llround(seconds * 1e6);
    return true;
}

bool timestamp_parse(const char *text, int64_t *timestamp)
{
    struct tm tm = {0}, check;
    int64_t microseconds = 0;
    int minutes = 0, month, year;
    const char *at = text;
    time_t seconds;

    if (epoch_seconds(text, timestamp))
        return true;
    if (!digits(&at, 4, &year) || !literal(&at, '-') || !digits(&at, 2, &month) ||
        !literal(&at, '-') || !digits(&at, 2, &tm.tm_mday) || month < 1 || month > 12 || year < 1)
        return false;
    if (*at && !clock_part(&at, &tm, &microseconds, &minutes))
        return false;
    tm.tm_year = year - 1900;
    tm.tm_mon = month - 1;
    check = tm;
    seconds = timegm(&check);
    if (*at || check.tm_mday != tm.tm_mday || check.tm_mon != tm.tm_mon)
        return false;
    *timestamp = ((int64_t)seconds - (int64_t)minutes * 60) * us_per_second + microseconds;
    return true;
}

static int64_t floor_seconds(int64_t timestamp)
{
    return timestamp / us_per_second - (timestamp % us_per_second < 0);
}

void timestamp_format_seconds(int64_t timestamp, char text[TIMESTAMP_TEXT])
{
    char whole[CLOCK_TEXT_MAX];

    clock_format(floor_seconds(timestamp) * us_per_second, whole);
    (void)!snprintf(text, TIMESTAMP_TEXT, "%.19sZ",
                    whole); /* years of the first ten centuries, too */
}

void timestamp_format(int64_t timestamp, char text[TIMESTAMP_TEXT])
{
    int64_t rest = timestamp - floor_seconds(timestamp) * us_per_second;
    size_t length;

    timestamp_format_seconds(timestamp, text);
    length = strlen(text);
    if (rest && length > 0)
        (void)!snprintf(text + length - 1, TIMESTAMP_TEXT - length + 1, ".%06dZ", (int)rest);
}

void timestamp_write(struct json_writer *writer, const char *key, int64_t timestamp)
{
    char text[TIMESTAMP_TEXT];

    if (timestamp)
        timestamp_format(timestamp, text);
    writer_key_string(writer, key, timestamp ? text : NULL);
}

double timestamp_seconds(int64_t from, int64_t to)
{
    return (double)(to - from) / 1e6;
}

bool window_parse(const char *text, int64_t *microseconds)
{
    static const char units[] = "mhd";
    static const int64_t sizes[] = {60000000, 3600000000, 86400000000};
    size_t count = strspn(text, "0123456789");
    const char *unit;
    int64_t number;
    char head[8];

    *microseconds = 30 * us_per_minute;
    if (strcmp(text, "now") == 0)
        return true;
    unit = text[count] ? strchr(units, text[count]) : NULL;
    if (!count || count >= sizeof head || !unit || text[count + 1])
        return false;
    (void)!snprintf(head, sizeof head, "%.*s", (int)count, text);
    if (!integer_parse(head, &number) || number < 1)
        return false;
    *microseconds = number * sizes[unit - units];
    return true;
}

bool zone_is_known(const char *zone)
{
    char path[ZONE_TEXT + 32];

    if (!*zone || strlen(zone) >= ZONE_TEXT || strstr(zone, "..") || *zone == '/' ||
        strspn(zone, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") !=
            strlen(zone))
        return false;
    (void)!snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", zone);
    return strcmp(zone, "UTC") == 0 || access(path, R_OK) == 0;
}
