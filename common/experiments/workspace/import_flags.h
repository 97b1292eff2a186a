/*
 * Private to common/experiments/workspace: gives an imported project its flag. A key that another
 * project has stays with that one: the imported flag gets a key of its own and is off, for no
 * program asks for it. A flag whose design names a segment that is not here is off, for its rules
 * would let in the wrong users.
 */
#ifndef ASSAY_EXPERIMENTS_WORKSPACE_IMPORT_FLAGS_H
#define ASSAY_EXPERIMENTS_WORKSPACE_IMPORT_FLAGS_H

#include "db/db.h"
#include "experiments/workspace/bundle.h"

struct flags_in {
    struct db *db;
    struct bundle_call *call;
    const struct bundle *bundle;
    bool keep_keys;        /* a key that is taken is an error */
    struct bundle_ids ids; /* of the projects of the bundle's flags, sorted */
    int64_t added, renamed;
    int64_t switched_off; /* for a segment that is not here */
    /* Those that need a key of their own. They get it at the end, so that none takes the key of
     * another flag of the bundle. */
    size_t waiting_count;
    struct flag_waiting *waiting;
};

/* An imported project, as it was just stored. */
struct flag_owner {
    const char *old_id; /* in the bundle */
    const char *id;
    const char *name;
    const char *design; /* JSON text */
    bool archived;
    bool lacks_segment; /* the design names one that is not here */
};

/* In the transaction of the import, before the projects. */
MUST_CHECK enum error import_flags_begin(struct flags_in *in);

/* The project's flag of the bundle, or later one without values where it has none. ERROR_CONFLICT
 * `workspace_id_taken` or `layer_overlap`, ERROR_INVALID `flag_variants`; the text names the
 * field. */
MUST_CHECK enum error import_flag(struct flags_in *in, const struct flag_owner *owner);

/* After all projects: the flags that need a key of their own. */
MUST_CHECK enum error import_flags_end(struct flags_in *in);

#endif
