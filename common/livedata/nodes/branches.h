/* Events that the center received from its branches; counted in the transaction that applies an
 * event. */
#ifndef ASSAY_LIVEDATA_NODES_BRANCHES_H
#define ASSAY_LIVEDATA_NODES_BRANCHES_H

#include "livedata/storage_call.h"

struct branch_counts {
    int64_t before;    /* events applied before the current day (UTC) */
    int64_t today;     /* events applied on the current day */
    int64_t last_seen; /* time of the last applied event; 0 = none */
};

/* Counts one applied event of the branch for the call's tenant. */
MUST_CHECK enum error branch_count(const struct storage_call *call, const char *branch,
                                   const char *entity_type);

/* The tenant's events of the branch, of readable entities (access/types.h; NULL = all). */
MUST_CHECK enum error branch_read(const struct storage_call *call, const char *branch,
                                  const char *types, struct branch_counts *counts);

#endif
