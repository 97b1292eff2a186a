/* Rebuilds the curated data as a job, with a record of its progress. */
#ifndef ASSAY_SUPPORT_CURATED_REBUILD_H
#define ASSAY_SUPPORT_CURATED_REBUILD_H

#include "jobs/job.h"
#include "support/curated/curated.h"

struct rebuild_request {
    const char *tenant; /* tenant or `all` */
    const char *since;  /* NULL = all cases */
    bool include_bad;
};

/* If a run of the same tenant is not finished, returns its id. ERROR_INVALID since_invalid. */
MUST_CHECK enum error rebuild_ask(const struct trace_call *call,
                                  const struct support_settings *settings,
                                  const struct rebuild_request *request, const char **id);

/* The state of a run. */
struct rebuild_job {
    const char *job_id, *status, *tenant, *since;
    bool include_bad;
    int64_t progress;
    const char *out, *updated_at, *error;
    const struct curated_built *result;
    const struct curated_stats *summary;
};
SCHEMA_OF(rebuild_job_schema, struct rebuild_job);

/* ERROR_NOT_FOUND job_not_found, also for another tenant's. */
MUST_CHECK enum error rebuild_find(const struct trace_call *call,
                                   const struct support_settings *settings, const char *tenant,
                                   const char *id, struct rebuild_job *record);

/* The context that the runner gives its jobs. */
struct rebuild_runner {
    const struct support_settings *settings;
    struct metrics *metrics;
};
/* Runs at most one requested rebuild. */
MUST_CHECK enum error rebuild_run_due(struct db *db, struct arena *arena,
                                      const struct rebuild_runner *runner, struct job_counts *tally,
                                      struct problem *problem);

#endif
