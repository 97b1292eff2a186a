/* Demonstration data: a small shop with times relative to now. */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_SEED_H
#define ASSAY_LIVEDATA_MAINTENANCE_SEED_H

#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

/* Fills an empty store of the tenant `default`; does nothing if there is any order. One
 * transaction. */
MUST_CHECK enum error seed_store(const struct storage_call *call, const struct catalog *catalog,
                                 bool *seeded);

#endif
