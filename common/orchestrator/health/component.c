/* The schemas of components. */
#include "orchestrator/health/component.h"

const char *const component_state_names[COMPONENT_STATE__MAX + 1] = {
    "ok", "degraded", "failed", "unknown", "model_auth_required", NULL};

#define STATUS(owner)                                                                              \
    CHOICE(owner, status, component_state_names, .choice_count = COMPONENT_STATE__MAX)

#define OWNER struct budget_details
static const struct field budget_fields[] = {
    NULLABLE_INTEGER(OWNER, per_task_limit, .help = "null: none is set."),
    NULLABLE_INTEGER(OWNER, per_hour_limit, .help = "null: none is set."),
    WRITTEN_JSON(OWNER, active_task_counts, .help = "Submits by task."),
    INTEGER(OWNER, hourly_submits),
};
#undef OWNER
static SCHEMA(budget_schema, struct budget_details, "SubmitBudget", budget_fields);

#define OWNER struct spend_details
static const struct field spend_fields[] = {
    STRING(OWNER, day),
    NULLABLE_NUMBER(OWNER, usd, .help = "Booked today; null: the store does not answer."),
    NULLABLE_NUMBER(OWNER, held_usd, .help = "Held for calls that have not ended."),
    NULLABLE_NUMBER(OWNER, limit, .help = "null: none is set."),
};
#undef OWNER
static SCHEMA(spend_schema, struct spend_details, "Spend", spend_fields);

#define OWNER struct router_details
static const struct field router_fields[] = {
    INTEGER(OWNER, active_model_executions),
    WRITTEN_JSON(OWNER, active_by_model, .help = "Running calls by model."),
    WRITTEN_JSON(OWNER, waiting_by_model, .help = "Waiting calls by model."),
    WRITTEN_JSON(OWNER, model_limits, .help = "Calls that may run at a time, by model."),
    STRINGS(OWNER, saturated_models),
    OBJECT(OWNER, budget, budget_schema),
    OBJECT(OWNER, spend, spend_schema),
};
#undef OWNER
SCHEMA(router_details_schema, struct router_details, "RouterDetails", router_fields);

#define OWNER struct cache_details
static const struct field cache_fields[] = {
    STATUS(OWNER),
    STRING(OWNER, backend),
    STRING(OWNER, limits_held_by, .help = "cache, host or nobody."),
    INTEGER(OWNER, requests_without_cache),
};
#undef OWNER
SCHEMA(cache_details_schema, struct cache_details, "CacheDetails", cache_fields);

#define OWNER struct limits_details
static const struct field limits_fields[] = {
    STATUS(OWNER),
    INTEGER(OWNER, hosts, .help = "That share the limits."),
    INTEGER(OWNER, decided_alone, .help = "Decisions of this host without the others."),
    STRING(OWNER, message),
};
#undef OWNER
SCHEMA(limits_details_schema, struct limits_details, "LimitsDetails", limits_fields);

#define OWNER struct simulator_details
static const struct field simulator_fields[] = {
    STRING(OWNER, status),
    STRING(OWNER, adapter_name),
    BOOLEAN(OWNER, simulated),
};
#undef OWNER
SCHEMA(simulator_details_schema, struct simulator_details, "SimulatorDetails", simulator_fields);

#define OWNER struct api_details
static const struct field api_fields[] = {
    STATUS(OWNER),
    STRING(OWNER, adapter_name),
    STRING(OWNER, provider),
    BOOLEAN(OWNER, configured),
};
#undef OWNER
SCHEMA(api_details_schema, struct api_details, "ApiAdapterDetails", api_fields);

#define OWNER struct idle_automation
static const struct field idle_fields[] = {
    STRING(OWNER, status),    BOOLEAN(OWNER, implemented),
    STRING(OWNER, driver),    NULLABLE_BOOLEAN(OWNER, logged_in, .omit_if_null = true),
    BOOLEAN(OWNER, launched), STRING(OWNER, reason, .nullable = true),
};
#undef OWNER
SCHEMA(idle_automation_schema, struct idle_automation, "IdleAutomation", idle_fields);

static const struct schema *const automation_variants[] = {&idle_automation_schema,
                                                           &browser_automation_schema, NULL};

#define OWNER struct browser_details
static const struct field browser_fields[] = {
    STATUS(OWNER),
    OBJECT(OWNER, circuit_breaker, breaker_shape_schema),
    STRING(OWNER, adapter_name),
    STRING(OWNER, provider),
    BOOLEAN(OWNER, configured),
    CHOICE(OWNER, driver, browser_driver_names, .choice_count = BROWSER_DRIVER__MAX),
    STRING(OWNER, error, .omit_if_null = true),
    OBJECT(OWNER, session, browser_session_schema),
    VARIANT(OWNER, automation, automation_variants),
};
#undef OWNER
SCHEMA(browser_details_schema, struct browser_details, "BrowserAdapterDetails", browser_fields);

static const struct schema *const details_variants[] = {
    &storage_details_schema, &storage_failure_schema,   &router_details_schema,
    &cache_details_schema,   &limits_details_schema,    &api_details_schema,
    &browser_details_schema, &simulator_details_schema, NULL};

#define OWNER struct component
static const struct field component_fields[] = {
    STRING(OWNER, name),
    STRING(OWNER, kind),
    STATUS(OWNER),
    BOOLEAN(OWNER, required),
    VARIANT(OWNER, details, details_variants),
    OBJECT(OWNER, fault, health_fault_schema, .nullable = true, .omit_if_null = true),
};
#undef OWNER
SCHEMA(component_schema, struct component, "Component", component_fields);
