/*
 * Events of the demonstration, as the shop and the factory draw them. Time is divided into slots,
 * and what happens in a slot is drawn with the slot's own random numbers: any period can be drawn
 * at any time, on any host, with the same result.
 */
#ifndef ASSAY_LIVEDATA_DEMO_EVENTS_H
#define ASSAY_LIVEDATA_DEMO_EVENTS_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

enum { DEMO_EVENT_BYTES_MAX = 4096, DEMO_EVENTS_MAX = 200000 };

struct demo_event {
    int64_t at; /* when it arrives; microseconds since 1970 */
    const char *json;
};

struct demo_events {
    size_t count;
    struct demo_event *items;
};

/* Room for `most` events. */
struct demo_events demo_events_empty(struct arena *arena, size_t most);

/* The id of the event with this number among those of a slot. `stream` is a hexadecimal digit that
 * no other kind of slots has. */
const char *demo_event_id(struct arena *arena, int serial, int stream, int64_t slot);

/* By the time of arrival. */
void demo_events_sort(struct demo_events *events);

#endif
