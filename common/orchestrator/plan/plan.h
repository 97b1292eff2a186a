/* Converts a request into steps: resolves model names, and refuses contradictory options. */
#ifndef ASSAY_ORCHESTRATOR_PLAN_PLAN_H
#define ASSAY_ORCHESTRATOR_PLAN_PLAN_H

#include "base/error.h"
#include "orchestrator/models/catalog.h"

struct plan_request {
    const char *model;         /* NULL = absent */
    struct string_list models; /* the same, when empty */
    int adapter_hint;          /* enum adapter_hint */
    int64_t quorum;
    int merge_strategy; /* enum merge_strategy */
    bool cancel_on_quorum;
    bool reasoning;
};

struct plan {
    const struct model **models;
    size_t count;
    int64_t quorum; /* capped to the number of steps */
    int adapter_hint;
    int merge_strategy;
    bool cancel_on_quorum;
    bool reasoning;
    int execution_mode; /* for runs other than dry runs */
};

/* ERROR_INVALID with reason `plan_rejected`; the text names the model or the option. */
MUST_CHECK enum error plan_make(struct arena *arena, const struct catalog *catalog,
                                const struct plan_request *request, struct plan *plan,
                                struct problem *problem);

/* The model for requests without a model. */
const char *plan_default_model(const struct catalog *catalog);

#endif
