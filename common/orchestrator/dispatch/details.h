/* Details of a call for its result and its event: one schema for all adapters, stored as JSON
 * text. */
#ifndef ASSAY_ORCHESTRATOR_DISPATCH_DETAILS_H
#define ASSAY_ORCHESTRATOR_DISPATCH_DETAILS_H

#include "orchestrator/dispatch/browser_state.h"

/* A call of a step that took more than one. */
struct call_attempt {
    const char *model_id;
    struct optional_integer started_at, first_output_at, completed_at;
    int failure_code;
    const char *failure_message;
    struct optional_number cost_usd;
};

/* Absent members are omitted. */
struct call_details {
    struct optional_boolean simulated; /* of a dry run, as the next ones */
    struct string_list requested_models;
    const char *active_model;
    struct optional_boolean reasoning;
    struct optional_integer attachment_count;
    struct string_list attachment_names;
    const char *provider, *provider_model_id;
    struct optional_number timeout_seconds;
    const char *provider_message; /* for a request that the provider rejects */
    struct optional_integer attempts, concurrency_limit, waited_ms;
    struct optional_integer cached_input_tokens, cache_write_tokens, reasoning_tokens;
    struct optional_number retry_after_seconds;
    struct optional_boolean configured, active;
    const char *requested_label, *actual_label; /* for a model mismatch */
    const char *requested_model_label, *actual_model_label;
    struct optional_boolean thinking_enabled, model_selection_verified;
    const char *driver;
    struct optional_boolean circuit_breaker_open;
    const struct breaker_shape *circuit_breaker;
    const char *budget_exceeded_kind;
    const struct browser_usage *budget_usage;
    struct optional_number spent_usd, limit_usd;
    struct optional_number excess_usd; /* billed beyond what was held */
    struct optional_boolean fallback_used, cancelled;
    const char *fallback_from_model, *fallback_reason, *primary_failure_message;
    OBJECT_LIST(struct call_attempt, calls); /* when there were several */
};
SCHEMA_OF(call_details_schema, struct call_details);

const char *call_details_print(struct arena *arena, const struct call_details *details);

#endif
