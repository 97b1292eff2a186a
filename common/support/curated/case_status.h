/* The status of curated cases: fresh, or stale with a reason. Contains its SQL. */
#ifndef ASSAY_SUPPORT_CURATED_CASE_STATUS_H
#define ASSAY_SUPPORT_CURATED_CASE_STATUS_H

#include "base/schema.h"
#include "support/traces/trace_store.h"

enum { CASE_STATUS_LIST_MAX = 500 };

struct case_status {
    const char *case_id, *tenant_id, *status, *staleness_reason, *last_checked_at;
};
SCHEMA_OF(case_status_schema, struct case_status);

/* Stale ones of the tenant, last checked first: struct case_status. */
MUST_CHECK enum error case_status_stale(const struct trace_call *call, struct object_list *rows);

/* Stores the result of a check: stale for `reason`, or (NULL) fresh again if it was stale. */
MUST_CHECK enum error case_status_put(const struct trace_call *call, const char *case_id,
                                      const char *reason);

#endif
