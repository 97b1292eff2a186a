/*
 * Export and import of the workspace: all projects with their runs, export events and revisions,
 * one record at a time.
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
};

/* Adds the content of a bundle that bundle_read() has accepted, in one transaction, with its audit
 * entry. Every record gets a new id, unless `keep_ids`: then ERROR_CONFLICT workspace_id_taken when
 * an id already exists. */
MUST_CHECK enum error workspace_import(struct db *db, struct bundle_call *call,
                                       const struct actor *actor, const struct bundle *bundle,
                                       bool keep_ids, struct workspace_imported *imported);

#endif
