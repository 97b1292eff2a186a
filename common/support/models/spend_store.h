/* Costs and usage of models, from traces and from the rows added here. Contains their SQL. */
#ifndef ASSAY_SUPPORT_MODELS_SPEND_STORE_H
#define ASSAY_SUPPORT_MODELS_SPEND_STORE_H

#include "base/optional.h"
#include "db/db.h"

/* Dollars of today (UTC), of all tenants. */
MUST_CHECK enum error spend_today(struct db *db, double *dollars, struct problem *problem);

/* Adds to today what no step of a trace tells of. */
MUST_CHECK enum error spend_add(struct db *db, const char *purpose, double dollars,
                                struct problem *problem);

struct provider_use {
    int64_t requests, tokens; /* of the last minute */
    double cost;              /* of the last day */
    const char *last_used_at; /* NULL = never */
};

/* What a tenant had from a provider. */
MUST_CHECK enum error spend_of_provider(struct db *db, struct arena *arena, const char *tenant,
                                        const char *provider, struct provider_use *use,
                                        struct problem *problem);

#endif
