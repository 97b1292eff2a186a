/*
 * The configured language models: providers with their models and prices, and profiles that select
 * providers. Built in, or read from the operator's file (YAML or JSON). An entry that does not
 * resolve prevents the start of the service. docs/use/support.md describes the file.
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
    const char *name; /* name of the model at the provider */
    struct string_list aliases;
    double input_price, output_price; /* US dollars per million tokens */
};

struct registry_provider {
    const char *id, *label;
    enum provider_kind kind;
    enum llm_protocol protocol; /* unused for the embedded provider */
    const char *protocol_name;
    const char *base_url;
    bool enabled;
    const char *api_key_env; /* name of the variable; NULL = no token is sent */
    const char *token;       /* its value; NULL when unset or a placeholder */
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
    struct registry_chain nodes[MODEL_NODE__MAX]; /* if the file lists some; else count 0 */
};

struct registry {
    struct registry_provider providers[REGISTRY_PROVIDERS_MAX];
    size_t provider_count;
    struct registry_profile *profiles;
    size_t profile_count;
    const char *default_profile;
    const struct registry_profile *active;
};

/* The registry of these settings; all memory is from the arena. ERROR_INVALID names the file and
 * the location; also when the active profile is unknown, or needs a key that is unset. */
MUST_CHECK enum error registry_load(const struct support_settings *settings, struct arena *arena,
                                    struct registry **registry, struct problem *problem);

/* NULL when no entry has that id. */
const struct registry_provider *registry_find(const struct registry *registry, const char *id);

/* The targets of a node in order: the node's own list, or the profile's fast or strong target and
 * its fallback. Without the embedded engine, which always comes last. */
struct registry_chain registry_chain_of(const struct registry_profile *profile,
                                        enum model_node node, bool fast);

/* Fills `profile` from a name: a model of an enabled provider (by name or alias, the first in the
 * file), which then serves all nodes alone, or else a profile. False when neither exists. */
bool registry_profile_of(const struct registry *registry, const char *name,
                         struct registry_profile *profile);

/* Whether any node of a profile uses the provider. */
bool registry_profile_asks(const struct registry_profile *profile,
                           const struct registry_provider *provider);

/* Whether the value of a key's variable is a placeholder. */
bool registry_is_placeholder(const char *key);

#endif
