/*
 * Finds stale curated cases: answers old cases again with the current service, and compares the
 * answers with the confirmed ones.
 */
#ifndef ASSAY_SUPPORT_REGRESSION_STALENESS_H
#define ASSAY_SUPPORT_REGRESSION_STALENESS_H

#include "support/regression/run.h"

struct staleness_plan {
    const char *path; /* file of the cases */
    int64_t days;     /* skips younger cases */
    bool undated;     /* includes cases without a date, which are skipped otherwise */
    bool ages;        /* checks only ages: answers nothing */
    bool apply;       /* stores the results */
};

struct stale_case {
    const char *case_id, *tenant_id;
    const char *reason; /* route_drift, quality_drop, factuality_drop, answer_contains_missing... */
    const char *diff;   /* JSON */
};

struct staleness {
    int64_t due, evaluated, skipped; /* of the due cases: answered, or failed */
    size_t stale_count;
    const struct stale_case *stale;
    const char *markdown;
};

SCHEMA_OF(stale_case_schema, struct stale_case);

/* The first difference; `reason` NULL = none. Public for tests. */
struct stale_case staleness_of(struct arena *arena, const struct curated_case *item,
                               const struct execution *execution);

/* ERROR_FORBIDDEN paid_apis as of regression_run(); errors of the data and the database. */
MUST_CHECK enum error staleness_check(const struct regression_tools *tools,
                                      const struct staleness_plan *plan,
                                      struct staleness *staleness);

#endif
