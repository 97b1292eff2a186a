/* Combines several results into one outcome: status, text and details of the task. */
#ifndef ASSAY_ORCHESTRATOR_RUNS_AGGREGATE_H
#define ASSAY_ORCHESTRATOR_RUNS_AGGREGATE_H

#include "orchestrator/dispatch/run.h"

struct outcome {
    int status; /* enum run_status, never accepted */
    int execution_mode;
    const char *adapter_name;
    int failure_code;
    const char *failure_message;
    const char *output_text;
    int64_t winning_step; /* from 1; 0 = none */
    const struct model *winner;
    const char *cancel_reason; /* "quorum_reached", NULL */
    const char *details;       /* a JSON object */
};

/* Succeeded for dry runs, or when that many have succeeded; else failed if any has failed; else
 * cancelled. */
void aggregate(struct run *run, const struct result *results, size_t count, int64_t quorum,
               int merge_strategy, struct outcome *outcome);

/* "dry_run"; or the adapter of the succeeded results (else of the failed, else of all), "multi" if
 * there are several. */
const char *aggregate_adapter(const struct run *run, const struct result *results, size_t count);

#endif
