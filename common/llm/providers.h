/*
 * Providers of language models as configuration describes them: the built-in ones of
 * config/providers.yaml, for all services, and the entries of support's registry file, which has
 * the same form. It must not know how a service chooses among them.
 */
#ifndef ASSAY_LLM_PROVIDERS_H
#define ASSAY_LLM_PROVIDERS_H

#include "base/schema.h"
#include "llm/llm.h"

enum { PROVIDER_MODELS_MAX = 40 /* of one provider */ };

enum provider_kind { PROVIDER_LOCAL, PROVIDER_PAID, PROVIDER_EMBEDDED, PROVIDER_KIND__MAX };
extern const char *const provider_kind_names[PROVIDER_KIND__MAX + 1];

/* Beyond the protocols of enum llm_protocol: our own orchestrator, and no protocol at all. */
enum { PROTOCOL_ORCH = LLM_PROTOCOL__MAX, PROTOCOL_EMBEDDED, PROVIDER_PROTOCOLS };
extern const char *const provider_protocol_names[PROVIDER_PROTOCOLS + 1];

/* How the orchestrator lists a model. */
struct model_listing {
    const char *id, *display_name;
    struct string_list aliases;
    int64_t timeout_seconds, concurrency_limit;
    bool reasoning;
};

struct model_entry {
    const char *name; /* as the provider calls it */
    struct string_list aliases;
    /* Dollars. */
    struct optional_number input_price_per_1m_tokens, output_price_per_1m_tokens;
    struct optional_number cached_input_price_per_1m_tokens;
    struct optional_number cache_write_price_per_1m_tokens, cache_write_hour_price_per_1m_tokens;
    const struct model_listing *orchestrator; /* NULL = it is not listed there */
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
    struct string_list services; /* of built-in providers: who offers them */
    const char *advice_model;    /* of built-in providers; NULL = a setting names it */
};

SCHEMA_OF(model_defaults_schema, struct model_defaults);
SCHEMA_OF(provider_capabilities_schema, struct provider_capabilities);
SCHEMA_OF(provider_limits_schema, struct provider_limits);
/* An entry of an operator's registry file. */
SCHEMA_OF(provider_entry_schema, struct provider_entry);

/* The built-in file. Everything comes from the arena. */
struct providers_file {
    OBJECT_LIST(struct provider_entry, providers);
    const char *default_profile; /* of support, as the next one */
    json_t *routing_profiles;
};
const struct providers_file *providers_built_in(struct arena *arena);

/* Whether a service offers a built-in provider. */
bool provider_serves(const struct provider_entry *provider, const char *service);

#endif
