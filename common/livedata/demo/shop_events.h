/* The events of the demonstration's shop. Visits arrive evenly; orders follow the rhythm of a day.
 */
#ifndef ASSAY_LIVEDATA_DEMO_SHOP_EVENTS_H
#define ASSAY_LIVEDATA_DEMO_SHOP_EVENTS_H

#include "base/demo_files.h"
#include "livedata/demo/events.h"

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

/* How long after its visit an order may still change. */
extern const int64_t shop_longest_us;

/* The events after `from`, up to and including `to`. With `brief` a visit has one page and
 * an order no beginning of its payment. From the arena. */
void shop_events_draw(struct arena *arena, const struct shop_catalog *catalog, int64_t from,
                      int64_t to, bool brief, struct demo_events *events);

/* The products as events of that time. */
void shop_events_products(struct arena *arena, const struct shop_catalog *catalog, int64_t at,
                          struct demo_events *events);

#endif
