/*
 * The changes of the entities of one type, in the order in which they were applied: for programs
 * that keep up with a table. A change is the state of an entity after an event; a late event gives
 * the state that won.
 */
#ifndef ASSAY_LIVEDATA_READS_ENTITY_CHANGES_H
#define ASSAY_LIVEDATA_READS_ENTITY_CHANGES_H

#include "base/schema.h"
#include "livedata/storage_call.h"

enum { ENTITY_CHANGES_MOST = 1000 };

struct entity_change {
    const char *entity_id;
    const char *position; /* of the journal after this change */
    int64_t applied_at;
    bool deleted;
    const char *data; /* JSON object; NULL when deleted */
};

/* A page of them: at most `most` changes and about `bytes_most` bytes of data, out of at most
 * `scan_most` rows of the journal. */
struct entity_changes_limits {
    int most;
    int64_t bytes_most;
    int64_t scan_most;
};
struct entity_changes {
    OBJECT_LIST(struct entity_change, changes); /* struct entity_change, oldest first */
    int64_t reached, reached_at; /* number and time of the last row; `after` and 0 without one */
    bool more;                   /* there may be further rows */
};

/* The changes after the row of number `after`. */
MUST_CHECK enum error entity_changes_after(const struct storage_call *call, const char *entity_type,
                                           int64_t after,
                                           const struct entity_changes_limits *limits,
                                           struct entity_changes *changes);

#endif
