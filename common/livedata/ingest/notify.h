/* Private to common/livedata/ingest: tells other hosts which tables have changed. */
#ifndef ASSAY_LIVEDATA_INGEST_NOTIFY_H
#define ASSAY_LIVEDATA_INGEST_NOTIFY_H

#include "livedata/ingest/apply.h"

/* {"tenant":"default","generations":{"orders_v2":12,...}}: the notification for other hosts. All
 * tables that there can be fit, and PostgreSQL sends less than 8,000 bytes. */
const char *notify_words(struct apply_call *call, const struct apply_touched *touched);
/* The same over Redis, after the commit. Best effort: other hosts poll, too. */
void notify_publish(struct apply_call *call, const struct apply_touched *touched);

#endif
