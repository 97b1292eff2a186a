/* The schemas of models. */
#include "orchestrator/models/shape.h"

const char *const latency_class_names[3] = {"fast", "slow", NULL};

#define OWNER struct model_shape
static const struct field stored_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, display_name),
    STRINGS(OWNER, aliases),
    CHOICE(OWNER, adapter_kind, backend_names, .choice_count = BACKEND__MAX),
    STRING(OWNER, provider),
    STRING(OWNER, provider_model_id),
    INTEGER(OWNER, timeout_seconds),
    CHOICE(OWNER, expected_latency_class, latency_class_names, .choice_count = 2),
    INTEGER(OWNER, concurrency_limit),
    BOOLEAN(OWNER, reasoning_capable),
    STRING(OWNER, fallback_model_id, .nullable = true),
};
SCHEMA(stored_model_schema, struct model_shape, "StoredModel", stored_fields,
       .extra = EXTRA_IGNORE);

static const struct field model_fields[] = {
    STRING(OWNER, id),
    STRING(OWNER, display_name),
    STRINGS(OWNER, aliases),
    CHOICE(OWNER, adapter_kind, backend_names, .choice_count = BACKEND__MAX),
    STRING(OWNER, provider),
    BOOLEAN(OWNER, reasoning_capable),
    INTEGER(OWNER, timeout_seconds),
    CHOICE(OWNER, expected_latency_class, latency_class_names, .choice_count = 2),
    INTEGER(OWNER, concurrency_limit),
    NULLABLE_BOOLEAN(OWNER, available),
    STRING(OWNER, availability_status,
           .help = "static, unknown, observed_available, observed_unverified or "
                   "observed_unavailable."),
    MOMENT(OWNER, availability_checked_at, .time = TIME_Z),
    STRING(OWNER, availability_source, .nullable = true),
    BOOLEAN(OWNER, callable, .help = "Whether it can be called as the settings are."),
    STRING(OWNER, why_not_callable, .nullable = true),
    MOMENT(OWNER, last_verified_at, .time = TIME_Z),
    NULLABLE_NUMBER(OWNER, usd_per_1000_input, .help = "Price of a thousand tokens."),
    NULLABLE_NUMBER(OWNER, usd_per_1000_output),
    BOOLEAN(OWNER, was_added, .help = "By an administrator, who can remove it."),
    STRING(OWNER, key_ending, .nullable = true,
           .help = "The last characters of its stored key, empty for a short one; for "
                   "administrators. null: it has none."),
};
#undef OWNER
SCHEMA(model_schema, struct model_shape, "Model", model_fields);

static struct optional_number per_1000(const struct model *model, int64_t price)
{
    return (struct optional_number){model->priced, (double)price * 1000 / NANO_PER_DOLLAR};
}

struct model_shape model_shape_of(const struct model *model)
{
    return (struct model_shape){.id = model->id,
                                .display_name = model->display_name,
                                .aliases = model->aliases,
                                .adapter_kind = (int)model->backend,
                                .provider = model->provider,
                                .provider_model_id = model->provider_model_id,
                                .timeout_seconds = model->timeout_seconds,
                                .expected_latency_class = model->fast ? 0 : 1,
                                .concurrency_limit = model->concurrency_limit,
                                .reasoning_capable = model->reasoning_capable,
                                .fallback_model_id = model->fallback_model_id,
                                .usd_per_1000_input = per_1000(model, model->input_price),
                                .usd_per_1000_output = per_1000(model, model->output_price),
                                .was_added = model->was_added};
}
