/*
 * The requests of the demonstration's web shop, which asks the API for orders and metrics. They are
 * in the request log, so that service levels and usage have something to show.
 */
#ifndef ASSAY_LIVEDATA_DEMO_SHOP_REQUESTS_H
#define ASSAY_LIVEDATA_DEMO_SHOP_REQUESTS_H

#include "db/db.h"

/* Logs the requests after `from`, up to and including `to` (microseconds since 1970). `name` is
 * that of the shop's key. */
void shop_requests_log(struct db *db, const char *tenant, const char *name, int64_t from,
                       int64_t to);

#endif
