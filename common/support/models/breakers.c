/* Reads and resets providers' breakers in the shared memory. */
#include "support/models/breakers.h"
#include "support/models/models.h"

#define OWNER struct provider_breaker
static const struct field provider_breaker_fields[] = {
    STRING(OWNER, name, .help = "The provider's id."),
    STRING(OWNER, state, .help = "closed, half_open or open."),
    INTEGER(OWNER, consecutive_failures),
};
#undef OWNER
SCHEMA(provider_breaker_schema, struct provider_breaker, "Breaker", provider_breaker_fields);

void provider_breaker_read(struct shm_region *region, struct arena *arena,
                           const struct registry *registry,
                           const struct registry_provider *provider,
                           struct provider_breaker *breaker)
{
    static const struct breaker_rule any = {.failures = 0};
    const char *name = models_breaker_name(arena, provider->id);
    struct breaker_figures figures;

    breaker_read(region, name, &any, &figures);
    *breaker = (struct provider_breaker){
        .name = provider->id,
        .kind = figures.state == BREAKER_CLOSED ? BREAKER_CLOSED : breaker_read_state(region, name),
        .consecutive_failures = figures.failures,
        .is_active = registry_profile_asks(registry->active, provider)};
    breaker->state = breaker_state_name(breaker->kind);
}

struct object_list provider_breakers_read(struct shm_region *region, struct arena *arena,
                                          const struct registry *registry)
{
    struct provider_breaker *breakers =
        ARENA_ARRAY(arena, struct provider_breaker, registry->provider_count + 1);
    size_t count = 0;

    for (size_t i = 0; i < registry->provider_count; i++)
        if (registry->providers[i].kind != PROVIDER_EMBEDDED)
            provider_breaker_read(region, arena, registry, &registry->providers[i],
                                  &breakers[count++]);
    return (struct object_list){count, breakers};
}

void provider_breaker_reset(struct shm_region *region, struct arena *arena, const char *provider)
{
    breaker_reset(region, models_breaker_name(arena, provider));
    breaker_reset(region, models_failover_name(arena, provider));
}
