/*
 * Chooses answers for review, of two kinds: drawn at random among all answers of the last days,
 * and those of which the evaluators are least sure (doubt.h). From the random ones alone the
 * agreement of evaluators with reviewers is computed: every answer of a period has the same chance,
 * whatever its scores, whether or not it is a case already. Also computes the doubt of cases that
 * wait for a verdict, which orders them.
 */
#ifndef ASSAY_SUPPORT_EVALUATORS_CHOOSE_CASES_H
#define ASSAY_SUPPORT_EVALUATORS_CHOOSE_CASES_H

#include "support/settings.h"
#include "support/traces/trace_store.h"

struct case_choice {
    int64_t days;           /* age of the answers at most */
    int64_t random, unsure; /* cases of each kind, per tenant; up to REVIEW_CASES_MOST */
};

struct cases_chosen {
    int64_t drawn;     /* answers drawn at random; some were cases already */
    int64_t unsure;    /* new cases of which the evaluators are not sure */
    int64_t estimated; /* waiting cases whose doubt was computed */
};

/* Of the call's tenant, or of each one if it has none. Does nothing without REVIEW_QUEUE_ENABLED.
 */
MUST_CHECK enum error cases_choose(const struct trace_call *call,
                                   const struct support_settings *settings,
                                   const struct case_choice *choice, struct cases_chosen *chosen);

#endif
