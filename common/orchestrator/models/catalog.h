/*
 * The callable models: those of the web provider's page and those behind an API, with names,
 * concurrency limits and prices. Names are compared without case, punctuation and the words for
 * reasoning.
 */
#ifndef ASSAY_ORCHESTRATOR_MODELS_CATALOG_H
#define ASSAY_ORCHESTRATOR_MODELS_CATALOG_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"
#include "llm/llm.h"
#include "orchestrator/names.h"

enum { CATALOG_MODELS_MAX = 200 };

/* Costs are in billionths of a US dollar, so that prices per token are integers. */
enum { NANO_PER_DOLLAR = 1000000000 };

enum { DEPLOYMENTS_MAX = 16, DEPLOYMENT_PRIORITY_MAX = 1000 };

/* A further place where a model runs. */
struct deployment {
    const char *base_url, *model, *api_key_env, *api_version; /* NULL = as the model has it */
    int64_t weight, priority;
    const char *token, *missing_key;
};

/* How one of the places with the best priority is chosen. */
enum routing { ROUTE_BY_WEIGHT, ROUTE_LEAST_BUSY, ROUTING__MAX };
extern const char *const routing_names[ROUTING__MAX + 1];

struct model {
    const char *id;
    const char *display_name;
    struct string_list aliases;
    enum backend backend;
    const char *provider; /* "web_provider", "openai", "anthropic", or an operator's own name */
    const char *provider_model_id;
    int64_t timeout_seconds;
    bool fast;
    int64_t concurrency_limit;
    bool reasoning_capable;
    const char *fallback_model_id; /* NULL = none */
    bool priced;
    /* Billionths of a US dollar per token: of the prompt, of its parts read from the provider's
     * cache, or written to the cache for minutes or an hour, and of the answer. */
    int64_t input_price, cached_price, cache_write_price, cache_write_hour_price, output_price;
    enum llm_protocol protocol; /* of an API */
    bool embeds;                /* makes vectors, no answers */
    /* Address of a model, where it differs from the provider's setting. */
    bool own;
    const char *base_url;
    const char *api_version; /* of Azure's deployments; NULL */
    const char *token;
    const struct deployment *deployments; /* all places, if there are several */
    size_t deployment_count;
    enum routing routing;
    int64_t max_retries;     /* of an own model */
    const char *missing_key; /* the variable for its key, if that is unset; NULL = none */
    bool was_added;          /* by an administrator, on a page, as the next two */
    const char *key_ending;  /* of its stored key; NULL = it has none */
    bool key_is_lost;        /* another secret encrypted it, or it was changed */
};

struct catalog {
    struct model *models; /* browser models first, in the page's order; then the others */
    size_t count;
    size_t browser_count;
    const char *source;        /* "dry-run-static", "web-provider-model-menu", "api-static" */
    int64_t checked_at;        /* time of the browser models; 0 = not observed */
    const char *default_model; /* the default model; NULL = plan_default_model() */
    bool is_closed;            /* only its models have names: those that a key may call */
};

/* The built-in models: the last known browser models (when `with_browser_models`), and those of
 * config/providers.yaml. */
void catalog_make_static(struct arena *arena, bool with_browser_models, struct catalog *catalog);

/* A catalog of browser models with these labels, and the built-in APIs. */
void catalog_make_from_labels(struct arena *arena, const struct string_list *labels,
                              struct catalog *catalog);

/* A catalog of browser models with these labels, read at that time, and all other models of `base`,
 * which must outlive it. */
void catalog_set_model_list(struct arena *arena, const struct catalog *base,
                            const struct string_list *labels, int64_t checked_at,
                            struct catalog *catalog);

/* Adds the models of an operator's file: a JSON array of objects with id, provider, protocol
 * (openai, azure, anthropic, gemini, mistral, ollama), model, base_url, and optionally
 * display_name, aliases, api_key_env, api_version, embeddings, deployments, routing, max_retries,
 * timeout_seconds, concurrency_limit, reasoning, fallback, and the prices usd_per_1000_input,
 * _output, _cached_input and _cache_write. Errors name the file and the member. */
MUST_CHECK enum error catalog_add_file(struct arena *arena, const char *path,
                                       struct catalog *catalog, struct problem *problem);

/* Adds one model of such an object as text. */
MUST_CHECK enum error catalog_add_text(struct arena *arena, const char *json,
                                       struct catalog *catalog, struct problem *problem);

/* Gives the model that was added last its stored key; NULL = it cannot be decrypted. */
void catalog_set_stored_key(struct catalog *catalog, const char *key, const char *ending);

/* A copy that more models can be added to; `base` must outlive it. */
void catalog_copy(struct arena *arena, const struct catalog *base, struct catalog *copy);

/* Sets the model's address and the variable of its key (NULL = no key is sent). */
void catalog_set_access(struct model *model, const char *base_url, const char *api_key_env);

/* The normalized name: lower case, `.`, `-` and `_` as blanks, without " thinking" and " with
 * reasoning", single blanks. */
const char *catalog_normalise(struct arena *arena, const char *name);

/* The model with that name: by id, display name or alias, in the catalog's order; else a known
 * browser model that the page no longer lists. NULL for unknown names. */
const struct model *catalog_resolve(struct arena *arena, const struct catalog *catalog,
                                    const char *name);

/* Whether both names mean the same model; false when either is unknown. */
bool catalog_equivalent(struct arena *arena, const struct catalog *catalog, const char *a,
                        const char *b);

/* The model with this id, NULL when there is none. */
const struct model *catalog_find(const struct catalog *catalog, const char *id);

/* The protocol of a model; LLM_PROTOCOL__MAX = the browser, which accepts only a prompt. */
enum llm_protocol model_protocol(const struct model *model);

/* The browser model for a label of the page. */
struct model catalog_browser_model(struct arena *arena, const char *label);

/* The cost of a call; absent when the model has no price or a count is unknown. */
struct optional_integer model_cost(const struct model *model, const struct llm_usage *usage);

#endif
