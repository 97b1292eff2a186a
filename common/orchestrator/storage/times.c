/* Moments read and written. */
#include "orchestrator/storage/times.h"

#include "base/clock.h"

#include <string.h>
#include <time.h>

const char *shown_time(struct arena *arena, const char *stored)
{
    const char *fraction;

    if (!stored)
        return NULL;
    fraction = strchr(stored, '.');
    if (!fraction || strlen(fraction) < 7)
        return stored;
    return arena_print(arena, "%.*sZ",
                       (int)(fraction - stored) + (strncmp(fraction, ".000000", 7) == 0 ? 0 : 7),
                       stored);
}

void write_shown_timestamp(struct json_writer *writer, const char *key, int64_t timestamp)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(timestamp, text);
    writer_key_string(writer, key, timestamp ? shown_time(writer->out->arena, text) : NULL);
}

const char *stored_timestamp(struct arena *arena, int64_t timestamp)
{
    char *text;

    if (!timestamp)
        return NULL;
    text = arena_alloc(arena, CLOCK_TEXT_MAX);
    clock_format(timestamp, text);
    return text;
}

const char *stored_time(struct arena *arena, const char *given)
{
    struct tm tm = {0};
    long micros = 0, scale = 100000, offset = 0;
    const char *rest = strptime(given, "%Y-%m-%d", &tm);
    char *text = arena_alloc(arena, CLOCK_TEXT_MAX);

    if (rest && (*rest == 'T' || *rest == ' ')) {
        const char *clock = strptime(rest + 1, "%H:%M:%S", &tm);

        rest = clock ? clock : strptime(rest + 1, "%H:%M", &tm);
    }
    if (rest && *rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9'; rest++, scale /= 10)
            micros += (*rest - '0') * scale;
    if (rest && *rest && strcmp(rest, "Z") != 0) {
        struct tm zone = {0};
        const char *end = strchr("+- ", *rest) ? strptime(rest + 1, "%H:%M", &zone) : NULL;

        offset = (zone.tm_hour * 60 + zone.tm_min) * (*rest == '-' ? -60L : 60L);
        rest = end && !*end ? "" : NULL;
    }
    if (!rest)
        return NULL;
    clock_format(((int64_t)timegm(&tm) - offset) * 1000000 + micros, text);
    return text;
}
