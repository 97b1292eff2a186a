/*
 * Ingestion of events. A batch is one transaction: it changes raw rows, units and aggregates
 * together or not at all. Nothing is overwritten: the first record of a kind for a user (or an
 * idempotency key) counts; later ones are counted as duplicates and dropped.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_INGEST_H
#define ASSAY_EXPERIMENTS_LIVE_INGEST_H

#include "experiments/live/records.h"

/* Counts of records by outcome. Skipped records are alias links that would form a chain or a cycle,
 * or link an id to itself. */
struct live_outcome {
    int64_t received;
    int64_t recorded;
    int64_t deduplicated;
    int64_t skipped;
};

/* Ingests `records`, a list of the struct that belongs to `kind`, into the experiment of a project.
 * The schemas of the routes have validated the records. ERROR_NOT_FOUND with `project_not_found`,
 * ERROR_INVALID with `project_archived`. */
MUST_CHECK enum error live_ingest(const struct live_call *call, const char *experiment_id,
                                  enum live_kind kind, const struct object_list *records,
                                  struct live_outcome *outcome);

#endif
