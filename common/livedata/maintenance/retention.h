/* Forgetting what is older than the settings say, a little at a time. */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_RETENTION_H
#define ASSAY_LIVEDATA_MAINTENANCE_RETENTION_H

#include "db/db.h"
#include "livedata/settings.h"

/* At most some thousands of rows of each kind; the last version of each entity stays. */
MUST_CHECK enum error retention_keep(struct db *db, const struct livedata_settings *settings,
                                     struct problem *problem);

#endif
