/* Flags in the database. Every change writes its audit row in the same transaction. */
#ifndef ASSAY_EXPERIMENTS_FLAGS_FLAG_STORE_H
#define ASSAY_EXPERIMENTS_FLAGS_FLAG_STORE_H

#include "experiments/audit/audit_store.h"
#include "experiments/flags/flag.h"

struct flag_call {
    struct db *db;
    struct arena *arena;
    const struct actor *actor; /* of changes */
    struct problem *problem;
};

/* The flag of a project; its settings are NULL until somebody sets them. ERROR_NOT_FOUND
 * `not_found`. */
MUST_CHECK enum error flag_read(const struct flag_call *call, const char *experiment_id,
                                struct flag *flag);

/* The same, `found` false where there is none. */
MUST_CHECK enum error flag_of_project(const struct flag_call *call, const char *experiment_id,
                                      struct flag *flag, bool *found);

/* The flag with this key, if it has values. */
MUST_CHECK enum error flag_find(const struct flag_call *call, const char *key, struct flag *flag,
                                bool *found);

/* All flags that have values, by key: a list of struct flag. `experiment_id` NULL = of all
 * projects. At most `limit`. */
MUST_CHECK enum error flag_list(const struct flag_call *call, const char *experiment_id,
                                int64_t limit, struct object_list *flags);

/* The version of a flag that If-Match names: when it was updated; FLAG_NEVER_SET before. */
#define FLAG_NEVER_SET "never"
const char *flag_version(const char *updated_at);

/* Replaces the flag, and fills in what the document left open. `if_match` NULL = whatever there is,
 * but a ramp that the guard holds is not let go on without it. ERROR_NOT_FOUND `project_not_found`;
 * ERROR_INVALID `project_archived`, or `flag_variants` when the design has another number of
 * variations; ERROR_CONFLICT `flag_key_taken`, `flag_conflict`. */
MUST_CHECK enum error flag_write(const struct flag_call *call, const char *experiment_id,
                                 const char *if_match, struct flag_document *document);

/* For changes of a project, in their transaction: takes the lock of keys and layers, before the
 * project is locked. */
MUST_CHECK enum error flag_lock(const struct flag_call *call);

/* Whether the project's flag may stay as it is with a design that is being stored: when it is on
 * and not fixed, ERROR_INVALID `flag_variants` or ERROR_CONFLICT `layer_overlap`. Under that
 * lock. */
MUST_CHECK enum error flag_check_design(const struct flag_call *call, const char *experiment_id,
                                        const char *document);

/* Holds the ramp before the step that is taken now, unless it is held already: `taken` says whether
 * it was. The actor is the service. */
MUST_CHECK enum error flag_take_ramp_back(const struct flag_call *call, const char *experiment_id,
                                          int64_t now, bool *taken);

#endif
