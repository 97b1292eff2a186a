/* Times read and written. */
#include "livedata/timestamp.h"

#include "base/number.h"
#include "base/timestamp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    return epoch_seconds(text, timestamp) || timestamp_from_iso(text, timestamp);
}

void timestamp_format_seconds(int64_t timestamp, char text[TIMESTAMP_TEXT])
{
    timestamp_to_z(timestamp, false, text);
}

void timestamp_format(int64_t timestamp, char text[TIMESTAMP_TEXT])
{
    timestamp_to_z(timestamp, true, text);
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

bool day_part_parse(const char *text, int64_t *microseconds)
{
    return strcmp(text, "now") != 0 && window_parse(text, microseconds) &&
           us_per_day % *microseconds == 0;
}
