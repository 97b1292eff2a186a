/*
 * Private to common/experiments/workspace: gives an imported project its flag. A key that another
 * project has stays with that one: the imported flag gets a key of its own and is off, for no
 * program asks for it.
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
};

/* An imported project, as it was just stored. */
struct flag_owner {
    const char *old_id; /* in the bundle */
    const char *id;
    const char *name;
    const char *design; /* JSON text */
    bool archived;
};

/* In the transaction of the import, before the projects. */
MUST_CHECK enum error import_flags_begin(struct flags_in *in);

/* The project's flag of the bundle, or one without values where it has none. ERROR_CONFLICT
 * `workspace_id_taken` or `layer_overlap`, ERROR_INVALID `flag_variants`; the text names the
 * field. */
MUST_CHECK enum error import_flag(struct flags_in *in, const struct flag_owner *owner);

#endif
