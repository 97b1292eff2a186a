/*
 * Reports traffic splits to the experiments service over its public API, and reads its decisions.
 * Each split is a project there. Batches that were not accepted are sent again; the service
 * identifies records by their keys, so each counts once.
 */
#ifndef ASSAY_SUPPORT_CANDIDATES_SPLIT_REPORT_H
#define ASSAY_SUPPORT_CANDIDATES_SPLIT_REPORT_H

#include "support/candidates/deploy.h"
#include "support/candidates/split_store.h"

/* The result of one report run. */
struct split_tally {
    int64_t splits, exposures, outcomes, decisions;
    bool more; /* more records are waiting */
};

/* Whether reporting is configured: AB_BASE_URL and AB_API_KEY. */
bool split_is_reported(const struct support_settings *settings);

/* Sends pending records; reads due decisions, or all with `now`. A split whose report fails does
 * not block the others. ERROR_UNAVAILABLE split_not_taken with the service's answer; errors of the
 * database. */
MUST_CHECK enum error split_report(const struct candidate_call *call, bool now,
                                   struct split_tally *tally);

/* Ends harmful live splits by the service's decision: struct watch_finding, one per decision read.
 * The experiment's other activations (staged, deployed) are withdrawn too. */
MUST_CHECK enum error split_watch(const struct candidate_call *call, struct object_list *findings);

#endif
