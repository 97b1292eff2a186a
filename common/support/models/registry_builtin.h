/* Private to common/support/models: the registry without a file, in the file's own form. */
#ifndef ASSAY_SUPPORT_MODELS_REGISTRY_BUILTIN_H
#define ASSAY_SUPPORT_MODELS_REGISTRY_BUILTIN_H

#include "base/schema.h"
#include "support/models/registry.h"

extern const char registry_built_in[]; /* JSON */

/* The endpoint of LLM_CHAT_URL as a provider, JSON. `prices` are those of LLM_MODEL_PRICES, by
 * model; NULL = none. */
const char *registry_chat_json(struct arena *arena, const struct support_settings *settings,
                               const json_t *prices);

#endif
