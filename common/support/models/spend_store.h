/* Costs and usage of models, from traces and from the rows added here. Contains their SQL. */
#ifndef ASSAY_SUPPORT_MODELS_SPEND_STORE_H
#define ASSAY_SUPPORT_MODELS_SPEND_STORE_H

#include "base/optional.h"
#include "db/db.h"

/* US dollars of today (UTC), of all tenants. */
MUST_CHECK enum error model_spend_today(struct db *db, double *dollars, struct problem *problem);

/* Adds usage of today that no trace contains. */
MUST_CHECK enum error spend_add(struct db *db, const char *purpose, double dollars,
                                struct problem *problem);

struct provider_use {
    int64_t requests, tokens; /* number in the last minute */
    double cost;              /* number in the last day */
    const char *last_used_at; /* NULL = never */
};

/* A tenant's usage of a provider. */
MUST_CHECK enum error spend_of_provider(struct db *db, struct arena *arena, const char *tenant,
                                        const char *provider, struct provider_use *use,
                                        struct problem *problem);

#endif
