/* Deletes rows older than the settings allow, in small steps. */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_RETENTION_H
#define ASSAY_LIVEDATA_MAINTENANCE_RETENTION_H

#include "db/db.h"
#include "livedata/settings.h"

/* Deletes at most some thousands of rows of each kind; keeps the last version of each entity. */
MUST_CHECK enum error retention_keep(struct db *db, const struct livedata_settings *settings,
                                     struct problem *problem);

#endif
