/* The menu of models as a browser saw it last, for all hosts: one row. */
#ifndef ASSAY_ORCHESTRATOR_STORAGE_MODEL_LIST_STORE_H
#define ASSAY_ORCHESTRATOR_STORAGE_MODEL_LIST_STORE_H

#include "db/db.h"
#include "orchestrator/models/catalog.h"

struct stored_model_list {
    const char *checked_at; /* as it is stored; NULL = no menu was seen yet */
    struct string_list labels;
};

/* Everything from the arena. */
MUST_CHECK enum error model_list_load(struct db *db, struct arena *arena,
                                      struct stored_model_list *menu, struct problem *problem);

/* Puts the models of these labels, seen now, in the place of what was there. */
MUST_CHECK enum error model_list_save(struct db *db, struct arena *arena,
                                      const struct string_list *labels, struct problem *problem);

#endif
