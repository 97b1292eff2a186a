/* Adds a model to the store. The keys of providers stay in the settings: a model of a known
 * provider is called at its address with its key, one of another server without a key. */
#include "orchestrator-light/add_model.h"

#include "net/egress.h"
#include "orchestrator/service.h"
#include "orchestrator/storage/added_model_store.h"

#include <string.h>

enum { SPEC_MAX = 8192 };
enum source { SOURCE_OPENAI, SOURCE_ANTHROPIC, SOURCE_OTHER, SOURCE__MAX };

static const char *const source_names[SOURCE__MAX + 1] = {"openai", "anthropic", "other", NULL};

struct new_model {
    const char *id, *display_name, *model, *base_url;
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
           .help = "openai and anthropic: with the address and the key of the settings. other: a "
                   "server with OpenAI's interface that needs no key."),
    STRING(OWNER, model, .required = true, .min_length = 1, .max_length = 200,
           .help = "What the provider calls it."),
    STRING(OWNER, base_url, .nullable = true, .max_length = 500,
           .help = "Of another server, as http://127.0.0.1:11434/v1; https unless it is on this "
                   "host."),
    NULLABLE_NUMBER(OWNER, usd_per_1000_input, PRICE, .help = "Without prices it costs nothing."),
    NULLABLE_NUMBER(OWNER, usd_per_1000_output, PRICE),
    BOOLEAN(OWNER, reasoning, .default_value = 0),
};
#undef OWNER
SCHEMA(new_model_schema, struct new_model, "NewModel", new_model_fields,
       .example = "{\"id\":\"gpt-mini\",\"provider\":\"openai\",\"model\":\"gpt-5.4-mini\"}");

struct added_model {
    const char *id;
};

#define OWNER struct added_model
static const struct field added_model_fields[] = {STRING(OWNER, id)};
#undef OWNER
SCHEMA(added_model_schema, struct added_model, "AddedModel", added_model_fields);

/* The object of ORCH_MODELS_FILE. */
struct spec {
    const char *id, *display_name, *provider, *protocol, *model, *base_url;
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
    return model->provider == SOURCE_OTHER ? check_address(request, model->base_url) : ERROR_NONE;
}

static struct spec spec_of(struct request *request, const struct new_model *model)
{
    const struct orchestrator_settings *settings = service_settings(request);
    struct spec spec = {.id = model->id,
                        .display_name = model->display_name,
                        .provider = source_names[model->provider],
                        .protocol = model->provider == SOURCE_ANTHROPIC ? "anthropic" : "openai",
                        .model = model->model,
                        .base_url = model->base_url,
                        .usd_per_1000_input = model->usd_per_1000_input,
                        .usd_per_1000_output = model->usd_per_1000_output,
                        .reasoning = model->reasoning};

    if (model->provider == SOURCE_OPENAI)
        spec.base_url = settings->openai.base_url;
    else if (model->provider == SOURCE_ANTHROPIC)
        spec.base_url = settings->anthropic.base_url;
    return spec;
}

enum error model_add_handle(struct request *request, struct reply *reply)
{
    const struct new_model *model = request->body;
    struct added_model *added = ARENA_NEW(request->arena, struct added_model);
    struct spec spec;
    struct db *db;
    enum error error = check(request, model);

    if (!error)
        error = service_database(request, &db);
    if (error)
        return error;
    spec = spec_of(request, model);
    error =
        added_model_add(db, model->id, schema_json(request->arena, SPEC_MAX, &spec_schema, &spec),
                        request->who.subject, &request->problem);
    added->id = model->id;
    reply->object = added;
    return error;
}
