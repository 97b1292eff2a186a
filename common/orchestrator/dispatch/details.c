/* The schema of details. */
#include "orchestrator/dispatch/details.h"

enum { DETAILS_MAX = 1 << 20 };

#define OWNER struct call_attempt
static const struct field attempt_fields[] = {
    STRING(OWNER, model_id),
    MOMENT(OWNER, started_at, .time = TIME_Z),
    MOMENT(OWNER, first_output_at, .time = TIME_Z),
    MOMENT(OWNER, completed_at, .time = TIME_Z),
    CHOICE(OWNER, failure_code, failure_code_names, .choice_count = FAILURE_CODE__MAX,
           .nullable = true),
    STRING(OWNER, failure_message, .nullable = true),
    NULLABLE_NUMBER(OWNER, cost_usd),
};
#undef OWNER
static SCHEMA(attempt_schema, struct call_attempt, "CallAttempt", attempt_fields);

#define OWNER struct call_details
static const struct field details_fields[] = {
    NULLABLE_BOOLEAN(OWNER, simulated, .omit_if_null = true),
    STRINGS(OWNER, requested_models, .nullable = true, .omit_if_null = true),
    STRING(OWNER, active_model, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, reasoning, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, attachment_count, .omit_if_null = true),
    STRINGS(OWNER, attachment_names, .nullable = true, .omit_if_null = true),
    STRING(OWNER, provider, .omit_if_null = true),
    STRING(OWNER, provider_model_id, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, timeout_seconds, .omit_if_null = true),
    STRING(OWNER, provider_message, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, attempts, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, concurrency_limit, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, waited_ms, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, cached_input_tokens, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, cache_write_tokens, .omit_if_null = true),
    NULLABLE_INTEGER(OWNER, reasoning_tokens, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, retry_after_seconds, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, configured, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, active, .omit_if_null = true),
    STRING(OWNER, requested_label, .omit_if_null = true),
    STRING(OWNER, actual_label, .omit_if_null = true),
    STRING(OWNER, requested_model_label, .omit_if_null = true),
    STRING(OWNER, actual_model_label, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, thinking_enabled, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, model_selection_verified, .omit_if_null = true),
    STRING(OWNER, driver, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, circuit_breaker_open, .omit_if_null = true),
    OBJECT(OWNER, circuit_breaker, breaker_shape_schema, .omit_if_null = true),
    STRING(OWNER, budget_exceeded_kind, .omit_if_null = true),
    OBJECT(OWNER, budget_usage, browser_usage_schema, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, spent_usd, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, limit_usd, .omit_if_null = true),
    NULLABLE_NUMBER(OWNER, excess_usd, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, fallback_used, .omit_if_null = true),
    STRING(OWNER, fallback_from_model, .omit_if_null = true),
    STRING(OWNER, fallback_reason, .omit_if_null = true),
    STRING(OWNER, primary_failure_message, .omit_if_null = true),
    NULLABLE_BOOLEAN(OWNER, cancelled, .omit_if_null = true),
    OBJECTS(OWNER, calls, attempt_schema, .omit_if_null = true),
};
#undef OWNER
SCHEMA(call_details_schema, struct call_details, "CallDetails", details_fields);

const char *call_details_print(struct arena *arena, const struct call_details *details)
{
    const char *json = schema_json(arena, DETAILS_MAX, &call_details_schema, details);

    return json ? json : "{}";
}
