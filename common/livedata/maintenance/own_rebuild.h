/* Reads the journal's events of domains again: for columns that came later, and to compute tables
 * anew. */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_OWN_REBUILD_H
#define ASSAY_LIVEDATA_MAINTENANCE_OWN_REBUILD_H

#include "livedata/catalog/own.h"
#include "livedata/storage_call.h"

/* Fills new columns from the events that the journal has, and records from when. A table_fill of
 * tables_apply(). */
MUST_CHECK enum error own_fill_columns(const struct storage_call *call,
                                       const struct catalog *catalog,
                                       const struct entity_type *type,
                                       const struct string_list *columns);

struct own_rebuild {
    int64_t events; /* that were read */
    int64_t rows;   /* that are in the table afterwards */
    int64_t kept;   /* of them, rows with events that the journal no longer has: left as they are */
};

/* Computes the entity's table anew, for all tenants, in one transaction that keeps writers out. */
MUST_CHECK enum error own_rebuild(const struct storage_call *call, const struct catalog *catalog,
                                  const struct entity_type *type, struct own_rebuild *rebuild);

#endif
