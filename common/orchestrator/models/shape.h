/* JSON schemas of catalog models: as stored, and as the API lists them. */
#ifndef ASSAY_ORCHESTRATOR_MODELS_SHAPE_H
#define ASSAY_ORCHESTRATOR_MODELS_SHAPE_H

#include "base/schema.h"
#include "orchestrator/models/catalog.h"

extern const char *const latency_class_names[3];

struct model_shape {
    const char *id, *display_name;
    struct string_list aliases;
    int adapter_kind; /* enum backend */
    const char *provider, *provider_model_id;
    int64_t timeout_seconds;
    int expected_latency_class;
    int64_t concurrency_limit;
    bool reasoning_capable;
    const char *fallback_model_id;
    /* Members of the list only. */
    struct optional_boolean available;
    const char *availability_status;
    struct optional_integer availability_checked_at;
    const char *availability_source;
    struct optional_integer last_verified_at;
    bool callable;                /* as the settings are now */
    const char *why_not_callable; /* NULL = it is */
    struct optional_number usd_per_1000_input, usd_per_1000_output;
    bool was_added;         /* by an administrator, who can remove it */
    const char *key_ending; /* shown to administrators */
};

/* Schema of the stored list of browser models. */
SCHEMA_OF(stored_model_schema, struct model_shape);
/* Schema of the catalog in the API. */
SCHEMA_OF(model_schema, struct model_shape);

/* Fills in all members except those of the availability. */
struct model_shape model_shape_of(const struct model *model);

#endif
