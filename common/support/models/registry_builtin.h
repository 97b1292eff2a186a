/* Private to common/support/models: the registry without a file, in the file's own form. */
#ifndef ASSAY_SUPPORT_MODELS_REGISTRY_BUILTIN_H
#define ASSAY_SUPPORT_MODELS_REGISTRY_BUILTIN_H

extern const char registry_built_in[]; /* JSON */

#endif
