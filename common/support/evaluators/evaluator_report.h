/*
 * How well each evaluator agrees with the reviewers of a tenant, and what is advised. Only cases
 * count that were drawn at random (choose_cases.h): the others were chosen for their scores, which
 * would bias the agreement.
 */
#ifndef ASSAY_SUPPORT_EVALUATORS_EVALUATOR_REPORT_H
#define ASSAY_SUPPORT_EVALUATORS_EVALUATOR_REPORT_H

#include "base/schema.h"
#include "support/evaluators/agreement.h"
#include "support/evaluators/doubt.h"
#include "support/settings.h"
#include "support/traces/trace_store.h"

struct evaluator_report {
    const char *name; /* judge_name() */
    bool active;
    bool can_switch;        /* false for quality and factuality, by which the service decides */
    const char *status;     /* too_few, one_sided, measured */
    int64_t cases, missing; /* judged ones, and those that are missing before anything is advised */
    int64_t both_bad, evaluator_only, reviewer_only, both_good;
    struct optional_number observed, kappa, kappa_low, kappa_high;
    const char *advice; /* switch_off, tune; NULL = none */
    const char *switched_off_at, *switched_off_by;
};

struct evaluators_report {
    double confidence, kappa_min;
    int64_t cases_min;
    int64_t drawn_judged, drawn_waiting;
    OBJECT_LIST(struct evaluator_report, evaluators); /* in the order of judges (doubt.h) */
};
SCHEMA_OF(evaluator_report_schema, struct evaluator_report);
SCHEMA_OF(evaluators_report_schema, struct evaluators_report);

/* Of the call's tenant, with its limits in force. */
MUST_CHECK enum error evaluators_report(const struct trace_call *call,
                                        const struct support_settings *settings,
                                        struct evaluators_report *report);

#endif
