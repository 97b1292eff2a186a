/* Exports cases for review as lines of JSON, and imports the verdicts. */
#ifndef ASSAY_SUPPORT_REVIEW_REVIEW_BATCH_H
#define ASSAY_SUPPORT_REVIEW_REVIEW_BATCH_H

#include "support/review/review_store.h"

/* A comment line, then one JSON object per line for each case. */
MUST_CHECK enum error review_export(const struct trace_call *call,
                                    const struct review_filter *filter, const char *exported_at,
                                    struct text *out, int64_t *count);

struct review_batch {
    const json_t **rows;
    size_t count, actionable; /* rows with a verdict */
};
/* ERROR_MALFORMED with the number of the line that is not an object. */
MUST_CHECK enum error review_read_batch(struct arena *arena, const char *bytes, size_t length,
                                        struct review_batch *batch, struct problem *problem);

struct review_imported {
    int64_t updated, skipped, errored, would_update;
    struct string_list warnings;
};
/* Imports all rows in one transaction; a dry run changes nothing. `tenant` (or NULL) overrides the
 * rows' tenant. */
MUST_CHECK enum error review_import(const struct trace_call *call, const struct review_batch *batch,
                                    const char *tenant, const char *reviewer, bool dry_run,
                                    struct review_imported *imported);

#endif
