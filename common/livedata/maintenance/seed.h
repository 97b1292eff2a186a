/* The demonstration's data: a small shop whose times count back from now. */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_SEED_H
#define ASSAY_LIVEDATA_MAINTENANCE_SEED_H

#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

/* Fills an empty store of the tenant `default`; does nothing where there is any order. One
 * transaction. */
MUST_CHECK enum error seed_store(const struct storage_call *call, const struct catalog *catalog,
                                 bool *seeded);

#endif
