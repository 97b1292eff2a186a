/*
 * Configuration of language model providers: the built-in providers of config/providers.yaml, for
 * all services, and the entries of support's registry file, which has the same form. Does not
 * depend on how a service selects providers.
 */
#ifndef ASSAY_LLM_PROVIDERS_H
#define ASSAY_LLM_PROVIDERS_H

#include "base/schema.h"
#include "llm/llm.h"

enum { PROVIDER_MODELS_MAX = 40 /* per provider */ };

enum provider_kind { PROVIDER_LOCAL, PROVIDER_PAID, PROVIDER_EMBEDDED, PROVIDER_KIND__MAX };
extern const char *const provider_kind_names[PROVIDER_KIND__MAX + 1];

/* Adds to enum llm_protocol: the orchestrator of this project, and no protocol. */
enum { PROTOCOL_ORCH = LLM_PROTOCOL__MAX, PROTOCOL_EMBEDDED, PROVIDER_PROTOCOLS };
extern const char *const provider_protocol_names[PROVIDER_PROTOCOLS + 1];

/* How the orchestrator's model list shows a model. */
struct model_listing {
    const char *id, *display_name;
    struct string_list aliases;
    int64_t timeout_seconds, concurrency_limit;
    bool reasoning;
};

struct model_entry {
    const char *name; /* name of the model at the provider */
    struct string_list aliases;
    /* US dollars. */
    struct optional_number input_price_per_1m_tokens, output_price_per_1m_tokens;
    struct optional_number cached_input_price_per_1m_tokens;
    struct optional_number cache_write_price_per_1m_tokens, cache_write_hour_price_per_1m_tokens;
    const struct model_listing *orchestrator; /* NULL = the orchestrator does not list it */
};

struct model_defaults {
    const char *fast, *strong; /* names or aliases */
};

struct provider_capabilities {
    bool supports_tool_use, supports_structured_output, supports_streaming, supports_batch,
        supports_vision;
};

struct provider_limits {
    int64_t requests_per_minute, tokens_per_minute; /* 0 = unlimited */
};

struct provider_entry {
    const char *id, *label, *base_url, *api_key_env;
    int kind, protocol;
    bool enabled;
    double timeout_seconds;
    const struct model_defaults *default_models;
    const struct provider_capabilities *capabilities;
    const struct provider_limits *rate_limits;
    OBJECT_LIST(struct model_entry, models);
    struct string_list services; /* built-in providers only: the services that offer them */
    const char *advice_model;    /* built-in providers only; NULL = a setting names it */
};

SCHEMA_OF(model_defaults_schema, struct model_defaults);
SCHEMA_OF(provider_capabilities_schema, struct provider_capabilities);
SCHEMA_OF(provider_limits_schema, struct provider_limits);
/* An entry of an operator's registry file. */
SCHEMA_OF(provider_entry_schema, struct provider_entry);

/* The built-in providers. All memory is from the arena. */
struct providers_file {
    OBJECT_LIST(struct provider_entry, providers);
    const char *default_profile; /* support's registry file, like the next function */
    json_t *routing_profiles;
};
const struct providers_file *providers_built_in(struct arena *arena);

/* Whether a service offers a built-in provider. */
bool provider_serves(const struct provider_entry *provider, const char *service);

#endif
