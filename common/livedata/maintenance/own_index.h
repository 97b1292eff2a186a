/* The search documents of rows that were written without their events' own transactions: columns
 * that were filled, and tables that were computed anew. */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_OWN_INDEX_H
#define ASSAY_LIVEDATA_MAINTENANCE_OWN_INDEX_H

#include "livedata/catalog/own.h"
#include "livedata/storage_call.h"

/* Indexes all rows of the entity, of all tenants, and forgets documents without a row. In the
 * caller's transaction, which keeps writers out. */
MUST_CHECK enum error own_index_rows(const struct storage_call *call,
                                     const struct entity_type *type);

#endif
