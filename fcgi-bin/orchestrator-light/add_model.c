/* Adds a model to the store. With a key of its own it is called with that one; without, a model of
 * OpenAI or Anthropic is called at the address and with the key of the settings, and one of another
 * server without a key. */
#include "orchestrator-light/add_model.h"

#include "net/egress.h"
#include "orchestrator/model_key.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/added_model_store.h"

#include <string.h>

enum { SPEC_MAX = 8192 };
enum { API_KEY_MAX = 2000 };
enum source {
    SOURCE_OPENAI,
    SOURCE_ANTHROPIC,
    SOURCE_GEMINI,
    SOURCE_MISTRAL,
    SOURCE_AZURE,
    SOURCE_OTHER,
    SOURCE__MAX
};

static const char *const source_names[SOURCE__MAX + 1] = {
    "openai", "anthropic", "gemini", "mistral", "azure", "other", NULL};

/* How each is called: its protocol, and the address where neither the model nor the settings give
 * one. */
static const struct {
    enum llm_protocol protocol;
    const char *base_url;
    bool needs_key;
} sources[SOURCE__MAX] = {
    [SOURCE_OPENAI] = {LLM_OPENAI, NULL, false},
    [SOURCE_ANTHROPIC] = {LLM_ANTHROPIC, NULL, false},
    [SOURCE_GEMINI] = {LLM_GEMINI, "https://generativelanguage.googleapis.com/v1beta", true},
    [SOURCE_MISTRAL] = {LLM_MISTRAL, "https://api.mistral.ai/v1", true},
    [SOURCE_AZURE] = {LLM_AZURE, NULL, true},
    [SOURCE_OTHER] = {LLM_OPENAI, NULL, false},
};

struct new_model {
    const char *id, *display_name, *model, *base_url, *api_key, *api_version;
    int provider; /* enum source */
    struct optional_number usd_per_1000_input, usd_per_1000_output;
    bool reasoning;
};

#define PRICE .lower = AT_LEAST(0), .upper = AT_MOST(1000)

#define OWNER struct new_model
static const struct field new_model_fields[] = {
    STRING(OWNER, id, .required = true, .min_length = 1, .max_length = 120,
           .help = "Letters, digits and . _ : / -"),
    STRING(OWNER, display_name, .nullable = true, .max_length = 200),
    CHOICE(OWNER, provider, source_names, .choice_count = SOURCE__MAX, .required = true,
           .help = "other: a server with OpenAI's interface."),
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200,
           .help = "What the provider calls it."),
    STRING(OWNER, base_url, .nullable = true, .max_length = 500,
           .help = "Of another server, as http://127.0.0.1:11434/v1; https unless it is on this "
                   "host. Models of openai and anthropic without a key of their own are called at "
                   "the address of the settings."),
    STRING(OWNER, api_key, .nullable = true, .secret = true, .max_length = API_KEY_MAX,
           .help = "Stored encrypted and never shown. Without one, models of openai and anthropic "
                   "are called with the key of the settings, and another server without a key."),
    STRING(OWNER, api_version, .nullable = true, .max_length = 60,
           .help = "Of Azure's deployments, as 2024-10-21."),
    NULLABLE_NUMBER(OWNER, usd_per_1000_input, PRICE, .help = "Without prices it costs nothing."),
    NULLABLE_NUMBER(OWNER, usd_per_1000_output, PRICE),
    BOOLEAN(OWNER, reasoning, .default_value = 0),
};
#undef OWNER
SCHEMA(new_model_schema, struct new_model, "NewModel", new_model_fields,
       .example = "{\"id\":\"gpt-mini\",\"provider\":\"openai\",\"model\":\"gpt-5.4-mini\"}");

struct model_name {
    const char *id;
};

#define OWNER struct model_name
static const struct field added_model_fields[] = {STRING(OWNER, id)};
#undef OWNER
SCHEMA(added_model_schema, struct model_name, "AddedModel", added_model_fields);

/* The object of ORCH_MODELS_FILE. */
struct spec {
    const char *id, *display_name, *provider, *protocol, *model, *base_url, *api_version;
    struct optional_number usd_per_1000_input, usd_per_1000_output;
    bool reasoning;
};

#define OWNER struct spec
static const struct field spec_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, display_name, .nullable = true),
    STRING(OWNER, provider),
    STRING(OWNER, protocol),
    STRING(OWNER, model),
    STRING(OWNER, base_url),
    STRING(OWNER, api_version, .nullable = true),
    NULLABLE_NUMBER(OWNER, usd_per_1000_input),
    NULLABLE_NUMBER(OWNER, usd_per_1000_output),
    BOOLEAN(OWNER, reasoning),
};
#undef OWNER
static SCHEMA(spec_schema, struct spec, "AddedModelSpec", spec_fields);

static enum error fault(struct request *request, const char *field, const char *text)
{
    return request_fault(request, "body", field, "value_error", text);
}

/* An address on this host needs no TLS. */
static bool is_on_this_host(const char *host)
{
    return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
           strcmp(host, "[::1]") == 0 || strcmp(host, "::1") == 0;
}

static enum error check_address(struct request *request, const char *url)
{
    char host[EGRESS_HOST_MAX];
    struct problem problem = {0};

    if (!url)
        return fault(request, "base_url", "Value error, Another server needs an address.");
    if (egress_host(url, host, &problem))
        return fault(request, "base_url", "Value error, This is no address of a server.");
    if (strncmp(url, "https:", sizeof "https:" - 1) != 0 && !is_on_this_host(host))
        return fault(request, "base_url", "Value error, An address on another host needs https.");
    return ERROR_NONE;
}

static bool has_key(const struct new_model *model)
{
    return model->api_key && *model->api_key;
}

/* The address where the key of the settings is used, which goes nowhere else. */
static const char *address_of_settings(struct request *request, const struct new_model *model)
{
    const struct orchestrator_settings *settings = service_settings(request);

    return model->provider == SOURCE_OPENAI      ? settings->openai.base_url
           : model->provider == SOURCE_ANTHROPIC ? settings->anthropic.base_url
                                                 : NULL;
}

static bool has_own_address(const struct new_model *model)
{
    bool may_be_of_settings =
        model->provider == SOURCE_OPENAI || model->provider == SOURCE_ANTHROPIC;

    return model->base_url && *model->base_url && (has_key(model) || !may_be_of_settings);
}

static bool needs_address(const struct new_model *model)
{
    return model->provider == SOURCE_OTHER || model->provider == SOURCE_AZURE;
}

static enum error check(struct request *request, const struct new_model *model)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/-";

    if (strspn(model->id, allowed) != strlen(model->id))
        return fault(request, "id", "Value error, Use letters, digits and . _ : / - only.");
    if (catalog_find(service_worker(request)->catalog, model->id))
        return problem_set(&request->problem, ERROR_CONFLICT, "model_exists",
                           "There is a model '%s' already.", model->id);
    if (model->usd_per_1000_input.given != model->usd_per_1000_output.given)
        return fault(request, "usd_per_1000_output", "Value error, Give both prices or none.");
    if (sources[model->provider].needs_key && !has_key(model))
        return fault(request, "api_key", "Value error, Models of this provider need a key.");
    return needs_address(model) || has_own_address(model) ? check_address(request, model->base_url)
                                                          : ERROR_NONE;
}

static struct spec spec_of(struct request *request, const struct new_model *model)
{
    const char *usual = address_of_settings(request, model);
    struct spec spec = {.id = model->id,
                        .display_name = model->display_name,
                        .provider = source_names[model->provider],
                        .protocol = llm_protocol_names[sources[model->provider].protocol],
                        .model = model->model,
                        .base_url = has_own_address(model) ? model->base_url
                                    : usual                ? usual
                                                           : sources[model->provider].base_url,
                        .api_version = model->api_version,
                        .usd_per_1000_input = model->usd_per_1000_input,
                        .usd_per_1000_output = model->usd_per_1000_output,
                        .reasoning = model->reasoning};

    return spec;
}

enum error model_add_handle(struct request *request, struct reply *reply)
{
    const struct new_model *model = request->body;
    struct model_name *name = ARENA_NEW(request->arena, struct model_name);
    struct added_model added = {.id = model->id};
    struct spec spec;
    struct db *db;
    enum error error = check(request, model);

    if (!error)
        error = model_key_of(request, model->id, model->api_key, &added.key);
    if (!error)
        error = service_database(request, &db);
    if (error)
        return error;
    spec = spec_of(request, model);
    added.spec = schema_json(request->arena, SPEC_MAX, &spec_schema, &spec);
    name->id = model->id;
    reply->object = name;
    return added_model_add(db, &added, request->who.subject, &request->problem);
}
