/*
 * Whether the journal and the tables say the same: the newest version of each entity in the journal
 * is its row, each row that events have made has a version, the newest stage of an order is its
 * status, and users are the sums of their orders. Reads only; may run beside those who write.
 */
#ifndef ASSAY_LIVEDATA_MAINTENANCE_CHECK_H
#define ASSAY_LIVEDATA_MAINTENANCE_CHECK_H

#include "livedata/catalog/catalog.h"
#include "livedata/storage_call.h"

enum { STORAGE_DIFFERENCE_TEXT = 400 };

struct storage_check {
    /* After each few hundred versions: the number of the journal's row, and of its last. */
    void (*progress)(int64_t seq, int64_t last, void *context); /* NULL = no progress is shown */
    void *context;
    int64_t checked;
    int64_t differing;
    char first[STORAGE_DIFFERENCE_TEXT]; /* the first difference, in words */
};

/* All tenants, whatever `call` says. */
MUST_CHECK enum error storage_check(const struct storage_call *call, const struct catalog *catalog,
                                    struct storage_check *check);

#endif
