/*
 * The events of the demonstration's shop. Time is divided into slots, and what happens in a slot is
 * drawn with the slot's own random numbers: any period can be drawn at any time, on any host, with
 * the same result. Visits arrive evenly; orders follow the rhythm of a day.
 */
#ifndef ASSAY_LIVEDATA_DEMO_SHOP_EVENTS_H
#define ASSAY_LIVEDATA_DEMO_SHOP_EVENTS_H

#include "base/demo_files.h"

struct shop_product {
    const char *name, *category;
    double price; /* in euros or dollars; shop_events_prepare() converts it */
    int64_t stock;
};

struct shop_catalog {
    const struct shop_product *products;
    size_t count;
    const char *currency;
    const char *source;  /* of the events */
    const char *partner; /* of the events that are wrong */
};

struct shop_event {
    int64_t at; /* microseconds since 1970 */
    const char *json;
};

struct shop_events {
    size_t count;
    struct shop_event *items; /* by time */
};

/* How long after its visit an order may still change. */
extern const int64_t shop_longest_us;

/* The events after `from`, up to and including `to`. With `brief` a visit has one page and
 * an order no beginning of its payment. From the arena. */
void shop_events_draw(struct arena *arena, const struct shop_catalog *catalog, int64_t from,
                      int64_t to, bool brief, struct shop_events *events);

/* The products as events of that time. */
void shop_events_products(struct arena *arena, const struct shop_catalog *catalog, int64_t at,
                          struct shop_events *events);

#endif
