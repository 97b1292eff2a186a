/* The schemas of providers, and the built-in file. */
#include "llm/providers.h"

#include "base/string_list.h"
#include "base/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const provider_kind_names[PROVIDER_KIND__MAX + 1] = {"local", "paid", "embedded", NULL};
const char *const provider_protocol_names[PROVIDER_PROTOCOLS + 1] = {
    "openai", "anthropic", "mistral", "ollama", "gemini", "azure", "orch", "embedded", NULL};

#define OWNER struct model_listing
static const struct field listing_fields[] = {
    STRING(OWNER, id, .required = true, .min_length = 1, .max_length = 120),
    STRING(OWNER, display_name, .required = true, .max_length = 200),
    STRINGS(OWNER, aliases, .max_length = 20),
    INTEGER(OWNER, timeout_seconds, .default_value = 60, .lower = AT_LEAST(1),
            .upper = AT_MOST(3600)),
    INTEGER(OWNER, concurrency_limit, .default_value = 256, .lower = AT_LEAST(1),
            .upper = AT_MOST(16384)),
    BOOLEAN(OWNER, reasoning),
};
#undef OWNER
static SCHEMA(listing_schema, struct model_listing, "ModelListing", listing_fields);

#define OWNER struct model_entry
#define PRICE(member) NULLABLE_NUMBER(OWNER, member, .lower = AT_LEAST(0))
#define MODEL_ROWS                                                                                 \
    STRING(OWNER, name, .required = true, .min_length = 1, .max_length = 200),                     \
        STRINGS(OWNER, aliases, .max_length = 20), PRICE(input_price_per_1m_tokens),               \
        PRICE(output_price_per_1m_tokens)
static const struct field model_fields[] = {MODEL_ROWS};
static SCHEMA(model_schema, struct model_entry, "RegistryModel", model_fields);

static const struct field built_in_model_fields[] = {
    MODEL_ROWS,
    PRICE(cached_input_price_per_1m_tokens),
    PRICE(cache_write_price_per_1m_tokens),
    PRICE(cache_write_hour_price_per_1m_tokens),
    OBJECT(OWNER, orchestrator, listing_schema, .nullable = true),
};
#undef MODEL_ROWS
#undef PRICE
#undef OWNER
static SCHEMA(built_in_model_schema, struct model_entry, "BuiltInModel", built_in_model_fields);

#define OWNER struct model_defaults
static const struct field defaults_fields[] = {STRING(OWNER, fast, .required = true),
                                               STRING(OWNER, strong, .required = true)};
#undef OWNER
SCHEMA(model_defaults_schema, struct model_defaults, "RegistryDefaults", defaults_fields);

#define OWNER struct provider_capabilities
static const struct field capability_fields[] = {
    BOOLEAN(OWNER, supports_tool_use),  BOOLEAN(OWNER, supports_structured_output),
    BOOLEAN(OWNER, supports_streaming), BOOLEAN(OWNER, supports_batch),
    BOOLEAN(OWNER, supports_vision),
};
#undef OWNER
SCHEMA(provider_capabilities_schema, struct provider_capabilities, "RegistryCapabilities",
       capability_fields);

#define OWNER struct provider_limits
static const struct field limit_fields[] = {
    INTEGER(OWNER, requests_per_minute, .lower = AT_LEAST(0), .upper = AT_MOST(1e6)),
    INTEGER(OWNER, tokens_per_minute, .lower = AT_LEAST(0), .upper = AT_MOST(1e9)),
};
#undef OWNER
SCHEMA(provider_limits_schema, struct provider_limits, "RegistryLimits", limit_fields);

#define OWNER struct provider_entry
#define PROVIDER_ROWS                                                                              \
    STRING(OWNER, id, .required = true, .min_length = 1, .max_length = 60),                        \
        STRING(OWNER, label, .nullable = true, .max_length = 200),                                 \
        STRING(OWNER, base_url, .nullable = true, .max_length = 500),                              \
        STRING(OWNER, api_key_env, .nullable = true, .max_length = 100),                           \
        CHOICE(OWNER, kind, provider_kind_names, .required = true,                                 \
               .choice_count = PROVIDER_KIND__MAX),                                                \
        CHOICE(OWNER, protocol, provider_protocol_names, .required = true,                         \
               .choice_count = PROVIDER_PROTOCOLS),                                                \
        BOOLEAN(OWNER, enabled, .default_value = 1),                                               \
        NUMBER(OWNER, timeout_seconds, .default_value = 60, .lower = ABOVE(0),                     \
               .upper = AT_MOST(600)),                                                             \
        OBJECT(OWNER, capabilities, provider_capabilities_schema, .nullable = true),               \
        OBJECT(OWNER, rate_limits, provider_limits_schema, .nullable = true)
static const struct field entry_fields[] = {
    PROVIDER_ROWS,
    OBJECT(OWNER, default_models, model_defaults_schema, .required = true),
    OBJECTS(OWNER, models, model_schema, .required = true, .min_length = 1,
            .max_length = PROVIDER_MODELS_MAX),
};
SCHEMA(provider_entry_schema, struct provider_entry, "RegistryProvider", entry_fields);

static const struct field built_in_fields[] = {
    PROVIDER_ROWS,
    OBJECT(OWNER, default_models, model_defaults_schema, .nullable = true),
    OBJECTS(OWNER, models, built_in_model_schema, .max_length = PROVIDER_MODELS_MAX),
    STRINGS(OWNER, services, .required = true, .min_length = 1),
    STRING(OWNER, advice_model, .nullable = true),
};
#undef PROVIDER_ROWS
#undef OWNER
static SCHEMA(built_in_schema, struct provider_entry, "BuiltInProvider", built_in_fields);

#define OWNER struct providers_file
static const struct field file_fields[] = {
    OBJECTS(OWNER, providers, built_in_schema, .required = true),
    STRING(OWNER, default_profile, .required = true),
    JSON_OBJECT(OWNER, routing_profiles, .required = true),
};
#undef OWNER
static SCHEMA(file_schema, struct providers_file, "BuiltInProviders", file_fields);

/* The bytes of the file; the Makefile names it as a prerequisite. */
__asm__(".section .rodata\n"
        ".global llm_providers_yaml\n"
        "llm_providers_yaml:\n"
        ".incbin \"config/providers.yaml\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char llm_providers_yaml[];

/* An error in the file is a programming error, which a unit test finds. If libyaml cannot allocate
 * memory, the process ends as it does in arena_alloc(). */
const struct providers_file *providers_built_in(struct arena *arena)
{
    static const char path[] = "config/providers.yaml";
    struct providers_file *file = ARENA_NEW(arena, struct providers_file);
    struct schema_errors errors = {.arena = arena};
    struct problem problem = {0};
    json_t *document;
    enum error error =
        yaml_read(arena, path, llm_providers_yaml, strlen(llm_providers_yaml), &document, &problem);

    if (error == ERROR_SYSTEM)
        (void)arena_alloc_array(arena, SIZE_MAX, 2); /* uses up the document */
    if (error || schema_decode(&file_schema, document, "file", file, &errors, arena)) {
        fprintf(stderr, "%s: %s\n", path, error ? problem.text : "a member is wrong");
        abort();
    }
    return file;
}

bool provider_serves(const struct provider_entry *provider, const char *service)
{
    return string_list_has(&provider->services, service);
}
