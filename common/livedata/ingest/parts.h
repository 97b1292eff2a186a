/* Events of several tenants, and what else belongs to them, in one transaction. */
#ifndef ASSAY_LIVEDATA_INGEST_PARTS_H
#define ASSAY_LIVEDATA_INGEST_PARTS_H

#include "livedata/ingest/apply.h"

/* The events of one tenant; `results` has one for each. */
struct apply_part {
    struct apply_call call;
    size_t count;
    json_t **events;
    struct apply_result *results;
    struct apply_counts counts;
    struct apply_touched touched;
};

/* Writes what belongs to the events, before the commit. */
typedef enum error apply_also(void *context, struct db *db, struct problem *problem);

/* As apply_batch() for each part; all of them and what `also` writes, or nothing. */
MUST_CHECK enum error apply_parts(struct db *db, struct apply_part *parts, size_t count,
                                  apply_also *also, void *context, struct problem *problem);

#endif
