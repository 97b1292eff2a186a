/*
 * Reports splits of live traffic to the experiments service over its public API, and reads its
 * decisions. Each split is a project there. A batch that was not accepted is sent again; the
 * service identifies records by their keys, so each counts once.
 */
#ifndef ASSAY_SUPPORT_CANDIDATES_SPLIT_REPORT_H
#define ASSAY_SUPPORT_CANDIDATES_SPLIT_REPORT_H

#include "support/candidates/deploy.h"
#include "support/candidates/split_store.h"

/* What a round came to. */
struct split_tally {
    int64_t splits, exposures, outcomes, decisions;
    bool more; /* there is more to send */
};

/* Whether anybody is to be told: AB_BASE_URL and AB_API_KEY. */
bool split_is_reported(const struct support_settings *settings);

/* Tells what waits; reads decisions that are due, or with `now` all of them. One that cannot be
 * told does not keep the others. ERROR_UNAVAILABLE split_not_taken with what was answered; errors
 * of the database. */
MUST_CHECK enum error split_report(const struct candidate_call *call, bool now,
                                   struct split_tally *tally);

/* Withdraws live splits that harm, by the decision: struct watch_finding, one a split that was
 * read. What else stands on the experiment (staged, deployed) is taken back with it. */
MUST_CHECK enum error split_watch(const struct candidate_call *call, struct object_list *findings);

#endif
