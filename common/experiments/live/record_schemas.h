/*
 * The schemas of the records of a running experiment: in a batch over HTTP and in a line of a file.
 */
#ifndef ASSAY_EXPERIMENTS_LIVE_RECORD_SCHEMAS_H
#define ASSAY_EXPERIMENTS_LIVE_RECORD_SCHEMAS_H

#include "base/schema.h"
#include "experiments/live/records.h"

/* The request document: one list of records, under a different key for each kind. */
struct live_batch {
    struct object_list records;
};

/* Indexed by enum live_kind. */
extern const struct schema live_record_schemas[LIVE_KIND__MAX];
extern const struct schema live_batch_schemas[LIVE_KIND__MAX];
extern const char *const live_kind_names[LIVE_KIND__MAX]; /* as in the route paths */

#endif
