/*
 * Export and import of the workspace: all projects with their runs, export events, revisions and
 * flags, and the catalog of metrics, one record at a time.
 */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_WORKSPACE_STORE_H
#define ASSAY_EXPERIMENTS_WORKSPACE_WORKSPACE_STORE_H

#include "experiments/audit/audit_store.h"
#include "experiments/workspace/bundle.h"

/* Receives the next bytes of a bundle; false aborts the export. */
typedef bool workspace_sink(const char *bytes, size_t length, void *context);

/* Passes the whole workspace to `sink` as a signed bundle, from one read transaction.
 * `generated_at` NULL = now. ERROR_TOO_LARGE workspace_too_large when the sink returned false. */
MUST_CHECK enum error workspace_export(struct db *db, struct bundle_call *call,
                                       const char *generated_at, workspace_sink *sink,
                                       void *context, struct bundle_counts *counts);

struct workspace_imported {
    int64_t projects;
    int64_t analysis_runs;
    int64_t export_events;
    int64_t project_revisions; /* created for projects without any */
    int64_t catalog_metrics;   /* without those that the catalog had */
    int64_t flags;
    int64_t renamed_flags;      /* of these: their key was taken */
    int64_t switched_off_flags; /* likewise: their design names a segment that is not here */
};

/* Adds the content of a bundle that bundle_read() has accepted, in one transaction, with its audit
 * entry. Every record gets a new id, unless `keep_ids`: then ERROR_CONFLICT workspace_id_taken when
 * an id, the name of a metric or the key of a flag already exists. Without it a metric that the
 * catalog has is used as it is (workspace_metric_differs where it is another one), and a flag whose
 * key is taken gets another one. A flag whose design names a segment that is not here comes in
 * off. */
MUST_CHECK enum error workspace_import(struct db *db, struct bundle_call *call,
                                       const struct actor *actor, const struct bundle *bundle,
                                       bool keep_ids, struct workspace_imported *imported);

#endif
