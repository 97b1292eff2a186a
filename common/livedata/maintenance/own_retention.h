/* Deletes rows of domains by the `retention` of their file. */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_OWN_RETENTION_H
#define ASSAY_LIVEDATA_MAINTENANCE_OWN_RETENTION_H

#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

/* At most `most` rows of each entity, of all tenants, with their search documents. */
MUST_CHECK enum error own_retention_keep(const struct storage_call *call,
                                         const struct catalog *catalog, int64_t most);

#endif
