/*
 * An edge sends its applied events to the center. The transaction that applies an event also queues
 * it; it is deleted after the center has answered, so that no event is lost during an outage. The
 * center counts repeated events as duplicates.
 */
#ifndef ASSAY_LIVEDATA_NODES_EDGE_H
#define ASSAY_LIVEDATA_NODES_EDGE_H

#include "base/json.h"
#include "livedata/settings.h"
#include "livedata/storage_call.h"

/* Queues an applied event of the call's tenant for the center. */
MUST_CHECK enum error edge_keep(const struct storage_call *call, const json_t *payload);

/* Deletes some of the events queued before that time. */
MUST_CHECK enum error edge_forget(struct db *db, int64_t before, int64_t most,
                                  struct problem *problem);

/* Sends events until SIGTERM: the sender process of an edge. 1 = cannot start. */
int edge_run(const struct livedata_settings *settings);

#endif
