/* Models that administrators have added. Workers read them again when their version has changed. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_ADDED_MODEL_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_ADDED_MODEL_STORE_H

#include "base/optional.h"
#include "db/db.h"
#include "orchestrator/models/stored_key.h"

enum { ADDED_MODELS_MAX = 200 };

MUST_CHECK enum error added_models_version(struct db *db, int64_t *version,
                                           struct problem *problem);

struct added_model {
    const char *id;
    const char *spec; /* a JSON object */
    struct stored_key key;
};

/* At most ADDED_MODELS_MAX, in the order of their ids. */
MUST_CHECK enum error added_models_list(struct db *db, struct arena *arena,
                                        struct added_model **models, size_t *count,
                                        struct problem *problem);

/* ERROR_CONFLICT model_exists. */
MUST_CHECK enum error added_model_add(struct db *db, const struct added_model *model,
                                      const char *by, struct problem *problem);

/* Replaces the key. ERROR_NOT_FOUND model_not_found. */
MUST_CHECK enum error added_model_set_key(struct db *db, const char *id,
                                          const struct stored_key *key, struct problem *problem);

/* ERROR_NOT_FOUND model_not_found, also for models that were not added so. */
MUST_CHECK enum error added_model_delete(struct db *db, const char *id, struct problem *problem);

#endif
