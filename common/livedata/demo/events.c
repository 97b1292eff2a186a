/* Lists of the demonstration's events. */
#include "livedata/demo/events.h"

#include <stdlib.h>
#include <string.h>

struct demo_events demo_events_empty(struct arena *arena, size_t most)
{
    return (struct demo_events){.items = ARENA_ARRAY(arena, struct demo_event, most)};
}

const char *demo_event_id(struct arena *arena, int serial, int stream, int64_t slot)
{
    return arena_print(arena, "%08x-0000-4000-8000-%01x%011llx", (unsigned)serial, (unsigned)stream,
                       (unsigned long long)slot);
}

static int by_time(const void *a, const void *b)
{
    const struct demo_event *x = a, *y = b;

    return x->at != y->at ? (x->at < y->at ? -1 : 1) : strcmp(x->json, y->json);
}

void demo_events_sort(struct demo_events *events)
{
    qsort(events->items, events->count, sizeof *events->items, by_time);
}
