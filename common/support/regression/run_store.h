/* Finished regression runs in the database, and requested runs as jobs. */
#ifndef ASSAY_SUPPORT_REGRESSION_RUN_STORE_H
#define ASSAY_SUPPORT_REGRESSION_RUN_STORE_H

#include "jobs/job.h"
#include "shm/metrics.h"
#include "support/programs/background.h"
#include "support/regression/run.h"

enum { RUNS_MOST = 100 };

MUST_CHECK enum error run_keep(struct db *db, const struct regression_plan *plan,
                               const struct regression_result *result, struct problem *problem);

struct run_row {
    const char *run_id, *tenant_id, *created_at, *baseline, *candidate, *report_path, *mode;
    double pass_rate;
    int64_t sample_size;
    bool drift_alert; /* the run failed */
};
/* Newest first, of a tenant or (NULL) all: struct run_row. */
MUST_CHECK enum error run_list(struct db *db, struct arena *arena, const char *tenant,
                               int64_t limit, struct object_list *rows, struct problem *problem);
MUST_CHECK enum error run_find(struct db *db, struct arena *arena, const char *tenant,
                               const char *run_id, struct run_row *row, bool *found,
                               struct problem *problem);
/* The newest run with that candidate, of a tenant or (NULL) all; NULL = no run. */
MUST_CHECK enum error run_newest(struct db *db, struct arena *arena, const char *tenant,
                                 const char *candidate, const char **run_id,
                                 struct problem *problem);
/* Deltas of that run; `found` is false when there is none. */
struct run_deltas {
    const char *run_id;
    struct optional_number quality_delta, cost_delta, latency_delta;
};
SCHEMA_OF(run_deltas_schema, struct run_deltas);
MUST_CHECK enum error run_deltas_of(struct db *db, struct arena *arena, const char *tenant,
                                    const char *candidate, struct run_deltas *deltas, bool *found,
                                    struct problem *problem);

/* Counts a run in the metrics. */
void run_count(struct metrics *metrics, const struct regression_plan *plan,
               const struct regression_result *result, bool passed);

/* Runs in the background. */
struct run_request {
    const char *baseline, *candidate;
    const char *tenant; /* NULL = cases of all tenants */
    bool simulated;
};
SCHEMA_OF(run_request_schema, struct run_request);

/* Progress of a run. */
struct run_progress {
    int64_t cases_done, cases_total;
};
SCHEMA_OF(run_progress_schema, struct run_progress);
MUST_CHECK enum error run_ask(struct db *db, struct arena *arena,
                              const struct support_settings *settings,
                              const struct run_request *request, const char **id,
                              struct problem *problem);
struct job_kind run_kind(const struct support_settings *settings);
MUST_CHECK enum error run_due(struct regression_tools *tools, struct metrics *metrics,
                              struct job_counts *tally);

#endif
