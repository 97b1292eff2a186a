/* Timestamps read and written. */
#include "orchestrator/storage/times.h"

#include "base/timestamp.h"

#include <string.h>

const char *shown_time(struct arena *arena, int64_t timestamp)
{
    char *text = arena_alloc(arena, CLOCK_TEXT_MAX);

    timestamp_to_z(timestamp, true, text);
    return text;
}

/* timestamp_from_text() also accepts a number, which has no dash after a year. */
bool read_time(const char *text, int64_t *timestamp)
{
    return strlen(text) > 4 && text[4] == '-' && timestamp_from_text(text, timestamp);
}
