/* Private to common/support/regression: the gate and the report of a run. */
#ifndef ASSAY_SUPPORT_REGRESSION_REPORT_H
#define ASSAY_SUPPORT_REGRESSION_REPORT_H

#include "support/regression/run.h"

/* One case, answered by both targets. */
struct case_outcome {
    const struct curated_case *item;
    int severity;
    struct execution baseline, candidate;
    bool baseline_lost, candidate_lost; /* lost to infrastructure errors */
    struct string_list baseline_failures, candidate_failures;
};

/* Applies the gate, writes both files if a folder is given, and fills the result. */
MUST_CHECK enum error report_write(const struct regression_tools *tools,
                                   const struct regression_plan *plan, const char *mode,
                                   const struct case_outcome *cases, size_t count,
                                   struct regression_result *result);

#endif
