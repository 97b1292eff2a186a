/* Timestamps read and written. */
#include "orchestrator/storage/times.h"

#include "base/clock.h"
#include "base/instant.h"
#include "base/text.h"

#include <string.h>

enum { SECONDS_LENGTH = 19, FRACTION_LENGTH = 26 };

const char *shown_time(struct arena *arena, int64_t timestamp)
{
    char text[CLOCK_TEXT_MAX];

    clock_format(timestamp, text);
    return arena_print(arena, "%.*sZ", timestamp % 1000000 ? FRACTION_LENGTH : SECONDS_LENGTH,
                       text);
}

/* A number, which instant_parse() takes too, has no dash behind a year. */
bool read_time(const char *text, int64_t *timestamp)
{
    return strlen(text) > 4 && text[4] == '-' && instant_parse(text, timestamp);
}
