/* Providers and profiles without a file. The embedded engine and what LLM_CHAT_URL names are added
 * to whatever is read. */
#include "support/models/registry_builtin.h"

#include <string.h>

#define MODEL(name, aliases, input, output)                                                        \
    "{\"name\":\"" name "\",\"aliases\":[" aliases "],\"input_price_per_1m_tokens\":" input        \
    ",\"output_price_per_1m_tokens\":" output "}"
#define TARGET(provider, model) "{\"provider\":\"" provider "\",\"model\":\"" model "\"}"

const char registry_built_in[] =
    "{\"default_profile\":\"embedded\",\"providers\":["
    "{\"id\":\"ollama\",\"label\":\"Ollama\",\"kind\":\"local\",\"protocol\":\"ollama\","
    "\"default_models\":{\"fast\":\"ollama-tiny\",\"strong\":\"ollama-small\"},"
    "\"capabilities\":{\"supports_streaming\":true},\"models\":[" MODEL(
        "qwen2.5:7b", "\"ollama-small\",\"ollama-fast\"",
        "0", "0") "," MODEL("llama3.2:3b", "\"ollama-tiny\"",
                            "0", "0") "]},"
                                      "{\"id\":\"orch\",\"label\":\"Orchestrator\",\"kind\":"
                                      "\"local\",\"protocol\":\"orch\","
                                      "\"api_key_env\":\"ORCH_API_KEY\","
                                      "\"default_models\":{\"fast\":\"orch-fast\",\"strong\":"
                                      "\"orch-strong\"},"
                                      "\"capabilities\":{\"supports_streaming\":true},\"models\":"
                                      "[" MODEL("sonar-2", "\"orch-fast\"", "0", "0") "," MODEL(
                                          "claude-sonnet-4-6", "\"orch-strong\"", "0",
                                          "0") "," MODEL("gpt-5-4-api", "", "0",
                                                         "0") "]},"
                                                              "{\"id\":\"mistral\",\"label\":"
                                                              "\"Mistral\",\"kind\":\"paid\","
                                                              "\"protocol\":"
                                                              "\"mistral\","
                                                              "\"base_url\":\"https://"
                                                              "api.mistral.ai/"
                                                              "v1\",\"api_key_env\":\"MISTRAL_API_"
                                                              "KEY\","
                                                              "\"default_models\":{\"fast\":"
                                                              "\"mistral-small\",\"strong\":"
                                                              "\"mistral-large\"}"
                                                              ","
                                                              "\"capabilities\":{\"supports_"
                                                              "streaming\":true,\"supports_tool_"
                                                              "use\":true},"
                                                              "\"rate_limits\":{\"requests_per_"
                                                              "minute\":60,\"tokens_per_minute\":"
                                                              "500000},"
                                                              "\"models\":[" MODEL("ministral-3b-"
                                                                                   "latest",
                                                                                   "\"ministral-"
                                                                                   "3b\",\"mistral-"
                                                                                   "tiny\"",
                                                                                   "0.04", "0.04") "," MODEL("ministral-8b-latest", "\"ministral-8b\"", "0.10", "0.10") "," MODEL("mistral-small-latest", "\"mistral-small\"", "0.20", "0.60") "," MODEL("mistral-large-latest", "\"mistral-large\"", "2.00", "6.00") "]}],"
                                                                                                                                                                                                                                                                                                                      "\"routing_profiles\":{"
                                                                                                                                                                                                                                                                                                                      "\"local-first\":{\"description\":\"Models of "
                                                                                                                                                                                                                                                                                                                      "this machine\",\"fast\":" TARGET(
                                                                                                                                                                                                                                                                                                                          "ollama", "ol"
                                                                                                                                                                                                                                                                                                                                    "la"
                                                                                                                                                                                                                                                                                                                                    "ma"
                                                                                                                                                                                                                                                                                                                                    "-t"
                                                                                                                                                                                                                                                                                                                                    "in"
                                                                                                                                                                                                                                                                                                                                    "y") ",\"strong\":" TARGET("ollama",
                                                                                                                                                                                                                                                                                                                                                               "ollama-small") "},"
                                                                                                                                                                                                                                                                                                                                                                               "\"orch-primary\":{"
                                                                                                                                                                                                                                                                                                                                                                               "\"description\":\"The "
                                                                                                                                                                                                                                                                                                                                                                               "orchestrator, else models "
                                                                                                                                                                                                                                                                                                                                                                               "of this "
                                                                                                                                                                                                                                                                                                                                                                               "machine\","
                                                                                                                                                                                                                                                                                                                                                                               "\"fast\":" TARGET("orch", "orch-fast") ",\"strong\":" TARGET("orch", "orch-strong") ",\"fallback\":" TARGET(
                                                                                                                                                                                                                                                                                                                                                                                   "ollama", "ollama-small") "},"
                                                                                                                                                                                                                                                                                                                                                                                                             "\"exte"
                                                                                                                                                                                                                                                                                                                                                                                                             "rnal-"
                                                                                                                                                                                                                                                                                                                                                                                                             "mistra"
                                                                                                                                                                                                                                                                                                                                                                                                             "l\":{"
                                                                                                                                                                                                                                                                                                                                                                                                             "\"desc"
                                                                                                                                                                                                                                                                                                                                                                                                             "riptio"
                                                                                                                                                                                                                                                                                                                                                                                                             "n\":"
                                                                                                                                                                                                                                                                                                                                                                                                             "\"Mist"
                                                                                                                                                                                                                                                                                                                                                                                                             "ral, "
                                                                                                                                                                                                                                                                                                                                                                                                             "paid\""
                                                                                                                                                                                                                                                                                                                                                                                                             ",\"fas"
                                                                                                                                                                                                                                                                                                                                                                                                             "t\""
                                                                                                                                                                                                                                                                                                                                                                                                             ":" TARGET("mistral",
                                                                                                                                                                                                                                                                                                                                                                                                                        "mistral-small") ",\"strong\":" TARGET("mi"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "st"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "ra"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "l",
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "mi"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "st"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "ra"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "l-"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "la"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "rg"
                                                                                                                                                                                                                                                                                                                                                                                                                                                               "e") "},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"orch-mixed\":{\"description\":\"Mistral for small things, the orchestrator for answers\","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"fast\":" TARGET(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "mistral", "mistral-small") ",\"strong\":" TARGET("orch",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "orch-strong") "}}}";

/* The endpoint of LLM_CHAT_URL in the form of the file of providers. */
struct chat_model {
    const char *name;
    double input_price_per_1m_tokens, output_price_per_1m_tokens;
};

#define OWNER struct chat_model
static const struct field chat_model_fields[] = {STRING(OWNER, name),
                                                 NUMBER(OWNER, input_price_per_1m_tokens),
                                                 NUMBER(OWNER, output_price_per_1m_tokens)};
#undef OWNER
static SCHEMA(chat_model_schema, struct chat_model, "ChatModel", chat_model_fields);

struct chat_defaults {
    const char *fast, *strong;
};

#define OWNER struct chat_defaults
static const struct field chat_defaults_fields[] = {STRING(OWNER, fast), STRING(OWNER, strong)};
#undef OWNER
static SCHEMA(chat_defaults_schema, struct chat_defaults, "ChatDefaults", chat_defaults_fields);

struct chat_capabilities {
    bool supports_streaming, supports_tool_use;
};

#define OWNER struct chat_capabilities
static const struct field chat_capabilities_fields[] = {BOOLEAN(OWNER, supports_streaming),
                                                        BOOLEAN(OWNER, supports_tool_use)};
#undef OWNER
static SCHEMA(chat_capabilities_schema, struct chat_capabilities, "ChatCapabilities",
              chat_capabilities_fields);

struct chat_provider {
    const char *id, *kind, *protocol, *base_url, *api_key_env;
    double timeout_seconds;
    const struct chat_defaults *default_models;
    const struct chat_capabilities *capabilities;
    OBJECT_LIST(struct chat_model, models);
};

#define OWNER struct chat_provider
static const struct field chat_provider_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, kind),
    STRING(OWNER, protocol),
    STRING(OWNER, base_url),
    STRING(OWNER, api_key_env, .nullable = true),
    NUMBER(OWNER, timeout_seconds),
    OBJECT(OWNER, default_models, chat_defaults_schema),
    OBJECT(OWNER, capabilities, chat_capabilities_schema),
    OBJECTS(OWNER, models, chat_model_schema)};
#undef OWNER
static SCHEMA(chat_provider_schema, struct chat_provider, "ChatProvider", chat_provider_fields);

static struct chat_model chat_model_of(const struct support_settings *settings, const char *name,
                                       const json_t *prices)
{
    const json_t *own = json_object_get(prices, name);
    const json_t *input = json_object_get(own, "input"), *output = json_object_get(own, "output");

    return (struct chat_model){
        .name = name,
        .input_price_per_1m_tokens =
            json_is_number(input) ? json_number_value(input) : settings->input_price,
        .output_price_per_1m_tokens =
            json_is_number(output) ? json_number_value(output) : settings->output_price};
}

const char *registry_chat_json(struct arena *arena, const struct support_settings *settings,
                               const json_t *prices)
{
    const char *fast = settings->chat_fast_model ? settings->chat_fast_model : settings->chat_model;
    bool paid = settings->input_price > 0 || settings->output_price > 0 || prices;
    const struct chat_defaults defaults = {.fast = fast, .strong = settings->chat_model};
    const struct chat_capabilities capabilities = {.supports_streaming = true,
                                                   .supports_tool_use = true};
    struct chat_model models[] = {chat_model_of(settings, settings->chat_model, prices),
                                  chat_model_of(settings, fast, prices)};
    const struct chat_provider provider = {
        .id = "openai",
        .kind = provider_kind_names[paid ? PROVIDER_PAID : PROVIDER_LOCAL],
        .protocol = llm_protocol_names[settings->chat_protocol],
        .base_url = settings->chat_url,
        .api_key_env = settings->chat_api_key_env,
        .timeout_seconds = settings->chat_timeout_sec,
        .default_models = &defaults,
        .capabilities = &capabilities,
        .models = {strcmp(fast, settings->chat_model) != 0 ? 2 : 1, models}};

    return schema_json(arena, 1 << 16, &chat_provider_schema, &provider);
}
