/*
 * An edge: what is applied there is sent to the center. Events are kept in the transaction
 * that applies them and go away when the center has answered, so that none is lost while it cannot
 * be reached; what it has had twice it counts as duplicates.
 */
#ifndef ASSAY_LIVEDATA_NODES_EDGE_H
#define ASSAY_LIVEDATA_NODES_EDGE_H

#include "base/json.h"
#include "livedata/settings.h"
#include "livedata/storage_call.h"

/* Keeps an applied event of the call's tenant for the center. */
MUST_CHECK enum error edge_keep(const struct storage_call *call, const json_t *payload);

/* Forgets a little of what has waited since before that time. */
MUST_CHECK enum error edge_forget(struct db *db, int64_t before, int64_t most,
                                  struct problem *problem);

/* Hands on until stopped (SIGTERM): the process of an edge that does so. 1 = cannot begin. */
int edge_run(const struct livedata_settings *settings);

#endif
