/* The state of the database, for readiness and diagnostics. Changes nothing. */
#ifndef ASSAY_EXPERIMENTS_STORAGE_STORAGE_STATE_H
#define ASSAY_EXPERIMENTS_STORAGE_STORAGE_STATE_H

#include "experiments/storage/store.h"

struct storage_state {
    enum db_engine engine;
    struct db_health health;
    bool schema_known; /* `schema` is valid; else `schema_detail` gives the reason */
    struct db_schema_state schema;
    const char *schema_detail;
};

/* Never fails: errors are part of the state. Credentials are masked. Texts from `arena`. */
void storage_read_state(struct store *store, struct arena *arena, struct storage_state *state);

struct storage_counts {
    int64_t projects_total; /* active ones */
    int64_t archived_projects_total;
    int64_t analysis_runs_total;
    int64_t export_events_total;
    int64_t project_revisions_total;
    const char *latest_project_updated_at; /* NULL = no project */
};

MUST_CHECK enum error storage_count(struct db *db, struct arena *arena,
                                    struct storage_counts *counts, struct problem *problem);

#endif
