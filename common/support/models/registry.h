/*
 * The language models that are configured: providers with their models and prices, and profiles
 * that select the providers that serve. Built in, or read from the operator's file (YAML or JSON).
 * An entry that does not resolve stops the start of the service. docs/use/support.md describes the
 * file.
 */
#ifndef ASSAY_SUPPORT_MODELS_REGISTRY_H
#define ASSAY_SUPPORT_MODELS_REGISTRY_H

#include "llm/providers.h"
#include "support/settings.h"

enum { REGISTRY_PROVIDERS_MAX = 40, REGISTRY_CHAIN_MAX = 6 };

/* Nodes of the answer graph that a model may serve. */
enum model_node {
    MODEL_CLASSIFY,
    MODEL_TRANSFORM,
    MODEL_REWRITE,
    MODEL_GRADE,
    MODEL_GENERATE,
    MODEL_VERIFY,
    MODEL_EVALUATE,
    MODEL_SUGGEST,
    MODEL_NODE__MAX
};
extern const char *const model_node_names[MODEL_NODE__MAX + 1]; /* as in traces */

struct registry_model {
    const char *name; /* as the provider calls it */
    struct string_list aliases;
    double input_price, output_price; /* dollars per million tokens */
};

struct registry_provider {
    const char *id, *label;
    enum provider_kind kind;
    enum llm_protocol protocol; /* of no meaning for the embedded one */
    const char *protocol_name;
    const char *base_url;
    bool enabled;
    const char *api_key_env; /* NULL = none is sent */
    const char *token;       /* what it holds; NULL when unset or a placeholder */
    double timeout_seconds;
    struct provider_capabilities capabilities;
    struct provider_limits limits;
    struct registry_model *models;
    size_t model_count;
    const struct registry_model *fast, *strong; /* its own defaults */
};

struct registry_target {
    const struct registry_provider *provider; /* NULL = none */
    const struct registry_model *model;
};

struct registry_chain {
    struct registry_target targets[REGISTRY_CHAIN_MAX];
    size_t count;
};

struct registry_profile {
    const char *name, *description;
    struct registry_target fast, strong, fallback;
    struct registry_chain nodes[MODEL_NODE__MAX]; /* where the file lists some; else count 0 */
};

struct registry {
    struct registry_provider providers[REGISTRY_PROVIDERS_MAX];
    size_t provider_count;
    struct registry_profile *profiles;
    size_t profile_count;
    const char *default_profile;
    const struct registry_profile *active;
};

/* The registry of these settings, everything from the arena. ERROR_INVALID with a text that names
 * the file and the place; also when the active profile is unknown, or needs a key that is unset. */
MUST_CHECK enum error registry_load(const struct support_settings *settings, struct arena *arena,
                                    struct registry **registry, struct problem *problem);

/* NULL when there is none of that id. */
const struct registry_provider *registry_find(const struct registry *registry, const char *id);

/* Who serves a node, first one first: the node's own list, or the profile's fast or strong target
 * and its fallback. The embedded engine, which always comes last, is not among them. */
struct registry_chain registry_chain_of(const struct registry_profile *profile,
                                        enum model_node node, bool fast);

/* Fills `profile` as a name tells: a model of an enabled provider (by name or alias, the first in
 * the file), which then serves all nodes alone, or else a profile. False when there is neither. */
bool registry_profile_of(const struct registry *registry, const char *name,
                         struct registry_profile *profile);

/* Whether any node of a profile asks the provider. */
bool registry_profile_asks(const struct registry_profile *profile,
                           const struct registry_provider *provider);

/* Whether a value of a key's variable stands for none. */
bool registry_is_placeholder(const char *key);

#endif
