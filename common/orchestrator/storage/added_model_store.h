/* Models that administrators have added. Workers read them again when their version has changed. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_ADDED_MODEL_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_ADDED_MODEL_STORE_H

#include "base/optional.h"
#include "db/db.h"

enum { ADDED_MODELS_MAX = 200 };

MUST_CHECK enum error added_models_version(struct db *db, int64_t *version,
                                           struct problem *problem);

/* The specifications, JSON objects, in the order of their ids. */
MUST_CHECK enum error added_models_list(struct db *db, struct arena *arena,
                                        struct string_list *specs, struct problem *problem);

/* ERROR_CONFLICT model_exists. */
MUST_CHECK enum error added_model_add(struct db *db, const char *id, const char *spec,
                                      const char *by, struct problem *problem);

/* ERROR_NOT_FOUND model_not_found, also for models that were not added so. */
MUST_CHECK enum error added_model_delete(struct db *db, const char *id, struct problem *problem);

#endif
