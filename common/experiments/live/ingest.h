/*
 * Ingestion of events. A batch is one transaction: raw rows, units and aggregates change together
 * or not at all. Nothing is overwritten: the first record of a kind for a user (or an idempotency
 * key) counts, later ones are counted as duplicates and dropped.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_INGEST_H
#define ASSAY_EXPERIMENTS_LIVE_INGEST_H

#include "experiments/live/records.h"

/* What has become of the records. Skipped are links that would make a chain, a circle or nothing.
 */
struct live_outcome {
    int64_t received;
    int64_t recorded;
    int64_t deduplicated;
    int64_t skipped;
};

/* Takes `records`, a list of the struct that belongs to `kind`, into the experiment of a project.
 * Records must be valid, as the schemas of the routes have it. ERROR_NOT_FOUND with
 * `project_not_found`, ERROR_INVALID with `project_archived`. */
MUST_CHECK enum error live_ingest(const struct live_call *call, const char *experiment_id,
                                  enum live_kind kind, const struct object_list *records,
                                  struct live_outcome *outcome);

#endif
