/*
 * Compares the journal with the tables: the newest version of each entity in the journal is its
 * row, each row created by events has a version, the newest stage of an order is its status, and
 * users are the sums of their orders. Only reads; may run beside writers.
 */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_CHECK_H
#define ASSAY_LIVEDATA_MAINTENANCE_CHECK_H

#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

enum { STORAGE_DIFFERENCE_TEXT = 400 };

struct storage_check {
    /* Called after each few hundred versions: the number of the journal's current row, and of its
     * last. */
    void (*progress)(int64_t seq, int64_t last, void *context); /* NULL = no progress reports */
    void *context;
    int64_t checked;
    int64_t differing;
    char first[STORAGE_DIFFERENCE_TEXT]; /* description of the first difference */
};

/* All tenants; ignores the tenant of `call`. */
MUST_CHECK enum error storage_check(const struct storage_call *call, const struct catalog *catalog,
                                    struct storage_check *check);

#endif
