/*
 * The models that can be called: those of the web provider's page and those behind an API, with
 * names, concurrency limits and prices. Names are compared without case, punctuation and the words
 * for reasoning.
 */
#ifndef ASSAY_ORCHESTRATOR_MODELS_CATALOG_H
#define ASSAY_ORCHESTRATOR_MODELS_CATALOG_H

#include "base/arena.h"
#include "base/error.h"
#include "base/optional.h"
#include "llm/llm.h"
#include "orchestrator/names.h"

enum { CATALOG_MODELS_MAX = 200 };

/* Dollars are counted in billionths: prices per token are whole numbers then. */
enum { NANO_PER_DOLLAR = 1000000000 };

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
    /* Billionths of a dollar per token: of the prompt, of what of it was read from the provider's
     * cache, or written to it for minutes or an hour, and of the answer. */
    int64_t input_price, cached_price, cache_write_price, cache_write_hour_price, output_price;
    enum llm_protocol protocol; /* of an API */
    /* How a model is reached, where that is not the provider's setting. */
    bool own;
    const char *base_url;
    const char *token;
    const char *missing_key; /* the variable that should hold its key and does not; NULL = none */
};

struct catalog {
    struct model *models; /* those of the browser first, in the page's order; then the others */
    size_t count;
    size_t browser_count;
    const char *source;        /* "dry-run-static", "web-provider-model-menu", "api-static" */
    int64_t checked_at;        /* of the browser's models; 0 = they are not observed */
    const char *default_model; /* called when none is named; NULL = plan_default_model() */
};

/* The built-in models: those of the browser as last known (when `with_browser_models`), and those
 * of config/providers.yaml. */
void catalog_make_static(struct arena *arena, bool with_browser_models, struct catalog *catalog);

/* The browser's models of these labels, and the built-in APIs. */
void catalog_make_from_labels(struct arena *arena, const struct string_list *labels,
                              struct catalog *catalog);

/* A catalog with the browser's models of these labels, read at that time, and all other models of
 * `base`, which must outlive it. */
void catalog_set_model_list(struct arena *arena, const struct catalog *base,
                            const struct string_list *labels, int64_t checked_at,
                            struct catalog *catalog);

/* Adds the models of an operator's file: a JSON array of objects with id, provider, protocol
 * (openai, anthropic, mistral, ollama), model, base_url, and optionally display_name, aliases,
 * api_key_env, timeout_seconds, concurrency_limit, reasoning, fallback, and the
 * prices usd_per_1000_input, _output, _cached_input and _cache_write. Errors name the file and the
 * member. */
MUST_CHECK enum error catalog_add_file(struct arena *arena, const char *path,
                                       struct catalog *catalog, struct problem *problem);

/* The model is reached at this address, with the key in this variable (NULL = none is sent). */
void catalog_set_access(struct model *model, const char *base_url, const char *api_key_env);

/* Lower case, `.`, `-` and `_` as blanks, without " thinking" and " with reasoning", single blanks.
 */
const char *catalog_normalise(struct arena *arena, const char *name);

/* The model of a name: by id, display name or alias, in the catalog's order; else a known model of
 * the browser that the page lists no longer. NULL for unknown names. */
const struct model *catalog_resolve(struct arena *arena, const struct catalog *catalog,
                                    const char *name);

/* Whether both names mean the same model; false when either means none. */
bool catalog_equivalent(struct arena *arena, const struct catalog *catalog, const char *a,
                        const char *b);

/* The model with this id, NULL when there is none. */
const struct model *catalog_find(const struct catalog *catalog, const char *id);

/* The protocol of a model; LLM_PROTOCOL__MAX = the browser, which takes a prompt alone. */
enum llm_protocol model_protocol(const struct model *model);

/* The browser's model of a label of the page. */
struct model catalog_browser_model(struct arena *arena, const char *label);

/* What a call costs; not given when the model has no price or a count is not known. */
struct optional_integer model_cost(const struct model *model, const struct llm_usage *usage);

#endif
