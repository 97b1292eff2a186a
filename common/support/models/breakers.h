/* The circuit breakers of providers: reading their state and resetting them. */
#ifndef ASSAY_SUPPORT_MODELS_BREAKERS_H
#define ASSAY_SUPPORT_MODELS_BREAKERS_H

#include "base/schema.h"
#include "shm/breaker.h"
#include "support/models/registry.h"

/* The state of one breaker at one time. */
struct provider_breaker {
    const char *name; /* the provider's id */
    const char *state;
    int64_t consecutive_failures;
    enum breaker_state kind;
    bool is_active; /* the active profile uses the provider */
};
SCHEMA_OF(provider_breaker_schema, struct provider_breaker);

void provider_breaker_read(struct shm_region *region, struct arena *arena,
                           const struct registry *registry,
                           const struct registry_provider *provider,
                           struct provider_breaker *breaker);

/* All providers that need a network: a list of struct provider_breaker. */
struct object_list provider_breakers_read(struct shm_region *region, struct arena *arena,
                                          const struct registry *registry);

/* Closes it, and removes the mark that other providers replace this one. */
void provider_breaker_reset(struct shm_region *region, struct arena *arena, const char *provider);

#endif
