/* The model list last read from the provider's menu: one row for all hosts. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_MODEL_LIST_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_MODEL_LIST_STORE_H

#include "db/db.h"
#include "orchestrator/models/catalog.h"

struct stored_model_list {
    int64_t checked_at; /* 0 = not read yet */
    struct string_list labels;
};

/* All memory is from the arena. */
MUST_CHECK enum error model_list_load(struct db *db, struct arena *arena,
                                      struct stored_model_list *list, struct problem *problem);

/* Replaces the list by the models of these labels. */
MUST_CHECK enum error model_list_save(struct db *db, struct arena *arena,
                                      const struct string_list *labels, struct problem *problem);

#endif
