/*
 * The demonstration of live data: a shop, and a factory that is a domain of its own, whose events
 * are applied as if they had arrived over HTTP. A new store begins with the last day; later runs go
 * on where the last one ended.
 */
#ifndef ASSAY_LIVEDATA_DEMO_DEMO_H
#define ASSAY_LIVEDATA_DEMO_DEMO_H

#include "livedata/demo/factory_events.h"
#include "livedata/demo/shop_events.h"
#include "livedata/ingest/apply.h"
#include "livedata/settings.h"

struct demo_alerts {
    const char *conversion, *revenue, *errors; /* names; the first one fires */
};

/* config/demo/<language>/shop.yaml */
struct demo_shop {
    const char *source, *partner;
    OBJECT_LIST(struct shop_product, products);
    const struct demo_alerts *alerts;

    struct shop_catalog catalog; /* made of the rows above */
};

/* config/demo/<language>/machines.yaml */
struct demo_factory {
    const char *source, *partner;
    OBJECT_LIST(struct factory_machine, machines);

    struct factory drawn; /* made of the rows above */
};

/* Errors of demo_file_read(). */
MUST_CHECK enum error demo_shop_read(struct arena *arena, const struct demo_files *files,
                                     struct demo_shop *shop, struct problem *problem);
MUST_CHECK enum error demo_factory_read(struct arena *arena, const struct demo_files *files,
                                        struct demo_factory *factory, struct problem *problem);

/* Applies what has happened in the shop until now: in a new store the last day, on PostgreSQL the
 * last two hours. `applied` counts the events. `scratch` is reset. */
MUST_CHECK enum error demo_shop_follow(struct apply_call *call, const struct demo_shop *shop,
                                       struct arena *scratch, int64_t *applied);
/* The same of the factory, whose domain `machines` must be in the catalog. */
MUST_CHECK enum error demo_factory_follow(struct apply_call *call,
                                          const struct demo_factory *factory, struct arena *scratch,
                                          int64_t *applied);

/* Creates the alerts, unless the tenant has any. */
MUST_CHECK enum error demo_shop_add_alerts(const struct storage_call *call,
                                           const struct livedata_settings *settings,
                                           const struct demo_shop *shop);

#endif
