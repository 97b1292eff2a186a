/* The circuit breakers of providers: reading their state and resetting them. */
#ifndef ASSAY_SUPPORT_MODELS_BREAKERS_H
#define ASSAY_SUPPORT_MODELS_BREAKERS_H

#include "base/schema.h"
#include "shm/breaker.h"
#include "support/models/registry.h"

/* One of them at a moment. */
struct provider_breaker {
    const char *name; /* the provider's id */
    const char *state;
    int64_t consecutive_failures;
    enum breaker_state kind;
    bool is_active; /* the active profile asks the provider */
};
SCHEMA_OF(provider_breaker_schema, struct provider_breaker);

void provider_breaker_read(struct shm_region *region, struct arena *arena,
                           const struct registry *registry,
                           const struct registry_provider *provider,
                           struct provider_breaker *breaker);

/* Of all providers that need a network: a list of struct provider_breaker. */
struct object_list provider_breakers_read(struct shm_region *region, struct arena *arena,
                                          const struct registry *registry);

/* Closes it, and takes back that others are asked in the provider's place. */
void provider_breaker_reset(struct shm_region *region, struct arena *arena, const char *provider);

#endif
