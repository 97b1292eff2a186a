/*
 * The rows of domains, computed from events. The result does not depend on the order of arrival
 * (docs/develop/livedata.md): columns have the newest value by the events' own order, additions are
 * sums over what is newer than the last deletion.
 */
#ifndef ASSAY_LIVEDATA_ENTITIES_OWN_H
#define ASSAY_LIVEDATA_ENTITIES_OWN_H

#include "livedata/entities/rows.h"
#include "livedata/events/own.h"

/* Applies the event to its row. Part of the caller's transaction. */
MUST_CHECK enum error state_apply_own(const struct storage_call *call, const struct event *event);

/* Removes a row that is older than its file lets it stay. The caller has called outbox_look(). */
MUST_CHECK enum error state_expire_own(const struct storage_call *call,
                                       const struct entity_type *type, const char *key);

/* Sets only some columns of the row from an event that was applied before they existed, in the same
 * way; `wanted` as the columns of the table. A column that is added to gets what the event adds. */
MUST_CHECK enum error state_fill_own(const struct storage_call *call, const struct event *event,
                                     const bool *wanted);

#endif
