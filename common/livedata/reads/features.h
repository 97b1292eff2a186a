/*
 * Features for training: columns of many entities, each as of a time of its own. The value is the
 * one that a reader would have got then: versions count by when they were applied, so that no value
 * comes from the future. What is not known is null, with a reason.
 */
#ifndef ASSAY_LIVEDATA_READS_FEATURES_H
#define ASSAY_LIVEDATA_READS_FEATURES_H

#include "livedata/reads/answers.h"

enum feature_reason {
    FEATURE_KNOWN,
    FEATURE_NOT_FOUND,        /* the entity was not known by then */
    FEATURE_DELETED,          /* it had been deleted by then */
    FEATURE_BEFORE_RETENTION, /* the journal does not reach back that far */
    FEATURE_REASON__MAX
};
extern const char *const feature_reasons[FEATURE_REASON__MAX]; /* NULL for the first */

/* From when on the tenant's journal is complete: the start of its retention, or its first row. */
MUST_CHECK enum error features_begin(const struct reading *reading, int64_t *kept_since);

struct feature_row {
    enum feature_reason reason;
    const json_t *data; /* object of the entity; NULL unless it is known */
};
/* The entity as of `at`; 0 = now. Memory from `arena`. */
MUST_CHECK enum error feature_read(const struct reading *reading, struct arena *arena,
                                   const struct entity_type *type, const char *id, int64_t at,
                                   int64_t kept_since, struct feature_row *row);

#endif
